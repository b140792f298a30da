"""The blind spots of the levels of Squarin' Off: in each position one level errs and the next does not.

A level that does not see something may still choose a right move by chance, so the tests count its errors.
"""

import pytest

import fourcorners as fc
from fourcorners.core.levels import Level
from fourcorners.games.squarin_off.levels import BASELINES, LEVELS
from fourcorners.players.computer import Computer
from tests.games.squarin_off.positions import set_up_chains

SEEDS = range(12)


def choose_moves(position: fc.Position, level: Level, nodes: int | None = None, seeds: range = SEEDS) -> list[str]:
    """Return the move that a level chooses with each of the seeds; `nodes` None leaves it its own time and nodes."""
    return [Computer.from_level(level, None, nodes, seed).choose(position).move for seed in seeds]


def set_up_dots_and_boxes(text: str) -> fc.Position:
    """Return a position of Dots and Boxes on 4 x 4 boxes from its text."""
    return fc.game("dots-and-boxes", cols=4, rows=4).position(text)


def test_six_levels_or_more_have_distinct_names_and_all_but_the_last_a_blind_spot() -> None:
    assert len(LEVELS) >= 6
    assert len({level.name for level in LEVELS}) == len(LEVELS)
    assert all(level.blind for level in LEVELS[:-1])
    assert LEVELS[-1].blind == ""


def count_moves(position: fc.Position, number: int, moves: set[str]) -> int:
    """Return how often a level without search, by its number from 1, plays one of these moves in 60 tries."""
    level = LEVELS[number - 1]
    assert level.nodes == 0
    return sum(Computer.from_level(level, seed=seed).choose_move(position) in moves for seed in range(60))


def test_the_baselines_are_a_child_and_a_greedy_player_who_do_not_look_ahead() -> None:
    assert set(BASELINES) == {"child", "greedy"}
    assert all(level.nodes == 0 for level in BASELINES.values())


def test_level_1_overlooks_what_it_could_capture_and_level_2_never_does() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1a2", "a1b1", "a2b2", "b1c1", "c1c2"])
    # It finds one box in five by chance, when it has overlooked it.
    assert 20 < count_moves(position, 1, {"b1b2"}) < 45
    for number in (2, 3, 4, 5, 6, 7):
        assert count_moves(position, number, {"b1b2"}) == 60


def test_level_2_does_not_see_what_it_gives_away_level_3_half_of_it_and_level_4_all() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2", "c1d1", "c2d2"])
    giveaways = {"a1a2", "b1b2", "c1c2", "d1d2"}
    assert count_moves(position, 2, giveaways) > 30
    assert 10 < count_moves(position, 3, giveaways) < 30
    assert count_moves(position, 4, giveaways) == 0


def test_level_4_seldom_sees_which_chain_is_the_cheapest_but_level_5_nearly_always_does() -> None:
    position = set_up_chains(6, 1)
    short = {"a2a3", "a3b3"}
    assert count_moves(position, 4, short) < 30
    assert count_moves(position, 5, short) > 50
    assert count_moves(position, 6, short) == 60


def test_level_5_never_hands_boxes_out_level_6_often_does_and_level_7_always() -> None:
    position = set_up_chains(3, 6).play("a1a2").play("b1b2")
    assert count_moves(position, 5, {"c1c2"}) == 60
    assert 25 < count_moves(position, 6, {"c1d1"}) < 50
    assert count_moves(position, 7, {"c1d1"}) == 60


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("0 0,0 .-../._._|_._|/..--/._._|_._|/.-../|_._._|_|/---./._._._._|/---.", {"d1e1"}),
        ("1 0,0 ...-/|_._|_._|/.--./._|_._|_./...-/._|_|_._|/-.../._._|_._|/----", {"a4b4"}),
    ],
)
def test_level_4_does_not_count_who_will_run_out_of_safe_moves_but_level_5_does(text: str, best: set[str]) -> None:
    position = set_up_dots_and_boxes(text)
    assert len([move for move in choose_moves(position, LEVELS[3]) if move not in best]) >= 6
    assert set(choose_moves(position, LEVELS[4])) <= best


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("1 0,0 .--./|_._._._./--../|_._|_._./...-/._._|_._|/--../._|_._|_|/....", {"c3d3"}),
        (
            "1 0,0 ---./._|_._|_|/..../._|_._|_./---./._|_._|_|/..../|_|_|_._|/...-",
            {"b4c4", "c3c4", "c4c5", "c4d4", "d1d2", "d2e2", "d3e3"},
        ),
    ],
)
def test_level_5_counts_fewer_safe_moves_ahead_than_level_6(text: str, best: set[str]) -> None:
    position = set_up_dots_and_boxes(text)
    assert len([move for move in choose_moves(position, LEVELS[4]) if move not in best]) >= 6
    assert set(choose_moves(position, LEVELS[5], seeds=range(6))) <= best


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("0 0,0 ---./|_._._|_./..../._._|_|_./..../|_|_|_|_./...-/._|_._._./..-.", {"c1c2"}),
        ("1 0,0 -.../._|_._|_|/..-./|_._._._|/-.-./|_._._._|/.--./._._._._./.-.-", {"b3c3", "c3c4", "d3d4"}),
    ],
)
def test_level_6_does_not_solve_the_endgame_exactly_but_level_7_does(text: str, best: set[str]) -> None:
    position = set_up_dots_and_boxes(text)
    assert len([move for move in choose_moves(position, LEVELS[5], seeds=range(6)) if move not in best]) >= 3
    assert set(choose_moves(position, LEVELS[6], 4000, seeds=range(3))) <= best
