"""What is hidden in Squendo, and the worlds that are dealt for it: all that fit what a seat knows, and no others."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.games.squendo import notation
from fourcorners.games.squendo.options import HAND_SIZE, TILES
from tests.reference import squendo as reference
from tests.reference.squendo_tiles import draw

pytestmark = pytest.mark.compiled

World = tuple[tuple[int, ...], bytes]
DEALS = 1500


def hidden(position: fc.Position, viewer: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    states = position.states.copy()
    compiled_api.hide(states, 0, viewer)
    return states


def world_of(states: np.ndarray[tuple[int], np.dtype[np.void]]) -> World:
    s = dispatch.view_record(states)
    return tuple(s.hand.tolist()), s.pile.tobytes()


def games(seeds: range) -> list[list[fc.Position]]:
    """Play steered games with all options; return the positions of each."""
    found = []
    for seed in seeds:
        rng = random.Random(seed)
        options = reference.options(rng)
        deck = draw(options["players"], rng)
        slow = reference.Reference(deck, **options)
        line = [fc.game("squendo", **options).start(deck=deck)]
        while not line[-1].is_over:
            move = reference.steer(slow, rng)
            slow.play(move)
            line.append(line[-1].play(move))
        found.append(line)
    return found


def test_dealt_worlds_look_the_same_and_are_sound() -> None:
    for line in games(range(4)):
        game = line[0].game
        for ply, position in enumerate(line):
            for viewer in (-1, *range(game.seats)):
                blank = hidden(position, viewer)
                dealt = blank.copy()
                compiled_api.deal(dealt, 0, new_rng(ply))
                text = notation.write(dispatch.view_record(dealt))
                world = game.position(text)
                assert world.states.tobytes() == dealt.tobytes()
                assert hidden(world, viewer).tobytes() == blank.tobytes()
                tiles = [int(s).bit_count() for s in dispatch.view_record(dealt).hand]
                assert tiles == dispatch.view_record(blank).hand_size.tolist()


def test_dealing_depends_on_the_blanked_record_and_the_generator_alone() -> None:
    line = games(range(20, 21))[0]
    for viewer in (-1, 0, 1):
        blank = hidden(line[9], viewer)
        first, second = blank.copy(), blank.copy()
        compiled_api.deal(first, 0, new_rng(4))
        compiled_api.deal.interpreted(second, 0, new_rng(4))
        assert first.tobytes() == second.tobytes()


def test_a_full_record_is_left_as_it_is() -> None:
    position = fc.game("squendo").start(seed=5)
    states = position.states.copy()
    compiled_api.deal(states, 0, new_rng(1))
    assert states.tobytes() == position.states.tobytes()


def listed(position: fc.Position, name: str, index: int) -> list[str]:
    """Return one of the lists in a part of a position's text."""
    part = position.text.split(f"; {name} ")[1].split(";")[0].split(" ")[index]
    return [] if part == "-" else part.split(",")


def worlds_at(position: fc.Position) -> list[fc.Position]:
    """Return all positions that differ from this one in what seat 0 cannot see, by trying all ways to spread tiles.

    The other seat's tiles must all be drawn ones of which nothing is known.
    """
    unseen = sorted([*listed(position, "hands", 1), *listed(position, "pile", 0)], key=TILES.index)
    before, rest = position.text.split("; hands ")
    behind = rest.split("; known ")[1]
    own = ",".join(listed(position, "hands", 0))
    found = []
    for hand in combinations(unseen, HAND_SIZE):
        for pile in permutations([tile for tile in unseen if tile not in hand]):
            text = f"{before}; hands {own} {','.join(hand)}; pile {','.join(pile) or '-'}; known {behind}"
            found.append(position.game.position(text))
    return found


def follow(worlds: list[fc.Position], before: fc.Position, after: fc.Position) -> list[fc.Position]:
    """Return what the worlds may have become by the last move, as far as seat 0 saw it."""
    move = after.history[-1]
    shown = move if before.seat == 0 else notation.mask_move(move)
    found = {}
    for world in worlds:
        for candidate in world.moves():
            if (candidate if before.seat == 0 else notation.mask_move(candidate)) == shown:
                new = world.play(candidate)
                same = new.record.hand[0] == after.record.hand[0]
                if same and new.seat == after.seat and new.is_over == after.is_over:
                    found[world_of(new.states)] = new
    return list(found.values())


def compare_worlds(seeds: int) -> Counter[str]:
    """Compare what is dealt with all worlds that are possible, at the ends of games; return what was met how often."""
    seen: Counter[str] = Counter()
    for seed in range(seeds):
        rng = random.Random(seed)
        options: dict[str, Any] = {"take": "any"} if seed % 2 else {}
        deck = draw(2, rng)
        slow = reference.Reference(deck, **options)
        position = fc.game("squendo", **options).start(deck=deck)
        worlds: list[fc.Position] = []
        while not position.is_over:
            if not worlds and int(position.record.pile_size) <= 2:
                known = position.text.split("; known ")[1].split(";")[0].split(" ")[1]
                if set(known) > {"*", ","} or len(listed(position, "hands", 1)) < HAND_SIZE:
                    break
                worlds = worlds_at(position)
            move = reference.steer(slow, rng)
            slow.play(move)
            before, position = position, position.play(move)
            if not worlds:
                continue
            worlds = follow(worlds, before, position)
            expected = {world_of(world.states) for world in worlds}
            assert world_of(position.states) in expected
            assert dealt(position) == expected
            seen["pass of the other"] += move == "pass" and before.seat == 1
            seen["hidden take"] += "take:" in move and before.seat == 1
            seen["narrowed"] += "~" in position.view(0).text
            seen["worlds"] += len(expected)
    return seen


MET = ("pass of the other", "hidden take", "narrowed", "worlds")


def test_exactly_the_possible_worlds_are_dealt() -> None:
    seen = compare_worlds(14)
    assert min(seen[name] for name in MET) > 3, seen


@pytest.mark.slow
def test_exactly_the_possible_worlds_are_dealt_in_more_games() -> None:
    seen = compare_worlds(40)
    assert min(seen[name] for name in MET) > 7, seen


def dealt(position: fc.Position) -> set[World]:
    blank = hidden(position, 0)
    found = set()
    rng = new_rng(7)
    for _ in range(DEALS):
        states = blank.copy()
        compiled_api.deal(states, 0, rng)
        found.add(world_of(states))
    return found


def test_deals_are_spread_evenly_when_nothing_is_known() -> None:
    blank = hidden(fc.game("squendo").start(seed=3), 0)
    counts: Counter[int] = Counter()
    rng = new_rng(11)
    for _ in range(4000):
        states = blank.copy()
        compiled_api.deal(states, 0, rng)
        hand = int(dispatch.view_record(states).hand[1])
        counts.update(tile for tile in range(48) if hand >> tile & 1)
    assert len(counts) == 32
    # 500 times each, give or take: five standard deviations are about 105.
    assert min(counts.values()) > 395 and max(counts.values()) < 605
