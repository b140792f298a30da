"""The push services through which browsers get notifications: a server posts to no other address a client names."""

from urllib.parse import urlsplit

MAX_ENDPOINT_LENGTH = 1000
_SERVICES = {
    "fcm.googleapis.com": "Chrome or a related browser",
    "*.push.services.mozilla.com": "Firefox",
    "*.push.apple.com": "Safari",
    "*.notify.windows.com": "Edge",
}
"""The hosts of push services, where * stands for all names below a domain, and the browsers that use them."""


def find_browser(endpoint: str, allowed: str = "") -> str | None:
    """Return the name of a subscription's browser, given the address at which its push service takes messages; None
    unless that is an https address of a known service. `allowed` has additional hosts, separated by commas, with a port
    unless it is 443.
    """
    if len(endpoint) > MAX_ENDPOINT_LENGTH or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        return None
    try:
        parts = urlsplit(endpoint)
    except ValueError:
        return None
    host = parts.netloc.lower()
    if parts.scheme != "https" or not host or "\\" in endpoint:
        return None
    # A name or a port in the address makes it equal to none of these.
    services = _SERVICES | dict.fromkeys(filter(None, (text.strip().lower() for text in allowed.split(","))), "Browser")
    return next((name for pattern, name in services.items() if _matches(host, pattern)), None)


def _matches(host: str, pattern: str) -> bool:
    """Return whether a host is the one of a pattern, or for *.DOMAIN a name below the domain."""
    if not pattern.startswith("*."):
        return host == pattern
    below = host.removesuffix(pattern[1:])
    return below != host and all(part.replace("-", "").isalnum() for part in below.split("."))
