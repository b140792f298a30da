"""Facts about moves of Squendo: points, stacks and triples, and places where a rectangle is one tile short."""

import functools
import re
from collections import Counter
from collections.abc import Mapping

import numpy as np

from fourcorners.builtin.squendo import hints
from fourcorners.builtin.squendo.options import MAX_SEATS, TILES_PER_COLOUR
from fourcorners.builtin.squendo.placements import find_place, unpack_top
from fourcorners.builtin.squendo.position_setup import list_stacks
from fourcorners.builtin.squendo.rules import PASS, decode_action
from fourcorners.builtin.squendo.scoring import count_rectangles
from fourcorners.builtin.squendo.tile_names import read_names
from fourcorners.core import compiled_api
from fourcorners.core.arrays import State
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.core.plurals import list_words
from fourcorners.players.hint_claims import Claim, Hint, Quantities

_NUMBER = re.compile(r"\d+")


def count_gaps(s: State, seat: int) -> int:
    """Count the free places where one more tile of a seat's colour would fill two by two places, if it fits there."""
    stacks = {stack[:2]: stack.top // TILES_PER_COLOUR for stack in list_stacks(s)}
    gaps = set()
    for col, row in {(x - dx, y - dy) for x, y in stacks for dx in (0, 1) for dy in (0, 1)}:
        square = [(col + dx, row + dy) for dx in (0, 1) for dy in (0, 1)]
        free = [place for place in square if place not in stacks]
        if len(free) == 1 and all(stacks[place] == seat for place in square if place in stacks):
            gaps.add(free[0])
    return len(gaps)


def _name_gaps(seat: int) -> str:
    return f"gaps of seat {seat}"


QUANTITIES: Quantities = {_name_gaps(seat): functools.partial(count_gaps, seat=seat) for seat in range(MAX_SEATS)}
THEMES: Mapping[str, str] = {
    "rectangles": "Look for places where one tile completes a rectangle, and count overlapping rectangles.",
    "spoiling": "Cover or fill the places where a rival is one tile short of a rectangle.",
    "stacks": "A double stack counts two points and protects what lies below.",
    "triples": "A third tile lets you choose what stays, and may return a tile to your hand.",
}
"""The advice for each theme."""


def list_facts(view: View, action: int) -> list[Hint]:
    """List the effects of a legal action that the seat to move may know; the points come first."""
    reason = hints.hint(view, action)
    if action == PASS:
        return [reason._replace(theme="stacks")]
    changes = {claim.seat or 0: claim.number for claim in reason.claims if claim.number}
    reason = reason._replace(theme=_name_theme(view, action, changes))
    if Counter(str(abs(change)) for change in changes.values()) <= Counter(_NUMBER.findall(reason.text)):
        return [reason, *_explain_gaps(view, action)]
    return [_explain_points(view, changes, reason), *_explain_gaps(view, action), reason]


def _name_theme(view: View, action: int, changes: dict[int, int]) -> str:
    """Return the theme of the reason for an action: triples, spoiling, rectangles or stacks."""
    if "leave:" in view.game.spec.notation.format(view.record, action):
        return "triples"
    if any(change < 0 for seat, change in changes.items() if seat != view.seat):
        return "spoiling"
    seat, after = view.seat or 0, view_record(_play_unseen(view, action))
    if count_rectangles(after, seat) > count_rectangles(view.record, seat):
        return "rectangles"
    key = decode_action(action)[1]
    return "stacks" if unpack_top(int(view.record.place[find_place(view.record, key)])) else "rectangles"


def _explain_points(view: View, changes: dict[int, int], reason: Hint) -> Hint:
    """State the changes of points by an action, for a reason that does not."""
    colours = read_names(view.record).colours
    clauses = [
        f"{'gives' if change > 0 else 'costs'} {colours[seat]} {hints.format_points(abs(change))}"
        for seat, change in changes.items()
    ]
    return reason._replace(text=list_words(clauses))


def _explain_gaps(view: View, action: int) -> list[Hint]:
    """Explain an action that changes where a seat is one tile short of a rectangle, one clause for each such seat."""
    after = _play_unseen(view, action)
    colours = read_names(view.record).colours
    facts = []
    for seat in range(view.game.seats):
        left = count_gaps(view_record(after), seat)
        if left != count_gaps(view.record, seat):
            places = "no place" if not left else "1 place" if left == 1 else f"{left} places"
            claim = Claim(left, (action,), quantity=_name_gaps(seat))
            theme = "rectangles" if seat == view.seat else "spoiling"
            facts.append(Hint(f"leaves {colours[seat]} {places} to complete a rectangle", (claim,), theme))
    return facts


def _play_unseen(view: View, action: int) -> State:
    """Return the state after an action, with hidden information dealt arbitrarily."""
    after = np.array(view.states)
    compiled_api.deal(after, 0, new_rng(0))
    compiled_api.play(after, 0, action)
    return after
