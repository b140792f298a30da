"""How the exact player treats positions that it cannot solve yet."""

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.sqez.exact import nimber
from fourcorners.core import compiled_api, slices
from fourcorners.core.arrays import Actions, Estimates
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.search.tree_search import ActionStats
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.horizon_task import HorizonTask
from fourcorners.solvers.margins import MarginTask
from fourcorners.solvers.maxn import MaxNTask
from fourcorners.solvers.nimbers import NimberTask
from fourcorners.solvers.solver_run import SolverRun

LIMIT = 8_000  # solver nodes; in an impartial game the estimated cost may be ten times as many


def make_stats(action: int) -> ActionStats:
    """Return what a search of a few simulations may know of an action of seat 0."""
    return ActionStats(action, 0, 5, (0.0, 0.0), (0.5, 0.5), 0.5, solved=False)


def create_player(
    costs: list[float], monkeypatch: pytest.MonkeyPatch
) -> tuple[ExactPlayer, fc.View, list[ActionStats]]:
    """Return a player of Sqez, the view of an empty field of 4 x 4 dots, and candidates with moves of these costs."""
    view = fc.game("sqez", cols=4, rows=4).start().view(0)
    player = ExactPlayer(view.game)
    actions = compiled_api.list_legal(view.states, 0)[: len(costs)].tolist()
    assert len(actions) == len(costs)
    by_action = dict(zip(actions, costs, strict=True))

    def estimate(view: fc.View, asked: Actions) -> Estimates:
        return np.array([by_action.get(int(action), 0.0) for action in asked])

    monkeypatch.setattr(player, "_estimate_move_costs", estimate)
    return player, view, [make_stats(action) for action in actions]


