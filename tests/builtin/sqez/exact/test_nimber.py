"""The independent components of Sqez positions and what moves leave of them, compared with the rules themselves."""

import random
from itertools import pairwise

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.builtin.sqez.exact import conflict_graph
from fourcorners.builtin.sqez.exact.nimber import estimate_cost, estimate_move_costs
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import States
from fourcorners.core.jit import kernel, rare
from fourcorners.solvers import nimber_protocol
from fourcorners.solvers.nimber_protocol import SINGLE, Ends, Words, length_of
from fourcorners.solvers.nimber_search import divide_into_parts
from fourcorners.solvers.nimbers import NimberSolver, NimberTask

Component = tuple[int, ...]
"""The words of an encoded component."""
IMAGES = 8


@rare
@kernel
def call_options(states: States, words: Words, out: Words, ends: Ends) -> int:
    """Call `nimber_protocol.options`, compiled, for the component at `words[0]` and a scratch record `states[0]`."""
    return nimber_protocol.options(states[0], words, 0, out, ends)


def split_words(words: Words, end: int) -> list[Component]:
    """Return the components in `words[:end]`, sorted."""
    found: list[Component] = []
    at = 0
    while at < end:
        length = int(length_of(np.uint64(words[at])))
        found.append(tuple(int(word) for word in words[at : at + length]))
        at += length
    return sorted(found)


def list_components(position: fc.Position) -> list[Component]:
    """Return the components of a position, sorted; none if the game is over."""
    out = np.zeros(1 << 16, np.uint64)
    return split_words(out, int(divide_into_parts(np.array(position.states), 0, out)))


def list_options(position: fc.Position, component: Component) -> list[list[Component]]:
    """Return what each move in a component leaves of it, as sorted components, under the game options of a position.
    Equal options may be left out.
    """
    if component == (int(SINGLE),):
        return [[]]  # its only move leaves nothing; `options` may not be called for it
    out, ends = np.zeros(1 << 18, np.uint64), np.zeros(1 << 10, np.int64)
    n = int(call_options(np.array(position.states), np.array(component, np.uint64), out, ends))
    assert n >= 0, "one of the arrays is too short"
    bounds = [0, *ends[:n].tolist()]
    return [split_words(out[begin:], end - begin) for begin, end in pairwise(bounds)]


def is_region(component: Component) -> bool:
    """Return whether a component is encoded as a region, not as a conflict graph or the single move."""
    return component != (int(SINGLE),) and np.uint64(component[0]) & conflict_graph.IS_GRAPH == 0


def replay(*moves: str, cols: int = 5, rows: int = 5, **options: str) -> fc.Position:
    """Return the position after these moves on a field of cols x rows dots under these options."""
    return fc.game("sqez", cols=cols, rows=rows, **options).replay(moves)


def run_task_to_end(task: NimberTask) -> int:
    """Run a task until its nimber is known, however long it takes; return the nimber."""
    while not task.advance(1000):
        pass
    assert task.nimber is not None
    return task.nimber


