"""The common base of positions and of views with the information of one seat. It checks all outside input."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.contract import GameLike, Ply
from fourcorners.core.errors import IllegalMoveError, NotationError, OptionError, Reason, quote
from fourcorners.core.spec import Spec
from fourcorners.core.termination import Termination, describe

MAX_MOVE_LENGTH = 100
_NOT_YOURS = Reason("not-your-turn", "it is not this seat’s turn, and only the seat to move knows its moves")
_OVER = Reason("game-over", "the game is over")


class PlayedMove(NamedTuple):
    """A move in the form for its own seat (`move`) and for the other seats (`public`)."""

    seat: int
    move: str
    public: str


@dataclass(frozen=True)
class Outcome:
    """The end of a game: the seats that share the win, and the ending as a clause and as an enum.

    The clause determines `termination`, which comparisons ignore.
    """

    winners: tuple[int, ...]
    reason: str
    termination: Termination | None = field(default=None, compare=False)


class DeclaredGame(GameLike, Protocol):
    """The part of a game that a position needs."""

    @property
    def spec(self) -> Spec: ...
    @property
    def seat_names(self) -> tuple[str, ...]: ...


class BasePosition:
    """The common base of positions and views, which are immutable.

    `states` is the record as a read-only array of length 1, for compiled code.
    """

    def __init__(self, game: DeclaredGame, states: States, played: tuple[PlayedMove, ...]) -> None:
        """Take over `states`, an array of one record, which becomes read-only, and the moves played so far.

        Use `game.start` or `game.position` to make positions. Raise OptionError for arguments of another type.
        """
        check_parts(game, states, played)
        states.setflags(write=False)
        self.game = game
        self.states = states
        self._played = played

    @cached_property
    def record(self) -> State:
        """The record, of the game's dtype and read-only, with its fields as attributes."""
        return dispatch.view_record(self.states)

    def release_record(self) -> None:
        """Free the memory of `record` and of the cached view, which are made again on demand."""
        self.__dict__.pop("record", None)
        self.__dict__.pop("_open_view", None)

    @cached_property
    def _status(self) -> tuple[int, tuple[int, ...]]:
        """The seat to move, -1 if the game is over, and the points by seat."""
        points = np.zeros(self.game.spec.rules.MAX_SEATS, np.int64)
        seat = int(compiled_api.status(self.states, 0, points))
        return seat, tuple(int(value) for value in points[: self.game.seats])

    @property
    def seat(self) -> int | None:
        """The seat to move; None when the game is over."""
        return None if self.is_over else self._status[0]

    @property
    def scores(self) -> tuple[int, ...]:
        """The current points, by seat."""
        return self._status[1]

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The names of the seats' colours or signs in this position, by seat."""
        find = self.game.spec.find_seat_names
        return self.game.seat_names if find is None else find(self.record)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._status[0] < 0

    @property
    def outcome(self) -> Outcome | None:
        """The seats with the most points and how the game ended; None while it is running."""
        if not self.is_over:
            return None
        best = max(self.scores)
        winners = tuple(seat for seat, points in enumerate(self.scores) if points == best)
        termination = self.game.spec.explain.classify_ending(self.record)
        return Outcome(winners, describe(termination, self.game.spec.presentation.ending_clauses), termination)

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The moves since the start or the set-up position, with their seats."""
        return self.list_plies()

    @property
    def ply_count(self) -> int:
        """The number of moves since the start or the set-up position."""
        return len(self._played)

    def list_plies(self, start: int = 0) -> tuple[Ply, ...]:
        """Return the plies from number `start` on, counted from 0."""
        return tuple(Ply(played.seat, played.move) for played in self._played[start:])

    def count_common_plies(self, other: BasePosition) -> int:
        """Return the number of plies, from the first one on, that two positions or views have in common."""
        mine, others = self._played, other._played
        shorter = min(len(mine), len(others))
        if mine[:shorter] == others[:shorter]:
            return shorter
        return next(ply for ply in range(shorter) if mine[ply] != others[ply])

    def find_last_ply(self, seats: Sequence[int]) -> int | None:
        """Return the number, from 0, of the last ply that one of the seats played; None if there is none."""
        played = self._played
        return next((ply for ply in range(len(played) - 1, -1, -1) if played[ply].seat in seats), None)

    @property
    def history(self) -> tuple[str, ...]:
        """The moves since the start or the set-up position, as text."""
        return tuple(played.move for played in self._played)

    @property
    def last_move_text(self) -> str:
        """The last move as text; "" if there is none since the start or the set-up position."""
        return self._played[-1].move if self._played else ""

    def _can_list_moves(self) -> bool:
        """Return whether the viewer may know the legal moves."""
        return True

    @property
    def text(self) -> str:
        """The position or view as one line, which `game.position` or `game.view` parses."""
        return self.game.spec.notation.write(self.record)

    def _legal_actions(self) -> Actions:
        """Return the legal actions in the order of the rules; none if the game is over or they are hidden."""
        if self.is_over or not self._can_list_moves():
            return np.zeros(0, np.int64)
        return compiled_api.list_legal(self.states, 0)

    def moves(self) -> list[str]:
        """List the legal moves, sorted; none if the game is over or the viewer may not know them."""
        return list(_format_legal_moves(self))

    def offered_moves(self) -> tuple[str, ...]:
        """Return the moves that a page offers, sorted: the legal moves, unless finding them is the player's task."""
        if self.is_over or not self._can_list_moves():
            return ()
        offered = self.game.spec.list_offered_moves(self.record)
        return _format_legal_moves(self) if offered is None else tuple(offered)

    def complete(self, tokens: Sequence[str] = ()) -> list[str]:
        """List the tokens that may follow these in an offered move, sorted; without tokens, all first tokens.

        The list is empty if no longer offered move begins with the tokens, or if one of them is not text. Raise
        NotationError if `tokens` is a `str` or not a sequence.
        """
        if isinstance(tokens, str) or not isinstance(tokens, Sequence):
            raise NotationError(f"{quote(tokens)} is not allowed; tokens are a list of strings, such as ['c4']")
        # More tokens than characters cannot be a move, as each token of a move has at least one.
        if len(tokens) > MAX_MOVE_LENGTH or not all(isinstance(token, str) and " " not in token for token in tokens):
            return []
        beginning = "".join(f"{str.__str__(token)} " for token in tokens)
        offered = self.offered_moves()
        following = set()
        # Moves are sorted, so those with the same beginning are adjacent.
        for index in range(bisect_left(offered, beginning), len(offered)):
            if not offered[index].startswith(beginning):
                break
            following.add(offered[index][len(beginning) :].partition(" ")[0])
        return sorted(following)

    def why(self, move: str) -> Reason | None:
        """Return why `play` would refuse a move, a part of one or any other object; None if it is playable."""
        try:
            self._parse_playable(move)
        except IllegalMoveError as error:
            return Reason(error.code, error.reason)
        except NotationError as error:
            text = str.__str__(move) if isinstance(move, str) else ""
            tokens = tuple(text.split(" "))
            may_begin_move = 0 < len(text) <= MAX_MOVE_LENGTH and not self.is_over and self._can_list_moves()
            if may_begin_move and not self.complete(tokens):
                reason = self.game.spec.explain.explain_tokens(self.record, tokens)
                if reason is not None:
                    return reason
            return Reason(error.code, error.message)
        return None

    def _parse_playable(self, move: object) -> int:
        """Parse a move as an action that the game accepts here, legal or not.

        Raise NotationError if it is not text, too long or not a move. Raise IllegalMoveError if the game is over, if
        the viewer may not know the legal moves, or if the game does not accept it.
        """
        if not isinstance(move, str):
            raise NotationError(f"a move is text, not {quote(move)}")
        text = str.__str__(move)
        if len(text) > MAX_MOVE_LENGTH:
            raise NotationError(f"{quote(text)} is not a move: it is longer than {MAX_MOVE_LENGTH} characters")
        action = self.game.spec.notation.parse(self.record, text)
        if self.is_over:
            reason = _OVER
        elif not self._can_list_moves():
            reason = _NOT_YOURS
        elif action in self._legal_actions().tolist() or compiled_api.accepts_illegal(self.states, 0, action):
            return action
        else:
            reason = self.game.spec.explain.explain_illegal_action(self.record, action)
        raise IllegalMoveError(text, reason.sentence, reason.code)

    def __eq__(self, other: object) -> bool:
        """Return whether both are positions, or both views, of the same game and record, regardless of history."""
        if type(other) is not type(self) or not isinstance(other, BasePosition):
            return NotImplemented
        return self.game == other.game and self.states.tobytes() == other.states.tobytes()

    def __hash__(self) -> int:
        return hash((self.game, self.states.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.states, self._played)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.id}: {self.text}>"


