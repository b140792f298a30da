"""The study rows of a record: comments, marks, evaluations and variations, as text and as a tree.

They follow the row of their move, or the header if they belong to the start; the game's moves are the numbered rows, as
without a study. Spaces at the beginning of a row are ignored.

    2 1 a2b2
      ; A comment; each of its lines is a row.
      * mistake
      * arrow a1 b2
      = seat 0: margin 1, exact, win 1, 20 nodes
    ( 2 1 a1a2
        ; A variation replaces the move before it, and ends at its bracket.
      3 0 b1b2
    )

After the last move of the game, a variation whose number is one larger continues the game.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from fourcorners.core.annotations import Evaluation, Mark
from fourcorners.core.errors import GameError, IllegalMoveError, RecordError, quote
from fourcorners.core.game import Position
from fourcorners.core.game_tree import (
    MAX_VARIATION_MOVES,
    GameTree,
    Node,
    check_comment,
    check_comment_line,
    check_evaluation,
    check_length,
    check_marks,
    check_total,
)
from fourcorners.core.record_format import EVENT, UNDO, RecordLine, StudyRow, fail

_INDENT = "  "


def find_standing(lines: Sequence[RecordLine]) -> list[int]:
    """Return the indices of the events of a record that are moves and were not taken back."""
    standing: list[int] = []
    for index, line in enumerate(lines):
        if not line.text.startswith("!"):
            standing.append(index)
        elif (undo := UNDO.fullmatch(line.text)) is not None:
            del standing[int(undo[1]) :]
    return standing


class _Line:
    """A line of moves while its rows are read: the game or a variation, with its branches.

    The first node is the start or the move that a variation follows, and `positions` has the position after each node.
    `variations[i]` has the nodes of all variations that replace node `i`, or continue the line if that is the next one.
    """

    def __init__(self, position: Position, node: Node, number: int) -> None:
        """Begin after a node, given its position and the number of its row."""
        self.positions = [position]
        self.nodes = [node]
        self.variations: list[list[Node]] = [[], []]
        self.number = number
        self.comment: list[str] = []
        self.length = 0  # of the comment
        self.has_variations = False

    def append(self, position: Position, number: int) -> None:
        """Add the last move of a position, whose row has this number."""
        played = position.last_move
        self.positions.append(position)
        self.nodes.append(Node(self.nodes[-1].depth + 1, played.move, played.seat))
        self.variations.append([])
        self.number = number
        self.has_variations = False

    def collect(self) -> list[Node]:
        """Return all nodes but the first, in the order of a tree."""
        branches = (node for variations in reversed(self.variations) for node in variations)
        return [*self.nodes[1:], *branches]

    def has_move(self, index: int, move: str) -> bool:
        """Return whether the line or one of its variations already has a move at this place."""
        depth = self.nodes[0].depth + index
        own = self.nodes[index : index + 1]
        return any(node.move == move for node in (*own, *self.variations[index]) if node.depth == depth)


class _TreeReader:
    """A reader of study rows in order; every fault raises RecordError with the number of the row."""

    def __init__(self, positions: Sequence[Position]) -> None:
        """Begin at the start of a game with these positions up to its end."""
        self._game = _Line(positions[0], Node(0, ""), 0)
        self._ahead = list(reversed(positions[1:]))
        self._lines = [self._game]
        self._moves = 0
        self._length = 0

    def add_game_move(self, number: int) -> None:
        """Advance to the next move of the game, the event with this number."""
        self._finish_comment(self._game)
        self._game.append(self._ahead.pop(), number)

    def read_row(self, row: StudyRow) -> None:
        """Read one row after the current move."""
        sign, rest = row.text[:1], row.text[1:].removeprefix(" ")
        line = self._lines[-1]
        try:
            if sign == ")":
                self._close(row)
            elif sign == "(":
                self._finish_comment(line)
                self._open(row, rest)
            elif sign not in ";*=":
                self._finish_comment(line)
                self._play(row, row.text, line)
            elif line.has_variations:
                fail(row.number, f"what is noted at a move comes before its variations: {quote(row.text)}")
            else:
                self._note(sign, rest, line)
        except RecordError:
            raise
        except GameError as error:
            move = error.move if isinstance(error, IllegalMoveError) else ""
            raise RecordError(row.number, error.message, move, error.reason) from None

    def _note(self, sign: str, text: str, line: _Line) -> None:
        """Note a line of a comment, a mark or an evaluation at the last move of a line; raise GameError."""
        node = line.nodes[-1]
        if sign == ";":
            # Each row is counted once, since there may be very many; blanks count as well.
            length = len(text) + bool(line.comment)
            check_length(line.length + length)
            check_total(self._length + length)
            line.comment.append(check_comment_line(text))
            line.length += length
            self._length += length
        elif sign == "*":
            line.nodes[-1] = node._replace(marks=check_marks((*node.marks, Mark.parse(text))))
        else:
            evaluation = Evaluation.parse(text)
            check_evaluation(evaluation, self._game.positions[0].game.seats)
            if node.evaluation is not None:
                raise GameError(f"there are two evaluations: {quote(text)}")
            line.nodes[-1] = node._replace(evaluation=evaluation)

    def _finish_comment(self, line: _Line) -> None:
        """Join the checked lines of a comment."""
        if line.comment:
            line.nodes[-1] = line.nodes[-1]._replace(comment=check_comment("\n".join(line.comment)))
            line.comment, line.length = [], 0

    def _open(self, row: StudyRow, text: str) -> None:
        """Begin a variation with its first move; raise GameError."""
        outer = self._lines[-1]
        number = _parse_number(row, text)
        may_continue = outer is self._game and not self._ahead
        continues = may_continue and number == outer.number + 1
        if not continues and (number != outer.number or len(outer.nodes) == 1):
            allowed = [str(outer.number)] * (len(outer.nodes) > 1) + [str(outer.number + 1)] * may_continue
            expected = f"here it is {' or '.join(allowed)}" if allowed else "it cannot replace the start"
            fail(row.number, f"a variation has the number of the move before it, which it replaces: {expected}")
        index = len(outer.nodes) - (not continues)
        outer.has_variations = True
        inner = _Line(outer.positions[index - 1], outer.nodes[index - 1]._replace(comment=""), number - 1)
        self._lines.append(inner)
        self._play(row, text, inner)
        move = inner.nodes[1].move
        if outer.has_move(index, move):
            fail(row.number, f"{quote(move)} is at this place of the record already")

    def _play(self, row: StudyRow, text: str, line: _Line) -> None:
        """Play a move of a variation; raise GameError."""
        number, seat, move = _parse_number(row, text), int(text.split(" ")[1]), text.split(" ", 2)[2]
        if number != line.number + 1:
            fail(row.number, f"moves are numbered in order: the next one is {line.number + 1}, not {number}")
        before = line.positions[-1]
        position = before.play(move)
        if seat != before.seat:
            raise IllegalMoveError(move, f"it is seat {before.seat}’s turn", "not-your-turn")
        self._moves += 1
        if self._moves > MAX_VARIATION_MOVES:
            fail(row.number, f"a record has at most {MAX_VARIATION_MOVES} moves in variations")
        line.append(position, number)

    def _close(self, row: StudyRow) -> None:
        """End the current variation."""
        if row.text != ")":
            fail(row.number, f"the end of a variation stands alone on its row, unlike {quote(row.text)}")
        inner = self._lines.pop()
        self._finish_comment(inner)
        outer = self._lines[-1]
        outer.variations[inner.nodes[0].depth + 1 - outer.nodes[0].depth].extend(inner.collect())

    def finish(self) -> GameTree:
        """Return the tree; all rows must have been read."""
        self._finish_comment(self._game)
        nodes = [self._game.nodes[0], *self._game.collect()]
        return GameTree.from_nodes(self._game.positions[0], nodes, len(self._game.nodes) - 1)


def _parse_number(row: StudyRow, text: str) -> int:
    """Return the number of a row of a variation; raise RecordError if it is not a move."""
    found = EVENT.fullmatch(text)
    if found is None:
        fail(row.number, f"a move is a number, a seat and a move, such as '1 0 c4d4', not {quote(row.text)}")
    return int(found[1])


def read_tree(
    lines: Sequence[RecordLine],
    study: Sequence[StudyRow],
    positions: Sequence[Position],
    check: Callable[[], None] | None = None,
) -> GameTree:
    """Return the tree of a record: its events, its study rows, and the positions of the match that it replays to.

    `check` is called before each row; its errors end the reading. Raise RecordError for the first invalid row.
    """
    reader, standing = _TreeReader(positions), set(find_standing(lines))
    rows = iter((*study, None))
    row = next(rows)
    for index in range(-1, len(lines)):
        if index in standing:
            reader.add_game_move(index + 1)
        while row is not None and row.event == index + 1:
            if check is not None:
                check()
            if index not in standing and index >= 0:
                _fail_misplaced(row, lines[index])
            reader.read_row(row)
            row = next(rows)
    return reader.finish()


def _fail_misplaced(row: StudyRow, line: RecordLine) -> NoReturn:
    """Raise RecordError for a study row after an event that is not a move of the game."""
    what = "is not a move" if line.text.startswith("!") else "was taken back"
    fail(row.number, f"{quote(row.text)} must follow the move that it belongs to, but {quote(line.text)} {what}")


class _Task(NamedTuple):
    """A pending part of the output: a move of a variation with everything after it, or its end (`node_index` < 0)."""

    node_index: int
    number: int
    depth: int
    begins: bool = False


class _TreeWriter:
    """A writer of the nodes of a tree; `rows` has the rows written so far."""

    def __init__(self, tree: GameTree) -> None:
        """Begin with the annotations of the start."""
        self._tree = tree
        self._children = _list_children(tree)
        self.rows: list[str] = []
        self._write_notes(tree.nodes[0], "")

    def write_variations(self, ply: int, number: int) -> None:
        """Write the variations that replace a move of the game, counted from 1, or continue it after its last move."""
        children = self._children[ply - 1]
        # Other continuations of the game are written as variations of the first one.
        self._write([_Task(index, number, 1, begins=True) for index in _slice_variations(children, ply, self._tree)])

    def write_game_move(self, number: int, line: RecordLine, ply: int) -> None:
        """Write an event of the game, with its annotations if it is a move; moves count from 1, and 0 stands for no
        move.
        """
        self.rows.append(f"{number} {line.seat} {line.text}")
        if ply:
            self._write_notes(self._tree.nodes[ply], "")
            self.write_variations(ply, number)

    def _write(self, tasks: list[_Task]) -> None:
        """Write variations with everything after them; a list replaces recursion, since they may be deep."""
        tasks.reverse()
        while tasks:
            node_index, number, depth, begins = tasks.pop()
            outside, inside = _INDENT * (depth - 1), _INDENT * depth
            if node_index < 0:
                self.rows.append(f"{outside})")
                continue
            node = self._tree.nodes[node_index]
            self.rows.append(f"{outside + '( ' if begins else inside}{number} {node.seat} {node.move}")
            self._write_notes(node, inside)
            if begins:
                tasks.append(_Task(-1, 0, depth))
            tasks.extend(_Task(child, number + 1, depth) for child in self._children[node_index][:1])
            siblings = self._find_variations(node_index)
            tasks.extend(_Task(sibling, number, depth + 1, begins=True) for sibling in reversed(siblings))

    def _find_variations(self, index: int) -> list[int]:
        """Return the indices of the nodes that replace a node, if it is the main move at its place."""
        before = self._tree.nodes[index - 1]
        # A main move stands right after the move that it follows.
        is_main = before.depth == self._tree.nodes[index].depth - 1
        return self._children[index - 1][1:] if is_main else []

    def _write_notes(self, node: Node, indent: str) -> None:
        """Write the annotations of a node."""
        start = indent + _INDENT if node.depth else ""
        if node.comment:
            self.rows.extend(f"{start}; {line}".rstrip() for line in node.comment.split("\n"))
        self.rows.extend(f"{start}* {mark}" for mark in node.marks)
        if node.evaluation is not None:
            self.rows.append(f"{start}= {node.evaluation}")


def _slice_variations(children: list[int], ply: int, tree: GameTree) -> list[int]:
    """Return the children of the position before a ply that are written after the game's move, or to continue it."""
    return children[:1] if ply > tree.played else children[1:]


def _list_children(tree: GameTree) -> list[list[int]]:
    """Return the indices of the children of each node."""
    children: list[list[int]] = [[] for _ in tree.nodes]
    ancestors: list[int] = []
    for index, node in enumerate(tree.nodes):
        del ancestors[node.depth :]
        if ancestors:
            children[ancestors[-1]].append(index)
        ancestors.append(index)
    return children


def write_rows(lines: Sequence[RecordLine], tree: GameTree) -> list[str]:
    """Return the rows of a record after its header: the events, and the tree of their game."""
    writer = _TreeWriter(tree)
    standing = {index: ply for ply, index in enumerate(find_standing(lines), 1)}
    if not standing:
        writer.write_variations(1, 1)
    for index, line in enumerate(lines):
        ply = standing.get(index, 0)
        writer.write_game_move(index + 1, line, ply)
        if ply and ply == tree.played:
            writer.write_variations(ply + 1, index + 2)
    return writer.rows
