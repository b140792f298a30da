"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PACE = 0.4


@dataclass(frozen=True)
class Settings:
    """Where the games are kept, and how much this server takes.

    `database` is an address postgresql://… instead of the folder `data`; `pace` is the least time in seconds that the
    computer takes for a move; `redis` is an address redis://… that servers of one database share; `proxies` are the
    addresses and networks, with commas between, of proxies that are believed for whom they ask.
    """

    data: Path
    pace: float = PACE
    database: str = ""
    most_sockets: int = 6000
    most_rooms: int = 4000
    redis: str = ""
    proxies: str = "127.0.0.1,::1"
