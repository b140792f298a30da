"""The process that writes to SQLite for all workers, so that one commit serves them together."""

import os
import secrets
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.interprocess.hub_client import start_answering_pings
from fourcorners.web.log import configure_logging
from fourcorners.web.store import Store, StoreError
from fourcorners.web.store.remote_writer import WriterServer
from fourcorners.web.workers.messages import WRITER, Report, receive_start, send_report

_ORPHAN_SECONDS = 5.0
"""How long the workers may still write once the supervisor is gone; they end within four."""


def main(descriptor: int) -> None:
    """Write until the control socket, whose number is `descriptor`, ends and the workers have ended.

    Signals do not count: systemd sends them to all processes at once, and the workers still have to write then.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    supervisor = os.getppid()
    control = socket.socket(fileno=descriptor)
    start = receive_start(control)
    configure_logging(start.log_level, start.log_format, worker="writer")
    try:
        start_answering_pings(start.hub, WRITER)
        store = Store(start.settings.data)
        offset = _begin(store) if start.is_first else None
    except (StoreError, OSError) as error:
        send_report(control, Report(error=str(error)))
        sys.exit(1)
    listener = socket.socket(fileno=start.listener)
    server = WriterServer(listener, store.writer)
    send_report(control, Report(location=store.location, time_offset=offset))
    control.recv(1)  # returns once the supervisor has stopped the workers, or is gone
    server.wait_until_unused(_ORPHAN_SECONDS)
    store.close()
    if os.getppid() != supervisor:
        # The supervisor was killed and cannot clean up.
        shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)


def _begin(store: Store) -> float:
    """Prepare the database for a server that starts; return the server's time less the monotonic time.

    Nobody else uses the database, so no server has run since the last heartbeat, and no clock is charged for that time.
    """
    store.erase_remains()
    server_time = ServerTime(store.read_latest_time())
    store.record_heartbeat(secrets.token_hex(8), server_time.now(), 0.0)
    return server_time.now() - time.monotonic()


if __name__ == "__main__":
    main(int(sys.argv[1]))
