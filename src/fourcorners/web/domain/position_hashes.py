"""Hashes by which a server knows the position of a running game again, however the board is turned or mirrored."""

import hashlib
from collections.abc import Iterator

from fourcorners.core import compiled_api
from fourcorners.core.game import Position, View


def list_hashes(position: Position | View) -> Iterator[int]:
    """Yield signed 64-bit numbers: the hashes of a position's images under symmetry, only one in a game without
    symmetries.

    Equivalent positions have the same hashes, so the first one of a running game's position is among those of every
    equivalent position. Hands do not count, because a cheat would invent the hidden ones.
    """
    game, states = position.game, position.states
    if game.spec.hidden:
        states = states.copy()
        compiled_api.hide(states, 0, -1)
        position = View(game, states, (), None)
    for text in game.spec.list_equivalent_texts(position.record) or (position.text,):
        digest = hashlib.blake2b(f"{game.spec.id} {text}".encode(), digest_size=8).digest()
        yield int.from_bytes(digest, "big", signed=True)
