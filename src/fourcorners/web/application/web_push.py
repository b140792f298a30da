"""Messages to browsers through their push services: the key that signs them, and sending them."""

import base64
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto
from typing import Any
from urllib.parse import urlsplit

from fourcorners.web.store import Store
from fourcorners.web.store.notifications import Subscription

_THREADS = 4
_TIMEOUT = 5.0
"""Seconds that a push service has to accept a connection, and to answer."""
_TIME_TO_LIVE = 86_400
"""Seconds for which a push service keeps a message for a browser that is not running."""
_logger = logging.getLogger(__name__)


class Delivery(Enum):
    """What became of a message."""

    ACCEPTED = auto()
    GONE = auto()
    """The subscription has ended."""
    FAILED = auto()


class WebPush:
    """Sends messages to browsers. Its methods block, except `close`; `threads` are for them."""

    def __init__(self, store: Store, allowed_hosts: str) -> None:
        """Read the key from the store when it is first needed. `allowed_hosts` are the names of this server, of which
        the first one tells push services who sends.
        """
        # A wildcard is not a name, and push services refuse IPv6 addresses.
        names = [name.strip() for name in allowed_hosts.split(",") if name.strip() and not {"*", "["} & set(name)]
        self._contact = f"https://{names[0] if names else 'localhost'}"
        self._store = store
        self._private = ""
        self.threads = ThreadPoolExecutor(_THREADS, "push")

    def read_public_key(self, now: float) -> str:
        """Return the key that a browser needs for a subscription, in base64url; raise StoreError."""
        # Imported here because few servers have anyone to notify, and it takes longer than a page.
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # on first use
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415  # on first use

        value = int.from_bytes(base64.urlsafe_b64decode(self._read_private_key(now) + "="))
        key = ec.derive_private_key(value, ec.SECP256R1()).public_key()
        return _encode(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    def _read_private_key(self, now: float) -> str:
        if not self._private:
            self._private = self._store.read_push_key(_create_private_key, now)
        return self._private

    def send(self, subscription: Subscription, message: dict[str, Any], topic: str, now: float) -> Delivery:
        """Send a message to a browser; it replaces one of the same topic that the browser has not got yet. Raise
        StoreError.
        """
        # Imported here because it takes most of a second.
        import requests  # noqa: PLC0415  # on first use
        from http_ece import ECEException  # noqa: PLC0415  # on first use
        from py_vapid import Vapid, VapidException  # noqa: PLC0415  # on first use
        from pywebpush import WebPushException, webpush  # noqa: PLC0415  # on first use

        vapid = Vapid.from_raw(self._read_private_key(now).encode())
        with requests.Session() as session:
            # The address is that of a known service, and must not lead to any other.
            session.max_redirects = 0
            keys = {"p256dh": subscription.key, "auth": subscription.auth}
            try:
                webpush(
                    {"endpoint": subscription.endpoint, "keys": keys},
                    json.dumps(message),
                    vapid,
                    {"sub": self._contact},
                    timeout=_TIMEOUT,
                    ttl=_TIME_TO_LIVE,
                    headers={"urgency": "high", "topic": topic},
                    requests_session=session,
                )
            except WebPushException as error:
                status = error.status_code
            except (requests.RequestException, VapidException, ECEException, ValueError, TypeError) as error:
                # Keys that a client made up must not stop the other notifications either.
                status = type(error).__name__
            else:
                return Delivery.ACCEPTED
        if status in {404, 410}:
            return Delivery.GONE
        _logger.warning("a push service has not taken a message: %s %s", urlsplit(subscription.endpoint).netloc, status)
        return Delivery.FAILED

    def close(self) -> None:
        """Send nothing more; what is being sent is not waited for."""
        self.threads.shutdown(wait=False, cancel_futures=True)


def are_keys(key: str, auth: str) -> bool:
    """Return whether these can be the keys of a subscription, in base64url: a point of 65 bytes and 16 random bytes."""
    return _count_bytes(key) == 65 and _count_bytes(auth) == 16


def _count_bytes(text: str) -> int:
    """Return how many bytes a text in base64url stands for, 0 if it is not one."""
    bare = text.rstrip("=")
    if not bare.isascii() or not bare.replace("-", "").replace("_", "").isalnum():
        return 0
    return len(bare) * 6 // 8


def _create_private_key() -> str:
    """Return a new private key in base64url."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415  # on first use

    return _encode(ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value.to_bytes(32))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
