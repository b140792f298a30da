"""Server processes of their own, that tests may kill, and tables that tests set up beside them."""

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

from fourcorners.web.store import Chair, Store, StoredTable
from tests.web.client import COMPILED_WITHIN, WAIT, Browser, Server

ROOT = Path(__file__).resolve().parents[2]
ENDED_WITHIN = 10.0
"""Five seconds are promised; a machine that is busy with other tests may take longer to notice the end."""


class Process:
    """`fourcorners serve` in a process of its own (see `hurried`); what it says is in a file."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.said = folder / f"said-{secrets.token_hex(4)}"
        command = [sys.executable, "-m", "tests.web.hurried", "serve", "--port", "0", "--no-open"]
        with self.said.open("wb") as file:
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
        return self.said.read_text(errors="replace")

    def __enter__(self) -> Self:
        end = time.monotonic() + COMPILED_WITHIN
        while not self._ready():
            if self.child.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise AssertionError(self.log)
            time.sleep(0.05)
        return self

    def _ready(self) -> bool:
        if not self.port and "http://127.0.0.1:" in self.log:
            address = self.log.partition("http://127.0.0.1:")[2].partition("/")
            self.port = int(address[0]) if address[1] else 0
        if not self.port:
            return False
        try:
            return bool(httpx.get(f"{self.url}/healthz", timeout=WAIT).json()["ready"])
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        self.child.kill()
        self.child.wait(WAIT)

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit status."""
        self.child.send_signal(sent)
        return self.child.wait(ENDED_WITHIN)

    def __exit__(self, *_: object) -> None:
        if self.child.poll() is None:
            self.kill()


def create_browser(process: Process) -> Browser:
    """Return a browser that asks a process."""
    return Browser(cast("Server", process))


def get_player_id(browser: Browser) -> str:
    """Return the player that a browser's cookie stands for."""
    return hashlib.sha256(browser.http.cookies["player"].encode()).hexdigest()


def add_running_table(store: Store, *seats: Browser | str, game: str = "square-off", **more: Any) -> str:
    """Set up a table that runs already, with browsers and computers in its seats; return its id."""
    chairs = [
        Chair(number, seat, None, f"Computer {number}", taken=True)
        if isinstance(seat, str)
        else Chair(number, "person", get_player_id(seat), f"Person {number}", taken=True)
        for number, seat in enumerate(seats)
    ]
    now = time.time()
    usual: dict[str, Any] = {
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
    saved = StoredTable(**{**usual, **more})
    store.add_table(saved).result(WAIT)
    return saved.id
