"""The tree of an analysis between browser and record: flat lists of moves, checked by playing them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from fourcorners.core.annotations import Evaluation, Mark
from fourcorners.core.errors import GameError, OptionError
from fourcorners.core.game import Game, Position, View
from fourcorners.core.game_import import name_with_options
from fourcorners.core.game_tree import (
    MAX_COMMENT_LENGTH,
    MAX_MARKS,
    GameTree,
    Node,
    check_comment,
    check_evaluation,
    check_marks,
    check_total,
)
from fourcorners.core.match import Record
from fourcorners.web.application.analysis_board import Start, read_start
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields

MAX_NODES = 3000
_ONLY_VIEW = "only positions without hidden information can be saved"
_NOT_CONNECTED = "each move must be at most one deeper than the move before it, and the start alone is at depth 0"


@example(depth=1, move="a1", seat=0, comment="Best.", marks=["good", "circle b2"], evaluation="")
class TreeNode(Fields, frozen=True, kw_only=True):
    """A move of an analysis, or its start, with what was noted there. After a move come its continuations, the main
    one first, each with all that follows it.
    """

    depth: Annotated[int, Meta(ge=0, le=1000, description="The number of moves from the start to here.")]
    move: Annotated[str, Meta(max_length=100)] = ""
    seat: Annotated[int, Meta(description="Who made the move; it need not be sent.")] = -1
    comment: Annotated[str, Meta(max_length=MAX_COMMENT_LENGTH)] = ""
    marks: Annotated[
        Sequence[Annotated[str, Meta(max_length=100)]],
        Meta(max_length=MAX_MARKS, description="As in a record: `mistake`, or `arrow a1 c3`."),
    ] = ()
    evaluation: Annotated[str, Meta(max_length=200, description="As in a record.")] = ""


Counts = Annotated[str, Meta(description="What the numbers mean: margin, rest or win.")]


class ShownValues(Fields, frozen=True, kw_only=True):
    """What the moves of a position are worth, as the server has proven."""

    sentence: str
    detail: str = ""
    counts: Counts = "margin"
    moves: Sequence[tuple[str, int]] = ()


class OpenedAnalysis(Fields, frozen=True, kw_only=True):
    """An analysis as a page opens it."""

    game: str
    options: dict[str, Any]
    position: Annotated[str, Meta(description="The position at its start; empty for the start of the game.")]
    record: Annotated[str, Meta(description="The record of the analysed game; empty if there is none.")]
    played: Annotated[int, Meta(description="How many moves of the main line are those of the game.")]
    nodes: list[TreeNode]
    shown: Annotated[int, Meta(description="The number of the node at which it opens.")] = 0
    values: Annotated[ShownValues | None, Meta(description="The values shown there, if any.")] = None


def open_start(game: Game, start: Start) -> OpenedAnalysis:
    """Return an analysis without moves; where something is hidden or dealt, its start is always a position."""
    is_usual = isinstance(start, Position) and not game.spec.hidden and start == game.start()
    return OpenedAnalysis(
        game=game.id,
        options=game.given_options(),
        position="" if is_usual else start.text,
        record="",
        played=0,
        nodes=[TreeNode(depth=0)],
    )


def open_record(record: Record) -> OpenedAnalysis:
    """Return the analysis of a record; raise RecordError if it cannot be replayed, and OptionError if it is too long.

    A record that has nothing but a position and variations is one of no game.
    """
    tree = record.open_tree()
    if len(tree.nodes) > MAX_NODES:
        raise OptionError("record", f"it has {len(tree.nodes)} moves; the analysis board takes at most {MAX_NODES}")
    is_game = bool(record.lines)
    plain = Record(
        record.game,
        record.lines,
        record.seats,
        record.date,
        record.result,
        record.deck,
        "",
        record.commitment,
        record.nonce,
        record.values,
        position=record.position,
    )
    is_dealt = record.game.spec.hidden and not record.position
    return OpenedAnalysis(
        game=record.game.id,
        options=record.game.given_options(),
        position=tree.start.text if is_dealt else record.position,
        record=str(plain) if is_game else "",
        played=tree.played,
        nodes=[_describe_node(node) for node in tree.nodes],
    )


def mark_errors(opened: OpenedAnalysis, labels: Mapping[int, str]) -> OpenedAnalysis:
    """Return an analysis with these judgements, by ply, at the moves of the game that have no marks."""
    nodes, ply = list(opened.nodes), 0
    for index, node in enumerate(nodes):
        # The main move at a depth comes before all others there.
        if ply == opened.played or node.depth != ply + 1:
            continue
        if ply in labels and not node.marks:
            nodes[index] = msgspec.structs.replace(node, marks=[labels[ply]])
        ply += 1
    return msgspec.structs.replace(opened, nodes=nodes)


def _describe_node(node: Node) -> TreeNode:
    return TreeNode(
        depth=node.depth,
        move=node.move,
        seat=node.seat,
        comment=node.comment,
        marks=[str(mark) for mark in node.marks],
        evaluation="" if node.evaluation is None else str(node.evaluation),
    )


def build_record(
    game: Game, position: str, record: str, nodes: Sequence[TreeNode], check: Callable[[], None]
) -> Record:
    """Return the record of an analysis that a browser sent; `check` is called for each move, and its errors pass.

    Raise GameError for a move that cannot be played, a note that is not allowed, or a tree that no record can have.
    """
    if record:
        plain = Record.parse(record)
        if plain.game != game:
            raise OptionError("record", f"it is of {name_with_options(plain.game)}, not of {name_with_options(game)}")
        start, played = plain.match(check).positions[0], len(plain.open_tree().nodes) - 1
    else:
        given = read_start(game, position)
        if isinstance(given, View):
            raise OptionError("position", _ONLY_VIEW)
        is_usual = not game.spec.hidden and given == game.start()
        plain = Record(game, position="" if is_usual else given.text)
        start, played = given, 0
    tree = GameTree.from_nodes(start, _build_nodes(start, nodes, check), played)
    written = plain.with_tree(tree)
    # The nesting of variations and whatever else the format limits is checked by reading it.
    return Record.parse(str(written))


def _build_nodes(start: Position, nodes: Sequence[TreeNode], check: Callable[[], None]) -> list[Node]:
    """Play all moves and check all notes; raise GameError."""
    positions = [start]
    siblings: list[set[str]] = []
    built: list[Node] = []
    length = 0
    for index, node in enumerate(nodes):
        check()
        if (node.depth == 0) != (index == 0) or node.depth > len(positions):
            raise OptionError("nodes", _NOT_CONNECTED)
        seat = -1
        if node.depth:
            del positions[node.depth :], siblings[node.depth :]
            if len(siblings) < node.depth:
                siblings.append(set())
            if node.move in siblings[-1]:
                raise OptionError("nodes", f"{node.move!r} appears twice after the same moves")
            siblings[-1].add(node.move)
            positions.append(positions[-1].play(node.move))
            seat = positions[-1].last_move.seat
        comment = check_comment(node.comment)
        length += len(comment)
        marks = check_marks([Mark.parse(mark) for mark in node.marks])
        evaluation = Evaluation.parse(node.evaluation) if node.evaluation else None
        if evaluation is not None:
            check_evaluation(evaluation, start.game.seats)
        built.append(Node(node.depth, node.move if node.depth else "", seat, comment, marks, evaluation))
    if not built:
        raise GameError("an analysis needs at least its start", "nodes")
    check_total(length)
    return built
