"""Hints for Squarin' Off: the points that a move takes, gives away or hands out, in numbers that play confirms."""

import numpy as np

from fourcorners.builtin.squarin_off.rules import (
    BLOCKED,
    BLOCKER,
    SIDES,
    count_edges,
    find_boxes_beside,
    get_box_stop,
    is_free,
    play,
    to_move,
)
from fourcorners.builtin.squarin_off.strategy import greedy_moves, scratch_board
from fourcorners.builtin.squarin_off.strategy.endgame_playout import capture_boxes, find_chain_end, measure_chain
from fourcorners.builtin.squarin_off.strategy.geometry import get_row
from fourcorners.builtin.squarin_off.strategy.scratch_board import CAPTURABLE, KIND, LINK, VISITED
from fourcorners.core.arrays import State, States
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.players.hint_claims import Claim, Hint

FEW_SAFE_EDGES = 8
"""With this many safe edges or fewer, their number shows which player will run out of them first."""


def hint(view: View, action: int) -> Hint:
    """Return the hint for a legal action of the seat to move: why it is good, or how much it gives away.

    Claims back the numbers of the hint: each has moves, a seat and the points that it wins by them. The views stay
    unchanged.
    """
    before, after = np.array(view.states), np.array(view.states)
    seat = int(to_move(view_record(before)))
    play(view_record(after), action)
    gained = _count_gain(before, after, seat)
    captures = tuple(list_captures(after))
    if gained > 0:
        return _explain_capture(action, gained, before, after, captures)
    given, next_seat = count_captured_points(after, captures)
    claim = Claim(given, (action, *captures), next_seat)
    if action >= BLOCKER:
        return _explain_blocker(before, after, claim)
    if not captures and int(view_record(after).edges_left) == 0:
        return Hint("draws the last edge", theme="captures")
    if next_seat == seat:
        return Hint("completes a box worth nothing, so it is your turn again", theme="captures", is_merit=True)
    if list_captures(before):
        return _explain_handout(before, claim)
    return _explain_opening(before, after, claim) if captures else _explain_safe_edge(action, after)


def _explain_capture(action: int, gained: int, before: States, after: States, captures: tuple[int, ...]) -> Hint:
    """Describe a move from `before` to `after` that scores `gained`; `captures` are all remaining captures."""
    seat = int(to_move(view_record(before)))
    claims = [Claim(gained, (action,), seat)]
    goes_on = int(to_move(view_record(after))) == seat
    rest = count_captured_points(after, captures)[0] if goes_on else 0
    text = f"takes {format_points(gained)}"
    if rest > 0:
        claims.append(Claim(gained + rest, (action, *captures), seat))
        text = f"takes {gained} of the {gained + rest} points that can be captured"
    elif not goes_on and int(view_record(after).edges_left) > 0:
        text += " and ends your turn"
    elif int(view_record(after).edges_left) > 0:
        text += ", the last that can be captured" if len(list_captures(before)) == 1 else ""
        obligation = _format_obligation(after, "you", "open what is left")
        text += "; then there is still a safe edge" if _has_safe_edge(after) else f"; then {obligation}"
    return Hint(text, tuple(claims), "captures")


def _explain_handout(before: States, claim: Claim) -> Hint:
    """Describe a move that leaves to the next player the captures of `claim`: a handout if the mover keeps control."""
    points, s = format_points(claim.number), _copy_to_scratch(before)
    # 1.0: with blockers taken into account. `capture_boxes` changes its argument, so it comes last.
    is_better = greedy_moves.is_handout_better_than_capturing(s, 1.0)
    if claim.number > 0 and is_better and claim.number == capture_boxes(s)[1]:
        return Hint(
            f"gives back {points} so that the other side must open the next chain",
            (claim,),
            "double-dealing",
            is_merit=True,
        )
    return Hint(f"leaves {points} for the next player to take", (claim,), "captures")


def _explain_opening(before: States, after: States, claim: Claim) -> Hint:
    """Describe a move from `before` to `after` that gives away `claim.number` points.
    `claim.line` is the move and the captures after it.
    """
    values = _list_chain_values(before)
    is_loop, points = _has_open_loop(after), format_points(claim.number)
    kind = "loop" if is_loop else "chain"
    if _has_safe_edge(before):
        text = f"opens a {kind} and gives away {points} although there is still a safe edge"
        return Hint(text, (claim,), "safe-edges", is_fault=True)
    which = "a"
    if values and claim.number <= min(values):
        which = "the cheapest" if len(values) > 1 else "the last"
    text = f"opens {which} {kind} and gives away {points}"
    if len(claim.line) == 3 and not is_loop and _joins_two_links(before, claim.line[0]):
        text += ", none of which can be handed back"
    elif len(claim.line) == 2 and len(values) > 1:
        text += "; then the next player must go on"
    elif len(claim.line) == 3 and len(values) > 1:
        text += ", which the next player may hand back to you"
    return Hint(text, (claim,), "loops" if is_loop else "chains")