@pytest.mark.parametrize(
    ("costs", "chosen"),
    [
        ([1e3, 9e4, 5e6, 8.5e4], 3),  # the least of what is too much
        ([1e3, 7e4, 6e4, 0.0], 1),  # nothing is: the most
        ([9e4, 9e4, 1e9, 2e4], 0),  # the first of equal ones
    ],
)
def test_an_unsolved_position_is_left_that_is_just_too_large_for_an_equal_opponent(
    costs: list[float], chosen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    player, view, candidates = create_player(costs, monkeypatch)
    monkeypatch.setattr(player, "_estimate_cost", lambda _: 1e12)
    assert player.find_trap(view, []) is None
    # This sets the limit that counts as the opponent's, and proves nothing if a move leaves more.
    proof = player.prove(view, LIMIT, None, None, [])
    assert (proof is None) == (max(costs) > 10 * LIMIT)
    assert player.find_trap(view, candidates) == candidates[chosen]


@pytest.mark.parametrize(
    ("side", "excess", "calls"),
    [
        (7, 1e2, 1),  # 225 rectangles; the trap needs the same estimates
        (7, 1e4, 0),  # no move leaves little enough
        (12, 1e2, 0),  # 3,025 rectangles are too many
    ],
)
def test_costs_of_moves_are_estimated_only_where_they_matter(
    side: int, excess: float, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = fc.game("sqez", cols=side, rows=side).start().view(0)
    player = ExactPlayer(view.game)
    found: list[int] = []

    def measure(states: object, work: object, actions: Actions, sizes: Actions) -> None:
        found.append(len(actions))
        sizes[:] = 10_000  # no move leaves little

    monkeypatch.setattr(nimber, "_measure_sizes_after", measure)
    monkeypatch.setattr(player, "_estimate_cost", lambda _: 10.0 * LIMIT * excess)
    assert player.prove(view, LIMIT, None, None, []) is None
    actions = compiled_api.list_legal(view.states, 0).tolist()
    player.find_trap(view, [make_stats(action) for action in actions])
    assert len(found) == calls


def test_games_with_margins_have_no_traps() -> None:
    position = fc.game("square-off", size=4).start()
    candidate = make_stats(0)
    assert ExactPlayer(position.game).find_trap(position.view(0), [candidate]) is None


def test_the_cost_of_a_position_is_estimated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    position = fc.game("square-off", size=4).start()
    player = ExactPlayer(position.game)
    calls: list[int] = []

    def estimate(record: object) -> float:
        calls.append(1)
        return 1e12

    monkeypatch.setattr(player, "_estimate_cost", estimate)
    for view in (position.view(0), position.view(0), position.play("a1").view(1)):
        assert player.prove(view, LIMIT, None, None, []) is None
        assert not player.may_succeed(view, LIMIT, 1.0)
    assert len(calls) == 2


def test_a_proof_that_failed_is_tried_again_only_once_much_less_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = iter([100.0, 90.0, 30.0, 20.0])
    view = fc.game("square-off", size=4, swap=False).start().view()
    player = ExactPlayer(view.game)
    monkeypatch.setattr(player, "_estimate_cost", lambda _: next(costs))
    tried: list[int] = []

    def find_best_move(*_: object) -> tuple[str, int]:
        tried.append(len(view.moves()))
        raise fc.SolverLimit("not solved", -99, 99)

    monkeypatch.setattr(SolverRun, "find_best_move", find_best_move)
    for ply in range(4):
        assert player.prove(view, 100, None, None, []) is None
        # After a failure at 100 nodes the proof is taken to need 200, so estimates count double, then 200 / 30 times.
        assert len(tried) == [1, 1, 2, 2][ply]
        view = view.game.position(view.text).play(view.moves()[0]).view()


class Tasks:
    """Lets every step of any proof take time on a clock, and finish nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.proving = 0.0
        monkeypatch.setattr(slices._thread, "clock", lambda: self.now)
        for kind in (MarginTask, NimberTask, MaxNTask):
            monkeypatch.setattr(kind, "advance", self.advance)
            monkeypatch.setattr(kind, "nodes", property(lambda _: int(1e5 * self.proving)))

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Search up to 740 of the nodes, however many are asked for."""
        self.now += 1e-5 * min(nodes, 740)
        self.proving += 1e-5 * min(nodes, 740)
        return False


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("square-off", {"size": 4}),
        ("sqez", {"cols": 6, "rows": 6}),
        ("squarin-off", {"cols": 2, "rows": 2, "players": 3}),
        ("dots-and-boxes", {"cols": 3, "rows": 3}),
    ],
)
@pytest.mark.parametrize("seconds", [0.05, 0.2])
def test_failed_proof_takes_at_most_half_of_the_time_for_a_move(
    name: str, options: dict[str, int], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = fc.game(name, **options).start(seed=1)
    player = ExactPlayer(position.game)
    monkeypatch.setattr(player, "may_succeed", lambda *_: True)
    tasks = Tasks(monkeypatch)
    assert player.prove(position.view(position.seat), None, seconds, None, []) is None
    assert 0.4 * seconds < tasks.proving <= 0.55 * seconds


def test_failed_proof_of_the_engine_takes_at_most_half_of_the_time_for_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).start()
    engine = ExactPlayer(position.game).engine
    assert engine is not None
    tasks = Tasks(monkeypatch)

    def search(task: HorizonTask, nodes: int) -> bool:
        """Search nothing, which takes time, too."""
        tasks.now += 1e-5 * nodes
        return False

    monkeypatch.setattr(HorizonTask, "advance", search)
    monkeypatch.setattr(HorizonTask, "nodes", property(lambda _: int(1e5 * (tasks.now - tasks.proving))))
    monkeypatch.setattr(HorizonTask, "find_likely_move", lambda _: 0)
    monkeypatch.setattr(position.game.spec.part(ExactPlay).exact, "find_action", lambda *_: 0)
    engine.choose(position.view(0), slices.Budget(seconds=1.0), None)
    assert tasks.proving <= 0.51
    assert tasks.now <= 1.01
