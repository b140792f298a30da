"""Every move of a game between computers draws new random numbers: a level that sees something at half of its
moves would otherwise see it in half of its games.
"""

import random
from collections.abc import Callable

import pytest

import fourcorners as fc
from benchmarks import review_quality, reviews
from benchmarks.calibration import positions
from benchmarks.puzzles import candidates
from benchmarks.puzzles.sets import SETS
from fourcorners.players.engine_match import EngineMatch, parse_side
from fourcorners.study.reports.self_play import play_games

SMALL = fc.game("dots-and-boxes", cols=2, rows=2)
SIDE = parse_side(SMALL, "1")
PLAYS: dict[str, Callable[[], object]] = {
    "match": lambda: EngineMatch(SMALL, SIDE, SIDE).play(0, (0,)),
    "report": lambda: play_games(SMALL, SIDE, 1, 0, 1, 1),
    "reviews": lambda: reviews.play_game("square-off", 1),
    "quality of reviews": lambda: review_quality.play_game("square-off", 1),
    "calibration": lambda: positions.play_game(SMALL, 1, random.Random(1)),
    "puzzles": lambda: candidates.play_game(SMALL, SETS["dots-and-boxes"], 1, random.Random(1)),
    "mirrored puzzles": lambda: candidates.play_mirrored_game(
        fc.game("square-off", size=6).start(), fc.Computer(1, seed=1), random.Random(1)
    ),
}


@pytest.mark.parametrize("name", PLAYS)
def test_every_move_of_a_game_draws_random_numbers_of_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def choose_first_move(computer: fc.Computer, position: fc.Position, stop: object = None) -> str:
        """Return the first legal move, and note the seed."""
        seeds.append(computer.seed)
        return position.moves()[0]

    monkeypatch.setattr(fc.Computer, "choose_move", choose_first_move)
    PLAYS[name]()
    assert len(set(seeds)) == len(seeds) >= 5
