"""Hints for Sqez: why a rectangle is good or bad, from counts and from searches to the end of the game."""

import numpy as np

from fourcorners.builtin.sqez.notation import format as format_move
from fourcorners.builtin.sqez.rules import count_active_seats, is_legal_rectangle, unpack
from fourcorners.builtin.sqez.strategy import last_moves
from fourcorners.core import compiled_api
from fourcorners.core.arrays import States
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.core.jit import kernel_no_alloc, rare
from fourcorners.players.hint_claims import Claim, Hint

_ANSWER_LIMIT, _PAIR_LIMIT = 150, 40
"""To stay quick, a hint examines all answers to an action only if at most _ANSWER_LIMIT rectangles are legal after it,
and all pairs of an answer and the move after that, at most 40 x 40, only if at most _PAIR_LIMIT are.
"""


@rare
@kernel_no_alloc
def _find_ending_answer(states: States, action: int) -> int:
    """Call `last_moves.find_ending_answer` on `states[0]`, compiled."""
    return last_moves.find_ending_answer(states[0], action)


@rare
@kernel_no_alloc
def _can_end_after_any_answer(states: States, action: int) -> bool:
    """Call `last_moves.can_end_after_any_answer` on `states[0]`, compiled."""
    return last_moves.can_end_after_any_answer(states[0], action)


def hint(view: View, action: int) -> Hint:
    """Return the most important fact about a rectangle on the field, and claims for its numbers, in a running game.

    The rectangle is illegal (a strict game may ask), ends the game, lets the next player end it, or wins, within
    _ANSWER_LIMIT and _PAIR_LIMIT; otherwise the hint says how many rectangles it leaves.
    """
    s = view.record
    if not is_legal_rectangle(s, *unpack(action)):
        return Hint("is not a legal rectangle: drawing it puts you out of the game")
    seat, after = int(s.turn), np.array(view.states)
    compiled_api.play(after, 0, action)
    legal = compiled_api.list_legal(after, 0).tolist()
    if len(legal) == 0:
        return Hint("is the last rectangle: it wins the game", (Claim(1, (action,), seat),))
    if len(legal) <= _ANSWER_LIMIT:
        answer = int(_find_ending_answer(np.array(view.states), action))
        if answer != last_moves.NONE:
            text = f"lets the next player draw the last rectangle, {format_move(s, answer)}"
            return Hint(text, (Claim(0, (action, answer)),))
    won = _explain_win(view, action, legal, after) if count_active_seats(s) == 2 else None
    return won or _describe_remaining(view, action, legal)


def _explain_win(view: View, action: int, legal: list[int], after: States) -> Hint | None:
    """Return why a legal action wins: it leaves mirrored halves, or any answer lets its seat end the game; else None.
    `after` is the position after it, `legal`, not empty, are all actions legal there. Two seats must still be playing.
    Halves are looked for with own sides only, and answers are tried only if at most _PAIR_LIMIT actions are legal.
    """
    # With shared sides, new rectangles across the middle may become legal.
    halves = "" if view.record.shared else _find_mirrored_halves(after, legal)
    if halves:
        return Hint(
            f"wins: it leaves {halves} that mirror each other, with no rectangle across the middle; "
            "answer every rectangle with its mirror image",
            is_merit=True,
        )
    if len(legal) <= _PAIR_LIMIT and _can_end_after_any_answer(np.array(view.states), action):
        answer, last = legal[0], _find_last_move_after(after, legal[0])
        example = f"{format_move(view.record, answer)}, then {format_move(view.record, last)}"
        claims = Claim(len(legal), (action,)), Claim(1, (action, answer, last), int(view.record.turn))
        count = "1 rectangle" if len(legal) == 1 else f"{len(legal)} rectangles"
        return Hint(f"wins: it leaves {count}, and after any of them you can draw the last one ({example})", claims)
    return None


def _describe_remaining(view: View, action: int, legal: list[int]) -> Hint:
    """Count the rectangles that an undecided action leaves; `legal`, not empty, are all actions legal after it."""
    before = len(compiled_api.list_legal(np.array(view.states), 0))
    claims = Claim(len(legal), (action,)), Claim(before, ())
    change = f"it leaves {len(legal)} of {before} legal rectangles"
    if len(legal) <= _ANSWER_LIMIT:  # then `hint` has examined all answers
        text = f"does not end the game yet: {change}, and none of them ends it"
        return Hint(text, claims, is_vague=True)
    if 2 * len(legal) < before:
        return Hint(f"shrinks the field, which brings the end within reach: {change}", claims, is_vague=True)
    return Hint(f"keeps the field open while no one can foresee the end: {change}", claims, is_vague=True)


def _find_last_move_after(states: States, action: int) -> int:
    """Return the first action, in the order of `rules.legal`, that ends the game once a legal `action` is played.
    Raise AssertionError if none does. The position `states[0]` is not changed.
    """
    played = np.array(states)
    compiled_api.play(played, 0, action)
    for last in compiled_api.list_legal(played, 0).tolist():
        end = np.array(played)
        compiled_api.play(end, 0, last)
        if len(compiled_api.list_legal(end, 0)) == 0:
            return int(last)
    raise AssertionError(f"no rectangle ends the game after {action}")


def _find_mirrored_halves(after: States, legal: list[int]) -> str:
    """Return the name of the two halves if no legal rectangle touches the axis between them, and the legal rectangles
    and free dots mirror each other; otherwise "". `after` has own sides, and `legal` are all its legal actions.
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
