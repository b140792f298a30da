"""Squarin' Off in words: why a move is refused, what a token is called, how a game ended."""

from __future__ import annotations

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, Reason
from fourcorners.games.squarin_off import notation, rules
from fourcorners.games.squarin_off.rules import BLOCKED, NEAR, SIDES

_EDGE = re.compile(r"([a-u][1-9][0-9]?)([a-u][1-9][0-9]?)", re.ASCII)
_BOX = re.compile(r"#([a-u][1-9][0-9]?)", re.ASCII)


def refuse(s: State, action: int) -> Reason:
    """Say why an action that can be read is not legal."""
    box, edge = notation.take_apart(s, int(action))
    if box >= 0:
        reason = _no_blocker(s) or _closed(s, box)
        if reason is not None:
            return reason
        if notation.side_of(s, box, edge) < 0:
            return _not_beside(s, box, edge)
    return _drawn(s, edge)


def point(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no legal move begins with these tokens; None if one does, or if they are not of this game."""
    if tokens == ("#",):
        return _no_blocker(s) or _no_room(s)
    try:
        if len(tokens) == 1 and not tokens[0].startswith("#"):
            edge = notation.read_edge(s, tokens[0])
            return None if rules.is_free(s, edge) else _drawn(s, edge)
        if not 1 <= len(tokens) <= 2 or not tokens[0].startswith("#"):
            return None
        box = notation.read_box(s, tokens[0])
        after = notation.read_edge(s, tokens[1]) if len(tokens) == 2 else -1
    except NotationError:
        return None
    reason = _no_blocker(s) or _closed(s, box)
    if reason is not None or after < 0:
        return reason
    if notation.side_of(s, box, after) < 0:
        return _not_beside(s, box, after)
    return None if rules.is_free(s, after) else _drawn(s, after)


def _drawn(s: State, edge: int) -> Reason:
    return Reason("edge-drawn", f"edge {notation.edge_name(s, edge)} is already drawn")


def _not_beside(s: State, box: int, edge: int) -> Reason:
    blocked, drawn = notation.box_name(s, box), notation.edge_name(s, edge)
    sentence = f"with a blocker on box {blocked} you draw an edge of that box, and {drawn} is not one of its four"
    return Reason("not-beside", sentence)


def _no_blocker(s: State) -> Reason | None:
    if int(s.blockers[int(s.turn)]):
        return None
    if int(s.held) == 0 and not (s.box & BLOCKED).any():
        return Reason("no-blockers", "this game is played without blockers")
    return Reason("no-blockers", "you have no blockers left")


def _closed(s: State, box: int) -> Reason | None:
    """Say why a box is not open to a blocker."""
    byte, name = int(s.box[box]), notation.box_name(s, box)
    if byte & BLOCKED:
        return Reason("box-blocked", f"there already is a blocker on box {name}")
    if byte & SIDES == 4:
        return Reason("box-completed", f"box {name} is completed: a blocker goes on an open box")
    if byte & NEAR:
        row = int(s.cols) + 1
        around = (step + along for step in (-row, 0, row) for along in (-1, 0, 1))
        # A border of boxes without blockers runs around the board.
        other = next(box + step for step in around if int(s.box[box + step]) & BLOCKED)
        sentence = f"box {name} touches box {notation.box_name(s, other)}, which has a blocker: blockers keep apart"
        return Reason("near-blocker", sentence)
    return None


def _no_room(s: State) -> Reason | None:
    if int(s.room):
        return None
    return Reason("no-room", "every box is completed, blocked, or touches a box that is blocked")


def ending(s: State) -> str:
    """Say why the game is over."""
    return "all edges are drawn"


def label(token: str) -> str:
    """Name a token without a position."""
    edge, box = _EDGE.fullmatch(token), _BOX.fullmatch(token)
    if edge is not None:
        return f"edge from {edge[1]} to {edge[2]}"
    return f"blocker on box {box[1]}" if box is not None else "blocker"