def _explain_safe_edge(action: int, after: States) -> Hint:
    """Describe an edge that gives nothing away, from the position `after` it: whether it was the last safe edge."""
    s = view_record(after)
    if _has_safe_edge(after):
        if any(int(s.box[box]) & SIDES == CAPTURABLE for box in find_boxes_beside(s, action)):
            text = "gives nothing away: a box beside it has three sides but is worth nothing"
            return Hint(text, theme="safe-edges", is_merit=True)
        text, left = "gives nothing away: no box beside it has three sides", count_safe_edges(s)
        if left <= FEW_SAFE_EDGES:  # the facts of the move then include the number
            return Hint(text, theme="safe-edges", is_merit=True)
        claim = Claim(left, (action,), quantity="safe edges")
        return Hint(f"{text}, and {left} more edges are safe", (claim,), "safe-edges", is_merit=True)
    obligation = _format_obligation(after, "the next player", "give something away")
    return Hint(f"is the last safe edge: {obligation}", theme="safe-edges", is_merit=True)


def _format_obligation(states: States, who: str, what: str) -> str:
    """Return the clause `who` must `what`, with the alternative of a blocker if the seat to move can lay one."""
    s = view_record(states)
    can_block = int(s.blocker_moves) > 0 and int(s.blockers[int(to_move(s))]) > 0
    return f"{who} must {what} or lay a blocker" if can_block else f"{who} must {what}"


def _explain_blocker(before: States, after: States, claim: Claim) -> Hint:
    """Describe a move with a blocker that scores nothing; `claim` counts the captures of the next player `after` it."""
    if _has_safe_edge(before):
        text = "lays a blocker although there are safe edges left"
    elif claim.number == 0 and not list_captures(after):
        text = "lays a blocker and gives nothing away, so the next player must find a move"
    else:
        text = "cuts a chain with a blocker"
    if claim.number > 0:
        return Hint(f"{text}, giving away {format_points(claim.number)}", (claim,), "blockers")
    return Hint(text, theme="blockers", is_merit=not _has_safe_edge(before))


def format_points(number: int) -> str:
    """Format a number of points, such as "1 point"."""
    return f"{number} point" if number == 1 else f"{number} points"


def _count_gain(before: States, after: States, seat: int) -> int:
    """Return the points that a seat, or its team, has won from the position `before` to that `after`; 0 if none."""
    party = seat & int(view_record(before).party_mask)
    return int(view_record(after).points[party]) - int(view_record(before).points[party])


def count_captured_points(states: States, captures: tuple[int, ...]) -> tuple[int, int]:
    """Return the points that the seat to move, or its team, wins by drawing `captures` in order, and that seat."""
    seat = int(to_move(view_record(states)))
    after = np.array(states)
    for edge in captures:
        play(view_record(after), edge)
    return _count_gain(states, after, seat), seat


def _copy_to_scratch(states: States) -> State:
    """Return the record of a copy of `states`, with marked ground, as the functions in `strategy` need it."""
    s = view_record(np.array(states))
    scratch_board.mark_ground(s)
    return s


def list_captures(states: States) -> list[int]:
    """List, in order of play, the edges by which the seat to move captures everything that can be captured."""
    s = _copy_to_scratch(states)
    captures: list[int] = []
    while (edge := int(greedy_moves.find_capture(s, False, 0.0))) >= 0:
        captures.append(edge)
        scratch_board.draw_edge(s, edge)
    return captures


def count_safe_edges(s: State) -> int:
    """Count the free edges that neither complete nor give away a box of value."""
    boxes, values = s.box.tolist(), s.value.tolist()

    def can_gain_side(box: int) -> bool:
        """Return whether one more side of a box gives nothing away."""
        return not values[box] or bool(boxes[box] & BLOCKED) or boxes[box] & SIDES < 2

    free = (edge for edge in range(int(count_edges(s))) if is_free(s, edge))
    return sum(all(can_gain_side(int(box)) for box in find_boxes_beside(s, edge)) for edge in free)


def _has_safe_edge(states: States) -> bool:
    """Return whether there is an edge that neither gives away nor completes a box of value."""
    return bool(scratch_board.has_safe_edge(_copy_to_scratch(states)))


def _list_chain_values(states: States) -> list[int]:
    """List the points of each chain and loop, ordered by their lowest boxes; none of them may be opened already."""
    s = _copy_to_scratch(states)
    values = []
    for box in range(int(s.cols) + 2, get_box_stop(s)):
        byte = int(s.box[box])
        if byte & KIND == LINK and byte & VISITED == 0:
            end, row, side = find_chain_end(s, box, get_row(s, box))
            values.append(int(measure_chain(s, end, row, side, VISITED)[1]))
    return values


def _has_open_loop(states: States) -> bool:
    """Return whether the lowest box that can be captured is at an end of an opened loop; False if there is none."""
    s = _copy_to_scratch(states)
    for box in range(int(s.cols) + 2, get_box_stop(s)):
        if int(s.box[box]) & KIND == CAPTURABLE:
            return bool(greedy_moves.follow_captures(s, box, get_row(s, box))[1])
    return False


def _joins_two_links(states: States, edge: int) -> bool:
    """Return whether both boxes beside a free edge are links: with two free sides, worth something, not blocked."""
    s = _copy_to_scratch(states)
    return all(int(s.box[box]) & KIND == LINK for box in find_boxes_beside(s, edge))
