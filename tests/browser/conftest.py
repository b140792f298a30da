"""A real server with its own data, and a real Chromium."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.line import SilentLine

WARM_WITHIN = 240.0
LOOKS = [
    ("light", 1280),
    ("dark", 360),
    pytest.param("light", 360, marks=pytest.mark.slow),
    pytest.param("dark", 1280, marks=pytest.mark.slow),
]
"""What a page is looked at in: a theme changes colours and a width the layout, so two looks show nearly all of four."""

Guests = Callable[..., Page]
"""Lets somebody come with a browser of their own."""


class Server:
    """The server as a process that can be killed and started again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "fourcorners", "serve", "--port", str(self.port), "--data", str(self.data)]
        self.process = subprocess.Popen([*command, "--no-open"], stdout=subprocess.DEVNULL)
        end = time.monotonic() + WARM_WITHIN
        while not self._ready():
            assert self.process.poll() is None, "the server stopped"
            assert time.monotonic() < end, "the server is not ready"
            time.sleep(0.1)

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return bool(json.load(answer)["ready"])
        except OSError:
            return False

    def stop(self, number: int = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=20)
            self.process = None


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("data"))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = os.environ.get("FOURCORNERS_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


def themed(chromium: Browser, server: Server, theme: str, width: int) -> BrowserContext:
    """A browser of this width whose owner likes light or dark pages that stand still."""
    return chromium.new_context(
        base_url=server.url,
        viewport={"width": width, "height": 800},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )


def watched(context: BrowserContext) -> Page:
    """Open a page on which every error of a script is an error of the test."""
    page = context.new_page()
    page.on("pageerror", _fail)
    return page


def _fail(error: Exception) -> None:
    raise AssertionError(f"a script failed: {error}")


@pytest.fixture
def context(chromium: Browser, server: Server) -> Iterator[BrowserContext]:
    made = chromium.new_context(base_url=server.url, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return watched(context)


@pytest.fixture
def phone(chromium: Browser, server: Server) -> Iterator[Page]:
    made = chromium.new_context(
        base_url=server.url,
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        device_scale_factor=2,
        reduced_motion="reduce",
    )
    yield watched(made)
    made.close()


@pytest.fixture
def guest(chromium: Browser, server: Server) -> Iterator[Guests]:
    """Let somebody come with a browser of their own."""
    contexts: list[BrowserContext] = []

    def come(url: str = server.url) -> Page:
        size: Any = {"width": 1280, "height": 900}
        contexts.append(chromium.new_context(base_url=url, viewport=size, reduced_motion="reduce"))
        return watched(contexts[-1])

    yield come
    for context in contexts:
        context.close()


@pytest.fixture
def line(server: Server) -> Iterator[SilentLine]:
    made = SilentLine(server.port)
    yield made
    made.close()
