"""Squarin' Off in words: reasons for refused moves, labels of tokens, played moves, and the ending of a game."""

import re
from typing import cast

from fourcorners.builtin.squarin_off import notation, rules
from fourcorners.builtin.squarin_off.options import SquarinOffOptions
from fourcorners.builtin.squarin_off.rules import BLOCKED, NEAR, OWNER_SHIFT, SIDES
from fourcorners.builtin.squarin_off.strategy.chains import find_chains
from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.errors import NotationError, Reason
from fourcorners.core.narration import spell_count
from fourcorners.core.plurals import list_words
from fourcorners.core.presentation import Explanation
from fourcorners.core.termination import Termination

ENDING_CLAUSES = {Termination.COMPLETE: "all edges are drawn"}
PROMPTS = {"#": "Now a stick beside it:"}
"""The prompt once a blocker is placed; the edges follow."""
_LONG_CHAIN = 3
"""The shortest chain that is worth a blocker, in boxes."""
_EDGE = re.compile(r"([a-u][1-9][0-9]?)([a-u][1-9][0-9]?)", re.ASCII)
_BOX = re.compile(r"#([a-u][1-9][0-9]?)", re.ASCII)


def explain_illegal_action(s: State, action: int) -> Reason:
    """Explain why an action that `notation.parse` returned is not legal; the action must be illegal (not checked)."""
    box, edge = notation.split_action(s, int(action))
    return _explain_blocker(s, box, edge) or _explain_drawn_edge(s, edge)


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Explain why no legal move begins with these tokens, "#" for any blocker; None if one does, or for other words."""
    if tokens == ("#",):
        no_room = Reason("no-room", "every box is completed, blocked, or next to a blocked box")
        return _explain_missing_blocker(s) or (None if int(s.blocker_moves) else no_room)
    has_blocker = bool(tokens) and tokens[0].startswith("#")
    edges = tokens[1:] if has_blocker else tokens
    if not tokens or len(edges) > 1:
        return None
    try:
        box = notation.parse_blocker(s, tokens[0]) if has_blocker else -1
        edge = notation.parse_edge(s, edges[0]) if edges else -1
    except NotationError:
        return None
    is_possible = edge < 0 or rules.is_free(s, edge)
    return _explain_blocker(s, box, edge) or (None if is_possible else _explain_drawn_edge(s, edge))


def _explain_drawn_edge(s: State, edge: int) -> Reason:
    """Return the reason that an edge is drawn already."""
    return Reason("edge-drawn", f"edge {notation.format_edge(s, edge)} is already drawn")


def _explain_blocker(s: State, box: int, edge: int) -> Reason | None:
    """Return why a move may not lay a blocker on a box (-1: none) and then draw an edge (-1: any), None if it may.
    Whether the edge is drawn already is not checked; both must be on the board.
    """
    if box < 0:
        return None
    reason = _explain_missing_blocker(s) or _explain_why_no_blocker_fits(s, box)
    if reason is not None or edge < 0 or notation.find_side(s, box, edge) >= 0:
        return reason
    blocked, drawn = notation.format_box(s, box), notation.format_edge(s, edge)
    sentence = f"after a blocker on box {blocked} you draw one of that box’s four edges, and {drawn} is not one of them"
    return Reason("not-beside", sentence)


def _explain_missing_blocker(s: State) -> Reason | None:
    """Return the reason why the seat to move has no blocker: none left, or none in the game; None if it has one."""
    if int(s.blockers[int(s.turn)]):
        return None
    if int(s.blockers_left) == 0 and not (s.box & BLOCKED).any():
        return Reason("no-blockers", "this game is played without blockers")
    return Reason("no-blockers", "you have no blockers left")


def _explain_why_no_blocker_fits(s: State, box: int) -> Reason | None:
    """Return why a box of the board, not of its border, cannot take a blocker: blocked, completed, or next to a blocked
    one; None if it can.
    """
    byte, name = int(s.box[box]), notation.format_box(s, box)
    if byte & BLOCKED:
        return Reason("box-blocked", f"there is already a blocker on box {name}")
    if byte & SIDES == 4:
        return Reason("box-completed", f"box {name} is completed: a blocker goes on an open box")
    if byte & NEAR:
        stride = int(s.cols) + 1
        steps = (dy + dx for dy in (-stride, 0, stride) for dx in (-1, 0, 1))
        # A box of the board is NEAR only a blocker. The border has none, so a step across the edge of the board finds
        # none either.
        blocked = next(box + step for step in steps if int(s.box[box + step]) & BLOCKED)
        touched = notation.format_box(s, blocked)
        return Reason("near-blocker", f"box {name} touches box {touched}, which has a blocker: blockers must not touch")
    return None


def classify_ending(s: State) -> Termination:
    """Return the only way in which this game can end."""
    return Termination.COMPLETE


def label(token: str) -> str:
    """Label a token for a button and a screen reader: an edge, or a blocker on a box; any other text is "blocker"."""
    edge, box = _EDGE.fullmatch(token), _BOX.fullmatch(token)
    if edge is not None:
        return f"edge from {edge[1]} to {edge[2]}"
    return f"blocker on box {box[1]}" if box is not None else "blocker"


POINTS_CLAUSE = re.compile(r" and completed \w+ box(es)?( for \w+ points?)?\b")
"""Matches what a move gained in the words of `describe_move`. Where all boxes are worth 1, their number tells it."""


def describe_move(before: ViewLike, after: ViewLike) -> str:
    """Describe the last move: the blocker, the edge, and the boxes that it completed with their points."""
    blocker, edge = _split_last_move(after)
    drew = _EDGE.sub(r"drew \1–\2", edge)
    boxes = _list_completed_boxes(before, after, edge)
    gains = f"completed {spell_count(len(boxes), 'box', 'boxes')}" if boxes else ""
    values = after.record.value
    if gains and set(values.tolist()) - {0, 1}:
        gains += f" for {spell_count(sum(int(values[box]) for box in boxes), 'point')}"
    parts = [part for part in (blocker and f"put a blocker on {blocker[1:]}", drew, gains) if part]
    return list_words(parts)


def list_explanations(before: ViewLike, after: ViewLike) -> list[Explanation]:
    """List explanations about a blocker, a completed box, a box that the next player can complete, and a string."""
    blocker, edge = _split_last_move(after)
    explanations = []
    is_classic = bool(after.record.classic)
    if blocker:
        touch = "and no other blocker may touch it"
        if not is_classic:
            touch = "no other blocker may touch it, and laying it ends the turn"
        explanations.append(Explanation("blocker", f"A blocked box counts for no one, {touch}."))
    if _list_completed_boxes(before, after, edge) and (is_classic or not blocker):
        explanations.append(Explanation("box", "A player who completes a box scores it and draws again."))
    states = after.record.box
    if before.seat != after.seat and 3 in (
        int(states[box]) & (SIDES | BLOCKED) for box in _list_boxes_beside(after, edge)
    ):
        explanations.append(Explanation("third-side", "A box has three sides now: drawing the fourth takes it."))
    # Only beside an edge that leaves a box with two sides can a string have become longer.
    if int(after.record.blockers_left) and 2 in (int(states[box]) & SIDES for box in _list_boxes_beside(after, edge)):
        length = max((len(chain.boxes) for chain in find_chains(after.record)), default=0)
        if length >= _LONG_CHAIN:
            boxes = spell_count(length, "box", "boxes").capitalize()
            sentence = (
                f"{boxes} form a string: the player who opens it gives them all away. A blocker makes it shorter."
            )
            explanations.append(Explanation("string", sentence))
    return explanations


def _split_last_move(view: ViewLike) -> tuple[str, str]:
    """Return the tokens of the last move: its blocker, such as #c4 (empty if it has none), and its edge."""
    blocker, _, edge = view.last_move_text.rpartition(" ")
    return blocker, edge


def _list_boxes_beside(view: ViewLike, edge: str) -> tuple[int, int]:
    """Return the boxes on both sides of a named edge; one of them may be a box of the border."""
    options = cast("SquarinOffOptions", view.game.options)
    return notation.find_boxes_beside(options.cols, options.rows, edge)


def _list_completed_boxes(before: ViewLike, after: ViewLike, edge: str) -> list[int]:
    """List the boxes beside a named edge that have an owner after the move and had none before."""
    boxes = _list_boxes_beside(after, edge)
    old, new = before.record.box, after.record.box
    return [box for box in boxes if int(new[box]) >> OWNER_SHIFT and not int(old[box]) >> OWNER_SHIFT]
