"""Why a rectangle is a good or bad one to draw, in words that are counted or searched to the end of the game."""

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.dispatch import States, view_record
from fourcorners.core.hint_claims import Claim, Hint
from fourcorners.core.jit import kernel_no_alloc
from fourcorners.core.position import View
from fourcorners.games.sqez.notation import format as format_move
from fourcorners.games.sqez.rules import count_active_seats, is_legal_rectangle, unpack
from fourcorners.games.sqez.strategy import last_moves

_MAX_ANSWERS, _MAX_PAIRS = 150, 40
"""Up to how many legal rectangles a hint examines the answers, and the answers to those."""


@kernel_no_alloc
def _find_ending_answer(states: States, action: int) -> int:
    """Call `last_moves.find_ending_answer` on `states[0]`, compiled."""
    return last_moves.find_ending_answer(states[0], action)


@kernel_no_alloc
def _can_end_after_any_answer(states: States, action: int) -> bool:
    """Call `last_moves.can_end_after_any_answer` on `states[0]`, compiled."""
    return last_moves.can_end_after_any_answer(states[0], action)


def hint(view: View, action: int) -> Hint:
    """Return the most important about an action: that it is illegal, wins, ends the game or lets the opponent do so.
    If it is none of these, say how many rectangles it leaves. The claims can be verified; the view is not changed.
    """
    s = view.record
    if not is_legal_rectangle(s, *unpack(action)):
        return Hint("is not a legal rectangle: drawing it puts you out of the game")
    seat, after = int(s.turn), np.array(view.states)
    compiled_api.play(after, 0, action)
    legal = compiled_api.list_legal(after, 0).tolist()
    if len(legal) == 0:
        return Hint("is the last rectangle: it wins the game", (Claim(1, (action,), seat),))
    if len(legal) <= _MAX_ANSWERS:
        answer = int(_find_ending_answer(np.array(view.states), action))
        if answer != last_moves.NONE:
            text = f"lets the next player draw the last rectangle, {format_move(s, answer)}"
            return Hint(text, (Claim(0, (action, answer)),))
    won = _explain_win(view, action, legal, after) if count_active_seats(s) == 2 else None
    return won or _describe_remaining(view, action, legal)


def _explain_win(view: View, action: int, legal: list[int], after: States) -> Hint | None:
    """Explain why a rectangle wins if it leaves two mirror images or two moves to the end; None if it does neither.
    `after` is the position after the action, `legal` are its legal actions, and two seats must be left in the game.
    """
    # With shared sides, new rectangles across the middle may become legal.
    halves = "" if view.record.shared else _find_mirrored_halves(after, legal)
    if halves:
        return Hint(
            f"wins: it leaves {halves} that mirror each other, with no rectangle across; "
            "answer every rectangle with its mirror image"
        )
    if len(legal) <= _MAX_PAIRS and _can_end_after_any_answer(np.array(view.states), action):
        line = _find_finish(after, legal[0])
        example = f"{format_move(view.record, line[0])}, then {format_move(view.record, line[1])}"
        claims = Claim(len(legal), (action,)), Claim(1, (action, *line), int(view.record.turn))
        count = "1 rectangle" if len(legal) == 1 else f"{len(legal)} rectangles"
        return Hint(f"wins: it leaves {count}, and after any of them you can draw the last one ({example})", claims)
    return None


def _describe_remaining(view: View, action: int, legal: list[int]) -> Hint:
    """Say how many rectangles an undecided action leaves; `legal`, not empty, are the legal actions after it."""
    before = len(compiled_api.list_legal(np.array(view.states), 0))
    claims = Claim(len(legal), (action,)), Claim(before, ())
    change = f"it leaves {len(legal)} of {before} legal rectangles"
    if len(legal) <= _MAX_ANSWERS:
        return Hint(f"gives nobody the last move yet: {change}, and none of them ends the game", claims)
    if 2 * len(legal) < before:
        return Hint(f"makes the field small, which brings the end within reach: {change}", claims)
    return Hint(f"keeps the field open while nobody can see the end: {change}", claims)


def _find_finish(after: States, answer: int) -> tuple[int, int]:
    """Return `answer` and a rectangle that ends the game after it; raise AssertionError if there is none.
    `answer` is a legal action in the position `after`, which is not changed.
    """
    work = np.array(after)
    compiled_api.play(work, 0, answer)
    for last in compiled_api.list_legal(work, 0).tolist():
        end = np.array(work)
        compiled_api.play(end, 0, last)
        if not len(compiled_api.list_legal(end, 0)):
            return answer, last
    raise AssertionError(f"no rectangle ends the game after {answer}")


def _find_mirrored_halves(after: States, legal: list[int]) -> str:
    """Name the two halves if they are mirror images and no rectangle touches the axis between them, else return ''.
    `after` is a position with own sides, and `legal` are all its legal actions.
    """
    s = view_record(after)
    corners = {unpack(code) for code in legal}
    free = {(x, y) for y, word in enumerate(s.free.tolist()) for x in range(int(s.cols)) if word >> x & 1}
    width, height = int(s.cols) - 1, int(s.rows) - 1
    # Free dots must be mirrored, too: they decide what is legal later.
    if all(2 * x2 < width or 2 * x1 > width for x1, _, x2, _ in corners):
        images = {(width - x2, y1, width - x1, y2) for x1, y1, x2, y2 in corners}
        if images == corners and free == {(width - x, y) for x, y in free}:
            return "a left and a right half"
    if all(2 * y2 < height or 2 * y1 > height for _, y1, _, y2 in corners):
        images = {(x1, height - y2, x2, height - y1) for x1, y1, x2, y2 in corners}
        if images == corners and free == {(x, height - y) for x, y in free}:
            return "an upper and a lower half"
    return ""
