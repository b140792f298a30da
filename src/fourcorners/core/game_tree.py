"""The tree of a game: its moves, variations of any depth, and the annotations of each move."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fourcorners.core.annotations import Evaluation, Mark
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Position
from fourcorners.core.record_format import MAX_VARIATION_DEPTH

MAX_VARIATION_MOVES = 5_000
MAX_COMMENT_LENGTH = 2_000
MAX_COMMENTS_LENGTH = 200_000  # of all comments of a tree together
MAX_MARKS = 60  # at one move
_UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}

Path = tuple[str, ...]
"""The moves from the start to a move of a tree, which name it; empty for the start."""


class Node(NamedTuple):
    """A move of a tree, or its start, with the annotations of the move and the position after it.

    `depth` is the number of moves from the start to here, and `seat` is the seat of the last one (-1 at the start). A
    comment may have several lines.
    """

    depth: int
    move: str
    seat: int = -1
    comment: str = ""
    marks: tuple[Mark, ...] = ()
    evaluation: Evaluation | None = None

    @property
    def is_plain(self) -> bool:
        """Whether there is no annotation here."""
        return not (self.comment or self.marks or self.evaluation)


class GameTree:
    """A position and moves from it, with variations. Trees are immutable: each change returns a new one.

    `nodes` has the start, and after each move its continuations: first the main one with everything after it, then the
    variations. Trees are not nested in memory, so no depth can exhaust the stack. Moves of one position differ. The
    first `played` moves of the main line are the moves of a game, which can be annotated but neither deleted nor
    displaced. Positions are not stored; `position` plays the moves again.
    """

    def __init__(self, start: Position, moves: Iterable[str] = ()) -> None:
        """Set up a tree of the moves of a game, as text.

        Raise OptionError unless `start` is a Position, and the errors of `Position.play` for a move that cannot be
        played.
        """
        if not isinstance(start, Position):
            raise OptionError("start", f"{quote(start)} is not allowed; it must be a Position")
        self.start = start
        played = start.play_line(moves).list_plies(start.ply_count)
        self.played = len(played)
        self.nodes = (Node(0, ""), *(Node(depth, ply.move, ply.seat) for depth, ply in enumerate(played, 1)))

    @classmethod
    def from_nodes(cls, start: Position, nodes: Sequence[Node], played: int) -> GameTree:
        """Return a tree of nodes, which must be in the order of `nodes`, legal and within the limits; this is not
        checked.
        """
        tree = cls.__new__(cls)
        tree.start, tree.nodes, tree.played = start, tuple(nodes), played
        return tree

    @property
    def variation_moves(self) -> int:
        """The number of moves in variations."""
        return len(self.nodes) - 1 - self.played

    @property
    def is_plain(self) -> bool:
        """Whether the tree has only the moves of the game."""
        return not self.variation_moves and all(node.is_plain for node in self.nodes)

    def node(self, path: Sequence[str] = ()) -> Node:
        """Return the move that a path leads to; raise OptionError if the tree has no such path."""
        return self.nodes[_find_node(self.nodes, path)]

    def children(self, path: Sequence[str] = ()) -> tuple[str, ...]:
        """List the moves after a path, the main one first; raise OptionError as `node` does."""
        parent = _find_node(self.nodes, path)
        depth = self.nodes[parent].depth + 1
        return tuple(
            node.move for node in self.nodes[parent + 1 : _find_end(self.nodes, parent)] if node.depth == depth
        )

    def main_line(self, path: Sequence[str] = ()) -> Path:
        """Return a path extended by the main moves after it, up to the end; raise OptionError as `node` does."""
        index = _find_node(self.nodes, path)
        line = list(path)
        while index + 1 < len(self.nodes) and self.nodes[index + 1].depth > self.nodes[index].depth:
            index += 1
            line.append(self.nodes[index].move)
        return tuple(line)

    def walk(self) -> Iterator[tuple[Path, Node]]:
        """Iterate over all nodes, in the order of `nodes`, with their paths."""
        path: list[str] = []
        for node in self.nodes:
            del path[max(0, node.depth - 1) :]
            if node.depth:
                path.append(node.move)
            yield tuple(path), node

    def position(self, path: Sequence[str] = ()) -> Position:
        """Return the position after a path; raise OptionError as `node` does."""
        _find_node(self.nodes, path)
        return self.start.play_line(path)

    def add_move(self, path: Sequence[str], move: str) -> GameTree:
        """Return a tree with another move after a path, behind the existing ones; the same tree if it has the move
        already.

        Raise OptionError as `node` does, GameError if the tree is full or the nesting too deep, and NotationError or
        IllegalMoveError if the move cannot be played.
        """
        played = self.position(path).play(move).last_move
        parent = _find_node(self.nodes, path)
        if _find_child(self.nodes, parent, played.move) is not None:
            return self
        if self.variation_moves >= MAX_VARIATION_MOVES:
            raise GameError(f"a tree has at most {MAX_VARIATION_MOVES} moves in variations", "too-many-moves")
        end = _find_end(self.nodes, parent)
        node = Node(self.nodes[parent].depth + 1, played.move, played.seat)
        return self._with_moves((*self.nodes[:end], node, *self.nodes[end:]))

    def delete(self, path: Sequence[str]) -> GameTree:
        """Return a tree without the last move of a path and everything after it.

        Raise OptionError if there is no such path, or if the path ends at the start or at a move of the game.
        """
        index = _find_node(self.nodes, path)
        if index <= self.played:
            what = "the start" if index == 0 else f"{quote(self.nodes[index].move)} is a move of the game, which"
            raise OptionError("path", f"{what} cannot be deleted")
        return self._with_nodes((*self.nodes[:index], *self.nodes[_find_end(self.nodes, index) :]))

    def promote(self, path: Sequence[str]) -> GameTree:
        """Return a tree in which a path comes first at every branch, except behind the moves of the game.

        Raise OptionError as `node` does, and GameError if other variations would be nested too deep.
        """
        nodes = self.nodes
        _find_node(nodes, path)
        for depth in range(1, len(path) + 1):
            parent, index = _find_node(nodes, path[: depth - 1]), _find_node(nodes, path[:depth])
            end, target = _find_end(nodes, index), parent + 1
            if parent < self.played and index != target:
                target = _find_end(nodes, target)
            nodes = (*nodes[:target], *nodes[index:end], *nodes[target:index], *nodes[end:])
        return self._with_moves(nodes)

    def set_comment(self, path: Sequence[str], comment: str) -> GameTree:
        """Return a tree with a comment at a path, stripped of blanks; an empty comment removes it.

        Raise OptionError as `node` does, or for a comment that is not printable or too long.
        """
        text = check_comment(comment)
        index = _find_node(self.nodes, path)
        check_total(sum(len(node.comment) for node in self.nodes) - len(self.nodes[index].comment) + len(text))
        return self._with_node(index, self.nodes[index]._replace(comment=text))

    def set_marks(self, path: Sequence[str], marks: Iterable[Mark]) -> GameTree:
        """Return a tree with these marks at a path, replacing others.

        Raise OptionError as `node` does, or unless they are at most MAX_MARKS different marks.
        """
        index = _find_node(self.nodes, path)
        return self._with_node(index, self.nodes[index]._replace(marks=check_marks(marks)))

    def set_evaluation(self, path: Sequence[str], evaluation: Evaluation | None) -> GameTree:
        """Return a tree with an evaluation at a path, or without one (None).

        Raise OptionError as `node` does, or for another type or a seat that the game does not have.
        """
        index = _find_node(self.nodes, path)
        if evaluation is not None:
            check_evaluation(evaluation, self.start.game.seats)
        return self._with_node(index, self.nodes[index]._replace(evaluation=evaluation))

    def _with_node(self, index: int, node: Node) -> GameTree:
        """Return a tree with another node at an index."""
        return self._with_nodes((*self.nodes[:index], node, *self.nodes[index + 1 :]))

    def _with_moves(self, nodes: Sequence[Node]) -> GameTree:
        """Return a tree of other nodes from the same start; raise GameError if they are nested too deep."""
        nesting = [0]  # of the node at each depth
        previous = nodes[0]
        for node in nodes[1:]:
            del nesting[node.depth :]
            is_variation = previous.depth != node.depth - 1
            # Continuations of the game are written as variations as well.
            continues = node.depth == self.played + 1 and nesting[-1] == 0
            nesting.append(nesting[-1] + is_variation + continues)
            previous = node
            if nesting[-1] > MAX_VARIATION_DEPTH:
                raise GameError(f"variations may be nested {MAX_VARIATION_DEPTH} deep, not deeper", "too-deep")
        return self._with_nodes(nodes)

    def _with_nodes(self, nodes: Sequence[Node]) -> GameTree:
        """Return a tree of other nodes from the same start."""
        return self.from_nodes(self.start, nodes, self.played)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same start and nodes, and the same moves of the game."""
        if not isinstance(other, GameTree):
            return NotImplemented
        return (self.start, self.nodes, self.played) == (other.start, other.nodes, other.played)

    def __hash__(self) -> int:
        return hash((self.start, self.nodes, self.played))

    def __repr__(self) -> str:
        return f"<GameTree of {self.start.game.id}: {self.played} moves, {self.variation_moves} in variations>"


