"""The levels of Square Off: each has a blind spot that the next one has not.

A level that does not see something may still choose the right move by chance, so the tests allow for a few.
"""

from itertools import pairwise

import pytest

import fourcorners as fc
from fourcorners.builtin.square_off import hints
from fourcorners.builtin.square_off.levels import LEVELS
from fourcorners.builtin.square_off.strategy.square_potential import count_squares_through
from fourcorners.players.levels import Level

SEEDS = 6
BEGINNER, COLLECTOR, WATCHER, GUARD, BLOCKER, TRAPPER, SCHEMER, GUESSER, ESTIMATOR, JUDGE = LEVELS[:10]
PEEKER, READER, PLANNER, COUNTER, STRONG, EXPERT, STRONGEST = LEVELS[10:]
# White can make a fork here.
FORK_POSITION = "7b/5b2/8/6b1/4b3/2w5/2w5/ww6 w 0 -"
# For each level that looks ahead less than the next: positions with best moves, found by solving, that are better by at
# least one man than all others.
POSITIONS = {
    JUDGE: (
        "bWb1wW1w/BWbW1Bwb/2b1ww1b/1W1Wb1bw/1Wbb1W2/wbbwwbbw/BBw2Bw1/BBww1b2 w 0 -",
        "wb3bwb/1ww2wbb/1bbW1bWw/bbwbw1wb/bwWWBB2/wbWWBBW1/bwbbwbbw/w1bw1wbw w 0 -",
    ),
    PEEKER: (
        "wW1bb1bW/bbw2b2/1W2bwW1/2WBwBWw/2wbB2B/bwBBwBww/wWBB1bbW/bWWwB1WB w 0 -",
        "BWWB2B1/wWW1bwbw/bwb1wb2/B2B1w1b/WWbWwB1B/WWWbBBw1/BWWWBBBB/WbbW3w w 0 -",
    ),
    READER: (
        "bbw2WwW/bwbw1bbb/bwb1WWbW/3bWW2/1BbB1wb1/wwb1bwww/wBwB1bwb/4wb2 w 0 -",
        "WwbwW1bW/BbB1BBwB/wBWWBBBb/b1WWW1wW/Wb1bWWWb/Bw2BWWb/wwBwb1bB/WB3wBW b 0 -",
    ),
    PLANNER: (
        "bW2w1Wb/wbwBbwBb/wbb1bwww/b1ww1bb1/2wB1bBw/wWb1wbWw/1b1w2wb/wwb2b1b w 0 -",
        "bWb2w1W/wwb2BBb/bwWbWBBw/6w1/1bWbWwwb/1wwwbbb1/1Wb2wbW/bb1wbwwb b 0 -",
    ),
    COUNTER: (
        "1wbw2wb/bwwBw1B1/1BwW1wBW/2bBB1bw/w2BB1B1/1bbwwbww/1w1WBwBW/wBw3Bb w 0 -",
        "b3BwB1/bwwW1wWb/1bwbBBB1/wbwWWBB1/2wWWbWb/wbb1wbw1/ww3bbw/bwbb1wbw w 0 -",
    ),
    STRONG: (
        "b4w1b/1WB1WBb1/1bw1wwb1/1bWbbwW1/bWBWWBwb/bbbwBBww/1WWWBBbw/1bWW2W1 w 0 -",
        "4B2B/wbw1bbww/Wbb2Wwb/1wb1B2B/bb1wwb2/wbbbwW1W/1wWWbwbb/WbWWbWbW w 1 -",
    ),
}
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
    return sum(choose_move(level, position, seed) in moves for seed in range(seeds))


def choose_move(level: Level, position: fc.Position, seed: int) -> str:
    """Return the move of a level that does not look ahead."""
    assert level.nodes == 0
    return fc.Computer.from_level(level, seed=seed).choose_move(position)


def test_beginner_overlooks_most_squares_that_it_could_complete_but_all_others_see_them() -> None:
    position = fc.game("square-off").replay(["a1", "h8", "b1", "f7", "a2", "g5"])
    assert 10 < count_moves(BEGINNER, position, {"b2"}) < 28
    for level in LEVELS[1:10]:
        assert count_moves(level, position, {"b2"}, 20) == 20


def test_from_collector_to_blocker_each_level_overlooks_less_of_the_opponents_squares() -> None:
    # Black threatens to complete a square on b2.
    position = fc.game("square-off").replay(["h8", "a1", "f7", "b1", "g5", "a2"])
    levels = COLLECTOR, WATCHER, GUARD, BLOCKER
    counts = [count_moves(level, position, {"b2"}, 200) for level in levels]
    assert counts[0] < 50
    assert all(higher - lower >= 4 for lower, higher in pairwise(counts))
    assert counts[-1] == 200


def test_blocker_hardly_ever_sees_forks_trapper_every_other_time_and_schemer_always() -> None:
    position = read_position(FORK_POSITION)
    levels = BLOCKER, TRAPPER, SCHEMER
    chosen = {level: [choose_move(level, position, seed) for seed in range(40)] for level in levels}
    moves = {move for level in levels for move in chosen[level]}
    forks = {move for move in moves if "two threats" in get_hint_text(position, move)}
    counts = [sum(move in forks for move in chosen[level]) for level in levels]
    assert counts[0] < 12 < counts[1] < 32
    assert counts[2] == 40


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
    assert count_moves(GUESSER, position, {"f2"}, 40) < 13
    assert 13 < count_moves(ESTIMATOR, position, {"f2"}, 40) < 30
    assert count_moves(JUDGE, position, {"f2"}, 20) == 20


def count_squares(position: fc.Position, move: str) -> int:
    """Return how many squares go through the cell of a move."""
    return count_squares_through(position.record, int(position.game.spec.notation.parse(position.record, move)))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("level", "next_level"),
    [(JUDGE, PEEKER), (PEEKER, READER), (READER, PLANNER), (PLANNER, COUNTER), (COUNTER, STRONG), (STRONG, EXPERT)],
)
def test_a_level_that_looks_further_ahead_or_knows_more_finds_better_moves(level: Level, next_level: Level) -> None:
    for text in POSITIONS[level]:
        position = read_position(text)
        best = set(fc.solve(position).moves)
        assert sum(move in best for move in choose_moves(level, position)) <= 1
        assert set(choose_moves(next_level, position)) <= best


@pytest.mark.compiled
def test_expert_does_not_calculate_the_end_of_the_game_but_the_strongest_level_does() -> None:
    position = read_position(ENDGAME)
    best = set(fc.solve(position).moves)
    assert not best & set(choose_moves(EXPERT, position, 4))
    choice = fc.Computer.from_level(STRONGEST, nodes=3000, seed=1).choose(position)
    assert choice.move in best
    assert choice.solved
