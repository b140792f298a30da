"""`fourcorners serve`: the games in the browser."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from fourcorners.cli.common import fail
from fourcorners.web.settings import PACE, Settings

_OPEN_WITHIN = 20.0


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 lets others on the network play.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    data: Annotated[
        Path | None, typer.Option(help="The folder that keeps the games; usually where your system keeps such data.")
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0, max=10, help="The least time in seconds between moves of the computer.")
    ] = PACE,
    open_: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open a browser; usually where there is a screen.")
    ] = None,
) -> None:
    """Serve the games as a page that a browser shows.

    Games are kept in a folder as they are played; stop with Ctrl-C whenever you like and start again later.
    """
    # The web's libraries take half a second to import, which no other command should cost.
    from fourcorners.web.serve import bind, make_server  # noqa: PLC0415
    from fourcorners.web.store import StoreError  # noqa: PLC0415

    folder = data or platformdirs.user_data_path("fourcorners")
    try:
        listener = bind(host, port)
    except OSError as error:
        fail(_why_no_port(host, port, error))
    try:
        server = make_server(Settings(folder, pace))
    except StoreError as error:
        listener.close()
        fail(str(error))
    shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104  # compared, not bound
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{listener.getsockname()[1]}/"
    print(f"Fourcorners is at {address} (stop with Ctrl-C; games are kept in {folder})", flush=True)
    if open_ or (open_ is None and _has_screen()):
        threading.Thread(target=_open, args=(server, address), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])
    if not server.started:
        fail("the server did not start; what went wrong stands above")


def _why_no_port(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program: stop that one, or choose another port with --port"
    if error.errno == errno.EACCES:
        return f"port {port} is not allowed to you: choose one from 1024 with --port"
    return f"{host} is no address of this computer that can be listened at ({error.strerror or error})"


def _has_screen() -> bool:
    if os.environ.get("CI") or os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(server: object, address: str) -> None:
    end = time.monotonic() + _OPEN_WITHIN
    while not getattr(server, "started", False):
        if time.monotonic() > end:
            return
        time.sleep(0.05)
    webbrowser.open(address)
