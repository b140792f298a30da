"""A unit of games: played in one thread, and returned as the files of its tables."""

import hashlib
import json
import random
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import compiled_api, compiled_encoding
from fourcorners.core.game import Game, Position, View
from fourcorners.envs.rewards import WIN, number_parties, write_rewards
from fourcorners.players.computer import Choice
from fourcorners.players.engine_match import Side, change_seed, play_opening
from fourcorners.selfplay.configuration import Configuration
from fourcorners.selfplay.tables import format_rows
from fourcorners.solvers.solver import Solver
from fourcorners.solvers.transposition_table import UNKNOWN

_KEY_BYTES = 8
_LABEL_MEMORY = 1 << 26  # of the solver of each unit, in bytes; with other memory, bounds may differ
_NO_LABELS: Mapping[str, Any] = dict.fromkeys(("value", "lower", "upper", "exact", "values"))


class _Turn(NamedTuple):
    """A position in which a player chose a move."""

    position: Position
    choice: Choice


def build_unit(configuration: Configuration, unit: int, stop: threading.Event | None = None) -> dict[str, bytes] | None:
    """Play the games of a unit; return the Parquet file of each of its tables, or None if `stop` was set before.

    The same configuration and number give the same bytes. Raise OptionError for a wrong configuration.
    """
    game, sides = configuration.make_game(), configuration.make_sides()
    rows: dict[str, list[dict[str, Any]]] = {"games": [], "positions": []}
    if game.spec.hidden:
        rows["views"] = []
    solver = None if configuration.label_nodes is None else Solver(game, memory=_LABEL_MEMORY, threads=1)
    for number in configuration.list_games(unit):
        seats = [sides[(seat + number) % len(sides)] for seat in range(game.seats)]
        found = _play_game(game, seats, configuration, number, stop)
        if found is None:
            return None
        turns, last = found
        rewards = compute_rewards(last)
        rows["games"].append(_describe_game(configuration, number, seats, turns, last))
        for turn in turns:
            # One at a time, so that `stop` need not wait for a whole game.
            label = _NO_LABELS if solver is None else _label(solver, turn.position, configuration)
            if stop is not None and stop.is_set():
                return None
            shown = {"game": number, **_describe_turn(turn.position, turn)}
            rows["positions"].append({**shown, **label, "rewards": rewards})
            if game.spec.hidden:
                rows["views"].append({"game": number, **_describe_turn(turn.position.view(turn.position.seat), turn)})
    return {table: format_rows(table, lines) for table, lines in rows.items()}


def _play_game(
    game: Game, seats: list[Side], configuration: Configuration, number: int, stop: threading.Event | None
) -> tuple[list[_Turn], Position] | None:
    """Play a game; return the turns after its opening and the last position, or None if `stop` was set."""
    rng = random.Random(f"{configuration.seed}/{number}")
    position = play_opening(game, configuration.plies, rng)
    players = [side.create_computer(rng.getrandbits(64)) for side in seats]
    turns = []
    while position.seat is not None:
        player = players[position.seat]
        choice = player.choose(position, stop)
        if stop is not None and stop.is_set():
            return None
        change_seed(player)
        turns.append(_Turn(position, choice))
        position = position.play(choice.move)
    return turns, position


def _label(solver: Solver, position: Position, configuration: Configuration) -> Mapping[str, Any]:
    """Return the labels of a position."""
    labels = solver.label([position], every_move=True, nodes=configuration.label_nodes)
    lower, upper = int(labels.lower[0]), int(labels.upper[0])
    bounds = zip(_make_list(labels.lowers), _make_list(labels.uppers), strict=True)
    return {
        "value": lower if lower == upper else None,
        "lower": lower if lower > -UNKNOWN else None,
        "upper": upper if upper < UNKNOWN else None,
        "exact": lower == upper,
        "values": [low if low == high else None for low, high in bounds],
    }


def _make_list(column: NDArray[np.int64] | None) -> list[int]:
    """Return a column of labels of every move, which is never None, as a list."""
    return [] if column is None else column.tolist()


def compute_rewards(position: Position) -> list[float]:
    """Return the rewards at the end of a game by seat, as those of `fourcorners.envs` for `reward="win"`."""
    parties = number_parties(position.game)
    out = np.zeros(len(parties), np.float32)
    write_rewards(np.array(position.scores), parties, int(parties.max()) + 1, WIN, out)
    return out.tolist()


def _describe_game(
    configuration: Configuration, number: int, seats: list[Side], turns: list[_Turn], last: Position
) -> dict[str, Any]:
    """Return the row of a game."""
    return {
        "game": number,
        "seed": f"{configuration.seed}/{number}",
        "players": [side.name for side in seats],
        "options": json.dumps(configuration.options, sort_keys=True),
        "opening": last.ply_count - len(turns),
        "moves": list(last.history),
        "scores": list(last.scores),
        "rewards": compute_rewards(last),
        "winners": list(last.outcome.winners) if last.outcome else [],
        "plies": last.ply_count,
    }


def _describe_turn(shown: Position | View, turn: _Turn) -> dict[str, Any]:
    """Return what the tables have in common of a position, or of the view of its seat, in which a move was chosen."""
    codes = np.zeros(compiled_api.bound(shown.states, 0), np.int64)
    indices = np.zeros_like(codes)
    count = compiled_encoding.list_actions(shown.states, 0, codes, indices)
    parse = shown.game.spec.notation.parse
    places = {code: k for k, code in enumerate(codes[:count].tolist())}
    visits = None
    if turn.choice.visits:
        visits = [0] * count
        for move, simulations in turn.choice.visits:
            visits[places[int(parse(shown.record, move))]] = simulations
    return {
        "ply": shown.ply_count,
        "seat": shown.seat,
        "text": shown.text,
        "key": compute_key(shown),
        "actions": indices[:count].tolist(),
        "played": int(indices[places[int(parse(shown.record, turn.choice.move))]]),
        "visits": visits,
        "win": turn.choice.win,
        "margin": turn.choice.final_margin,
    }


def compute_key(shown: Position | View) -> int:
    """Return a hash, below 2^64, that is the same for all positions equivalent under the symmetries of the game.

    Where a game tells of none, it is a hash of the text.
    """
    text = min(shown.game.spec.list_equivalent_texts(shown.record) or [shown.text])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).digest(), "big")
