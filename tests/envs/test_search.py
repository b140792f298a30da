"""Search of many positions, with and without a program's own evaluation."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.builtin.squarin_off import encode
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.envs import search_kernels

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "teams": True, "blockers": 1}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 5, "rows": 5, "players": 3}),
    ("squendo", {"players": 3}),
]
DOTS = fc.game("dots-and-boxes", cols=2, rows=2)
EDGES = ["a1b1", "b1c1", "a2b2", "b2c2", "a3b3", "b3c3", "a1a2", "b1b2", "c1c2", "a2a3", "b2b3", "c2c3"]
Answer = tuple[NDArray[Any], NDArray[Any]]


def know_nothing(observations: NDArray[np.float32], legal: Any) -> Answer:
    """Evaluate all leaves of a game for two as even, and all actions as equally good."""
    size = len(legal[1]) if isinstance(legal, tuple) else legal.shape
    return np.zeros(size), np.zeros((len(observations), 2))


class Guesser:
    """An evaluation that depends on all that it gets, and keeps what it got."""

    def __init__(self, game: fc.Game) -> None:
        self.game = game
        self.search: fc.envs.Search | None = None
        self.seen: list[tuple[NDArray[np.float32], Any, NDArray[np.int64]]] = []

    def __call__(self, observations: NDArray[np.float32], legal: Any) -> Answer:
        assert self.search is not None
        kept = tuple(map(np.copy, legal)) if isinstance(legal, tuple) else legal.copy()
        self.seen.append((observations.copy(), kept, self.search.seat.copy()))
        sums = observations.reshape(len(observations), -1).sum(axis=1)
        if isinstance(legal, tuple):
            logits = np.sin(legal[1] * 0.7)
        else:
            logits = np.where(legal, np.sin(np.arange(legal.shape[1]) + sums[:, None]), np.nan)
        values = np.cos(sums[:, None] + np.arange(self.game.seats))
        return logits, values - values.mean(axis=1, keepdims=True)


def search_with_guesses(batch: fc.envs.Batch, simulations: int, seed: int = 1) -> tuple[fc.envs.Search, Guesser]:
    """Return a finished search with guesses, and the guesser."""
    guesser = Guesser(batch.game)
    guesser.search = fc.envs.Search(batch, evaluate=guesser, simulations=simulations, seed=seed)
    return guesser.search.run(), guesser


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_simulations_visit_legal_actions_and_values_are_by_seat(name: str, options: dict[str, Any]) -> None:
    batch = fc.envs.Batch(fc.game(name, **options), 3, seed=1)
    search, guesser = search_with_guesses(batch, 12)
    offsets, indices = search.legal_actions
    assert [offsets.tolist(), indices.tolist()] == [array.tolist() for array in batch.legal_actions]
    if search.has_masks:
        assert search.visits.sum(axis=1).tolist() == [12] * 3
        assert not search.visits[~batch.legal_mask].any()
        assert search.best.tolist() == search.visits.argmax(axis=1).tolist()
        assert np.allclose(search.policy.sum(axis=1), 1)
    else:
        assert np.add.reduceat(search.visits, offsets[:-1]).tolist() == [12] * 3
        assert np.allclose(np.add.reduceat(search.policy, offsets[:-1]), 1)
    assert np.allclose(search.values.sum(axis=1), 0, atol=1e-5)
    observations, legal, seats = guesser.seen[0]
    assert (observations == batch.observe()).all()
    assert seats.tolist() == batch.seat.tolist()
    if search.has_masks:
        assert (legal == batch.legal_mask).all()
    else:
        assert [part.tolist() for part in legal] == [offsets.tolist(), indices.tolist()]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_trees_do_not_depend_on_their_neighbours(name: str, options: dict[str, Any]) -> None:
    batch = fc.envs.Batch(fc.game(name, **options), 3, seed=1)
    together, _ = search_with_guesses(batch, 8)
    alone, _ = search_with_guesses(batch[2:], 8, seed=3)
    assert together.values[2].tolist() == alone.values[0].tolist()
    assert together.best[2] == alone.best[0]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_search_without_evaluation_is_the_tree_search(name: str, options: dict[str, Any]) -> None:
    game = fc.game(name, **options)
    positions = [game.start(seed=seed) for seed in range(2)]
    search = fc.envs.Search(positions, simulations=6, seed=4).run()
    start = 0
    for i, position in enumerate(positions):
        expected = fc.Search(position, seed=4 + i).run(simulations=6)
        assert search.encoding.find_move(position, int(search.best[i])) == expected.moves[0].move
        offsets, indices = search.legal_actions
        own = indices[offsets[i] : offsets[i + 1]]
        visits = search.visits[i, own] if search.has_masks else search.visits[offsets[i] : offsets[i + 1]]
        named = {search.encoding.find_move(position, int(index)): int(n) for index, n in zip(own, visits, strict=True)}
        assert {move: n for move, n in named.items() if n} == {move.move: move.visits for move in expected.moves}
        parties = len(game.options.parties)
        assert search.values[i] == pytest.approx((parties * np.array(expected.wins) - 1) / (parties - 1))
        start += len(own)


def test_batch_and_its_views_have_the_same_search_and_finished_games_are_left_out() -> None:
    batch = fc.envs.Batch(DOTS, 3, seed=1, auto_reset=False)
    batch.set_position(0, DOTS.replay(EDGES[:-1]))
    batch.step(np.array([11, 0, 1]))
    search = fc.envs.Search(batch, evaluate=know_nothing, simulations=9, seed=1).run()
    assert (search.best[0], search.visits[0].sum(), search.values[0].tolist()) == (-1, 0, [0.0, 0.0])
    views = [batch.view(1), batch.view(2)]
    same = fc.envs.Search(views, evaluate=know_nothing, simulations=9, seed=2).run()
    assert (same.visits == search.visits[1:]).all()
    empty = fc.envs.Search(batch[:0], evaluate=know_nothing, simulations=9, seed=1).run()
    assert (len(empty), empty.visits.shape, empty.policy.shape) == (0, (0, 12), (0, 12))


@pytest.mark.compiled
def test_search_finds_wins_and_extra_turns_without_any_knowledge() -> None:
    game = fc.game("dots-and-boxes", cols=3, rows=2)
    rng = random.Random(1)
    positions = []
    for _ in range(60):
        position = game.start()
        while len(position.moves()) > 5:
            position = position.play(rng.choice(position.moves()))
        solution = fc.solve(position, every_move=True)
        lead = solution.final_margin - solution.remaining_margin
        if solution.final_margin > 0 > lead + min(solution.values.values()):
            positions.append(position)
    assert len(positions) > 5
    search = fc.envs.Search(positions, evaluate=know_nothing, simulations=3000, seed=1).run()
    for position, index, value in zip(positions, search.best.tolist(), search.values, strict=True):
        after = position.play(search.encoding.find_move(position, index))
        sign = 1 if after.seat == position.seat else -1
        assert sign * fc.solve(after).final_margin > 0
        assert value[position.seat or 0] > 0.5


def test_logits_order_the_first_visits_and_values_decide_in_the_end() -> None:
    def evaluate(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> Answer:
        logits = np.zeros(masks.shape)
        logits[:, 7] = 3.0
        values = np.zeros((len(masks), 2))
        values[masks[:, 3] == 0] = [1.0, -1.0]  # seat 0 wins once edge 3 is drawn by either seat
        return logits, values

    start = DOTS.start()
    few = fc.envs.Search([start], evaluate=evaluate, simulations=3, seed=1).run()
    assert few.visits[0, 7] == 3
    roots = [start, start.play(EDGES[0])]
    many = fc.envs.Search(roots, evaluate=evaluate, simulations=200, seed=1).run()
    assert (many.best[0], many.best[1] != 3, many.visits[1, 3] <= many.visits[1, 1:].min()) == (3, True, True)
    assert many.values[0, 0] == -many.values[0, 1] > 0.5


def test_hidden_information_is_dealt_anew_for_each_simulation() -> None:
    table = fc.game("squendo").start(seed=3)
    view = table.view(0)
    results = []
    for deal in range(3):
        states = view.states.copy()
        compiled_api.deal(states, 0, new_rng(deal))
        batch = fc.envs.Batch(table.game, 1, seed=1)
        batch.set_position(0, fc.Position(table.game, states, ()))
        search, guesser = search_with_guesses(batch, 15)
        results.append(search.visits.tolist())
        # Beyond the root it is the turn of others, with another hand in each world.
        others = [observation for planes, _, seats in guesser.seen for observation in planes[seats == 1]]
        assert len({observation.tobytes() for observation in others}) > 5
    assert results[0] == results[1] == results[2]


def prefer_the_first(observations: NDArray[np.float32], lists: Any) -> Answer:
    """Evaluate leaves as even, and the first action of each list as much the best, so that trees grow deep."""
    offsets, indices = lists
    logits = np.zeros(len(indices))
    logits[offsets[:-1]] = 6.0
    return logits, np.zeros((len(observations), 2))


def test_no_world_sees_an_action_that_only_another_world_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    play, played = dispatch.play, []

    def play_legal(s: Any, action: int) -> None:
        assert dispatch.can_play(s, action)
        played.append(action)
        play(s, action)

    start = fc.game("squendo").start(seed=3)
    monkeypatch.setattr(dispatch, "play", play_legal)
    fc.envs.Search([start], evaluate=prefer_the_first, simulations=40, seed=1).run()
    assert len(played) > 60


@pytest.mark.parametrize(("anew", "seats"), [(1, {1}), (1000, {0, 1})])
def test_nodes_of_hidden_games_are_evaluated_anew_in_some_visits(
    anew: int, seats: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []

    def note_seat(observations: NDArray[np.float32], lists: Any) -> Answer:
        found.append(int(search.seat[0]))
        return prefer_the_first(observations, lists)

    monkeypatch.setattr(search_kernels, "_ANEW", anew)
    search = fc.envs.Search([fc.game("squendo").start(seed=3)], evaluate=note_seat, simulations=20, seed=1)
    search.run()
    assert set(found[1:]) == seats  # no simulation goes beyond a node that it evaluates


def test_numbers_that_all_logits_or_all_values_share_do_not_count() -> None:
    def evaluate(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> Answer:
        return np.full(masks.shape, 1e4), np.tile([1.0, -1.0], (len(masks), 1))

    search = fc.envs.Search([DOTS.start()], evaluate=evaluate, simulations=12, seed=1).run()
    assert search.visits.tolist() == [[1] * 12]


def test_noise_changes_the_priors_of_roots_alone_by_the_seed() -> None:
    starts = [DOTS.start()] * 2

    def run(noise: float, seed: int) -> list[list[int]]:
        search = fc.envs.Search(starts, evaluate=know_nothing, simulations=12, seed=seed, noise=noise)
        visits: list[list[int]] = search.run().visits.tolist()
        return visits

    even = run(0.0, 1)
    assert even == [[1] * 12] * 2
    noisy = run(0.5, 1)
    assert noisy == run(0.5, 1)
    assert noisy[0] != noisy[1] != even[1]
    assert run(0.5, 2)[0] == noisy[1]


def test_noise_is_added_once(monkeypatch: pytest.MonkeyPatch) -> None:
    create, seeds = np.random.default_rng, []

    def note_seed(seed: int) -> np.random.Generator:
        seeds.append(seed)
        return create(seed)

    monkeypatch.setattr(np.random, "default_rng", note_seed)
    fc.envs.Search([DOTS.start()] * 2, evaluate=know_nothing, simulations=5, seed=1, noise=0.5).run()
    assert len(set(seeds)) == len(seeds) == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda m: np.zeros((m, 12)), "it must return logits and values"),
        (lambda m: (np.zeros((m, 11)), np.zeros((m, 2))), r"logits .*shape \(2, 11\).*of the shape \(2, 12\)"),
        (lambda m: (np.zeros((m, 12)), np.zeros(m)), r"values .*shape \(2,\).*of the shape \(2, 2\)"),
        (lambda m: (np.zeros((m, 12)), np.full((m, 2), np.nan)), "values that are not finite"),
        (lambda m: (np.full((m, 12), np.inf), np.zeros((m, 2))), "logits of legal actions that are not finite"),
        (lambda m: (np.full((m, 12), "x"), np.zeros((m, 2))), "they must be numbers"),
        (lambda _: None, "it returned None; it must return logits and values"),
    ],
)
def test_wrong_evaluations_are_refused(answer: Callable[[int], Any], message: str) -> None:
    search = fc.envs.Search([DOTS.start()] * 2, evaluate=lambda o, _: answer(len(o)), simulations=3, seed=1)
    with pytest.raises(fc.OptionError, match=message):
        search.run()


def test_numbers_too_large_for_float32_may_stand_for_actions_that_are_not_legal() -> None:
    def evaluate(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> Answer:
        return np.where(masks, 0.0, -1e300), np.zeros((len(observations), 2))

    search = fc.envs.Search([DOTS.replay(EDGES[:6])], evaluate=evaluate, simulations=6, seed=1).run()
    assert search.visits[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]


def test_lists_that_an_evaluation_writes_to_change_nothing() -> None:
    def spoil(observations: NDArray[np.float32], lists: Any) -> Answer:
        answer = know_nothing(observations, lists)
        for array in lists:
            array[:] = 10**6
        return answer

    starts = [fc.game("squendo").start(seed=seed) for seed in range(2)]
    runs = [
        fc.envs.Search(starts, evaluate=evaluate, simulations=4, seed=1).run() for evaluate in (know_nothing, spoil)
    ]
    assert runs[0].visits.tolist() == runs[1].visits.tolist()


@pytest.mark.parametrize("evaluate", [None, know_nothing])
def test_actions_without_an_index_are_left_out(evaluate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    index_action = encode.index_action
    monkeypatch.setattr(encode, "index_action", lambda s, action: -1 if action == 3 else index_action(s, action))
    search = fc.envs.Search([DOTS.start()], evaluate=evaluate, simulations=40, seed=1).run()
    assert search.legal_actions[1].tolist() == [0, 1, 2, *range(4, 12)]
    assert search.visits[0, 3] == 0 < search.visits[0, 11]
    assert search.best[0] == search.visits[0].argmax()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evaluate": 3}, "evaluate: 3 is not allowed; it must be a function or None"),
        ({"simulations": 0}, "simulations: 0 is not allowed"),
        ({"seed": None}, "seed: None is not allowed; it must be a whole number"),
        ({"noise": 1.5}, "noise: 1.5 is not allowed; it must be a number from 0 to 1"),
        ({"noise": float("nan")}, "noise: nan is not allowed"),
        ({"exploration": -1}, "exploration: -1 is not allowed"),
        ({"roots": 5}, "roots: 5 is not allowed; it must be a batch, or a list of positions or views"),
        ({"roots": DOTS.start()}, "roots: .* is not allowed; it must be a batch, or a list"),
        ({"roots": []}, "roots: there must be at least one position"),
        ({"roots": [DOTS.start(), fc.game("sqez").start()]}, "all must be of the same game"),
        ({"roots": [DOTS.replay(EDGES)]}, "the game is over"),
        ({"roots": ["a1"]}, "not 'a1'"),
    ],
)
def test_wrong_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    arguments = {"roots": [DOTS.start()], "evaluate": know_nothing, "simulations": 3, "seed": 1, **change}
    with pytest.raises(fc.GameError, match=message):
        fc.envs.Search(arguments.pop("roots"), **arguments)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), [GAMES[0], GAMES[4]])
def test_compiled_trees_equal_interpreted_ones(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = fc.envs.Batch(fc.game(name, **options), 2, seed=1)
    compiled, _ = search_with_guesses(batch, 10)
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    interpreted, _ = search_with_guesses(batch, 10)
    assert compiled.visits.tolist() == interpreted.visits.tolist()
    assert np.allclose(compiled.values, interpreted.values, atol=1e-6)
