"""Hints for Squarin' Off: what a move takes, gives away, hands out or keeps, in words whose numbers are played out."""

from __future__ import annotations

import numpy as np

from fourcorners.core.dispatch import State, States, view_record
from fourcorners.core.hint_claims import Claim, Hint
from fourcorners.core.position import View
from fourcorners.games.squarin_off.rules import BLOCKER, SIDES, beside, end_of_boxes, play, to_move
from fourcorners.games.squarin_off.strategy import endgame_playout, greedy_moves

_READY, _LINK = 3, 2
_KIND = endgame_playout.GROUND | SIDES


def hint(view: View, action: int) -> Hint:
    """Say what speaks for a legal action."""
    before, after = np.array(view.states), np.array(view.states)
    seat = int(to_move(view_record(before)))
    play(view_record(after), action)
    gained = _won(before, after, seat)
    line = tuple(_captures(after))
    if gained > 0:
        return _taking(action, gained, before, after, line, seat)
    given, other = _given(after, line)
    claim = Claim(given, (action, *line), other)
    if action >= BLOCKER:
        return _blocking(before, after, claim)
    if not line and int(view_record(after).left) == 0:
        return Hint("draws the last edge")
    if other == seat:
        return Hint("completes a box worth nothing, and it is your turn again")
    free = _captures(before)
    if free:
        return _leaving(before, claim)
    return _opening(before, after, claim) if line else _waiting(action, after)


def _taking(action: int, gained: int, before: States, after: States, line: tuple[int, ...], seat: int) -> Hint:
    """Speak of a move that scores."""
    claims = [Claim(gained, (action,), seat)]
    text = f"takes {_points(gained)}"
    same = int(to_move(view_record(after))) == seat
    rest = _given(after, line)[0] if same else 0
    if rest > 0:
        claims.append(Claim(gained + rest, (action, *line), seat))
        text += f", of {gained + rest} that are free"
    elif not same and int(view_record(after).left) > 0:
        text += ", and the turn is over"
    elif same and int(view_record(after).left) > 0:
        text += ", the last that is free" if len(_captures(before)) == 1 else ""
        text += (
            "; after it there is still a safe edge"
            if _has_safe(after)
            else f"; then {_must(after, 'you', 'open what is left')}"
        )
    return Hint(text, tuple(claims))


def _leaving(before: States, claim: Claim) -> Hint:
    """Speak of a move that does not take what is free."""
    if claim.number > 0 and _pays_to_leave(before) and claim.number == endgame_playout.capture_all(_marked(before))[1]:
        text = f"hands out {_points(claim.number)}, so that the other side must open the next chain"
        return Hint(text, (claim,))
    return Hint(f"leaves {_points(claim.number)} to the next player, who takes and moves on", (claim,))


def _opening(before: States, after: States, claim: Claim) -> Hint:
    """Speak of a move that gives boxes away."""
    totals = _runs(before)
    loop = _closes(after)
    kind = "loop" if loop else "chain"
    text = f"opens a {kind}"
    if _has_safe(before):
        return Hint(f"{text} and gives {_points(claim.number)}, though there is still a safe edge", (claim,))
    if totals and claim.number <= min(totals):
        text = f"opens the cheapest {kind}" if len(totals) > 1 else f"opens the last {kind}"
    text += f": it gives {_points(claim.number)}"
    if len(claim.line) == 3 and not loop and _is_middle(before, claim.line[0]):
        text += " and nothing of it can be handed back"
    elif len(claim.line) == 2 and len(totals) > 1:
        text += ", and then the next player must move on"
    elif len(claim.line) == 3 and len(totals) > 1:
        text += ", which the next player may hand back to you"
    return Hint(text, (claim,))


def _waiting(action: int, after: States) -> Hint:
    """Speak of a move that gives nothing away."""
    s = view_record(after)
    if _has_safe(after):
        if any(int(s.box[box]) & SIDES == _READY for box in beside(s, action)):
            return Hint("gives nothing away: a box beside it has three sides, but is worth nothing")
        return Hint("gives nothing away: no box beside it has three sides")
    return Hint(f"is the last safe edge: {_must(after, 'whoever moves next', 'give something away')}")


def _must(states: States, who: str, what: str) -> str:
    """Say what has to be done where no edge is safe, unless a blocker can be laid."""
    s = view_record(states)
    can_block = int(s.room) > 0 and int(s.blockers[int(to_move(s))]) > 0
    return f"{who} must {what}, or lay a blocker" if can_block else f"{who} must {what}"


def _blocking(before: States, after: States, claim: Claim) -> Hint:
    """Speak of a blocker that scores nothing."""
    if _has_safe(before):
        text = "lays a blocker, though there are safe edges left"
    elif claim.number == 0 and not _captures(after):
        text = "lays a blocker that gives nothing away, and the next player must find a move"
    else:
        text = "cuts a chain with a blocker"
    if claim.number > 0:
        return Hint(f"{text}; it gives {_points(claim.number)}", (claim,))
    return Hint(text)


def _points(number: int) -> str:
    return f"{number} point" if number == 1 else f"{number} points"


def _won(before: States, after: States, seat: int) -> int:
    """Return what a seat's purse has won."""
    purse = seat & int(view_record(before).purses)
    return int(view_record(after).points[purse]) - int(view_record(before).points[purse])


def _given(states: States, line: tuple[int, ...]) -> tuple[int, int]:
    """Return what the seat to move wins by a line of captures, and that seat."""
    seat = int(to_move(view_record(states)))
    after = np.array(states)
    for edge in line:
        play(view_record(after), edge)
    return _won(states, after, seat), seat


def _marked(states: States) -> State:
    """Return a copy on which `ending` can work."""
    s = view_record(np.array(states))
    endgame_playout.lay_ground(s)
    return s


def _captures(states: States) -> list[int]:
    """List the edges by which the seat to move takes all that is free."""
    here = np.array(states)
    line: list[int] = []
    while True:
        edge = int(greedy_moves.capturing(_marked(here), False, 0.0))  # not by keyword
        if edge < 0:
            return line
        line.append(edge)
        play(view_record(here), edge)


def _has_safe(states: States) -> bool:
    return bool(greedy_moves.has_safe(_marked(states)))


def _pays_to_leave(states: States) -> bool:
    return bool(greedy_moves.pays_to_leave(_marked(states), 1.0))


def _runs(states: States) -> list[int]:
    """List what the chains and loops are worth."""
    s = _marked(states)
    totals = []
    for box in range(int(s.cols) + 2, end_of_boxes(s)):
        byte = int(s.box[box])
        if byte & _KIND == _LINK and byte & 32 == 0:
            end, row, side = endgame_playout.end_of_run(s, box, endgame_playout.row_of(s, box))
            totals.append(int(endgame_playout.measure(s, end, row, side, 32)[1]))
    return totals


def _closes(states: States) -> bool:
    """Tell whether what has been opened is a loop."""
    s = _marked(states)
    for box in range(int(s.cols) + 2, end_of_boxes(s)):
        if int(s.box[box]) & _KIND == _READY:
            return bool(greedy_moves.run_out(s, box, endgame_playout.row_of(s, box))[1])
    return False


def _is_middle(states: States, edge: int) -> bool:
    """Tell whether an edge lies between two links."""
    s = _marked(states)
    return all(int(s.box[box]) & _KIND == _LINK for box in beside(s, edge))
