"""Fixtures: a real server with its own data, and a real Chromium."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.browser.silent_proxy import SilentProxy
from tests.servers import find_free_port
from tests.web.push_service import PushService, run_push_service

ROOT = Path(__file__).resolve().parents[2]
STARTUP_SECONDS = 240.0
# Playwright's five seconds are not enough on a busy machine, and a test that passes waits no longer than it must.
expect.set_options(timeout=30_000)

NewGuest = Callable[..., Page]
"""Opens an empty page in a separate browser context, as another person would.

It takes another URL than the server's, to which addresses on the page are relative, such as that of a proxy before the
server, and further options of the context.
"""


class Server:
    """A server process that can be killed and started again, with the same data at the same port.

    Anyone who starts it must stop it; `process` is None while none runs, or while another process runs it.
    """

    def __init__(self, data: Path, port: int = 0, **environment: str) -> None:
        """Take a port, or a free one; `data` is the folder of the database, `environment` changes its variables."""
        self.data = data
        self.environment = environment
        self.port = port or find_free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process and wait until it answers; fail if it ends or takes more than `STARTUP_SECONDS`.

        `scripts/test` has compiled everything, and the process loads what it needs when that is first used. If starting
        fails, or is interrupted, no process keeps running. Call it only while none runs.
        """
        command = [sys.executable, "-m", "tests.web.cli_without_warmup", "serve", "--port", str(self.port)]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", **self.environment}
        options = ["--data", str(self.data), "--no-open"]
        self.process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, env=environment)
        end = time.monotonic() + STARTUP_SECONDS
        try:
            while not self._is_ready():
                assert self.process.poll() is None, "the server stopped"
                assert time.monotonic() < end, "the server is not ready"
                time.sleep(0.1)
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    def _is_ready(self) -> bool:
        """Return whether the server answers and has compiled everything; False while nothing listens."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return bool(json.load(answer)["ready"])
        except OSError:
            return False

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Send the process a signal and wait until it has ended; do nothing if none was started since the last stop.

        If it takes more than 20 seconds, kill it and raise TimeoutExpired.
        """
        if self.process is not None:
            process, self.process = self.process, None
            process.send_signal(number)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder of the documentation site, which the first process builds for all."""
    base = tmp_path_factory.getbasetemp()
    base = base if worker_id == "master" else base.parent
    with (base / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = subprocess.run(["scripts/docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return ROOT / "site"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of the session, which share its database; tests that stop a server start their own.

    The processes of pytest-xdist share it as well: loading all compiled code takes seconds. The first one starts it,
    and stops it when no other one uses it any more.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    note = folder / "server.port"
    with (folder / "server.start").open("w") as start, (folder / "server.use").open("w") as use:
        fcntl.flock(start, fcntl.LOCK_EX)
        running = Server(folder / "server-data", int(note.read_text()) if note.exists() else 0)
        if not note.exists():
            running.start()
            note.write_text(str(running.port))
        fcntl.flock(use, fcntl.LOCK_SH)
        fcntl.flock(start, fcntl.LOCK_UN)
        yield running
        if running.process is not None:
            # Anyone who comes now waits, and then starts another one.
            fcntl.flock(start, fcntl.LOCK_EX)
            fcntl.flock(use, fcntl.LOCK_EX)
            note.unlink()
            running.stop()


def list_launch_options() -> dict[str, Any]:
    """Return the options with which Playwright launches the Chromium that the tests use."""
    path = os.environ.get("FOURCORNERS_BROWSER") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    # A page that a test answers itself counts as one of another network, which may not open sockets to this machine.
    args.append("--disable-features=LocalNetworkAccessChecks")
    return {"executable_path": path, "args": args}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for all tests of the session, from `FOURCORNERS_BROWSER` or the path, else Playwright's own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**list_launch_options())
        yield browser
        browser.close()


def open_page(context: BrowserContext) -> Page:
    """Open an empty page, which its context closes, and in which an uncaught error of a script fails the test."""
    page = context.new_page()
    page.on("pageerror", _raise_script_error)
    return page


def _raise_script_error(error: Exception) -> None:
    """Raise AssertionError for an uncaught error of a script."""
    raise AssertionError(f"a script failed: {error}")


@pytest.fixture
def new_guest(chromium: Browser, server: Server) -> Iterator[NewGuest]:
    """Return a function that opens an empty page as another visitor; all of them are closed after the test."""
    with ExitStack() as stack:

        def open_browser(url: str = server.url, **options: Any) -> Page:
            """Open an empty page of 1280 × 900 pixels that does not animate in a new context, with other `options`."""
            size: ViewportSize = {"width": 1280, "height": 900}
            usual = {"base_url": url, "viewport": size, "reduced_motion": "reduce"}
            # What passes through a service worker cannot be answered by a test; `service_workers` allows them.
            usual["service_workers"] = "block"
            return open_page(stack.enter_context(chromium.new_context(**(usual | options))))

        yield open_browser


@pytest.fixture
def page(new_guest: NewGuest) -> Page:
    """An empty page of 1280 × 900 pixels of this test's visitor."""
    return new_guest()


@pytest.fixture
def context(page: Page) -> BrowserContext:
    """The browser context of this test's visitor."""
    return page.context


@pytest.fixture
def phone(new_guest: NewGuest) -> Page:
    """An empty page of 360 × 740 pixels with touch, as on a phone, of another visitor."""
    size: ViewportSize = {"width": 360, "height": 740}
    return new_guest(viewport=size, has_touch=True, is_mobile=True, device_scale_factor=2)


@pytest.fixture
def silent_proxy(server: Server) -> Iterator[SilentProxy]:
    """A proxy of this test in front of the server, which forwards everything until it is silenced."""
    made = SilentProxy(server.port)
    yield made
    made.close()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PushService]:
    """A push service of this test."""
    with run_push_service(tmp_path) as running:
        yield running


@pytest.fixture
def push_server(tmp_path: Path, service: PushService) -> Iterator[Server]:
    """A server of this test that sends notifications through its push service."""
    certificate = str(service.certificate)
    started = Server(tmp_path / "data", FOURCORNERS_PUSH_HOSTS=service.host, REQUESTS_CA_BUNDLE=certificate)
    started.start()
    yield started
    started.stop()
