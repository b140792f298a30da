"""Measure how far apart a game's levels are: `python -m benchmarks.levels GAME`.

Each level plays the one below it, and the model of a child plays the easiest one. Simulations are counted, not timed,
so the results can be repeated; only the strongest level is limited by its processor time.
"""

import argparse
import json
import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import fourcorners as fc
from fourcorners.core import slices
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import EngineMatch, Side, elo_difference
from fourcorners.players.levels import Level
from fourcorners.players.match_log import MatchLog

CHILD = "child"
"""The baseline of every game that stands for a six-year-old who has just learned the rules."""
BOARDS: Mapping[str, Mapping[str, Any]] = {"sqez": {"cols": 12, "rows": 12}}
"""The options of the matches where they are not the default: on 8 x 8 two random moves nearly decide a game of Sqez."""


class Effort(NamedTuple):
    """How many games to play for each pair of levels, by whether they search, and the seconds of the strongest level.

    `first_opening` numbers the first opening, so that several runs can play parts of one match.
    """

    games: int
    games_with_search: int
    games_of_the_strongest: int
    seconds: float | None = None
    first_opening: int = 0


def list_pairs(game: fc.Game) -> list[tuple[str, str]]:
    """Return the names of the sides of each match, the stronger one first, from the child up to the strongest level."""
    names = [str(number) for number in range(1, len(game.spec.part(ComputerPlay).levels) + 1)]
    return [(CHILD, names[0]), *((higher, lower) for lower, higher in pairwise(names))]


def create_side(game: fc.Game, name: str, seconds: float | None) -> Side:
    """Return the child (CHILD) or a level, by its number; `seconds` replace those of the strongest level."""
    level: Level = (
        game.spec.part(ComputerPlay).baselines[name]
        if name == CHILD
        else game.spec.part(ComputerPlay).levels[int(name) - 1]
    )
    if level == game.spec.part(ComputerPlay).levels[-1]:
        return Side(name, level, None, seconds or level.seconds)
    return Side(name, level, level.nodes or None)


def count_games(match: EngineMatch, effort: Effort) -> int:
    """Return how many games a match of these sides takes."""
    if match.first.seconds is not None:
        return effort.games_of_the_strongest
    return effort.games_with_search if match.first.nodes is not None else effort.games


def measure_pair(match: EngineMatch, games: int, folder: Path | None, first_opening: int = 0) -> dict[str, Any]:
    """Play `games` games of a match, from `first_opening` on, unless its log in `folder` has them already; return the
    result of the first side in all games of the log.

    The log is named by the levels' numbers. Raise OptionError if it is that of another match, and OSError.
    """
    first, second = match.first, match.second
    terms = {"game": match.game.id, "options": match.game.given_options(), "sides": [list(first), list(second)]}
    path = folder / f"{match.game.id}-{first.name}-{second.name}.jsonl" if folder else None
    log = MatchLog(terms, len(match.seatings), path)
    end = first_opening + math.ceil(games / len(match.seatings))
    for opening in range(first_opening, end):
        for seats in match.seatings:
            if not log.has_game(opening, seats):
                played = match.play(opening, seats)
                assert played is not None  # nothing stops it
                log.add_game(played)
    score = log.score
    low, high = score.interval
    elo, elo_low, elo_high = (round(elo_difference(share, score.parties)) for share in (score.mean, low, high))
    return {
        "level": first.name,
        "name": first.level.name,
        "against": second.name,
        "games": score.games,
        "share": round(score.mean, 4),
        "elo": elo,
        "low": elo_low,
        "high": elo_high,
    }


def measure_levels(
    game: fc.Game, effort: Effort, folder: Path | None = None, chosen: tuple[str, ...] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the result of each match, from the child up to the strongest level, or only of these first sides."""
    with slices.count_processor_time():
        for names in list_pairs(game):
            if not chosen or names[0] in chosen:
                first, second = (create_side(game, name, effort.seconds) for name in names)
                match = EngineMatch(game, first, second)
                yield measure_pair(match, count_games(match, effort), folder, effort.first_opening)


def main() -> None:
    """Read the command line, play the matches, and print a JSON object for each as soon as it is finished."""
    parser = argparse.ArgumentParser(description="Measure the Elo steps between levels; lines of JSON on stdout.")
    parser.add_argument("game", choices=fc.games())
    parser.add_argument("--only", nargs="+", default=(), help=f"the stronger sides of the matches: {CHILD} or numbers")
    parser.add_argument("--games", type=int, default=400, help="games of two levels that do not look ahead")
    parser.add_argument("--search", type=int, default=100, help="games if a level looks ahead")
    parser.add_argument("--top", type=int, default=20, help="games of the strongest level")
    parser.add_argument("--seconds", type=float, help="processor seconds of the strongest level, instead of its limit")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first opening, from 0")
    parser.add_argument("--save", type=Path, help="a folder for the games, from which an interrupted run resumes")
    args = parser.parse_args()
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
    effort = Effort(args.games, args.search, args.top, args.seconds, args.first)
    for row in measure_levels(fc.game(args.game, **BOARDS.get(args.game, {})), effort, args.save, tuple(args.only)):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
