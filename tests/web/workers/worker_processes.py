"""The processes of a server with workers, and sockets at a certain one of them."""

import re
import socket
from contextlib import suppress

import psutil
from websockets.sync.client import connect

from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Socket
from tests.web.processes import Process


def list_processes(process: Process) -> dict[str, int]:
    """Return the process ids of a server by name: "worker 0" and so on in the order of their start, and "writer"."""
    found: dict[str, int] = {}
    for child in sorted(psutil.Process(process.child.pid).children(), key=psutil.Process.create_time):
        # A child that has just ended has no arguments.
        with suppress(psutil.NoSuchProcess):
            module = re.search(r" -m \S+\.(worker|writer) ", f"{' '.join(child.cmdline())} ")
            if module:
                name = module[1] if module[1] == "writer" else f"worker {sum(key != 'writer' for key in found)}"
                found[name] = child.pid
    return found


def is_alive(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for_processes(process: Process, count: int, but: int = 0) -> None:
    """Wait until a server has so many processes besides the supervisor, without the process id `but`."""

    def are_there() -> bool:
        pids = list_processes(process).values()
        return len(pids) == count and but not in pids

    wait_until(are_there)


def open_at_next_worker(browser: Browser, table: str) -> Socket:
    """Open a table's socket at the worker whose turn it is, whichever the table's own is, and say hello."""
    # An empty line before a request is ignored, but it is what the supervisor sees first.
    connection = socket.create_connection(("127.0.0.1", browser.server.port), WAIT)
    connection.sendall(b"\r\n")
    url, headers = f"ws://127.0.0.1:{browser.server.port}/play/{table}/live", {"cookie": browser.cookie()}
    opening = connect(
        url, sock=connection, additional_headers=headers, open_timeout=WAIT, max_size=None, max_queue=None
    )
    opened = Socket(opening, table)
    opened.send(type="hello", version=None, viewer=None)
    opened.receive_until("state")
    return opened
