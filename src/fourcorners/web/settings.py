"""The settings of a server."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from fourcorners.core import extras

PACE = 0.4
MAX_SOCKETS = 6000
TRUSTED_PROXIES = "127.0.0.1,::1"
_HOST_PATTERN = re.compile(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]", re.IGNORECASE | re.ASCII)
NO_ADDRESS = "--database or FOURCORNERS_DATABASE is not a database address; an example is postgresql://user@host/name"
_REDIS_SCHEMES = ("redis://", "rediss://", "unix://")


class SettingsError(Exception):
    """A setting that a server cannot start with; the message is a sentence and does not quote addresses."""


@dataclass(frozen=True)
class Settings:
    """Where games are stored and how much this server accepts.

    `database` is an address postgresql://… that replaces the folder `data`. `pace` is the shortest time in seconds that
    a computer takes for a move. `redis` is the address of a Redis shared by the servers of one database. `proxies` are
    addresses and networks, separated by commas, whose X-Forwarded headers are trusted. `ray` is the address of a
    cluster that computes moves. `metrics_token` allows programs on other machines to read the metrics. `host` is where
    the server listens, and `allowed_hosts` are further names for which it answers, separated by commas: *.example.org
    stands for all names below one, and * for all. `push_hosts` are hosts of push services besides those of the browsers
    that are known, separated by commas, with a port unless it is 443.
    """

    data: Path
    pace: float = PACE
    database: str = ""
    max_sockets: int = MAX_SOCKETS
    max_rooms: int = 4000
    redis: str = ""
    proxies: str = TRUSTED_PROXIES
    ray: str = ""
    metrics_token: str = ""
    host: str = "127.0.0.1"
    allowed_hosts: str = ""
    push_hosts: str = ""

    def validate(self) -> None:
        """Raise SettingsError for a bad address of a database, Redis, proxy or host, or for a missing package."""
        if self.database and "://" not in self.database:
            raise SettingsError(NO_ADDRESS)
        for wanted, extra in ((self.redis, "redis"), (self.ray, "ray")):
            try:
                if wanted:
                    extras.require(extra, f"--{extra} needs")
            except extras.MissingExtraError as error:
                raise SettingsError(error.message) from None
        if self.redis and not _is_redis_address(self.redis):
            # The address is not quoted because it may contain a password.
            raise SettingsError(
                "--redis or FOURCORNERS_REDIS is not a Redis address; an example is redis://host:6379, with %40 for "
                "each @ in a password"
            )
        for proxy in filter(None, (text.strip() for text in self.proxies.split(","))):
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                examples = "10.0.0.5 or, for a network, 10.0.0.0/8"
                raise SettingsError(f"{proxy!r} is not the address of a proxy; examples are {examples}") from None
        for host in filter(None, (text.strip() for text in self.allowed_hosts.split(","))):
            if not _HOST_PATTERN.fullmatch(host):
                examples = "play.example.org or, for all names below it, *.example.org"
                raise SettingsError(
                    f"{host!r} is not the name of a host, without http:// and port; examples are {examples}"
                )
        for host in filter(None, (text.strip() for text in self.push_hosts.split(","))):
            name, _, port = host.rpartition(":") if host[-1].isdigit() and ":" in host else (host, "", "443")
            if host == "*" or not _HOST_PATTERN.fullmatch(name) or not port.isdecimal():
                examples = "push.example.org or push.example.org:8443"
                raise SettingsError(f"{host!r} is not the host of a push service; examples are {examples}")


def _is_redis_address(address: str) -> bool:
    """Return whether connections to an address can be made, apart from whether anything answers there."""
    # Imported here because the package is optional.
    from redis import ConnectionPool  # noqa: PLC0415  # an optional dependency

    if not address.startswith(_REDIS_SCHEMES) or address.count("@") > 1:
        return False
    try:
        ConnectionPool.from_url(address).make_connection()
    except (ValueError, TypeError):
        return False
    return True
