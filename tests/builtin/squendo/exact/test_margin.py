"""Exact solving of Squendo: compared with the rules, and with brute force at the ends of games."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.builtin.squendo.exact import margin
from fourcorners.builtin.squendo.placements import unpack_top
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import SolverLimit
from fourcorners.solvers import margin_protocol as contract
from fourcorners.solvers.default_exact import get_default_exact
from fourcorners.solvers.maxn import MaxNSolver
from tests.reference import squendo as reference
from tests.reference.squendo_tiles import draw_deck
from tests.solvers.exhaustive import ExhaustiveSearch, NodeTree, TooManyPositionsError

GamePair = tuple[fc.Position, reference.Reference]


def play_to_endgame(seed: int, left: int, **options: Any) -> GamePair:
    """Play a game guided to rare moves until at most `left` tiles are in hands and pile; return position and reference.

    The game may be over before. The reference game is in the same state, and callers play on with it.
    """
    rng = random.Random(seed)
    deck = draw_deck(options.get("players", 2), rng)
    reference_game = reference.Reference(deck, **options)
    position = fc.game("squendo", **options).start(deck=deck)
    while not position.is_over and count_tiles_left(position) > left:
        move = reference.choose_rare_move(reference_game, rng)
        reference_game.play(move)
        position = position.play(move)
    return position, reference_game


def count_tiles_left(position: fc.Position) -> int:
    """Return the number of tiles in hands and pile."""
    return int(position.record.hand_size.sum()) + int(position.record.pile_size)


def measure_change(position: fc.Position, exhaustive: ExhaustiveSearch, reference_game: reference.Reference) -> int:
    """Return by how much the margin of the seat to move, one of two, changes from here to the end, by brute force.

    `reference_game` is in the state of the position, which must not be over. What `exhaustive` raises is passed on.
    """
    seat = position.seat or 0  # never None, as the game is not over
    return exhaustive.solve(reference_game)[seat] - (position.scores[seat] - position.scores[1 - seat])


OPTIONS: list[dict[str, Any]] = [
    {},
    {"take": "any"},
    {"lines": True},
    {"rectangles": "maximal"},
    {"take": "any", "lines": True, "rectangles": "maximal"},
]


def check_endgame_values(seed: int, left: int, limit: int, **options: Any) -> int:
    """Assert that values at the end of a game of two seats, solved with the nodes of this module and with those made
    from the rules alone, agree with brute force; return how many positions were compared.

    The game is guided to rare moves until at most `left` tiles are in hands and pile, then random. A position that
    leads to more than `limit` others is skipped.
    """
    position, reference_game = play_to_endgame(seed, left, **options)
    exhaustive = ExhaustiveSearch(((0,), (1,)), limit)
    compared = 0
    rng = random.Random(seed)
    while not position.is_over:
        try:
            expected = measure_change(position, exhaustive, reference_game)
        except TooManyPositionsError:
            # The limit counts all positions that a search has met, so the next try needs a new one.
            exhaustive = ExhaustiveSearch(((0,), (1,)), limit)
        else:
            nodes, rules = NodeTree(margin, position), NodeTree(get_default_exact(position.game.spec), position)
            assert nodes.solve(nodes.root) == rules.solve(rules.root) == expected, position.text
            compared += 1
        move = rng.choice(position.moves())
        position = position.play(move)
        reference_game.play(move)
    return compared


def test_values_of_both_kinds_of_nodes_with_one_tile_left_agree_with_brute_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)  # for so little that is quicker than compiling
    assert check_endgame_values(1, 1, 100) > 0
    assert check_endgame_values(3, 1, 100, take="any", lines=True) > 0


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("options", "games"), [*(pytest.param(options, 5, marks=pytest.mark.ci) for options in OPTIONS), (OPTIONS[4], 2)]
)
def test_values_of_both_kinds_of_nodes_with_at_most_two_tiles_left_agree_with_brute_force(
    options: dict[str, Any], games: int
) -> None:
    # One position or more for each game is small enough.
    assert sum(check_endgame_values(seed, 2, 600, **options) for seed in range(games)) >= games


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_values_of_both_kinds_of_nodes_with_at_most_three_tiles_left_agree_with_brute_force(
    options: dict[str, Any],
) -> None:
    # Most positions of these six games are too large to compare.
    assert sum(check_endgame_values(seed, 3, 3000, **options) for seed in range(50, 56)) > 4


@pytest.mark.ci
@pytest.mark.compiled
def test_children_and_links_of_a_node_are_the_moves_and_their_gains_the_best_first() -> None:
    events: Counter[str] = Counter()
    for seed in range(15):
        rng = random.Random(seed)
        position, reference_game = play_to_endgame(seed, 30, **OPTIONS[seed % len(OPTIONS)])
        while not position.is_over:
            # Every fifth position, and those in which rare things happen: the end of the game, and forced moves.
            if rng.random() < 0.2 or count_tiles_left(position) < 3 or len(position.moves()) == 1:
                check_links(position, events)
            move = reference.choose_rare_move(reference_game, rng)
            reference_game.play(move)
            position = position.play(move)
    # Each kind of move has occurred.
    assert min(events[name] for name in ("pass", "take", "leave", "same", "over", "lost", "won")) > 0, events


def check_links(position: fc.Position, events: Counter[str]) -> None:
    """Assert that the children and links of a node are the moves of the position and their gains, the best first.

    At most 25 moves are played. Nodes after the end must have limits of 0. `events` counts kinds of moves: passes,
    tiles taken back or left, the same seat moving again, the end, and gains ("won") or losses of 10 points or more.
    """
    nodes = NodeTree(margin, position)
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
        events["pass"] += move == "pass"
        events["take"] += "take" in move
        events["leave"] += "leave" in move
        events["same"] += after.seat == seat
        events["over"] += after.is_over
        events["won"] += gain > 9
        events["lost"] += gain < -9


@pytest.mark.compiled
def test_interpreted_and_compiled_nodes_have_the_same_children_links_limits_and_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position, _ = play_to_endgame(6, 2, take="any")
    found = []
    for disabled in (0, 1):
        monkeypatch.setattr(config, "DISABLE_JIT", disabled)
        nodes = NodeTree(margin, position)
        children, links = nodes.expand(nodes.root)
        limits = [nodes.limits(children[i : i + 1]) for i in range(len(children))]
        keys = [nodes.key(children[i : i + 1]) for i in range(len(children))]
        found.append((children.tobytes(), links.tolist(), limits, keys))
    assert found[0] == found[1]


# Keys


def compute_key(position: fc.Position) -> tuple[int, int]:
    """Return the key of a position's node, two words."""
    nodes = NodeTree(margin, position)
    return nodes.key(nodes.root)


