"""The id of a puzzle: the same for all positions that are equivalent under the game's symmetries."""

import base64
import hashlib

from fourcorners.core.game import Position

_BYTES = 5  # eight signs of base 32


def compute_id(position: Position) -> str:
    """Return the id of the puzzle that asks for the best move in a position."""
    texts = position.game.spec.list_equivalent_texts(position.record) or [position.text]
    digest = hashlib.blake2b(f"{position.game.id} {min(texts)}".encode(), digest_size=_BYTES).digest()
    return base64.b32encode(digest).decode().lower()
