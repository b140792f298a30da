"""The analysis board: positions that a client names by where they begin and by moves, drawn with what can follow.

Nothing is stored between requests: the tree is in the browser, and the server replays what it is asked about. A start
is the line of a position or, in a game with hidden information, of what the seat to move knows; such a view can be
analysed, but no moves can be played on from it, since no one knows what they would lead to.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

from cachetools import LRUCache
from msgspec import Meta

from fourcorners.core.errors import GameError, IllegalMoveError, NotationError
from fourcorners.core.game import Game, Position, View
from fourcorners.core.narration import narrate
from fourcorners.core.scene import Scene, add_overlay
from fourcorners.study.puzzles.knowledge import list_hand
from fourcorners.study.results import describe_outcome
from fourcorners.web.protocol.board_picture import (
    PICTURE_EXAMPLE,
    BoardPicture,
    build_board_picture,
    draw_tokens,
    label_undrawn_tokens,
)
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields, Svg

MAX_MOVES, MAX_POSITION_LENGTH = 1000, 20_000
_CACHE_CAPACITY = 20_000
"""How many positions are kept, of some kilobytes each; lines that begin alike share them, but each counts them."""
_MASKED = "this position is what one seat knows: where its moves lead depends on hidden information"

_LineKey = tuple[Game, str, tuple[str, ...]]
Start = Position | View
"""Where an analysis begins; a View if only one seat's knowledge is given."""


class Line(NamedTuple):
    """A position of an analysis: its `start`, and the positions after each move from there."""

    start: Start
    positions: tuple[Position, ...]

    @property
    def last(self) -> Start:
        """The position that is shown."""
        return self.positions[-1] if self.positions else self.start

    @property
    def view(self) -> View:
        """What the seat to move knows of it; once the game is over, what everyone does."""
        return self.last if isinstance(self.last, View) else self.last.view(self.last.seat)


class Hand(Fields, frozen=True, kw_only=True):
    """What a seat holds, in a game in which the others do not see it."""

    seat: int
    tokens: Annotated[list[str], Meta(description="The tokens of moves that stand for what it holds.")]
    pictures: Annotated[dict[str, Svg], Meta(description="Small pictures of these tokens.")]


@example(
    picture=PICTURE_EXAMPLE,
    position="0 …",
    overlay="Chains",
    hands=[],
    mover="Black",
    words="drew a1–b1",
    result="",
)
class BoardAnswer(Fields, frozen=True, kw_only=True):
    """A position on the analysis board."""

    picture: BoardPicture
    position: Annotated[str, Meta(description="The position as one line of text, or what is known of it.")]
    overlay: Annotated[str | None, Meta(description="The name of what the game draws over the board, if anything.")]
    hands: Annotated[list[Hand], Meta(description="All hands, if the game has any and they are known.")]
    mover: Annotated[
        str, Meta(description="Who made the last move; a seat that swapped has its old name. Empty at first.")
    ]
    words: Annotated[str, Meta(description="The last move as a clause without subject; empty before the first one.")]
    result: Annotated[str, Meta(description="How the game ended, as a clause; empty while it is not over.")]


@example(next=["b1"], move=False, labels={})
class Completion(Fields, frozen=True, kw_only=True):
    """What can follow the first tokens of a move, and whether they are a move themselves."""

    next: list[str]
    move: bool
    labels: Annotated[dict[str, str], Meta(description="Names for the tokens that no picture shows.")]


class PositionCache:
    """The positions that were asked about lately, so that a step plays one move instead of all. Any thread may ask."""

    def __init__(self, capacity: int = _CACHE_CAPACITY) -> None:
        """Start empty."""
        self._lines: LRUCache[_LineKey, Line] = LRUCache(capacity, lambda line: 1 + len(line.positions))
        self._lock = threading.Lock()

    def find_line(self, game: Game, text: str, moves: Sequence[str], check: Callable[[], None] = lambda: None) -> Line:
        """Return the line from a start, "" for that of the game, over some moves.

        `check` is called before each move that must be played; its errors pass through. Raise NotationError for a wrong
        start, and IllegalMoveError for the first move that cannot be played.
        """
        wanted = tuple(moves)
        line, known = None, len(wanted)
        for known in range(len(wanted), -1, -1):
            with self._lock:
                line = self._lines.get((game, text, wanted[:known]))
            if line is not None:
                break
        if line is None:
            line = Line(read_start(game, text), ())
        for move in wanted[known:]:
            check()
            line = line._replace(positions=(*line.positions, _play(line.last, move)))
        with self._lock:
            self._lines[game, text, wanted] = line
        return line