def summarise_position(position: fc.Position) -> tuple[Any, ...]:
    """Return all that a position's value may depend on: the stacks, hands, pile, seat to move, and who has passed."""
    s = position.record
    # Bits 14 to 21 of a place, its black edges and its neighbours, follow from the stacks.
    table = tuple(place & ~(0xFF << 14) for place in s.place.tolist() if unpack_top(place))
    return table, s.hand.tobytes(), s.pile.tobytes(), position.seat, int(s.passed)


@pytest.mark.compiled
def test_keys_differ_exactly_where_positions_differ_in_what_matters() -> None:
    keys: dict[tuple[int, int], tuple[Any, ...]] = {}
    for seed in range(4):
        position, reference_game = play_to_endgame(seed, 24)
        rng = random.Random(seed)
        while not position.is_over:
            for move in position.moves()[:12]:
                after = position.play(move)
                matters = summarise_position(after)
                assert keys.setdefault(compute_key(after), matters) == matters
            move = reference.choose_rare_move(reference_game, rng)
            reference_game.play(move)
            position = position.play(move)
    # No two keys for one position either; and enough positions that a weak hash would show.
    assert len(keys) == len(set(keys.values())) > 500


@pytest.mark.compiled
def test_keys_do_not_depend_on_what_is_known_about_hands() -> None:
    position, _ = play_to_endgame(2, 12)
    states = position.states.copy()
    dispatch.view_record(states).slot[:] = 0
    dispatch.view_record(states).unlaid = 0
    assert compute_key(fc.Position(position.game, states, ())) == compute_key(position)


