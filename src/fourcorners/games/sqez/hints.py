"""Why a rectangle is a good one to draw, in words; what they say was looked through to the end, or can be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.hint_claims import Claim, Hint
from fourcorners.core.jit import kernel_no_alloc
from fourcorners.games.sqez import make_unmake
from fourcorners.games.sqez.notation import format as spell
from fourcorners.games.sqez.rules import fits, seats_left, unpack

if TYPE_CHECKING:
    from fourcorners.core.dispatch import Actions, State, States
    from fourcorners.core.position import View

_MOST_ANSWERS, _MOST_PAIRS = 150, 40
"""With how many rectangles left the answers are looked at, and the answers to those."""


@kernel_no_alloc
def _ending_answer(states: States, action: int) -> int:
    return make_unmake.ending_answer(states[0], action)


@kernel_no_alloc
def _ends_whatever_comes(states: States, action: int) -> bool:
    return make_unmake.ends_whatever_comes(states[0], action)


def hint(view: View, action: int) -> Hint:
    """Say what a rectangle does, the weightiest first."""
    s = view.record
    if not fits(s, *unpack(action)):
        return Hint("is no legal rectangle: whoever draws it is out of the game")
    seat, after = int(s.turn), np.array(view.states)
    compiled_api.play(after, 0, action)
    legal = _legal(after)
    if len(legal) == 0:
        return Hint("is the last rectangle: it wins the game", (Claim(1, (action,), seat),))
    if len(legal) <= _MOST_ANSWERS:
        answer = int(_ending_answer(np.array(view.states), action))
        if answer != make_unmake.NONE:
            after_that = Claim(0, (action, answer))
            return Hint(f"lets the next player draw the last rectangle, {spell(s, answer)}", (after_that,))
    if seats_left(s) == 2:
        found = _forced(view, action, legal, after)
        if found is not None:
            return found
    return _general(view, action, legal)


def _forced(view: View, action: int, legal: list[int], after: States) -> Hint | None:
    """Say why the one who draws it makes the last move, where that is seen at once."""
    mirror = "" if view.record.shared else _mirror(after, legal)
    if mirror:
        # With shared sides new rectangles may come up across.
        text = f"wins: it leaves {mirror} that mirror each other, with no rectangle across; answer each with its image"
        return Hint(text)
    if len(legal) <= _MOST_PAIRS and _ends_whatever_comes(np.array(view.states), action):
        line = _finish(after, legal[0])
        one = f"{spell(view.record, line[0])}, then {spell(view.record, line[1])}"
        claims = Claim(len(legal), (action,)), Claim(1, (action, *line), int(view.record.turn))
        text = f"wins: {_left(len(legal))}, and whichever is drawn you can draw the last one ({one})"
        return Hint(text, claims)
    return None


def _general(view: View, action: int, legal: list[int]) -> Hint:
    """Say how much it leaves to draw."""
    before = len(_legal(np.array(view.states)))
    claims = Claim(len(legal), (action,)), Claim(before, ())
    change = f"of {before} rectangles that can be drawn it leaves {len(legal)}"
    if len(legal) <= _MOST_ANSWERS:
        return Hint(f"gives nobody the last move yet: {change}, and none of them ends the game", claims)
    if 2 * len(legal) < before:
        return Hint(f"makes the field small, so that its end can soon be counted out: {change}", claims)
    return Hint(f"keeps the field open, as nobody can see its end yet: {change}", claims)


def _left(count: int) -> str:
    return "it leaves 1 rectangle" if count == 1 else f"it leaves {count} rectangles"


def _legal(states: States) -> list[int]:
    out: Actions = np.zeros(compiled_api.bound(states, 0), np.int64)
    return [int(code) for code in out[: compiled_api.legal(states, 0, out)]]


def _finish(after: States, answer: int) -> tuple[int, int]:
    """Return an answer and a rectangle that ends the game then; there is one."""
    work = np.array(after)
    compiled_api.play(work, 0, answer)
    for last in _legal(work):
        end = np.array(work)
        compiled_api.play(end, 0, last)
        if not _legal(end):
            return answer, last
    message = f"no rectangle ends the game after {answer}"
    raise AssertionError(message)


def _mirror(after: States, legal: list[int]) -> str:
    """Name two halves of which one is the image of the other, none of whose rectangles touches the line between."""
    s = dispatch.view_record(after)
    corners = {unpack(code) for code in legal}
    width, height = int(s.cols) - 1, int(s.rows) - 1
    if all(2 * x2 < width or 2 * x1 > width for x1, _, x2, _ in corners):
        images = {(width - x2, y1, width - x1, y2) for x1, y1, x2, y2 in corners}
        if images == corners and _is_flipped(s, width, upright=True):
            return "a left and a right half"
    if all(2 * y2 < height or 2 * y1 > height for _, y1, _, y2 in corners):
        images = {(x1, height - y2, x2, height - y1) for x1, y1, x2, y2 in corners}
        if images == corners and _is_flipped(s, height, upright=False):
            return "an upper and a lower half"
    return ""


def _is_flipped(s: State, last: int, *, upright: bool) -> bool:
    """Tell whether the free dots inside are the same in both halves, which decides what is legal later."""
    cols, rows = int(s.cols), int(s.rows)
    free = {(x, y) for y in range(rows) for x in range(cols) if int(s.free[y]) >> x & 1}
    return free == {(last - x, y) if upright else (x, last - y) for x, y in free}