def read_start(game: Game, text: str) -> Start:
    """Return the position of a line, or what the seat to move knows of it; "" is the start of the game, and in a game
    that deals something one of many. Raise NotationError.
    """
    if not text:
        return game.start()
    try:
        return game.position(text)
    except NotationError:
        view = _read_own_view(game, text)
        if view is None:
            raise
        return view


def _read_own_view(game: Game, text: str) -> View | None:
    """Return the view of the seat to move that a line describes; None if the line is not that of a view."""
    for seat in range(game.seats if game.spec.hidden else 0):
        try:
            view = game.view(text, seat)
        except GameError:
            continue
        if view.seat == seat:
            return view
    return None


def _play(position: Start, move: str) -> Position:
    """Return the position after a move; raise IllegalMoveError with the clearest reason."""
    if isinstance(position, View):
        raise IllegalMoveError(move, _MASKED, "hidden")
    try:
        return position.play(move)
    except GameError as error:
        # A beginning of a move, which someone points at, is explained as well.
        reason = position.why(move)
        sentence, code = (error.message, error.code) if reason is None else (reason.sentence, reason.code)
        raise IllegalMoveError(move, sentence, code) from None


def describe_line(line: Line) -> BoardAnswer:
    """Draw the last position of a line and describe it."""
    position, view = line.last, line.view
    mover, words = _narrate_last(line)
    overlay = view.overlay()
    scene = view.scene()
    drawn = scene if overlay is None else add_overlay(scene, overlay)
    return BoardAnswer(
        picture=build_board_picture(view, drawn, can_move=isinstance(position, Position)),
        position=position.text,
        overlay=None if overlay is None else overlay.name,
        hands=_list_hands(position) if isinstance(position, Position) else [],
        mover=mover,
        words=words,
        result="" if position.outcome is None else _describe_outcome(position),
    )


def _describe_outcome(position: Start) -> str:
    """Say how a game ended: "Red wins 5 : 4; no edges are left"."""
    assert position.outcome is not None
    outcome = describe_outcome(position.outcome.winners, position.scores, position.seat_names, position.game)
    return f"{outcome}; {position.outcome.reason}"


def _narrate_last(line: Line) -> tuple[str, str]:
    """Return who made the last move, and the move in words as that seat saw it; nothing if there is none."""
    if not line.positions:
        return "", ""
    before, after = [line.start, *line.positions][-2:]
    assert isinstance(before, Position)
    assert isinstance(after, Position)
    return before.seat_names[before.seat or 0], narrate(before, after, before.seat).words


def _list_hands(position: Position) -> list[Hand]:
    """List what each seat holds, as the tokens that its own view shows in the tray; nothing if nothing is hidden."""
    if not position.game.spec.hidden:
        return []
    hands = []
    for seat in range(position.game.seats):
        tokens = list_hand(position, seat)
        hands.append(Hand(seat=seat, tokens=list(tokens), pictures=draw_tokens(position.game, tokens)))
    return hands


def complete_move(line: Line, tokens: Sequence[str]) -> Completion:
    """Return what can follow some tokens in the last position of a line; nothing can in one that is masked."""
    position, view = line.last, line.view
    if isinstance(position, View):
        return Completion(next=[], move=False, labels={})
    following = position.complete(tokens)
    move = " ".join(tokens)
    scene: Scene = view.scene()
    labels = label_undrawn_tokens(view, scene, following)
    return Completion(next=following, move=bool(tokens) and position.why(move) is None, labels=labels)
