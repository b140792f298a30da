"""`fourcorners serve`: the games in the browser."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
import webbrowser
from enum import StrEnum
from typing import Annotated

import typer

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, data_folder
from fourcorners.web.settings import MAX_SOCKETS, PACE, TRUSTED_PROXIES, Settings

_OPEN_WITHIN = 20.0


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """For whom the log is written: people, or programs."""

    CONSOLE = "console"
    JSON = "json"


def serve(
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen at; 0.0.0.0 lets others on the network play.", envvar="FOURCORNERS_HOST"
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.", envvar="FOURCORNERS_PORT")
    ] = 8000,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    pace: Annotated[
        float, typer.Option(min=0, max=10, help="The least time in seconds between moves of the computer.")
    ] = PACE,
    open_: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open a browser; usually where there is a screen.")
    ] = None,
    redis: Annotated[
        str,
        typer.Option(
            help="redis://…, by which servers of one database tell each other of moves at once.",
            envvar="FOURCORNERS_REDIS",
        ),
    ] = "",
    ray: Annotated[
        str,
        typer.Option(
            help="The Ray cluster on which computers think: its address, auto, or local for one on this machine.",
            envvar="FOURCORNERS_RAY",
        ),
    ] = "",
    most_sockets: Annotated[
        int,
        typer.Option(min=1, help="The most pages that may be open at once.", envvar="FOURCORNERS_MOST_SOCKETS"),
    ] = MAX_SOCKETS,
    trusted_proxies: Annotated[
        str,
        typer.Option(
            help="Addresses and networks of proxies, with commas between, that are believed for whom they ask.",
            envvar="FOURCORNERS_TRUSTED_PROXIES",
        ),
    ] = TRUSTED_PROXIES,
    log_level: Annotated[
        LogLevel, typer.Option(help="How much is logged.", envvar="FOURCORNERS_LOG_LEVEL")
    ] = LogLevel.WARNING,
    log_format: Annotated[
        LogFormat, typer.Option(help="How it is logged.", envvar="FOURCORNERS_LOG_FORMAT")
    ] = LogFormat.CONSOLE,
    metrics_token: Annotated[
        str,
        typer.Option(
            help="What programs on other machines bear to read /metrics; without it, only those on this one may.",
            envvar="FOURCORNERS_METRICS_TOKEN",
        ),
    ] = "",
) -> None:
    """Serve the games as a page that a browser shows.

    Games are kept in a folder as they are played; stop with Ctrl-C whenever you like and start again later. Secrets
    such as a database's address are best given by the variables that stand beside the options, as every user of a
    machine can see the options of its programs.
    """
    # The web's libraries take half a second to import, which no other command should cost.
    from fourcorners.web import log
    from fourcorners.web.serve import bind, make_server, run
    from fourcorners.web.settings import SettingsError
    from fourcorners.web.store import StoreError

    log.configure_logging(log_level, log_format)
    settings = Settings(
        data or data_folder(),
        pace,
        database,
        most_sockets,
        redis=redis,
        proxies=trusted_proxies,
        ray=ray,
        metrics_token=metrics_token,
    )
    try:
        settings.check()
        listener = bind(host, port)
    except SettingsError as error:
        fail(str(error))
    except OSError as error:
        fail(_why_no_port(host, port, error))
    try:
        server = make_server(settings)
    except (StoreError, SettingsError) as error:
        listener.close()
        fail(str(error))
    shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104  # compared, not bound
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{listener.getsockname()[1]}/"
    place = server.app.state.store.place
    print(f"Fourcorners is at {address} (stop with Ctrl-C; games are kept in {place})", flush=True)
    if open_ or (open_ is None and _has_screen()):
        threading.Thread(target=_open, args=(server, address), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        run(server, listener)
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
