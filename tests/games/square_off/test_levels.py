"""The levels of Square Off: each has a blind spot that the next one has not.

A level that does not see something may still choose the right move by chance, so the tests allow for a few.
"""

import pytest

import fourcorners as fc
from fourcorners.core.levels import Level
from fourcorners.games.square_off import hints
from fourcorners.games.square_off.levels import LEVELS

SEEDS = 6
BEGINNER, BLOCKER, SCHEMER, JUDGE, READER, COUNTER, STRONGEST = LEVELS
# White can make a fork here.
FORK_POSITION = "7b/5b2/8/6b1/4b3/2w5/2w5/ww6 w 0 -"
# Positions with best moves, found by solving, that are better by at least one man than all others.
READER_POSITION = "bWWBwW1B/WWW2bW1/1wBbwbB1/wbbwww2/bWBBBWBB/2BBbww1/1bBwBwB1/Wwb3Ww w 0 -"
COUNTER_POSITION = "bbw1w2b/w1wb2bb/w1bwbwb1/b2bb2w/ww2wwww/w1w1bwbb/wbwbbbb1/wb2wbw1 w 0 -"
ENDGAME = "ww3w1b/BBBb1Bw1/BwWbB1W1/wW1bbW2/bwBwwB2/BBw2BWW/BBW1BBWW/1Wb2W1w w 0 -"


def choose_moves(level: Level, position: fc.Position, seeds: int = SEEDS) -> list[str]:
    """Return the moves that a level chooses with its own number of nodes, for seeds 0 to `seeds` - 1."""
    nodes = level.nodes or None
    return [fc.Computer.from_level(level, nodes=nodes, seed=seed).choose(position).move for seed in range(seeds)]


def read_position(text: str) -> fc.Position:
    return fc.game("square-off").position(text)


def test_six_levels_or_more_have_distinct_names_and_all_but_the_last_a_blind_spot() -> None:
    assert len({level.name for level in LEVELS}) == len(LEVELS) >= 6
    assert all(level.blind for level in LEVELS[:-1])
    assert not STRONGEST.blind


def test_the_strongest_level_solves_and_thinks_for_3_seconds() -> None:
    assert STRONGEST.solves
    assert STRONGEST.seconds == 3.0


@pytest.mark.compiled
def test_every_level_below_the_strongest_completes_a_square_when_it_can() -> None:
    position = fc.game("square-off").replay(["a1", "h8", "b1", "f7", "a2", "g5"])
    for level in LEVELS[:-1]:
        assert set(choose_moves(level, position, 3)) == {"b2"}


@pytest.mark.compiled
def test_beginner_does_not_look_at_the_opponents_squares_but_blocker_does() -> None:
    # Black threatens to complete a square on b2.
    position = fc.game("square-off").replay(["h8", "a1", "f7", "b1", "g5", "a2"])
    assert choose_moves(BEGINNER, position).count("b2") <= 1
    assert set(choose_moves(BLOCKER, position)) == {"b2"}


@pytest.mark.compiled
def test_blocker_does_not_see_forks_but_schemer_does() -> None:
    position = read_position(FORK_POSITION)
    for move in set(choose_moves(SCHEMER, position)):
        assert get_hint_text(position, move).startswith("makes two threats at once")
    hints_of_blocker = [get_hint_text(position, move) for move in choose_moves(BLOCKER, position)]
    assert sum("two threats" not in text for text in hints_of_blocker) >= SEEDS - 1


def get_hint_text(position: fc.Position, move: str) -> str:
    """Return the text of the hint for a legal move."""
    action = int(position.game.spec.notation.parse(position.record, move))
    return hints.hint(position.view(position.seat), action).text


@pytest.mark.compiled
def test_schemer_does_not_compare_how_many_squares_a_cell_can_be_part_of_but_judge_does() -> None:
    position = fc.game("square-off", swap=False).start()
    # The cells on nine squares, the most there are.
    good = {"b2", "c3", "f3", "g2", "b7", "c6", "f6", "g7"}
    assert set(choose_moves(JUDGE, position)) <= good
    assert len(set(choose_moves(SCHEMER, position)) - good) >= 3


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("level", "next_level", "text"), [(JUDGE, READER, READER_POSITION), (READER, COUNTER, COUNTER_POSITION)]
)
def test_a_level_that_looks_further_ahead_finds_better_moves(level: Level, next_level: Level, text: str) -> None:
    position = read_position(text)
    best = set(fc.solve(position).moves)
    assert not best & set(choose_moves(level, position))
    assert set(choose_moves(next_level, position)) <= best


@pytest.mark.compiled
def test_counter_does_not_calculate_the_end_of_the_game_but_the_strongest_level_does() -> None:
    position = read_position(ENDGAME)
    best = set(fc.solve(position).moves)
    assert not best & set(choose_moves(COUNTER, position, 4))
    choice = fc.Computer.from_level(STRONGEST, nodes=3000, seed=1).choose(position)
    assert choice.move in best
    assert choice.solved
