"""Server processes that tests may kill, and tables that tests add to the servers' database."""

import hashlib
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self, cast

import httpx

from fourcorners.web.domain.rows import Chair
from fourcorners.web.store import Store, StoredTable
from tests.web.client import COMPILED_WITHIN, WAIT, Browser, Server

ROOT = Path(__file__).resolve().parents[2]
EXIT_TIMEOUT = 30.0
"""The seconds within which a server must exit: it promises five, but a busy machine may be much slower."""


class Process:
    """`fourcorners serve` in its own process (see `cli_without_warmup`), with its output in a file.

    Inside the block the server is ready, and `port` is its port; at the end it is killed if it still runs.
    """

    module = "tests.web.cli_without_warmup"

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        """Start the process on a free port, over a data folder, where `output` goes too; return before it is ready.

        `options` are further options of the command line, `environment` changes the variables of this process.
        """
        self.output = folder / f"output-{secrets.token_hex(4)}"
        command = [sys.executable, "-m", self.module, "serve", "--port", "0", "--no-open"]
        with self.output.open("wb") as file:
            self.child = subprocess.Popen(
                [*command, "--data", str(folder), "--pace", "0", *options],
                cwd=ROOT,
                stdout=file,
                stderr=file,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PYTHONUNBUFFERED": "1", **environment},
            )
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the process has written to standard output and standard error so far."""
        return self.output.read_text(errors="replace")

    def __enter__(self) -> Self:
        """Wait until the server is ready; fail with its output if it exits or takes too long.

        Whatever fails here, even an interruption, kills it.
        """
        end = time.monotonic() + COMPILED_WITHIN
        try:
            while not self._is_ready():
                assert self.child.poll() is None and time.monotonic() <= end, self.log
                time.sleep(0.05)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _is_ready(self) -> bool:
        """Set `port` once the output has it, and return whether the server answers that it has compiled everything."""
        if not self.port and "http://127.0.0.1:" in self.log:
            address = self.log.partition("http://127.0.0.1:")[2].partition("/")
            self.port = int(address[0]) if address[1] else 0
        if not self.port:
            return False
        try:
            return self.is_usable(httpx.get(f"{self.url}/healthz", timeout=WAIT).json())
        except httpx.HTTPError:
            return False

    def is_usable(self, health: dict[str, Any]) -> bool:
        """Return whether a health check says that tests may begin."""
        return bool(health["ready"])

    def kill(self) -> None:
        """Kill the process, which has no time to say goodbye, and wait until it is gone."""
        self.child.kill()
        self.child.wait(WAIT)

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit status; raise TimeoutExpired if the process does not exit in time."""
        self.child.send_signal(sent)
        return self.child.wait(EXIT_TIMEOUT)

    def __exit__(self, *_: object) -> None:
        if self.child.poll() is None:
            self.kill()


class HeldProcess(Process):
    """A server that waits for compiled code until `release` is called (see `cli_with_held_compiler`).

    The block begins as soon as it answers.
    """

    module = "tests.web.cli_with_held_compiler"

    def __init__(self, folder: Path, **environment: str) -> None:
        """Start the process as `Process` does, with an empty cache in the folder `cache`."""
        self._hold = folder / "hold"
        self._hold.touch()
        held = {"HELD_BY": str(folder / "hold"), "FOURCORNERS_CACHE": str(folder / "cache")}
        super().__init__(folder, **held, **environment)

    def is_usable(self, health: dict[str, Any]) -> bool:
        """Return True: the server answers."""
        return True

    def release(self) -> None:
        """Let the server have what it waits for."""
        self._hold.unlink()


def create_browser(process: Process) -> Browser:
    """Create a browser that sends its requests to a process, which must be ready.

    Only the part of `Server` that a `Process` has too, `url` and `port`, may be used through `browser.server`.
    """
    return Browser(cast("Server", process))


def get_player_id(browser: Browser) -> str:
    """Return the player id of a guest: the hash of the secret in its cookie; raise KeyError before it has a cookie."""
    return hashlib.sha256(browser.http.cookies["player"].encode()).hexdigest()


def add_running_table(store: Store, *seats: Browser | str, game: str = "square-off", **fields: Any) -> str:
    """Store a running table, at which seat 0 is to move, and return its id; at least one seat must be a browser's.

    Each seat is a browser that has a cookie, or a computer's kind such as `computer:1`. The first browser is the owner.
    `fields` override the defaults of the `StoredTable`; the options are those of a small `square-off`.
    """
    chairs = [
        Chair(number, seat, None, f"Computer {number}", taken=True)
        if isinstance(seat, str)
        else Chair(number, "person", get_player_id(seat), f"Person {number}", taken=True)
        for number, seat in enumerate(seats)
    ]
    now = time.time()
    defaults: dict[str, Any] = {
        "id": f"-{secrets.token_urlsafe(9)}",
        "kind": "live",
        "game": game,
        "options": {"size": 4, "swap": False},
        "deck": [],
        "nonce": "",
        "settings": {},
        "owner": next(chair.player for chair in chairs if chair.player),
        "date": "2026-11-21",
        "created": now,
        "started": now,
        "changed": now,
        "version": 0,
        "turn": 0,
        "deadline": None,
        "result": "",
        "chairs": chairs,
    }
    table = StoredTable(**{**defaults, **fields})
    store.add_table(table).result(WAIT)
    return table.id
