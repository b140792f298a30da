"""`fourcorners serve`: run the web server."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, data_folder
from fourcorners.core.errors import quote
from fourcorners.core.kernel_cache import cache_folder
from fourcorners.web.settings import MAX_SOCKETS, PACE, TRUSTED_PROXIES, Settings


def serve(
    host: Annotated[
        str,
        Option(help="The address to listen on; 0.0.0.0 lets others on the network play.", envvar="FOURCORNERS_HOST"),
    ] = "127.0.0.1",
    port: Annotated[
        int, Option(min=0, max=65535, help="The port to listen on; 0 chooses a free one.", envvar="FOURCORNERS_PORT")
    ] = 8000,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    pace: Annotated[
        float, Option(min=0, max=10, help="The minimum time in seconds between two moves of the computer.")
    ] = PACE,
    open_: Annotated[
        bool | None, Option("--open/--no-open", help="Open a browser; by default, only if there is a display.")
    ] = None,
    redis: Annotated[
        str,
        Option(
            help="A Redis, redis://…, through which servers with the same database notify each other of moves.",
            envvar="FOURCORNERS_REDIS",
        ),
    ] = "",
    ray: Annotated[
        str,
        Option(
            help="The Ray cluster for computer players: an address, auto, or local for one on this machine.",
            envvar="FOURCORNERS_RAY",
        ),
    ] = "",
    max_sockets: Annotated[
        int,
        Option(
            "--most-sockets", min=1, help="The maximum number of pages open at once.", envvar="FOURCORNERS_MOST_SOCKETS"
        ),
    ] = MAX_SOCKETS,
    trusted_proxies: Annotated[
        str,
        Option(
            help="Trusted proxies, as addresses and networks separated by commas.", envvar="FOURCORNERS_TRUSTED_PROXIES"
        ),
    ] = TRUSTED_PROXIES,
    allowed_hosts: Annotated[
        str,
        Option(
            help="Host names that the server answers for, separated by commas, e.g. play.example.org; * allows all.",
            envvar="FOURCORNERS_ALLOWED_HOSTS",
        ),
    ] = "",
    push_hosts: Annotated[
        str,
        Option(
            help="Additional push services for notifications, separated by commas, e.g. push.example.org.",
            envvar="FOURCORNERS_PUSH_HOSTS",
        ),
    ] = "",
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Option(help="The least severe level to log.", envvar="FOURCORNERS_LOG_LEVEL"),
    ] = "warning",
    log_format: Annotated[
        Literal["console", "json"], Option(help="The format of the log.", envvar="FOURCORNERS_LOG_FORMAT")
    ] = "console",
    metrics_token: Annotated[
        str,
        Option(
            help="The bearer token for reading /metrics from other machines; without it, only this machine may.",
            envvar="FOURCORNERS_METRICS_TOKEN",
        ),
    ] = "",
) -> None:
    """Serve the games to web browsers.

    Every move is saved at once, so you can stop with Ctrl-C at any time and start again later. Give secrets, such as
    the address of a database, through the environment variables listed beside the options: all users of a machine can
    see the options of its programs. If the server cannot start, exit with status 1.
    """
    # Nothing of what is loaded here is garbage; looking for some takes a tenth of the time. `run_server` enables it.
    gc.disable()
    # Imported here because the web's libraries take half a second, which other commands should not cost.
    from fourcorners.web import log
    from fourcorners.web.settings import SettingsError
    from fourcorners.web.wire.listening import bind_socket, find_host, list_urls

    log.configure_logging(log_level, log_format)
    folder, proxies = data or data_folder(), trusted_proxies
    settings = Settings(
        folder,
        pace,
        database,
        max_sockets,
        redis=redis,
        proxies=proxies,
        ray=ray,
        metrics_token=metrics_token,
        host=host,
        allowed_hosts=allowed_hosts,
        push_hosts=push_hosts,
    )
    opens = open_ or (open_ is None and _has_screen())
    with contextlib.ExitStack() as stack:
        try:
            settings.validate()
            listener = stack.enter_context(bind_socket(host, port))
        except SettingsError as error:
            fail(str(error))
        except (OSError, UnicodeError) as error:
            fail(_explain_bind_error(host, port, error))
        try:
            cache_folder()
        except OSError as error:
            fail(error.strerror or str(error))
        if not database:
            stack.enter_context(_reserve(folder))
        settings = replace(settings, host=find_host(listener, host))
        addresses = list_urls(listener, settings.host)
        _run(settings, listener, addresses, opens=opens)


@contextlib.contextmanager
def _reserve(folder: Path) -> Iterator[None]:
    """Be the only server of a folder within a with statement; exit with status 1 and an error if that is impossible."""
    from fourcorners.web.store import StoreError
    from fourcorners.web.store.files import lock_folder, prepare_folder

    with contextlib.ExitStack() as stack:
        try:
            prepare_folder(folder)
            stack.enter_context(lock_folder(folder))
        except StoreError as error:
            fail(str(error))
        yield


def _run(settings: Settings, listener: socket.socket, addresses: list[str], *, opens: bool) -> None:
    """Serve until a signal; open a browser if wanted. Exit with status 1 if that is not possible."""
    from fourcorners.web.serve import make_server, run_server
    from fourcorners.web.settings import SettingsError
    from fourcorners.web.store import StoreError

    try:
        server = make_server(settings)
    except (StoreError, SettingsError) as error:
        fail(str(error))
    server.on_started = partial(_announce, addresses, server.app.state.context.store.location, opens=opens)
    with contextlib.suppress(KeyboardInterrupt):
        run_server(server, listener)
    if not server.started:
        fail("the server did not start; the reason is printed above")


def _announce(addresses: list[str], location: str, *, opens: bool) -> None:
    """Print where the server can be visited, first from this machine, and where it stores games; open a browser if
    wanted.
    """
    address, *others = addresses
    visited = f"{address} and, for others on your network, {' and '.join(others)}" if others else address
    # Without an output nothing reads this.
    with contextlib.suppress(OSError):
        print(f"Fourcorners is running at {visited} (stop with Ctrl-C; games are stored in {location})", flush=True)
    if opens:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _explain_bind_error(host: str, port: int, error: OSError | UnicodeError) -> str:
    """Return a clause, for `fail`, that says why `bind_socket` could not listen on a host and port, and what to do."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"port {port} is in use by another program: stop that program, or choose another port with --port"
    if number == errno.EACCES:
        return f"you may not use port {port}: choose one above 1023 with --port"
    # Python adds the address to the system's words.
    reason = os.strerror(number) if number and number > 0 else getattr(error, "strerror", None) or "not a name"
    return f"{quote(host)} is not an address on which this computer can listen ({reason}): choose another with --host"


def _has_screen() -> bool:
    """Return whether the user would probably see a browser opened here: not in CI, over SSH or without a display."""
    if os.environ.get("CI") or os.environ.get("SSH_CONNECTION"):
        return False
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
