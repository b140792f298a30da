"""Exact play derived from the rules alone: nodes are whole records, with the values of exhaustive search."""

import random
from typing import Any

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, States
from fourcorners.core.errors import SolverLimit
from fourcorners.core.hashing import hash_record
from fourcorners.core.jit import kernel, rare
from fourcorners.players.margin_engine import can_play
from fourcorners.solvers import margin_protocol
from fourcorners.solvers.default_exact import WIDE, get_default_exact
from fourcorners.solvers.exact_play import ExactPlay
from tests.reference import REFERENCES, Game
from tests.solvers.exhaustive import ExhaustiveSearch, NodeTree

# A board, and the ply from which on its positions are compared.
BOARDS: list[tuple[str, dict[str, Any], int]] = [
    ("squarin-off", {"cols": 2, "rows": 1, "blockers": 1}, 0),
    ("squarin-off", {"cols": 2, "rows": 2, "blockers": [1, 0], "values": ["30", "12"], "edition": "classic"}, 5),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "teams": True, "blockers": 1}, 6),
    ("square-off", {"size": 4}, 11),
    ("square-off", {"size": 4, "symmetry": "once", "marks": "current"}, 11),
    ("square-off", {"size": 4, "swap": False, "symmetry": "none"}, 11),
    ("sqez", {"cols": 5, "rows": 5}, 0),
    ("sqez", {"cols": 5, "rows": 4, "sides": "shared", "enclose": "any"}, 3),
    ("sqez", {"cols": 4, "rows": 5, "strict": True}, 0),
]


def compare_values_in_games(name: str, options: dict[str, Any], plies: int, games: range) -> int:
    """Assert that positions of random games have the same value by default exact play and by exhaustive search.

    `games` are the seeds, one for each game; all its positions from ply `plies` on are compared. Return how many were,
    without the ends, where only the limits are checked: they are 0.
    """
    game = fc.game(name, **options)
    exhaustive = ExhaustiveSearch(game.options.parties)
    positions = 0
    for seed in games:
        rng = random.Random(seed)
        deck = list(game.deck(seed)) or None
        position, reference = game.start(deck=deck), create_reference(name, deck, options)
        while not position.is_over:
            if len(position.history) >= plies:
                nodes = NodeTree(get_default_exact(game.spec), position)
                assert nodes.solve(nodes.root) == compute_margin_change(position, reference, exhaustive), position.text
                positions += 1
            move = rng.choice(position.moves())
            position = position.play(move)
            reference.play(move)
        nodes = NodeTree(get_default_exact(game.spec), position)
        assert nodes.limits(nodes.root) == (0, 0)
    return positions


def create_reference(name: str, deck: list[str] | None, options: dict[str, Any]) -> Game:
    """Return the slow reference of a game at its start; `deck` is None for a game without one."""
    reference: Game = REFERENCES[name].Reference(deck, **options)
    return reference


def compute_margin_change(position: fc.Position, reference: Game, exhaustive: ExhaustiveSearch) -> int:
    """Return by how much the margin of the seat to move changes from here to the end, by exhaustive search.

    `reference` is the same position, of a game of two parties.
    """
    party = exhaustive.seats[position.seat or 0]
    own_seat, rival_seat = exhaustive.parties[party][0], exhaustive.parties[1 - party][0]
    return exhaustive.solve(reference)[party] - (position.scores[own_seat] - position.scores[rival_seat])


def test_interpreted_values_on_two_small_boards_agree_with_exhaustive_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert compare_values_in_games("squarin-off", {"cols": 1, "rows": 1, "blockers": 1}, 0, range(2)) >= 4
    assert compare_values_in_games("sqez", {"cols": 4, "rows": 4}, 0, range(1)) == 1


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS)
def test_values_agree_with_exhaustive_search(name: str, options: dict[str, Any], plies: int) -> None:
    assert compare_values_in_games(name, options, plies, range(3)) >= 3


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options", "unknown"),
    [
        ("squarin-off", {"cols": 2, "rows": 1, "blockers": 1, "edition": "classic"}, "edition"),
        ("sqez", {"cols": 5, "rows": 4, "enclose": "any"}, "enclose"),
    ],
)
def test_a_game_with_an_option_unknown_to_its_exact_module_is_solved_by_its_rules(
    monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], unknown: str
) -> None:
    game = fc.game(name, **options)
    value = fc.solve(game.start()).remaining_margin
    exact = game.spec.part(ExactPlay).exact
    assert game.spec.part(ExactPlay).find_exact(game.options) is exact
    monkeypatch.setattr(exact, "OPTIONS", [option for option in exact.OPTIONS if option != unknown])
    assert game.spec.part(ExactPlay).find_exact(game.options) is None
    solution = fc.solve(game.start())
    assert (solution.remaining_margin, solution.nimber) == (value, None)
    # The default of the unknown option is what the module was written for.
    assert game.spec.part(ExactPlay).find_exact(fc.game(name).options) is exact
    assert not can_play(game)


