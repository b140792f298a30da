"""What the supervisor and the processes that it starts tell each other through their control sockets."""

import pickle
import socket
from dataclasses import dataclass

from fourcorners.web.interprocess.frames import receive_frame, send_frame
from fourcorners.web.settings import Settings

WRITER = -1
"""The number of the writer among the processes; the workers count from 0."""


@dataclass(frozen=True)
class Start:
    """The first message to a process: the settings of the server, and how to log.

    A writer also learns the number of the file descriptor at which it listens, the path of the hub that pings it, and
    whether the server starts, so that no other process uses the database yet.
    """

    settings: Settings
    log_level: str
    log_format: str
    listener: int = -1
    hub: str = ""
    is_first: bool = False


@dataclass(frozen=True)
class Report:
    """The first message from a process: it is ready, or cannot start because of `error`, a sentence.

    `location` is where games are stored. `time_offset`, from the first writer, is that of `WorkerPlace`.
    """

    error: str = ""
    location: str = ""
    time_offset: float | None = None


def receive_start(control: socket.socket) -> Start:
    """Receive the first message to this process, blocking; raise OSError."""
    frame = receive_frame(control)
    if frame is None:
        raise ConnectionResetError("the supervisor is gone")
    start: Start = pickle.loads(frame)  # noqa: S301  # from our own process, through a private socket
    return start


def send_report(control: socket.socket, report: Report) -> None:
    """Send the first message from this process, blocking; raise OSError."""
    send_frame(control, pickle.dumps(report))
