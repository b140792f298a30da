"""Measure whether what a first visitor meets is a real game: `python -m benchmarks.presets`; prints JSON lines.

For every board that "Play", quick pairing, the home page and the form for a new game offer: how many moves a game takes
in the median, and what the first seat wins (a shared win counts its share), between random players and between two of
the same level.
"""

import argparse
import json
import random
import statistics
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import fourcorners as fc
from fourcorners.core.game import Position
from fourcorners.players.computer import DEFAULT_LEVEL
from fourcorners.web.pages.forms import parse_game
from fourcorners.web.pages.option_fields import list_sizes

FEWEST_MOVES = 5
MOST_WINS = 0.8
"""A preset with a shorter game, or of which the first seat wins more between equal players, is to be changed."""

Chooser = Callable[[Position], str]


class Preset(NamedTuple):
    """A board that is offered, and where."""

    game: str
    place: str
    options: dict[str, Any]


def list_presets() -> Iterator[Preset]:
    """List what a first visitor meets, in every game, each board once for every place."""
    for name in fc.games():
        game = fc.game(name)
        yield Preset(name, "play", dict(game.starter))
        if game.showcase is not None:
            yield Preset(name, "home page", dict(game.showcase.options))
        for size in list_sizes(game):
            yield Preset(name, f"form, {size.name}", parse_game(name, {"board": size.name}).given_options())
        yield Preset(name, "command line and library", {})


def choose_at_random(generator: random.Random) -> Chooser:
    """Return a player that chooses any legal move."""
    return lambda position: generator.choice(position.moves())


def choose_by_level(level: int) -> Chooser:
    """Return a player of a level; every move has other random numbers."""
    computer = fc.Computer(level)
    return computer.choose_move


def measure(game: fc.Game, chooser: Chooser, games: int) -> dict[str, float]:
    """Return the median number of moves of some games, and the first seat's share of the wins."""
    lengths, wins = [], 0.0
    for seed in range(games):
        position = game.start(seed=seed)
        while not position.is_over:
            position = position.play(chooser(position))
        lengths.append(len(position.plies))
        winners = () if position.outcome is None else position.outcome.winners
        wins += (0 in winners) / max(1, len(winners))
    return {"moves": statistics.median(lengths), "first_wins": round(wins / games, 3)}


def main() -> None:
    """Read the command line, play, and print a JSON object for each preset."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.presets", description=__doc__)
    parser.add_argument("games", nargs="*", help="only these games")
    parser.add_argument("--random", type=int, default=200, help="games between random players")
    parser.add_argument("--level", type=int, default=DEFAULT_LEVEL, help="the level of the other games")
    parser.add_argument("--played", type=int, default=100, help="games between players of that level")
    args = parser.parse_args()
    known: dict[str, dict[str, Any]] = {}
    for preset in list_presets():
        if args.games and preset.game not in args.games:
            continue
        game = fc.game(preset.game, **preset.options)
        key = repr(game)
        if key not in known:
            by_level = measure(game, choose_by_level(args.level), args.played)
            known[key] = {
                "random": measure(game, choose_at_random(random.Random(1)), args.random),
                "level": {"level": args.level} | by_level,
                "is_real": by_level["moves"] >= FEWEST_MOVES and by_level["first_wins"] <= MOST_WINS,
            }
        print(json.dumps(preset._asdict() | known[key]), flush=True)


if __name__ == "__main__":
    main()