@pytest.mark.compiled
def test_keys_depend_on_the_arrangement_of_the_table_but_not_on_a_shift() -> None:
    deck = draw_deck(2, random.Random(1))
    first = ["R0o", "R0x", "R1o", "R1x", "B0o", "B0x", "B1o", "B1x"]
    deck = [*first, *(tile for tile in deck if tile not in first)]
    game = fc.game("squendo")
    position = game.replay(["R0o 0,0 r0", "B0o 1,0 r0"], deck=deck)
    states = position.states.copy()
    s = dispatch.view_record(states)
    # Three rows down and five columns to the left; the coordinates are the bits from 22 on.
    s.place[: int(s.place_count)] -= np.int64((3 * 128 + 5) << 22)
    assert compute_key(fc.Position(game, states, ())) == compute_key(position)
    # Above instead of to the right.
    assert compute_key(game.replay(["R0o 0,0 r0", "B0o 0,1 r0"], deck=deck)) != compute_key(position)


# Limits


@pytest.mark.compiled
def test_moves_and_plies_stay_within_the_bounds_of_extent_and_of_the_board() -> None:
    plies = 0
    for seed in range(12):
        rng = random.Random(seed)
        position, reference_game = play_to_endgame(seed, rng.randrange(3, 36), take="any")
        links, limit = margin.extent(position.record)
        tight = int(margin.enter(position.game.options, position.record)[0][0]["most_links"])
        # With an empty pile the board scales the bound, rounded, by the largest hand; that may be 1 more.
        assert tight <= links + 1
        played = 0
        while not position.is_over:
            assert len(position.moves()) <= tight
            assert compiled_api.bound(position.states, 0) <= links
            move = reference.choose_rare_move(reference_game, rng)
            reference_game.play(move)
            position = position.play(move)
            played += 1
        assert played <= limit
        plies += played
    assert plies > 100  # in twelve games, so that the bounds were tested


def test_a_node_cannot_be_made_for_three_seats() -> None:
    position = fc.game("squendo", players=3).start(seed=1)
    with pytest.raises(SolverLimit, match="two seats"):
        margin.enter(position.game.options, position.record)


# What a seat can infer


def deal_worlds(position: fc.Position, seat: int) -> set[bytes]:
    """Return the different hands and piles, as bytes, of 40 deals of what a seat (-1: a spectator) knows."""
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
def test_a_seat_can_infer_hands_only_if_one_world_is_left() -> None:
    """With two seats also always then; with three the function is cautious. It finds the same in the record and in what
    the seat sees of it. Worlds are counted by dealing them.
    """
    events: Counter[str] = Counter()
    for seed in range(16):
        rng = random.Random(seed)
        players = 2 if seed % 4 else 3
        position, reference_game = play_to_endgame(seed, 10, players=players, take="any" if seed % 2 else "own")
        while not position.is_over:
            for seat in range(players):
                possible = deal_worlds(position, seat)
                hidden = position.states.copy()
                compiled_api.hide(hidden, 0, seat)
                inferred = margin.can_infer_hands(position.record, seat)
                assert inferred == margin.can_infer_hands(dispatch.view_record(hidden), seat)
                if players == 2:
                    assert inferred == (len(possible) == 1), position.text
                else:
                    assert len(possible) == 1 or not inferred
                events[f"{players} seats {inferred}"] += 1
                pile = int(position.record.pile_size)
                events["pile not empty"] += inferred and pile > 0
                events["pile empty, not known"] += pile == 0 and not inferred and players == 2
            move = reference.choose_rare_move(reference_game, rng)
            reference_game.play(move)
            position = position.play(move)
    names = ("2 seats True", "2 seats False", "3 seats True", "3 seats False", "pile empty, not known")
    assert min(events[name] for name in names) > 0, events


# Three and four seats


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 4])
def test_values_for_three_and_four_seats_agree_with_brute_force(players: int) -> None:
    compared = 0
    for seed in range(5):
        position, reference_game = play_to_endgame(seed, 2, players=players, take="any" if seed % 2 else "own")
        exhaustive = ExhaustiveSearch(tuple((seat,) for seat in range(players)), 2000)
        try:
            expected = exhaustive.solve(reference_game)
        except TooManyPositionsError:
            continue
        task = MaxNSolver(position.game, 1 << 22).create_task(position)
        while not task.advance(1000):
            assert task.lower <= task.upper
        assert task.margins == expected, position.text
        compared += not position.is_over
    assert compared > 1  # of five games; the others are over or too large
