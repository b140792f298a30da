"""What a server is started with."""

from __future__ import annotations

import importlib.util
import ipaddress
from dataclasses import dataclass
from pathlib import Path

PACE = 0.4
MAX_SOCKETS = 6000
TRUSTED_PROXIES = "127.0.0.1,::1"
_REDIS = ("redis://", "rediss://", "unix://")


class SettingsError(Exception):
    """Something that a server cannot be started with; the message is a sentence, without the value."""


@dataclass(frozen=True)
class Settings:
    """Where the games are kept, and how much this server takes.

    `database` is an address postgresql://… instead of the folder `data`; `pace` is the least time in seconds that the
    computer takes for a move; `redis` is an address redis://… that servers of one database share; `proxies` are the
    addresses and networks, with commas between, of proxies that are believed for whom they ask; `ray` is the address of
    a cluster on which computers think; `metrics_token` lets programs on other machines read the counts.
    """

    data: Path
    pace: float = PACE
    database: str = ""
    most_sockets: int = MAX_SOCKETS
    most_rooms: int = 4000
    redis: str = ""
    proxies: str = TRUSTED_PROXIES
    ray: str = ""
    metrics_token: str = ""

    def check(self) -> None:
        """Raise SettingsError for what could only fail later; an address may hold a password, so none is told."""
        if self.redis and not self.redis.startswith(_REDIS):
            raise SettingsError("this is no address of a Redis: redis://host:6379 is one")
        for wanted, package in ((self.redis, "redis"), (self.ray, "ray")):
            if wanted and importlib.util.find_spec(package) is None:
                raise SettingsError(f"--{package} needs the package {package}: pip install 'fourcorners[{package}]'")
        for proxy in filter(None, (text.strip() for text in self.proxies.split(","))):
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                message = f"{proxy!r} is no address of a proxy: 10.0.0.5, or 10.0.0.0/8 for a network, are some"
                raise SettingsError(message) from None
