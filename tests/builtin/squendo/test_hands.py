"""Hidden hands and their completion: `deal` returns every possible world, and only those."""

import random
from collections import Counter
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import notation
from fourcorners.builtin.squendo.options import HAND_SIZE, TILES
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from tests.reference import squendo as reference
from tests.reference.squendo_tiles import draw_deck

pytestmark = pytest.mark.compiled

World = tuple[tuple[int, ...], bytes]
DEALS = 1500


def hide_position_from(position: fc.Position, viewer: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Return a copy of the states of a position as a viewer sees them; -1 is a spectator."""
    states = position.states.copy()
    compiled_api.hide(states, 0, viewer)
    return states


def identify_world(states: np.ndarray[tuple[int], np.dtype[np.void]]) -> World:
    """Return the hands, as masks by seat, and the bytes of the pile of the only record in `states`."""
    s = dispatch.view_record(states)
    return tuple(s.hand.tolist()), s.pile.tobytes()


def play_guided_games(seeds: range) -> list[list[fc.Position]]:
    """Play a game with random options, guided to rare moves, for each seed; return the positions of each game."""
    games = []
    for seed in seeds:
        rng = random.Random(seed)
        options = reference.draw_options(rng)
        deck = draw_deck(options["players"], rng, options.get("colours"))
        reference_game = reference.Reference(deck, **options)
        positions = [fc.game("squendo", **options).start(deck=deck)]
        while not positions[-1].is_over:
            move = reference.choose_rare_move(reference_game, rng)
            reference_game.play(move)
            positions.append(positions[-1].play(move))
        games.append(positions)
    return games


def test_dealt_worlds_are_valid_positions_with_the_same_view_and_sizes_of_hands() -> None:
    for positions in play_guided_games(range(4)):
        game = positions[0].game
        for ply, position in enumerate(positions):
            for viewer in (-1, *range(game.seats)):
                blank = hide_position_from(position, viewer)
                dealt = blank.copy()
                compiled_api.deal(dealt, 0, new_rng(ply))
                text = notation.write(dispatch.view_record(dealt))
                world = game.position(text)
                # Reading the text has checked that such a position can arise.
                assert world.states.tobytes() == dealt.tobytes()
                assert hide_position_from(world, viewer).tobytes() == blank.tobytes()
                tiles = [int(s).bit_count() for s in dispatch.view_record(dealt).hand]
                assert tiles == dispatch.view_record(blank).hand_size.tolist()


def test_compiled_and_interpreted_deals_of_a_view_are_the_same() -> None:
    positions = play_guided_games(range(20, 21))[0]  # one game, with seed 20
    for viewer in (-1, 0, 1):
        blank = hide_position_from(positions[9], viewer)
        first, second = blank.copy(), blank.copy()
        compiled_api.deal(first, 0, new_rng(4))
        compiled_api.deal.run_interpreted(second, 0, new_rng(4))
        assert first.tobytes() == second.tobytes()


def test_dealing_does_not_change_a_record_without_hidden_parts() -> None:
    position = fc.game("squendo").start(seed=5)
    states = position.states.copy()
    compiled_api.deal(states, 0, new_rng(1))
    assert states.tobytes() == position.states.tobytes()


def split_part(position: fc.Position, name: str, index: int) -> list[str]:
    """Return the list at an index in a named part of a position's text, such as the tiles of a seat in "hands"."""
    part = position.text.split(f"; {name} ")[1].split(";")[0].split(" ")[index]
    return [] if part == "-" else part.split(",")


def list_worlds(position: fc.Position) -> list[fc.Position]:
    """List all positions of two seats that differ from this one only in what seat 0 cannot see.

    Of the tiles of seat 1 nothing may be known, and they must be four.
    """
    unseen = sorted([*split_part(position, "hands", 1), *split_part(position, "pile", 0)], key=TILES.index)
    before, rest = position.text.split("; hands ")
    behind = rest.split("; known ")[1]
    own = ",".join(split_part(position, "hands", 0))
    found = []
    for hand in combinations(unseen, HAND_SIZE):
        for pile in permutations([tile for tile in unseen if tile not in hand]):
            text = f"{before}; hands {own} {','.join(hand)}; pile {','.join(pile) or '-'}; known {behind}"
            found.append(position.game.position(text))
    return found


def filter_worlds(worlds: list[fc.Position], before: fc.Position, after: fc.Position) -> list[fc.Position]:
    """Return what the worlds become by the last move, without those that contradict what seat 0 saw.

    `before` and `after` are the real position before and after that move. In each world every move is played that looks
    to seat 0 like the real one; the hand of seat 0, the seat to move and whether the game is over must then be as in
    reality. Equal worlds are listed once.
    """
    move = after.history[-1]
    shown = move if before.seat == 0 else notation.mask_move(move)
    found = {}
    for world in worlds:
        for candidate in world.moves():
            if (candidate if before.seat == 0 else notation.mask_move(candidate)) == shown:
                new = world.play(candidate)
                same = new.record.hand[0] == after.record.hand[0]
                if same and new.seat == after.seat and new.is_over == after.is_over:
                    found[identify_world(new.states)] = new
    return list(found.values())


def check_dealt_worlds(seeds: int) -> Counter[str]:
    """Assert in the endgames of guided games, with seeds from 0 on, that all possible worlds are dealt and no others.

    The worlds are those that seat 0 of two thinks possible, tracked from when at most two tiles are left in the pile. A
    game is skipped if something is known about the hand of seat 1 by then. Return how often each of REQUIRED_EVENTS
    happened, "worlds" as the sum of the numbers of worlds.
    """
    events: Counter[str] = Counter()
    for seed in range(seeds):
        rng = random.Random(seed)
        options: dict[str, Any] = {"take": "any"} if seed % 2 else {}
        deck = draw_deck(2, rng)
        reference_game = reference.Reference(deck, **options)
        position = fc.game("squendo", **options).start(deck=deck)
        worlds: list[fc.Position] = []
        while not position.is_over:
            # With more tiles in the pile there would be too many worlds to list.
            if not worlds and int(position.record.pile_size) <= 2:
                known = position.text.split("; known ")[1].split(";")[0].split(" ")[1]
                if set(known) > {"*", ","} or len(split_part(position, "hands", 1)) < HAND_SIZE:
                    break
                worlds = list_worlds(position)
            move = reference.choose_rare_move(reference_game, rng)
            reference_game.play(move)
            before, position = position, position.play(move)
            if not worlds:
                continue
            worlds = filter_worlds(worlds, before, position)
            expected = {identify_world(world.states) for world in worlds}
            assert identify_world(position.states) in expected
            assert deal_worlds(position) == expected
            events["pass of the other"] += move == "pass" and before.seat == 1
            events["hidden take"] += "take:" in move and before.seat == 1
            events["narrowed"] += "~" in position.view(0).text
            events["worlds"] += len(expected)
    return events


REQUIRED_EVENTS = ("pass of the other", "hidden take", "narrowed", "worlds")


@pytest.mark.ci
def test_all_possible_worlds_of_two_seats_are_dealt_and_no_others() -> None:
    events = check_dealt_worlds(14)
    # Every kind of event must have been tested a few times.
    assert min(events[name] for name in REQUIRED_EVENTS) > 3, events


@pytest.mark.slow
def test_all_possible_worlds_of_two_seats_are_dealt_and_no_others_in_more_games() -> None:
    events = check_dealt_worlds(40)
    assert min(events[name] for name in REQUIRED_EVENTS) > 7, events


def deal_worlds(position: fc.Position) -> set[World]:
    """Return all worlds that occur in DEALS deals of what seat 0 knows about a position; probably all that can."""
    blank = hide_position_from(position, 0)
    found = set()
    rng = new_rng(7)
    for _ in range(DEALS):
        states = blank.copy()
        compiled_api.deal(states, 0, rng)
        found.add(identify_world(states))
    return found


def test_each_unseen_tile_is_dealt_to_seat_1_equally_often_when_nothing_is_known() -> None:
    blank = hide_position_from(fc.game("squendo").start(seed=3), 0)
    counts: Counter[int] = Counter()
    rng = new_rng(11)
    for _ in range(4000):
        states = blank.copy()
        compiled_api.deal(states, 0, rng)
        hand = int(dispatch.view_record(states).hand[1])
        counts.update(tile for tile in range(48) if hand >> tile & 1)
    assert len(counts) == 32  # all 36 but the four of seat 0
    # Each tile is expected 500 times; five standard deviations are about 105.
    assert min(counts.values()) > 395 and max(counts.values()) < 605
