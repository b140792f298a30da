"""Analyses that someone shares by a link, each with the move at which it opens and the values that were shown there."""

import re
import textwrap
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from fourcorners.core.annotations import Mark
from fourcorners.core.game import Position
from fourcorners.core.game_tree import GameTree
from fourcorners.core.match import Record
from fourcorners.core.narration import narrate
from fourcorners.study.cards import WIDTH, draw_card
from fourcorners.study.rendering import Check, render_png
from fourcorners.study.value_badges import Worths
from fourcorners.web.application.analysis_tree import OpenedAnalysis, ShownValues, TreeNode, open_record
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.pictures import CPU_SECONDS
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.domain.sentences import capitalise
from fourcorners.web.protocol.table_fields import Fields
from fourcorners.web.store.analyses import SEEN_EVERY

_ID = re.compile(r"[A-Za-z0-9_-]{16}", re.ASCII)
_LONGEST = 200
"""How many characters of a comment stand beside a link."""


class Shown(Fields, frozen=True, kw_only=True):
    """What a shared analysis shows when it opens."""

    node: Annotated[int, Meta(description="The number of a node of its tree.")]
    values: ShownValues | None = None


class SharedText(NamedTuple):
    """The record of a shared analysis, and what it shows; None if it is from before that was kept."""

    text: str
    shown: Shown | None


class SharedPosition(NamedTuple):
    """The position at which a shared analysis opens: the tree, the number of its node, the move before in words."""

    tree: GameTree
    node: int
    position: Position
    words: str

    @property
    def comment(self) -> str:
        """What was noted there."""
        return self.tree.nodes[self.node].comment

    @property
    def marks(self) -> Sequence[Mark]:
        """The marks there."""
        return self.tree.nodes[self.node].marks

    def describe(self) -> str:
        """Say in a sentence or two what is shown: the comment, or else the move."""
        if self.comment:
            return textwrap.shorten(self.comment, _LONGEST, placeholder=" …")
        return self.words or "Variations and comments, on a board to try moves."


def load_shared(context: ServerContext, analysis_id: str) -> SharedText:
    """Return a shared analysis, and note that it was opened; raise Refusal 404, or StoreError."""
    found = context.store.load_analysis(analysis_id) if _ID.fullmatch(analysis_id) else None
    if found is None:
        raise Refusal(404, "There is no analysis at this address. Check that the link is complete.")
    now = context.time.now()
    if now - found.seen > SEEN_EVERY:
        # No one waits for it: if it is not stored, the next visit is.
        context.store.touch_analysis(analysis_id, now)
    return SharedText(found.text, msgspec.json.decode(found.shown, type=Shown) if found.shown else None)


def find_node(record: Record, nodes: Sequence[TreeNode], number: int) -> int:
    """Return the number, in the tree of a record, of a move that a browser sent among others; the start if there is no
    such move.
    """
    path: list[str] = []
    for node in nodes[: number + 1]:
        del path[max(0, node.depth - 1) :]
        if node.depth:
            path.append(node.move)
    paths = [path for path, _ in record.open_tree().walk()]
    return paths.index(tuple(path)) if number < len(nodes) and tuple(path) in paths else 0


def find_position(text: str, shown: Shown | None, check: Check) -> SharedPosition:
    """Return the position at which a shared analysis opens; in one that does not say, the end of its main line."""
    return _locate(Record.parse(text, check), shown)


def _locate(record: Record, shown: Shown | None) -> SharedPosition:
    tree = record.open_tree()
    walked = [path for path, _ in tree.walk()]
    path = tree.main_line() if shown is None else walked[min(shown.node, len(walked) - 1)]
    position, words = tree.position(path), ""
    if path:
        before = tree.position(path[:-1])
        mover = capitalise(before.seat_names[before.seat or 0])
        words = f"After move {len(path)}: {mover} {narrate(before, position, None).words}."
    return SharedPosition(tree, walked.index(path), position, words)


def open_shared(shared: SharedText, check: Check) -> tuple[OpenedAnalysis, SharedPosition]:
    """Return a shared analysis as a page opens it, without its values, and the position that it shows."""
    Record.replay(shared.text, check)
    record = Record.parse(shared.text, check)
    found = _locate(record, shared.shown)
    return msgspec.structs.replace(open_record(record), shown=0 if shared.shown is None else found.node), found


def draw_shared(shared: SharedText, *, has_values: bool, check: Check) -> bytes:
    """Draw the card of a shared analysis, with what it shows; raise RenderingError, and what `check` raises."""
    found = find_position(shared.text, shared.shown, check)
    values = shared.shown.values if shared.shown is not None and has_values else None
    position = found.position
    # Values are those of the seat to move; with hidden hands, what is seen is that of everyone.
    title = f"Analysis: {position.game.title}"
    worths = None if values is None else Worths([(move, value) for move, value in values.moves], values.counts)
    card = draw_card(title, found.describe(), position.view(), found.marks, worths)
    return render_png(card, WIDTH, cpu_seconds=CPU_SECONDS, check=check)
