"""The blind spots of the levels of Squarin' Off: in each position one level errs and the next does not.

A level that does not see something may still choose a right move by chance, so the tests count its errors.
"""

import pytest

import fourcorners as fc
from fourcorners.games.squarin_off.levels import BASELINES, LEVELS
from fourcorners.players.computer import Computer
from tests.games.squarin_off.positions import set_up_chains

# Positions on 4 x 4 boxes, with the number of the last level that loses boxes there.
MISPLAYED = (
    (8, "1 0,0 ---./|_._._|_|/..../|_._|_|_|/--../|_._._|_./.-.-/|_|_._|1|/..--"),
    (8, "1 0,0 -..-/|_._|_._|/.-../._|_._|_|/-.../._._|_._|/---./._._|_._|/-..-"),
    (9, "0 0,0 -.../._|_|_._|/..-./._._._|_./--../._|1|_|_./.-.-/|_._._._./.-.."),
    (9, "1 0,0 .-../._|_._|_|/..../|_|_._._|/.--./|_._._._|/.--./|_|_._._|/..-."),
    (11, "0 0,0 ----/|0|0|_._./--.-/._|_._._|/..../|_._|_|_./-..-/._._|_|0|/--.-"),
    (11, "1 0,0 ----/._._._._./----/|_._._._|/..-./._|_|_._|/-..-/|1|_._._./----"),
    (12, "0 0,0 .---/._._._._|/--../._._|_._./..--/|_|_._._./.---/|_|_._._|/..-."),
    (12, "1 0,0 ----/._._._|0|/--.-/|_._._|_./.--./|_|_._|_|/..../._._|_._|/--.-"),
    (13, "1 0,0 ..--/._|_._|_./--../._|_._._./..-./|_|_._|_|/..../._|_._._|/---."),
    (13, "0 0,0 -.../._._._._./-..-/|0|_._|_./-.../|0|_._._|/--../|_._|_._|/..-."),
    (14, "1 0,0 ..../|_._|_._./..-./|_|_._._|/.-../._|0|_|_./.-../._._|_._./...."),
    (14, "0 0,0 -.../._._._._./-..-/._|_._|_./..../|_._._._|/--../|_._|_._|/...."),
    (15, "0 0,0 -.../._._._._./-.../._._._|_|/..../._._._|_./.--./|_._._._./-.-."),
    (15, "1 0,0 ..../._|_._._|/.-.-/._._._._./...-/|_._._._./...-/|_._._._./.-.."),
)


def set_up_dots_and_boxes(text: str) -> fc.Position:
    """Return a position of Dots and Boxes on 4 x 4 boxes from its text."""
    return fc.game("dots-and-boxes", cols=4, rows=4).position(text)


def test_six_levels_or_more_have_distinct_names_and_all_but_the_last_a_blind_spot() -> None:
    assert len(LEVELS) >= 6
    assert len({level.name for level in LEVELS}) == len(LEVELS)
    assert all(level.blind for level in LEVELS[:-1])
    assert LEVELS[-1].blind == ""


def count_moves(position: fc.Position, number: int, moves: set[str], tries: int = 60) -> int:
    """Return how often a level without search, by its number from 1, plays one of these moves."""
    level = LEVELS[number - 1]
    assert level.nodes == 0
    return sum(Computer.from_level(level, seed=seed).choose_move(position) in moves for seed in range(tries))


def test_the_baselines_are_a_child_and_a_greedy_player_who_do_not_look_ahead() -> None:
    assert set(BASELINES) == {"child", "greedy"}
    assert all(level.nodes == 0 for level in BASELINES.values())


def test_level_1_overlooks_what_it_could_capture_and_level_2_never_does() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1a2", "a1b1", "a2b2", "b1c1", "c1c2"])
    # It finds one box in five by chance, when it has overlooked it.
    assert 20 < count_moves(position, 1, {"b1b2"}) < 45
    for number in (2, 3, 4, 5, 6, 7, 8):
        assert count_moves(position, number, {"b1b2"}, 10) == 10


def test_level_2_does_not_see_what_it_gives_away_level_3_half_of_it_and_level_4_all() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2", "c1d1", "c2d2"])
    giveaways = {"a1a2", "b1b2", "c1c2", "d1d2"}
    assert count_moves(position, 2, giveaways) > 30
    assert 10 < count_moves(position, 3, giveaways) < 30
    assert count_moves(position, 4, giveaways) == 0


def test_level_4_seldom_sees_which_chain_is_the_cheapest_but_level_5_mostly_and_level_6_always_does() -> None:
    position = set_up_chains(6, 1)
    short = {"a2a3", "a3b3"}
    assert count_moves(position, 4, short) < 30
    assert 35 < count_moves(position, 5, short) < 60
    assert count_moves(position, 6, short, 20) == 20


def test_level_5_never_hands_boxes_out_levels_6_and_7_do_now_and_then_and_level_8_always() -> None:
    position = set_up_chains(3, 6).play("a1a2").play("b1b2")
    assert count_moves(position, 5, {"c1c2"}, 20) == 20
    assert 5 < count_moves(position, 6, {"c1d1"}) < 25
    assert 30 < count_moves(position, 7, {"c1d1"}) < 50
    assert count_moves(position, 8, {"c1d1"}, 20) == 20


@pytest.mark.compiled
@pytest.mark.parametrize(("number", "text"), MISPLAYED)
def test_a_level_that_searches_less_loses_boxes_where_the_next_level_does_not(number: int, text: str) -> None:
    position = set_up_dots_and_boxes(text)
    best = set(fc.solve(position).moves)
    assert count_best_choices(number, position, best) <= 2
    assert count_best_choices(number + 1, position, best) == 6


def count_best_choices(number: int, position: fc.Position, best: set[str], seeds: int = 6) -> int:
    """Return for how many seeds a level, by its number from 1, plays a best move; only simulations are limited."""
    level = LEVELS[number - 1]
    players = [Computer.from_level(level, nodes=min(level.nodes, 8_000) or None, seed=seed) for seed in range(seeds)]
    return sum(player.choose_move(position) in best for player in players)


@pytest.mark.compiled
def test_level_16_searches_too_little_for_what_the_strongest_level_proves() -> None:
    position = set_up_dots_and_boxes("0 0,0 ..../._._._|_./-.../._._._._./..-./|_|_._|_./...-/._._._._./...-")
    best = set(fc.solve(position).moves)
    assert count_best_choices(16, position, best) == 0
    strongest = Computer.from_level(LEVELS[-1], nodes=40_000, seed=0).choose(position)
    assert strongest.solved
    assert strongest.move in best


@pytest.mark.compiled
def test_level_10_counts_too_few_playouts_to_see_differences_that_level_11_often_sees() -> None:
    texts = (
        "1 0,0 ..../._._._|_./..../._|_|_|_./-..-/._._._._./...-/._|_|_._./..--",
        "0 0,0 ..../._._._._|/..../._._._._|/..../|_|_|_|_./...-/._|_|_._./-...",
    )
    counts = {10: 0, 11: 0}
    for position in map(set_up_dots_and_boxes, texts):
        best = set(fc.solve(position).moves)
        for number in counts:
            counts[number] += count_best_choices(number, position, best, 20)
    assert counts[10] <= 22
    assert counts[11] >= 28
