"""The levels of Square Off: each falls for what it is blind to, and the next one does not."""

from __future__ import annotations

import pytest

import fourcorners as fc
from fourcorners.core.levels import Level
from fourcorners.games.square_off import hints
from fourcorners.games.square_off.levels import LEVELS

SEEDS = 6
FIRST_DAY, BLOCKER, SCHEMER, JUDGE, READER, COUNTER, STRONGEST = LEVELS
# Moves that solving finds to be the best; all others lose at least a man by it.
AHEAD = "bWWBwW1B/WWW2bW1/1wBbwbB1/wbbwww2/bWBBBWBB/2BBbww1/1bBwBwB1/Wwb3Ww w 0 -"
DEEPER = "bbw1w2b/w1wb2bb/w1bwbwb1/b2bb2w/ww2wwww/w1w1bwbb/wbwbbbb1/wb2wbw1 w 0 -"
END = "ww3w1b/BBBb1Bw1/BwWbB1W1/wW1bbW2/bwBwwB2/BBw2BWW/BBW1BBWW/1Wb2W1w w 0 -"


def moves(level: Level, position: fc.Position, seeds: int = SEEDS) -> list[str]:
    """Return what a level plays, for several seeds."""
    nodes = level.nodes or None
    return [fc.Computer.from_level(level, nodes=nodes, seed=seed).choose(position).move for seed in range(seeds)]


def reached(text: str) -> fc.Position:
    return fc.game("square-off").position(text)


def test_there_is_a_name_and_a_blind_spot_for_each_but_the_last() -> None:
    assert len({level.name for level in LEVELS}) == len(LEVELS) >= 6
    assert all(level.blind for level in LEVELS[:-1])
    assert not STRONGEST.blind
    assert STRONGEST.solves
    assert STRONGEST.seconds == 3.0


@pytest.mark.compiled
def test_all_complete_a_square_when_they_see_one() -> None:
    position = fc.game("square-off").replay(["a1", "h8", "b1", "f7", "a2", "g5"])
    for level in LEVELS[:-1]:
        assert set(moves(level, position, 3)) == {"b2"}


@pytest.mark.compiled
def test_first_day_does_not_look_at_the_opponents_squares() -> None:
    position = fc.game("square-off").replay(["h8", "a1", "f7", "b1", "g5", "a2"])
    assert moves(FIRST_DAY, position).count("b2") <= 1
    assert set(moves(BLOCKER, position)) == {"b2"}


FORK = "7b/5b2/8/6b1/4b3/2w5/2w5/ww6 w 0 -"


@pytest.mark.compiled
def test_blocker_does_not_see_two_threats_made_at_once() -> None:
    for move in set(moves(SCHEMER, reached(FORK))):
        assert hint(reached(FORK), move).startswith("makes two threats at once")
    assert sum("two threats" not in hint(reached(FORK), move) for move in moves(BLOCKER, reached(FORK))) >= SEEDS - 1


def hint(position: fc.Position, move: str) -> str:
    action = int(position.game.spec.notation.parse(position.record, move))
    return hints.hint(position.view(position.seat), action).text


@pytest.mark.compiled
def test_schemer_does_not_weigh_how_many_squares_a_cell_is_good_for() -> None:
    position = fc.game("square-off", swap=False).start()
    good = {"b2", "c3", "f3", "g2", "b7", "c6", "f6", "g7"}
    assert set(moves(JUDGE, position)) <= good
    assert len(set(moves(SCHEMER, position)) - good) >= 3


@pytest.mark.compiled
@pytest.mark.parametrize(("blind", "seeing", "text"), [(JUDGE, READER, AHEAD), (READER, COUNTER, DEEPER)])
def test_whoever_looks_further_ahead_finds_what_the_level_below_does_not(
    blind: Level, seeing: Level, text: str
) -> None:
    position = reached(text)
    best = set(fc.solve(position).moves)
    assert not best & set(moves(blind, position))
    assert set(moves(seeing, position)) <= best


@pytest.mark.compiled
def test_counter_does_not_count_the_end_of_the_game_out() -> None:
    position = reached(END)
    best = set(fc.solve(position).moves)
    assert not best & set(moves(COUNTER, position, 4))
    choice = fc.Computer.from_level(STRONGEST, nodes=3000, seed=1).choose(position)
    assert choice.move in best
    assert choice.solved
