"""The blind spots of the levels of Squarin' Off and Dots and Boxes: where one level errs and the next does not.

A level that does not see something may still choose a right move by chance, so the tests count its errors.
"""

from itertools import pairwise

import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.levels import BASELINES, DOTS_AND_BOXES_LEVELS, LEVELS
from fourcorners.players.computer import Computer
from fourcorners.players.levels import Level
from tests.builtin.squarin_off.positions import set_up_chains

NAMES = [level.name for level in DOTS_AND_BOXES_LEVELS]
BY_NAME = dict(zip(NAMES, DOTS_AND_BOXES_LEVELS, strict=True))
# Positions on 4 x 4 boxes, with the names of a level that loses boxes there and of one that does not.
MISPLAYED = (
    ("sly", "counting", "1 0,0 ---./|_._._|_|/..../|_._|_|_|/--../|_._._|_./.-.-/|_|_._|1|/..--"),
    ("sly", "counting", "1 0,0 -..-/|_._|_._|/.-../._|_._|_|/-.../._._|_._|/---./._._|_._|/-..-"),
    ("counting", "planner", "0 0,0 -.../._|_|_._|/..-./._._._|_./--../._|1|_|_./.-.-/|_._._._./.-.."),
    ("counting", "planner", "1 0,0 .-../._|_._|_|/..../|_|_._._|/.--./|_._._._|/.--./|_|_._._|/..-."),
    ("planner", "strategist", "0 0,0 ----/|0|0|_._./--.-/._|_._._|/..../|_._|_|_./-..-/._._|_|0|/--.-"),
    ("planner", "strategist", "1 0,0 ----/._._._._./----/|_._._._|/..-./._|_|_._|/-..-/|1|_._._./----"),
    ("strategist", "strong", "0 0,0 .---/._._._._|/--../._._|_._./..--/|_|_._._./.---/|_|_._._|/..-."),
    ("strategist", "strong", "1 0,0 ----/._._._|0|/--.-/|_._._|_./.--./|_|_._|_|/..../._._|_._|/--.-"),
    ("finisher", "master", "1 0,0 ..../|_._|_._./..-./|_|_._._|/.-../._|0|_|_./.-../._._|_._./...."),
    ("finisher", "master", "0 0,0 -.../._._._._./-..-/._|_._|_./..../|_._._._|/--../|_._|_._|/...."),
)
# The same for three levels in turn: the first never does what the last always does.
NEVER_SOLVED = (
    "1 0,0 ..--/._|_._|_./--../._|_._._./..-./|_|_._|_|/..../._._|_._|/---.",
    "0 0,0 -.../._._._._./-..-/|0|_._|_./-.../|0|_._._|/--../|_._|_._|/..-.",
)
NEVER_ESTIMATED = (
    "0 0,0 -.../._._._._./-.../._._._|_|/..../._._._|_./.--./|_._._._./-.-.",
    "1 0,0 ..../._|_._._|/.-.-/._._._._./...-/|_._._._./...-/|_._._._./.-..",
)


def set_up_dots_and_boxes(text: str) -> fc.Position:
    """Return a position of Dots and Boxes on 4 x 4 boxes from its text."""
    return fc.game("dots-and-boxes", cols=4, rows=4).position(text)


@pytest.mark.parametrize("levels", [LEVELS, DOTS_AND_BOXES_LEVELS])
def test_six_levels_or_more_have_distinct_names_and_all_but_the_last_a_blind_spot(levels: tuple[Level, ...]) -> None:
    assert len(levels) >= 6
    assert len({level.name for level in levels}) == len(levels)
    assert all(level.blind for level in levels[:-1])
    assert levels[-1].blind == ""


def count_moves(position: fc.Position, name: str, moves: set[str], tries: int = 60) -> int:
    """Return how often a level without search, by its name, plays one of these moves."""
    level = BY_NAME[name]
    assert level.nodes == 0
    return sum(Computer.from_level(level, seed=seed).choose_move(position) in moves for seed in range(tries))


def test_the_baselines_are_a_child_and_a_greedy_player_who_do_not_look_ahead() -> None:
    assert set(BASELINES) == {"child", "greedy"}
    assert all(level.nodes == 0 for level in BASELINES.values())


@pytest.mark.compiled
def test_each_of_the_first_levels_overlooks_less_of_what_it_could_capture_and_the_collector_nothing() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1a2", "a1b1", "a2b2", "b1c1", "c1c2"])
    names = NAMES[: NAMES.index("collector") + 1]
    # A level that has overlooked the box still finds it in one of five cases by chance.
    counts = [count_moves(position, name, {"b1b2"}, 400) for name in names]
    assert 200 < counts[0] < 280
    assert all(higher - lower >= 10 for lower, higher in pairwise(counts))
    assert counts[-1] == 400