# A small cache, not an attribute: the moves of a large field take megabytes, and a match keeps all positions.
@lru_cache(maxsize=32)
def _format_legal_moves(position: BasePosition) -> tuple[str, ...]:
    """Format the legal actions as moves, sorted; empty where `_legal_actions` is."""
    format_action, s = position.game.spec.notation.format, position.record
    return tuple(sorted([format_action(s, action) for action in position._legal_actions().tolist()]))  # noqa: SLF001  # of this module


def check_parts(game: DeclaredGame, states: States, played: tuple[PlayedMove, ...]) -> None:
    """Raise OptionError unless these have the types of a game, its array of one record, and moves."""
    if not isinstance(getattr(game, "spec", None), Spec):
        raise OptionError("game", f"{quote(game)} is not allowed; it must be a Game, as fourcorners.game returns")
    dtype = game.spec.rules.DTYPE
    if not isinstance(states, np.ndarray) or states.shape != (1,) or states.dtype != dtype:
        raise OptionError("states", f"{quote(states)} is not allowed; it must be an array of one record of this game")
    # Checking only the last move keeps this fast: a match makes as many positions as it has moves.
    if not isinstance(played, tuple) or not all(isinstance(move, PlayedMove) for move in played[-1:]):
        raise OptionError("played", f"{quote(played)} is not allowed; it must be a tuple of PlayedMoves")