@pytest.fixture
def _disable_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpret all kernels during one test: for small fields that is quicker than compiling them."""
    monkeypatch.setattr(config, "DISABLE_JIT", 1)


@pytest.mark.usefixtures("_disable_compilation")
def test_rectangles_that_all_exclude_each_other_are_encoded_as_a_single_move() -> None:
    # Rule 2: on 4 x 4 dots each rectangle takes an edge or the last free dot from all others; 3 x 3 dots have one.
    assert list_components(replay(cols=4, rows=4)) == [(int(SINGLE),)]
    assert list_components(replay(cols=3, rows=3)) == [(int(SINGLE),)]


@pytest.mark.usefixtures("_disable_compilation")
def test_a_finished_game_has_no_components() -> None:
    assert list_components(replay("a1 c3", cols=3, rows=3)) == []


@pytest.mark.usefixtures("_disable_compilation")
def test_rectangles_far_apart_are_separate_components() -> None:
    # The rectangle in the middle leaves room for one to its left and for one to its right.
    position = replay("d1 f3", cols=9, rows=3)
    assert list_components(position) == [(int(SINGLE),), (int(SINGLE),)]


@pytest.mark.usefixtures("_disable_compilation")
def test_wide_and_high_fields_too_large_for_a_graph_are_the_same_region() -> None:
    wide, high = list_components(replay(cols=7, rows=6)), list_components(replay(cols=6, rows=7))
    assert wide == high
    assert [is_region(component) for component in wide] == [True]


@pytest.mark.usefixtures("_disable_compilation")
def test_a_field_of_5_by_5_dots_is_encoded_as_a_graph() -> None:
    [component] = list_components(replay())
    assert component != (int(SINGLE),)
    assert not is_region(component)


def transform_move(move: str, size: int, image: int) -> str:
    """Return an image of a move on `size` x `size` dots; `image` is 0 to 7.
    Bit 0 mirrors left to right, bit 1 top to bottom, and then bit 2 exchanges columns and rows.
    """
    letters = "abcdefghijklmnopqrst"
    corners = []
    for dot in move.split(" "):
        x, y = letters.index(dot[0]), int(dot[1:]) - 1
        x, y = (size - 1 - x if image & 1 else x), (size - 1 - y if image & 2 else y)
        corners.append((y, x) if image & 4 else (x, y))
    (x1, y1), (x2, y2) = corners
    return f"{letters[min(x1, x2)]}{min(y1, y2) + 1} {letters[max(x1, x2)]}{max(y1, y2) + 1}"


@pytest.mark.compiled
@pytest.mark.parametrize("sides", ["own", "shared"])
@pytest.mark.parametrize("enclose", ["free", "any"])
def test_mirrored_and_rotated_positions_have_the_same_regions(sides: str, enclose: str) -> None:
    rng = random.Random(4)
    regions = 0
    for _ in range(20):
        move = rng.choice(replay(cols=7, rows=7).moves())
        images = [transform_move(move, 7, image) for image in range(IMAGES)]
        positions = [replay(image, cols=7, rows=7, sides=sides, enclose=enclose) for image in images]
        found = [[component for component in list_components(p) if is_region(component)] for p in positions]
        assert all(components == found[0] for components in found)
        regions += len(found[0])
    assert regions >= 5  # otherwise next to nothing was compared: most components are graphs


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("sides", ["own", "shared"])
@pytest.mark.parametrize("enclose", ["free", "any"])
def test_options_of_components_have_the_nimbers_of_the_moves_and_nearly_always_their_encoding(
    sides: str, enclose: str
) -> None:
    rng = random.Random(5)
    solver = NimberSolver(fc.game("sqez", cols=5, rows=5, sides=sides, enclose=enclose), 1 << 24)
    compared = same = 0
    for _ in range(15):
        position = replay(sides=sides, enclose=enclose)
        while not position.is_over:
            moves = position.moves()
            # Positions with more moves take too long; with shared sides each move leads to more work.
            if len(moves) <= (40 if sides == "own" else 8):
                components = list_components(position)
                by_moves = {tuple(list_components(position.play(move))) for move in moves}
                by_options = {
                    tuple(sorted([*components[:i], *components[i + 1 :], *option]))
                    for i, component in enumerate(components)
                    for option in list_options(position, component)
                }
                compared += 1
                same += by_moves == by_options
                # Even where the same graph is encoded in two ways, both have the same nimber.
                nimbers = {run_task_to_end(solver.create_task(position.play(move))) for move in moves}
                assert {sum_nimbers(solver, position, option) for option in by_options} == nimbers
            position = position.play(rng.choice(moves))
    assert compared >= 15  # at least one position for each game, on average
    # The canonical order of a graph is not perfect, so a few components are encoded in two ways.
    assert same >= 0.9 * compared


def sum_nimbers(solver: NimberSolver, position: fc.Position, components: tuple[Component, ...]) -> int:
    """Return the nimber of a sum of components, under the game options of a position.

    Components that a move leaves have no position. So each is put into a new task for the given position,
    in place of that position's components.
    """
    total = 0
    for component in components:
        task = solver.create_task(position)
        task._stack.words[: len(component)] = component
        # One part, at word 0, is still to be solved, and nothing is known: the state in which a task begins.
        task._open, task._known, task._top, task.nimber = [0], 0, len(component), None
        task._add_known_nimbers()  # finds the nimber at once if it is in the solver's table
        total ^= run_task_to_end(task)
    return total


@pytest.mark.usefixtures("_disable_compilation")
def test_the_protocol_finds_split_by_the_dtype_of_the_record() -> None:
    s = dispatch.view_record(np.array(replay(cols=3, rows=3).states))
    assert nimber_protocol.split(s, np.zeros(1 << 12, np.uint64)) == 1  # one word, SINGLE


@pytest.mark.usefixtures("_disable_compilation")
def test_split_returns_minus_one_if_its_buffer_is_too_short() -> None:
    # The result is one word, but there must be room for the longest component at any time.
    s = dispatch.view_record(np.array(replay(cols=3, rows=3).states))
    assert nimber_protocol.split(s, np.zeros(1, np.uint64)) == -1


OPTIONS: list[dict[str, object]] = [
    {"cols": 5, "rows": 5},
    {"cols": 6, "rows": 4, "sides": "shared"},
    {"cols": 5, "rows": 5, "enclose": "any"},
    {"cols": 4, "rows": 5, "sides": "shared", "enclose": "any"},
]


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_the_estimated_cost_is_lower_at_the_end_of_a_game_than_at_its_start(options: dict[str, object]) -> None:
    rng = random.Random(4)
    position = fc.game("sqez", **options).start()
    costs = []
    while not position.is_over:
        costs.append(estimate_cost(position.record))
        position = position.play(rng.choice(position.moves()))
    assert costs[-1] < costs[0]


# Nodes. A solver thread searches roughly 400,000 a second, so fewer than these are a matter of milliseconds.
CHEAP = 8_000


@pytest.mark.compiled
def test_the_empty_default_field_is_estimated_as_cheap_and_one_of_12_by_12_dots_is_not() -> None:
    larger = fc.game("sqez", cols=12, rows=12).start()
    assert estimate_cost(fc.game("sqez").start().record) < CHEAP < estimate_cost(larger.record)


@pytest.mark.compiled
def test_with_shared_sides_few_legal_moves_are_estimated_as_cheap_in_spite_of_many_undrawn_edges() -> None:
    # After fewer than a dozen moves, chosen to leave little, a dozen legal ones are left, and most edges are undrawn.
    position = fc.game("sqez", sides="shared").start()
    rng, left = random.Random(1), 441  # the legal moves of the empty field
    while left > 12:
        sample = rng.sample(position.moves(), 8)
        position = position.play(min(sample, key=lambda move: len(position.play(move).moves())))
        left = len(position.moves())
    assert not position.is_over
    assert len(position.history) < 12
    assert estimate_cost(position.record) < CHEAP


@pytest.mark.compiled
def test_estimating_the_cost_does_not_change_the_record() -> None:
    position = fc.game("sqez").replay(["b2 d4"])
    before = position.record.tobytes()
    estimate_cost(position.record)
    assert position.record.tobytes() == before


@rare
@kernel
def call_more_options(states: States, words: Words, begin: int, out: Words, ends: Ends) -> tuple[int, int]:
    """Call `nimber_protocol.more_options`, compiled, as `call_options` does."""
    return nimber_protocol.more_options(states[0], words, 0, begin, out, ends)


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("sides", ["own", "shared"])
def test_options_listed_in_steps_are_all_options_with_those_that_leave_least_first(sides: str) -> None:
    position = fc.game("sqez", cols=7, rows=7, sides=sides).replay(["b2 d4"])
    steps = 0
    for component in list_components(position):
        if component == (int(SINGLE),):
            continue
        expected = {tuple(option) for option in list_options(position, component)}
        found: list[set[tuple[Component, ...]]] = []
        begin, words = 0, np.array(component, np.uint64)
        out, ends = np.zeros(1 << 18, np.uint64), np.zeros(1 << 10, np.int64)
        while begin >= 0:
            n, begin = call_more_options(np.array(position.states), words, begin, out, ends)
            assert n >= 0, "one of the arrays is too short"
            bounds = [0, *ends[:n].tolist()]
            found.append({tuple(split_words(out[first:], end - first)) for first, end in pairwise(bounds)})
            steps += 1
        assert set().union(*found) == expected
    # With own sides the first sixteen come alone.
    assert steps > len(list_components(position)) if sides == "own" else steps == len(list_components(position))


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_estimated_costs_of_moves_are_those_of_the_positions_after_them(options: dict[str, object]) -> None:
    position = fc.game("sqez", **options).start()
    rng = random.Random(6)
    while not position.is_over and position.game.seats == 2:
        actions = compiled_api.list_legal(position.states, 0)
        costs = estimate_move_costs(position.states, actions)
        format_action = position.game.spec.notation.format
        after = [position.play(format_action(position.record, int(action))) for action in actions]
        assert costs.tolist() == pytest.approx([estimate_cost(each.record) for each in after])
        position = position.play(rng.choice(position.moves()))
