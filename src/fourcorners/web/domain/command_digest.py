"""Digests of commands, stored with their events: whether a command with a known id is that command, sent again."""

import hashlib

_AUTHOR_DIGITS, _CONTENT_DIGITS = 12, 20


def digest_content(player: str, client_id: str, content: bytes) -> str:
    """Return the digest of a player's command, 32 hexadecimal digits; `content` is all that it says apart from its id
    and the version that it was made for.
    """
    return _hash(player.encode(), _AUTHOR_DIGITS) + _hash(client_id.encode() + b"\n" + content, _CONTENT_DIGITS)


def is_by(digest: str, player: str) -> bool:
    """Return whether a digest is that of a player's command."""
    return digest.startswith(_hash(player.encode(), _AUTHOR_DIGITS))


def _hash(data: bytes, digits: int) -> str:
    return hashlib.sha256(data).hexdigest()[:digits]