def _find_node(nodes: Sequence[Node], path: Sequence[str]) -> int:
    """Return the index of the node that a path leads to; raise OptionError."""
    if isinstance(path, str) or not isinstance(path, Sequence):
        raise OptionError("path", f"{quote(path)} is not allowed; it must be a list of moves")
    index = 0
    for number, move in enumerate(path, 1):
        child = _find_child(nodes, index, str.__str__(move)) if isinstance(move, str) else None
        if child is None:
            raise OptionError("path", f"move {number}, {quote(move)}, is not in the tree")
        index = child
    return index


def _find_child(nodes: Sequence[Node], parent: int, move: str) -> int | None:
    """Return the index of the child with this move; None if there is none."""
    depth = nodes[parent].depth + 1
    for index in range(parent + 1, len(nodes)):
        node = nodes[index]
        if node.depth < depth:
            return None
        if node.depth == depth and node.move == move:
            return index
    return None


def _find_end(nodes: Sequence[Node], index: int) -> int:
    """Return the index after the last node that follows from the one at `index`."""
    depth = nodes[index].depth
    after = range(index + 1, len(nodes))
    return next((end for end in after if nodes[end].depth <= depth), len(nodes))


def is_printable(text: str) -> bool:
    """Return whether a text has neither control characters nor line breaks, so that it can be part of a line."""
    return _UNPRINTABLE.isdisjoint(map(unicodedata.category, text))


