"""Log what concerns the security of accounts: who signed in or failed to, and what changed, without secrets."""

import hashlib
import logging
from enum import StrEnum

from starlette.requests import HTTPConnection

from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.limits import find_wide_network

_logger = logging.getLogger("fourcorners.security")
_UNKNOWN = "unknown"
_LABEL_LENGTH = 12


class SecurityEvent(StrEnum):
    """What is logged, in the words of the log."""

    ACCOUNT_CREATED = "account created"
    ACCOUNT_DELETED = "account deleted"
    SIGN_IN = "sign-in"
    SIGN_IN_FAILED = "sign-in failed"
    SIGN_IN_DELAYED = "sign-in delayed"
    SIGN_OUT = "sign-out"
    SESSIONS_ENDED = "sessions ended"
    PASSWORD_CHANGED = "password changed"
    WRONG_PASSWORD = "wrong password"
    API_KEY_CREATED = "API key created"
    PASSKEY_CREATED = "passkey created"
    PASSKEY_DELETED = "passkey deleted"
    RECOVERY_CODES_CREATED = "recovery codes created"
    RECOVERY_FAILED = "recovery failed"
    RECOVERED = "account recovered"


_WARNINGS = {SecurityEvent.SIGN_IN_DELAYED, SecurityEvent.RECOVERED}


def log_security_event(
    connection: HTTPConnection, event: SecurityEvent, player: str | None, count: int | None = None
) -> None:
    """Log an event about the account of a player (None: there is no such account) from the network of a request.

    The account is a label (see `label_account`), the network never a whole address. A typed name is not logged, because
    people type passwords into the wrong field. `count` says how many sessions ended.
    """
    network = find_wide_network(get_client_address(connection))
    fields: dict[str, object] = {
        "account": _UNKNOWN if player is None else label_account(player),
        "network": network if "/" in network else _UNKNOWN,
    }
    if count is not None:
        fields["count"] = count
    _logger.log(logging.WARNING if event in _WARNINGS else logging.INFO, event, extra=fields)


def label_account(player: str) -> str:
    """Return the label of a player in the log: 12 hexadecimal digits, from which no one can find the player's id."""
    return hashlib.sha256(f"log:{player}".encode()).hexdigest()[:_LABEL_LENGTH]
