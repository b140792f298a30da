"""Squarin' Off in words: why a move is refused, what a token is called, how a game ended."""

from __future__ import annotations

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, Reason
from fourcorners.core.termination import Termination
from fourcorners.games.squarin_off import notation, rules
from fourcorners.games.squarin_off.rules import BLOCKED, NEAR, SIDES

ENDING_CLAUSES = {
    Termination.COMPLETE: "all edges are drawn",
}
_EDGE = re.compile(r"([a-u][1-9][0-9]?)([a-u][1-9][0-9]?)", re.ASCII)
_BOX = re.compile(r"#([a-u][1-9][0-9]?)", re.ASCII)


def explain_illegal_action(s: State, action: int) -> Reason:
    """Say why an action that can be read is not legal."""
    box, edge = notation.split_action(s, int(action))
    if box >= 0:
        reason = _explain_missing_blocker(s) or _explain_closed_box(s, box)
        if reason is not None:
            return reason
        if notation.find_side(s, box, edge) < 0:
            return _explain_mismatch(s, box, edge)
    return _explain_drawn_edge(s, edge)


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no legal move begins with these tokens; None if one does, or if they are not of this game."""
    if tokens == ("#",):
        return _explain_missing_blocker(s) or _explain_full_board(s)
    try:
        if len(tokens) == 1 and not tokens[0].startswith("#"):
            edge = notation.read_edge(s, tokens[0])
            return None if rules.is_free(s, edge) else _explain_drawn_edge(s, edge)
        if not 1 <= len(tokens) <= 2 or not tokens[0].startswith("#"):
            return None
        box = notation.read_box(s, tokens[0])
        after = notation.read_edge(s, tokens[1]) if len(tokens) == 2 else -1
    except NotationError:
        return None
    reason = _explain_missing_blocker(s) or _explain_closed_box(s, box)
    if reason is not None or after < 0:
        return reason
    if notation.find_side(s, box, after) < 0:
        return _explain_mismatch(s, box, after)
    return None if rules.is_free(s, after) else _explain_drawn_edge(s, after)


def _explain_drawn_edge(s: State, edge: int) -> Reason:
    return Reason("edge-drawn", f"edge {notation.format_edge(s, edge)} is already drawn")


def _explain_mismatch(s: State, box: int, edge: int) -> Reason:
    blocked, drawn = notation.format_box(s, box), notation.format_edge(s, edge)
    sentence = f"with a blocker on box {blocked} you draw an edge of that box, and {drawn} is not one of its four"
    return Reason("not-beside", sentence)


def _explain_missing_blocker(s: State) -> Reason | None:
    if int(s.blockers[int(s.turn)]):
        return None
    if int(s.blockers_left) == 0 and not (s.box & BLOCKED).any():
        return Reason("no-blockers", "this game is played without blockers")
    return Reason("no-blockers", "you have no blockers left")


def _explain_closed_box(s: State, box: int) -> Reason | None:
    """Say why a box is not open to a blocker."""
    byte, name = int(s.box[box]), notation.format_box(s, box)
    if byte & BLOCKED:
        return Reason("box-blocked", f"there already is a blocker on box {name}")
    if byte & SIDES == 4:
        return Reason("box-completed", f"box {name} is completed: a blocker goes on an open box")
    if byte & NEAR:
        row = int(s.cols) + 1
        around = (step + along for step in (-row, 0, row) for along in (-1, 0, 1))
        # A border of boxes without blockers runs around the board.
        other = next(box + step for step in around if int(s.box[box + step]) & BLOCKED)
        sentence = f"box {name} touches box {notation.format_box(s, other)}, which has a blocker: blockers keep apart"
        return Reason("near-blocker", sentence)
    return None


def _explain_full_board(s: State) -> Reason | None:
    if int(s.blocker_moves):
        return None
    return Reason("no-room", "every box is completed, blocked, or touches a box that is blocked")


def classify_ending(s: State) -> Termination:
    """Return the only way in which the game can end."""
    return Termination.COMPLETE


def label(token: str) -> str:
    """Name a token without a position."""
    edge, box = _EDGE.fullmatch(token), _BOX.fullmatch(token)
    if edge is not None:
        return f"edge from {edge[1]} to {edge[2]}"
    return f"blocker on box {box[1]}" if box is not None else "blocker"
