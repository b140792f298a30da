"""The positions of a reviewed game as JSON values, to show a stored review without replaying its game."""

import base64
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from fourcorners.core.base_position import PlayedMove
from fourcorners.core.game import Game, Position


def write_positions(positions: Sequence[Position]) -> dict[str, str]:
    """Return the records of positions, with their type and the last line, which tell whether they can still be read."""
    states = np.concatenate([position.states for position in positions])
    packed = base64.b64encode(zlib.compress(states.tobytes())).decode("ascii")
    return {"type": str(states.dtype.descr), "last": positions[-1].text, "records": packed}


def read_positions(
    game: Game, moves: Sequence[tuple[int, str]], data: Mapping[str, str] | None
) -> tuple[Position, ...] | None:
    """Read the positions before and after some moves, given by seat and text, from the result of `write_positions`.

    Return None if there is no data, or if another version of the game wrote it.
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
