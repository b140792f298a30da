"""What the solvers know of Squendo: against the rules, and against trying everything at the end of games."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.core import compiled_api, dispatch
from fourcorners.core import margin_protocol as contract
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import SolverLimit
from fourcorners.games.squendo.exact import margin
from fourcorners.games.squendo.placements import unpack_top
from fourcorners.solve.default_exact import get_default_exact
from fourcorners.solve.maxn import MaxNSolver
from tests.reference import squendo as reference
from tests.reference.squendo_tiles import draw
from tests.solve.brute import Brute, Nodes, TooLarge

Steered = tuple[fc.Position, reference.Reference]


def steered(seed: int, left: int, **options: Any) -> Steered:
    """Play a steered game until so many tiles are left in hands and pile."""
    rng = random.Random(seed)
    deck = draw(options.get("players", 2), rng)
    slow = reference.Reference(deck, **options)
    position = fc.game("squendo", **options).start(deck=deck)
    while not position.is_over and tiles_left(position) > left:
        move = reference.steer(slow, rng)
        slow.play(move)
        position = position.play(move)
    return position, slow


def tiles_left(position: fc.Position) -> int:
    return int(position.record.hand_size.sum()) + int(position.record.pile_size)


def change(position: fc.Position, brute: Brute, slow: reference.Reference) -> int:
    """By how much the margin of the seat to move changes from here to the end."""
    seat = position.seat or 0
    return brute.value(slow)[seat] - (position.scores[seat] - position.scores[1 - seat])


OPTIONS: list[dict[str, Any]] = [
    {},
    {"take": "any"},
    {"lines": True},
    {"rectangles": "maximal"},
    {"take": "any", "lines": True, "rectangles": "maximal"},
]


def agree_at_the_end(seed: int, left: int, most: int, **options: Any) -> int:
    """Compare the positions of the end of a game with trying everything, and with the rules alone; return how many.

    A position that has more than `most` others after it is not compared.
    """
    position, slow = steered(seed, left, **options)
    brute = Brute(((0,), (1,)), most)
    compared = 0
    rng = random.Random(seed)
    while not position.is_over:
        try:
            expected = change(position, brute, slow)
        except TooLarge:
            brute = Brute(((0,), (1,)), most)
        else:
            nodes, rules = Nodes(margin, position), Nodes(get_default_exact(position.game.spec), position)
            assert nodes.value(nodes.root) == rules.value(rules.root) == expected, position.text
            compared += 1
        move = rng.choice(position.moves())
        position = position.play(move)
        slow.play(move)
    return compared


def test_the_last_tile_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert agree_at_the_end(1, 1, 100) > 0
    assert agree_at_the_end(3, 1, 100, take="any", lines=True) > 0


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_the_last_tiles_are_worth_what_trying_everything_says(options: dict[str, Any]) -> None:
    assert sum(agree_at_the_end(seed, 2, 600, **options) for seed in range(8)) > 8


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_three_tiles_are_worth_what_trying_everything_says(options: dict[str, Any]) -> None:
    assert sum(agree_at_the_end(seed, 3, 3000, **options) for seed in range(50, 56)) > 4


@pytest.mark.compiled
def test_links_are_the_moves_and_what_they_change() -> None:
    seen: Counter[str] = Counter()
    for seed in range(15):
        rng = random.Random(seed)
        position, slow = steered(seed, 30, **OPTIONS[seed % len(OPTIONS)])
        while not position.is_over:
            if rng.random() < 0.2 or tiles_left(position) < 3 or len(position.moves()) == 1:
                compare_links(position, seen)
            move = reference.steer(slow, rng)
            slow.play(move)
            position = position.play(move)
    assert min(seen[name] for name in ("pass", "take", "leave", "same", "over", "lost", "won")) > 0, seen


def compare_links(position: fc.Position, seen: Counter[str]) -> None:
    nodes = Nodes(margin, position)
    seat = position.seat or 0
    children, links = nodes.expand(nodes.root)
    assert len(children) == len(position.moves())
    assert links[:, contract.GAIN].tolist() == sorted(links[:, contract.GAIN], reverse=True)
    found = {child.tobytes(): (int(gain), int(turn)) for child, (gain, turn) in zip(children, links, strict=True)}
    for move in random.Random(1).sample(position.moves(), min(25, len(children))):
        after = position.play(move)
        child = margin.enter(after.game.options, after.record)[1]
        gain = (after.scores[seat] - position.scores[seat]) - (after.scores[1 - seat] - position.scores[1 - seat])
        turn = contract.SAME if int(after.record.seat) == seat else contract.OTHER
        assert found[child[0].tobytes()] == (gain, turn)
        if after.is_over:
            assert nodes.limits(child) == (0, 0)
        seen["pass"] += move == "pass"
        seen["take"] += "take" in move
        seen["leave"] += "leave" in move
        seen["same"] += after.seat == seat
        seen["over"] += after.is_over
        seen["won"] += gain > 9
        seen["lost"] += gain < -9


@pytest.mark.compiled
def test_interpreted_and_compiled_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    position, _ = steered(6, 2, take="any")
    found = []
    for disabled in (0, 1):
        monkeypatch.setattr(config, "DISABLE_JIT", disabled)
        nodes = Nodes(margin, position)
        children, links = nodes.expand(nodes.root)
        limits = [nodes.limits(children[i : i + 1]) for i in range(len(children))]
        keys = [nodes.key(children[i : i + 1]) for i in range(len(children))]
        found.append((children.tobytes(), links.tolist(), limits, keys))
    assert found[0] == found[1]


# Keys


def key_of(position: fc.Position) -> tuple[int, int]:
    nodes = Nodes(margin, position)
    return nodes.key(nodes.root)


def essence(position: fc.Position) -> tuple[Any, ...]:
    """What a position is worth depends on nothing else."""
    s = position.record
    table = tuple(place & ~(0xFF << 14) for place in s.place.tolist() if unpack_top(place))
    return table, s.hand.tobytes(), s.pile.tobytes(), position.seat, int(s.passed)


@pytest.mark.compiled
def test_keys_are_equal_where_nothing_that_matters_differs() -> None:
    keys: dict[tuple[int, int], tuple[Any, ...]] = {}
    for seed in range(4):
        position, slow = steered(seed, 24)
        rng = random.Random(seed)
        while not position.is_over:
            for move in position.moves()[:12]:
                after = position.play(move)
                matters = essence(after)
                assert keys.setdefault(key_of(after), matters) == matters
            move = reference.steer(slow, rng)
            slow.play(move)
            position = position.play(move)
    assert len(keys) == len(set(keys.values())) > 500


@pytest.mark.compiled
def test_keys_do_not_depend_on_what_is_known_of_hands() -> None:
    position, _ = steered(2, 12)
    states = position.states.copy()
    dispatch.view_record(states).slot[:] = 0
    dispatch.view_record(states).unlaid = 0
    assert key_of(fc.Position(position.game, states, ())) == key_of(position)


@pytest.mark.compiled
def test_keys_do_not_depend_on_where_the_table_lies() -> None:
    deck = [*draw(2, random.Random(1))]
    first = ["R0o", "R0x", "R1o", "R1x", "B0o", "B0x", "B1o", "B1x"]
    deck = [*first, *(tile for tile in deck if tile not in first)]
    game = fc.game("squendo")
    one = game.replay(["R0o 0,0 r0", "B0o 1,0 r0"], deck=deck)
    states = one.states.copy()
    s = dispatch.view_record(states)
    s.place[: int(s.place_count)] -= np.int64((3 * 128 + 5) << 22)
    assert key_of(fc.Position(game, states, ())) == key_of(one)
    assert key_of(game.replay(["R0o 0,0 r0", "B0o 0,1 r0"], deck=deck)) != key_of(one)


# Limits


@pytest.mark.compiled
def test_no_position_has_more_moves_or_plies_than_was_said() -> None:
    plies = 0
    for seed in range(12):
        rng = random.Random(seed)
        position, slow = steered(seed, rng.randrange(3, 36), take="any")
        links, most = margin.extent(position.record)
        tight = int(margin.enter(position.game.options, position.record)[0][0]["most_links"])
        assert tight <= links + 1
        played = 0
        while not position.is_over:
            assert len(position.moves()) <= tight
            assert compiled_api.bound(position.states, 0) <= links
            move = reference.steer(slow, rng)
            slow.play(move)
            position = position.play(move)
            played += 1
        assert played <= most
        plies += played
    assert plies > 100


def test_three_seats_are_refused() -> None:
    position = fc.game("squendo", players=3).start(seed=1)
    with pytest.raises(SolverLimit, match="two seats"):
        margin.enter(position.game.options, position.record)


# What a seat can infer


def worlds(position: fc.Position, seat: int) -> set[bytes]:
    """The hands and piles that are dealt to fit what a seat knows."""
    states = position.states.copy()
    compiled_api.hide(states, 0, seat)
    rng, found = new_rng(3), set()
    for _ in range(40):
        dealt = states.copy()
        compiled_api.deal(dealt, 0, rng)
        s = dispatch.view_record(dealt)
        found.add(s.hand.tobytes() + s.pile.tobytes())
    return found


@pytest.mark.compiled
def test_what_is_unseen_is_determined_when_one_world_is_left() -> None:
    seen: Counter[str] = Counter()
    for seed in range(16):
        rng = random.Random(seed)
        players = 2 if seed % 4 else 3
        position, slow = steered(seed, 10, players=players, take="any" if seed % 2 else "own")
        while not position.is_over:
            for seat in range(players):
                possible = worlds(position, seat)
                hidden = position.states.copy()
                compiled_api.hide(hidden, 0, seat)
                said = margin.can_infer_hands(position.record, seat)
                assert said == margin.can_infer_hands(dispatch.view_record(hidden), seat)
                if players == 2:
                    assert said == (len(possible) == 1), position.text
                else:
                    assert len(possible) == 1 or not said
                seen[f"{players} seats {said}"] += 1
                pile = int(position.record.pile_size)
                seen["pile not empty"] += said and pile > 0
                seen["pile empty, not known"] += pile == 0 and not said and players == 2
            move = reference.steer(slow, rng)
            slow.play(move)
            position = position.play(move)
    names = ("2 seats True", "2 seats False", "3 seats True", "3 seats False", "pile empty, not known")
    assert min(seen[name] for name in names) > 0, seen


# Three and four seats


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 4])
def test_three_and_four_seats_get_what_trying_everything_says(players: int) -> None:
    compared = 0
    for seed in range(8):
        position, slow = steered(seed, 2, players=players, take="any" if seed % 2 else "own")
        brute = Brute(tuple((seat,) for seat in range(players)), 2000)
        try:
            expected = brute.value(slow)
        except TooLarge:
            continue
        task = MaxNSolver(position.game, 1 << 22).task(position)
        while not task.advance(1000):
            assert task.lower <= task.upper
        assert task.margins == expected, position.text
        compared += not position.is_over
    assert compared > 3
