"""The command that measures the levels, and the claim that a child can beat the easiest one."""

from pathlib import Path

import pytest

import fourcorners as fc
from benchmarks.levels import BOARDS, CHILD, Effort, create_side, list_pairs, measure_levels, measure_pair
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import EngineMatch
from fourcorners.players.levels import MAX_LEVELS

SMALL = fc.game("dots-and-boxes", cols=2, rows=2)


@pytest.mark.parametrize("name", fc.games())
def test_every_level_plays_the_one_below_it_and_the_child_the_easiest(name: str) -> None:
    game = fc.game(name)
    pairs = list_pairs(game)
    assert pairs[:2] == [(CHILD, "1"), ("2", "1")]
    assert len(pairs) == len(game.spec.part(ComputerPlay).levels) <= MAX_LEVELS
    assert all(int(higher) == int(lower) + 1 for higher, lower in pairs[1:])
    child = create_side(game, CHILD, None)
    assert child.level.nodes == 0
    assert child.seconds is None


def test_only_the_strongest_level_is_limited_by_time() -> None:
    limits = [
        create_side(SMALL, str(number), None) for number in range(1, len(SMALL.spec.part(ComputerPlay).levels) + 1)
    ]
    assert all(side.seconds is None and side.nodes == (side.level.nodes or None) for side in limits[:-1])
    assert (limits[-1].nodes, limits[-1].seconds) == (None, SMALL.spec.part(ComputerPlay).levels[-1].seconds)
    assert create_side(SMALL, str(len(SMALL.spec.part(ComputerPlay).levels)), 0.5).seconds == 0.5


def test_matches_are_resumed_from_their_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    effort = Effort(2, 2, 2)
    rows = list(measure_levels(SMALL, effort, tmp_path, (CHILD, "2")))
    assert [(row["level"], row["against"], row["games"]) for row in rows] == [(CHILD, "1", 2), ("2", "1", 2)]
    assert all(row["low"] <= row["elo"] <= row["high"] for row in rows)
    assert {path.name for path in tmp_path.iterdir()} == {f"dots-and-boxes-{name}-1.jsonl" for name in (CHILD, "2")}
    monkeypatch.delattr(EngineMatch, "play")
    assert list(measure_levels(SMALL, effort, tmp_path, (CHILD, "2"))) == rows


def test_parts_of_a_match_add_up_to_the_whole(tmp_path: Path) -> None:
    whole = list(measure_levels(SMALL, Effort(8, 8, 8), None, ("2",)))
    parts = [row for first in (0, 2) for row in measure_levels(SMALL, Effort(4, 4, 4, None, first), tmp_path, ("2",))]
    assert [row["games"] for row in parts] == [4, 8]
    assert parts[1:] == whole


@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_a_child_who_has_just_learned_the_rules_wins_about_half_of_its_games_against_level_1(name: str) -> None:
    game = fc.game(name, **BOARDS.get(name, {}))
    match = EngineMatch(game, create_side(game, CHILD, None), create_side(game, "1", None))
    # 40 games: a player as strong as the easiest level gets less than 0.37 in one run of twenty.
    assert measure_pair(match, 40, None)["share"] >= 0.4