@pytest.mark.compiled
def test_the_collector_does_not_see_what_it_gives_away_and_the_next_levels_more_and_more() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "a2b2", "c1d1", "c2d2"])
    giveaways = {"a1a2", "b1b2", "c1c2", "d1d2"}
    counts = [count_moves(position, name, giveaways, 200) for name in ("collector", "wary", "cautious", "prudent")]
    assert counts[0] > 100
    assert all(lower - higher >= 15 for lower, higher in pairwise(counts))
    assert counts[-1] > 10
    assert count_moves(position, "careful", giveaways) == 0


@pytest.mark.compiled
def test_careful_seldom_sees_which_chain_is_the_cheapest_frugal_and_thrifty_more_often_and_forgetful_always() -> None:
    position = set_up_chains(6, 1)
    short = {"a2a3", "a3b3"}
    assert count_moves(position, "careful", short) < 30
    assert 30 < count_moves(position, "frugal", short) < 55
    assert 45 < count_moves(position, "thrifty", short) < 60
    assert count_moves(position, "forgetful", short, 20) == 20


@pytest.mark.compiled
def test_thrifty_never_hands_boxes_out_forgetful_and_shrewd_now_and_then_and_sly_always() -> None:
    position = set_up_chains(3, 6).play("a1a2").play("b1b2")
    assert count_moves(position, "thrifty", {"c1c2"}, 20) == 20
    assert 12 < count_moves(position, "forgetful", {"c1d1"}) < 35
    assert 36 < count_moves(position, "shrewd", {"c1d1"}) < 57
    assert count_moves(position, "sly", {"c1d1"}, 20) == 20


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "better_name", "text"), MISPLAYED)
def test_a_level_that_searches_less_loses_boxes_where_a_better_level_does_not(
    name: str, better_name: str, text: str
) -> None:
    position = set_up_dots_and_boxes(text)
    best = set(fc.solve(position).moves)
    assert count_best_choices(name, position, best) <= 2
    assert count_best_choices(better_name, position, best) >= 5


@pytest.mark.compiled
def test_from_sly_to_strong_each_level_finds_best_moves_more_often() -> None:
    names = NAMES[NAMES.index("sly") : NAMES.index("strong") + 1]
    counts = dict.fromkeys(names, 0)
    for position in (set_up_dots_and_boxes(text) for name, _, text in MISPLAYED if name in names):
        best = set(fc.solve(position).moves)
        for name in names:
            counts[name] += count_best_choices(name, position, best, 20)
    assert all(lower < higher for lower, higher in pairwise(counts.values())), counts


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (("strong", "closer", "finisher"), NEVER_SOLVED),
        pytest.param(("master", "expert", "strongest"), NEVER_ESTIMATED, marks=pytest.mark.ci),
    ],
)
def test_closer_solves_and_expert_estimates_at_some_moves(names: tuple[str, ...], texts: tuple[str, ...]) -> None:
    counts = dict.fromkeys(names, 0)
    for position in map(set_up_dots_and_boxes, texts):
        best = set(fc.solve(position).moves)
        for name in names:
            # A proof may take half of them.
            counts[name] += count_best_choices(name, position, best, 12, nodes=16_000)
    never, sometimes, always = counts.values()
    assert never <= 6
    assert never + 2 <= sometimes <= 22
    assert always == 24


def count_best_choices(name: str, position: fc.Position, best: set[str], seeds: int = 6, nodes: int = 8_000) -> int:
    """Return for how many seeds a level, by its name, plays a best move with at most `nodes` simulations."""
    level = BY_NAME[name]
    players = [Computer.from_level(level, nodes=min(level.nodes, nodes) or None, seed=seed) for seed in range(seeds)]
    return sum(player.choose_move(position) in best for player in players)


@pytest.mark.compiled
def test_the_strongest_level_proves_what_expert_searches_too_little_for() -> None:
    position = set_up_dots_and_boxes("1 0,0 ..../._._._|_./--../._._|_._./..-./._._._|_./-.../._._._._./....")
    best = set(fc.solve(position).moves)
    assert count_best_choices("expert", position, best) <= 1
    strongest = Computer.from_level(LEVELS[-1], nodes=80_000, seed=0).choose(position)
    assert strongest.solved
    assert strongest.move in best