def test_exact_module_does_not_fit_if_the_options_it_names_are_not_allowed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = fc.game("squarin-off", players=4, teams=True)
    monkeypatch.setattr(game.spec.part(ExactPlay).exact, "OPTIONS", ["teams"])
    with pytest.raises(fc.OptionError):
        fc.game("squarin-off", teams=True)
    assert game.spec.part(ExactPlay).find_exact(game.options) is None


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS)
def test_values_of_many_games_agree_with_exhaustive_search(name: str, options: dict[str, Any], plies: int) -> None:
    assert compare_values_in_games(name, options, max(0, plies - 1), range(100, 140)) >= 40


@rare
@kernel
def hash_at(records: States, i: int) -> tuple[np.uint64, np.uint64]:
    """Return the two words of the hash of record i."""
    return hash_record(records[i])


@pytest.mark.compiled
@pytest.mark.parametrize("size", [8, 9, 15, 16, 41])
def test_hash_depends_on_every_byte_and_its_place_interpreted_as_compiled(size: int) -> None:
    dtype = np.dtype([("byte", np.uint8, size)])
    records = np.zeros(255 * size + 1, dtype)
    # Record 255 * place + value - 1 has one byte that is not 0; the last record has none.
    for i in range(255 * size):
        records["byte"][i, i // 255] = i % 255 + 1
    keys = {hash_at(records, i) for i in range(len(records))}
    assert len(keys) == len(records)
    # Hardly any of the words are equal, either.
    assert len({word for key in keys for word in key}) > 2 * len(records) - 3
    # The interpreted hash is slow: a sample has to do.
    for i in range(0, len(records), 97):
        assert hash_at(records, i) == hash_at.run_interpreted(records, i)


@pytest.mark.compiled
def test_each_legal_move_has_a_link_with_its_gain_and_who_moves_next() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    nodes = NodeTree(get_default_exact(position.game.spec), position)
    children, links = nodes.expand(nodes.root)
    assert len(children) == len(position.moves()) == 4
    # The move that makes a box scores a point, and then the same seat moves again.
    assert sorted(links[:, margin_protocol.GAIN]) == [0, 0, 0, 1]
    assert (links[:, margin_protocol.TURN] == margin_protocol.OTHER).sum() == 3
    assert links[links[:, margin_protocol.GAIN] == 1, margin_protocol.TURN].tolist() == [margin_protocol.SAME]


@pytest.mark.compiled
def test_only_nodes_that_differ_in_nothing_but_forgotten_fields_have_equal_keys() -> None:
    game = fc.game("squendo")
    position = game.start(seed=4)
    while int(position.record.pile_size) > 0:
        position = position.play(position.moves()[0])
    # Squendo forgets what the slots say about the hands, as it changes neither moves nor points.
    states = position.states.copy()
    dispatch.view_record(states).slot[:] = 0
    rearranged = fc.Position(game, states, ())
    assert rearranged != position
    exact = get_default_exact(game.spec)
    tree, rearranged_tree = NodeTree(exact, position), NodeTree(exact, rearranged)
    assert tree.key(tree.root) == rearranged_tree.key(rearranged_tree.root)
    later_tree = NodeTree(exact, position.play(position.moves()[-1]))
    assert tree.key(tree.root) != later_tree.key(later_tree.root)


@pytest.mark.compiled
def test_game_with_a_reach_has_limits_closer_than_the_widest() -> None:
    position = fc.game("squendo").start(seed=4)
    tree = NodeTree(get_default_exact(position.game.spec), position)
    low, high = tree.limits(tree.root)
    assert -WIDE < low == -high < 0


@pytest.mark.compiled
def test_no_moves_are_listed_without_room_for_the_most_a_node_can_have() -> None:
    position = fc.game("sqez", cols=5, rows=5).start()
    module = get_default_exact(position.game.spec)
    boards, root = module.enter(position.game.options, position.record)
    room = int(boards[0]["most_links"])
    assert list_moves(boards, root, np.zeros(room - 1, np.int64)) == -1
    assert list_moves(boards, root, np.zeros(room, np.int64)) == len(position.moves())


@rare
@kernel
def list_moves(boards: States, nodes: States, moves: Actions) -> int:
    """Write the moves of `nodes[0]` into `moves`; return how many, or -1 if it might be too short."""
    return margin_protocol.moves(boards[0], nodes[0], moves)


def test_three_parties_are_refused_with_the_widest_bounds() -> None:
    position = fc.game("sqez", players=3).start()
    with pytest.raises(SolverLimit, match="two sides") as caught:
        get_default_exact(position.game.spec).enter(position.game.options, position.record)
    assert (caught.value.lower, caught.value.upper) == (-WIDE, WIDE)


def test_default_exact_of_a_game_is_created_once() -> None:
    spec = fc.game("sqez").spec
    assert get_default_exact(spec) is get_default_exact(spec)
