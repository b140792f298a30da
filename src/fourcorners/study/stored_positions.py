"""The positions of a reviewed game as JSON values, so that a stored review is shown without replaying its game."""

import base64
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from fourcorners.core.game import Game
from fourcorners.core.position import PlayedMove, Position


def write_positions(positions: Sequence[Position]) -> dict[str, str]:
    """Return the records of positions, and what tells whether they can still be read: their type and the last line."""
    states = np.concatenate([position.states for position in positions])
    packed = base64.b64encode(zlib.compress(states.tobytes())).decode("ascii")
    return {"type": str(states.dtype.descr), "last": positions[-1].text, "records": packed}


def read_positions(
    game: Game, moves: Sequence[tuple[int, str]], data: Mapping[str, str] | None
) -> tuple[Position, ...] | None:
    """Return the positions before and after some moves, given by seat and text, from what `write_positions` has
    returned; None if there is nothing, or another version of the game has written it.
    """
    dtype = game.spec.rules.DTYPE
    if data is None or data["type"] != str(dtype.descr):
        return None
    states = np.frombuffer(zlib.decompress(base64.b64decode(data["records"])), dtype)
    played = tuple(PlayedMove(seat, move, game.spec.mask_move(move)) for seat, move in moves)
    if len(states) != len(played) + 1:
        return None
    positions = tuple(Position(game, states[ply : ply + 1].copy(), played[:ply]) for ply in range(len(states)))
    return positions if positions[-1].text == data["last"] else None
