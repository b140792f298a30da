"""Which puzzle comes next."""

import datetime as dt
import random
from collections.abc import Sequence

from fourcorners.study.puzzles.choice import choose_daily, choose_next, choose_run, list_themes
from fourcorners.study.puzzles.format import Puzzle
from tests.require import require
from tests.study.sample_puzzles import install_puzzles


def test_daily_puzzles_are_of_medium_difficulty_stay_the_same_and_change_over_the_years() -> None:
    with install_puzzles() as puzzles:
        days = [(dt.date(2026, 12, 25) + dt.timedelta(days=number)).isoformat() for number in range(400)]
        chosen = [choose_daily(puzzles, day) for day in days]
        assert chosen == [choose_daily(tuple(reversed(puzzles)), day) for day in days]
        assert {puzzle.id for puzzle in chosen if puzzle} == {puzzle.id for puzzle in puzzles[3:9]}
        assert choose_daily((), "2026-12-25") is None


def test_next_puzzle_suits_the_rating_and_is_new_as_long_as_there_are_new_ones() -> None:
    with install_puzzles() as puzzles:
        rng, ids = random.Random(1), [puzzle.id for puzzle in puzzles]
        easy = {_choose_id(puzzles, 1000, (), rng) for _ in range(40)}
        hard = {_choose_id(puzzles, 2500, (), rng) for _ in range(40)}
        assert easy == set(ids[:8])
        assert hard == set(ids[4:])
        assert _choose_id(puzzles, 1500, ids[:11], rng) == ids[11]
        assert choose_next(puzzles[:2], {}, 1500, ids, rng, but=ids[0]) == puzzles[1]
        assert choose_next(puzzles[:1], {}, 1500, ids, rng, but=ids[0]) == puzzles[0]
        assert choose_next(puzzles, {}, 1500, (), rng, theme="no such theme") is None
        # What people have made of a puzzle counts more than its file.
        assert choose_next(puzzles[:9], {ids[8]: 5000}, 5080, (), rng) in puzzles[1:9]


def _choose_id(puzzles: Sequence[Puzzle], rating: int, tried: Sequence[str], rng: random.Random) -> str:
    """Return the id of the next puzzle."""
    return require(choose_next(puzzles, {}, rating, tried, rng)).id


def test_run_rises_in_difficulty_and_themes_are_listed_by_frequency() -> None:
    with install_puzzles() as puzzles:
        run = choose_run(puzzles, {puzzles[0].id: 9999}, random.Random(1))
        assert run == [*puzzles[1:], puzzles[0]]
        assert choose_run((), {}, random.Random(1)) == []
        assert list_themes(puzzles) == ["chains", "double-dealing"]