def check_comment(comment: object) -> str:
    """Return a comment stripped of blanks around it and at the ends of its lines; raise OptionError."""
    if not isinstance(comment, str):
        raise OptionError("comment", f"{quote(comment)} is not allowed; it must be text")
    text = str.__str__(comment).strip()
    check_length(len(text))
    return "\n".join(check_comment_line(line) for line in text.replace("\r\n", "\n").split("\n"))


def check_comment_line(line: str) -> str:
    """Return a line of a comment without spaces at its end; raise OptionError if it is not printable."""
    text = line.rstrip()
    if not is_printable(text):
        raise OptionError("comment", f"{quote(line)} is not allowed; a line must be printable text")
    return text


def check_length(length: int) -> None:
    """Raise OptionError if a comment has too many characters."""
    if length > MAX_COMMENT_LENGTH:
        raise OptionError("comment", f"{length} characters are too many; a comment has at most {MAX_COMMENT_LENGTH}")


def check_total(length: int) -> None:
    """Raise OptionError if the comments of a tree have too many characters together."""
    if length > MAX_COMMENTS_LENGTH:
        message = f"{length} characters are too many; all comments together have at most {MAX_COMMENTS_LENGTH}"
        raise OptionError("comment", message)


def check_marks(marks: object) -> tuple[Mark, ...]:
    """Return marks as a tuple; raise OptionError unless they are at most MAX_MARKS, all different."""
    given = tuple(marks) if isinstance(marks, list | tuple) and len(marks) <= MAX_MARKS else None
    if given is None or not all(isinstance(mark, Mark) for mark in given) or len(set(given)) != len(given):
        allowed = f"a list of at most {MAX_MARKS} different Marks"
        raise OptionError("marks", f"{quote(marks)} is not allowed; it must be {allowed}")
    return given


def check_evaluation(evaluation: object, seats: int) -> None:
    """Raise OptionError unless this is an Evaluation for one of the seats of a game."""
    if not isinstance(evaluation, Evaluation) or evaluation.seat >= seats:
        allowed = f"an Evaluation for seat 0 to {seats - 1}"
        raise OptionError("evaluation", f"{quote(evaluation)} is not allowed; it must be {allowed}")
