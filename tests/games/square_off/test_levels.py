"""The levels of Square Off: each has a blind spot that the next one has not.

A level that does not see something may still choose the right move by chance, so the tests allow for a few.
"""

import pytest

import fourcorners as fc
from fourcorners.core.levels import Level
from fourcorners.games.square_off import hints
from fourcorners.games.square_off.levels import LEVELS
from fourcorners.games.square_off.strategy.square_potential import count_squares_through

SEEDS = 6
BEGINNER, COLLECTOR, BLOCKER, TRAPPER, SCHEMER, GUESSER, ESTIMATOR, JUDGE = LEVELS[:8]
PEEKER, READER, PLANNER, COUNTER, STRONGEST = LEVELS[8:]
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


def count_moves(level: Level, position: fc.Position, moves: set[str], seeds: int = 60) -> int:
    """Return how often a level that does not look ahead plays one of these moves, for seeds 0 to `seeds` - 1."""
    assert level.nodes == 0
    return sum(fc.Computer.from_level(level, seed=seed).choose_move(position) in moves for seed in range(seeds))


def test_beginner_overlooks_most_squares_that_it_could_complete_but_all_others_see_them() -> None:
    position = fc.game("square-off").replay(["a1", "h8", "b1", "f7", "a2", "g5"])
    assert 10 < count_moves(BEGINNER, position, {"b2"}) < 28
    for level in LEVELS[1:8]:
        assert count_moves(level, position, {"b2"}, 20) == 20


def test_collector_hardly_looks_at_the_opponents_squares_blocker_mostly_and_trapper_always() -> None:
    # Black threatens to complete a square on b2.
    position = fc.game("square-off").replay(["h8", "a1", "f7", "b1", "g5", "a2"])
    assert count_moves(COLLECTOR, position, {"b2"}) < 25
    assert 35 < count_moves(BLOCKER, position, {"b2"}) < 55
    assert count_moves(TRAPPER, position, {"b2"}) == 60


def test_trapper_seldom_sees_forks_but_schemer_always() -> None:
    position = read_position(FORK_POSITION)
    forks = {move for move in position.moves() if get_hint_text(position, move).startswith("makes two threats at once")}
    assert 0 < len(forks) < 8
    assert count_moves(BLOCKER, position, forks) < 15
    assert count_moves(TRAPPER, position, forks) < 35
    assert count_moves(SCHEMER, position, forks) == 60


def get_hint_text(position: fc.Position, move: str) -> str:
    """Return the text of the hint for a legal move."""
    action = int(position.game.spec.notation.parse(position.record, move))
    return hints.hint(position.view(position.seat), action).text


def test_schemer_does_not_compare_how_many_squares_a_cell_can_be_part_of_but_guesser_does() -> None:
    position = fc.game("square-off", swap=False).start()
    poor = {move for move in position.moves() if count_squares(position, move) <= 5}
    assert count_moves(SCHEMER, position, poor) > 15
    assert count_moves(GUESSER, position, poor) == 0


def test_guesser_judges_cells_roughly_estimator_better_and_judge_exactly() -> None:
    # On f2 black can be part of one empty square more than on any other cell that does as much otherwise.
    position = read_position("5w2/bw4bw/w7/6w1/8/2w2b2/1b1w2b1/3b4 b 0 -")
    assert count_moves(GUESSER, position, {"f2"}) < 20
    assert 20 < count_moves(ESTIMATOR, position, {"f2"}) < 40
    assert count_moves(JUDGE, position, {"f2"}) == 60


def count_squares(position: fc.Position, move: str) -> int:
    """Return how many squares go through the cell of a move."""
    return count_squares_through(position.record, int(position.game.spec.notation.parse(position.record, move)))


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
