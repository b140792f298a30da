"""Premoves: what a seat plans to play when its turn comes.

A seat's premoves are lines. A line lists the moves of all seats in the order of play; None stands for everything that
the others play until the seat moves again. The simplest line is one answer to any move: `[None, "a1"]`. Lines that
begin with the same moves are a tree; where they disagree about the seat's own move, the first one counts. The moves of
a line are checked again when they are played, and a takeback or the end of the game cancels them.

They are stored with the chair, in the field and column `plan`, as `{"at", "version", "lines", "movers"}`: the number of
plies and the table version for which they were made, the lines, and for each line the seat that plays each move (None
where that is not known).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.contract import Ply
from fourcorners.core.errors import GameError, IllegalMoveError, quote
from fourcorners.core.game import Position, View
from fourcorners.web.domain.commands import Move
from fourcorners.web.domain.rows import Chair
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import NOT_YOURS, Table

PremoveLine = Sequence[str | None]
MAX_PREMOVES = 64
"""The maximum number of moves in all lines of a seat; moves that lines share at their beginning count once."""
_SAMPLES = 24
"""How many random continuations `predict_moves` plays."""
_SAMPLE_SHARE = 6
"""A move is predicted if it is possible after at least one in this many continuations."""
_MAX_SAMPLED_MOVES = 5_000
"""Sampling stops after this many moves: writing them takes longer than playing."""
_OWN_TURN = ("it is your turn: play the move instead of setting a premove", "your-turn")
_NO_ANSWER = ("a line must end with a move of your own", "no-answer")
_HIDDEN_HANDS = ("with hidden hands, a premove must not depend on the moves of others", "hidden")


class RemainingLine(NamedTuple):
    """What is left of a premove line, and the seat that plays each of its moves."""

    moves: PremoveLine
    movers: list[int | None]


class LinePreview(NamedTuple):
    """What a player who sets premoves sees after a line: the moves that can follow, and the seat that plays them.

    `view` is the board after the line; None if the others' moves are not known, so that there is no board to show.
    """

    moves: tuple[str, ...]
    mover: int | None
    view: View | None


def can_premove(table: Table, seat: int) -> bool:
    """Return whether premoves may be played for an existing seat: a person's or open, in no record, not out."""
    return table.chairs[seat].kind == PERSON and not table.study and seat not in table.match.out


def prepare_premoves(
    table: Table, player: str, seat: int, lines: list[list[str | None]], ply: int, version: int
) -> Chair:
    """Return the chair of a seat with new premoves, made when the board had `ply` plies at table version `version`.

    No line may be empty; no lines cancel the premoves. The table itself does not change. Raise IllegalMoveError if the
    player may not premove for this seat, if it was the seat's turn, if a line cannot be played, or if the board has
    changed since; moves by other seats do not matter if every line begins with None.
    """
    _check_seat(table, player, seat)
    if not lines:
        return table.chairs[seat]._replace(plan=None)
    plies = table.match.position.plies
    since = plies[ply:]
    if version < table.last_undo_version or ply > len(plies) or any(played.seat == seat for played in since):
        raise IllegalMoveError("premoves", "the board has changed since this premove was set", "stale")
    if since and not all(line[0] is None for line in lines):
        raise IllegalMoveError("premoves", "other players have moved since this premove was set", "stale")
    if not since and table.seat == seat:
        raise IllegalMoveError("premoves", *_OWN_TURN)
    if len({tuple(line[:length]) for line in lines for length in range(1, len(line) + 1)}) > MAX_PREMOVES:
        raise IllegalMoveError("premoves", f"there can be at most {MAX_PREMOVES} moves in your premoves", "too-many")
    known: dict[tuple[str, ...], Position] = {}
    movers = [_find_movers(table, seat, line, known) for line in lines]
    return table.chairs[seat]._replace(plan={"at": ply, "version": version, "lines": lines, "movers": movers})


def _check_seat(table: Table, player: str, seat: int) -> None:
    """Raise IllegalMoveError unless the game runs and the player holds the seat, which is still in it."""
    if seat not in table.active_seats(player):
        raise IllegalMoveError("premoves", NOT_YOURS.format(seat), "not-yours")
    table.check_running("premoves")


def _find_movers(
    table: Table, seat: int, line: PremoveLine, known: dict[tuple[str, ...], Position]
) -> list[int | None]:
    """Return the seat of each move of a line, None if unknown; raise IllegalMoveError if it may not be premoved.
    `known` has the positions after the beginnings of earlier lines, and gets those of this one.
    """
    position = table.match.position
    movers: list[int | None] = []
    beginning: tuple[str, ...] = ()
    for number, move in enumerate(line):
        if move is None:
            return movers + _find_movers_after_any(position, seat, line[number:])
        if table.hidden:
            raise IllegalMoveError("premoves", *_HIDDEN_HANDS)
        movers.append(position.seat)
        beginning += (move,)
        if beginning not in known:
            known[beginning] = _play_line_move(position, move)
        position = known[beginning]
    if movers[-1] != seat:
        raise IllegalMoveError("premoves", *_NO_ANSWER)
    return movers


def _find_movers_after_any(position: Position, seat: int, rest: PremoveLine) -> list[int | None]:
    """Return the seat of each move of `rest`, which begins with None: unknown (None), then `seat`, then unknown.
    Raise IllegalMoveError for its form or notation; whether the moves will be legal is not known yet.
    """
    # The first condition also rejects a `rest` of one move, which has no second one.
    if rest[-1] is None or rest[1] is None:
        raise IllegalMoveError("premoves", *_NO_ANSWER)
    view = position.view(seat)
    for move in rest:
        if move is not None:
            try:
                view.game.spec.notation.parse(view.record, move)
            except GameError as error:
                raise IllegalMoveError("premoves", f"{quote(move)}: {error.message}", error.code) from None
    return [None, seat, *(None for _ in rest[2:])]


def _play_line_move(position: Position, move: str) -> Position:
    """Return the position after a move of a line; raise IllegalMoveError, which quotes the move, if it is illegal."""
    try:
        return position.play(move)
    except GameError as error:
        raise IllegalMoveError("premoves", f"{quote(move)}: {error.reason}", error.code) from None


def list_remaining_lines(table: Table, seat: int) -> list[RemainingLine]:
    """Return what is left of a seat's lines that agree with the plies played, in order; none after a takeback."""
    plan: dict[str, Any] | None = table.chairs[seat].plan
    if plan is None or plan["version"] < table.last_undo_version or plan["at"] > table.match.position.ply_count:
        return []
    played = table.match.position.view(seat).list_plies(plan["at"])
    pairs = zip(plan["lines"], plan["movers"], strict=True)
    rests = ((follow_line(line, played, seat), movers) for line, movers in pairs)
    return [RemainingLine(rest, movers[-len(rest) :]) for rest, movers in rests if rest]


def follow_line(line: PremoveLine, played: Sequence[Ply], seat: int) -> PremoveLine:
    """Return what is left of a seat's line after the plies played since; [] if that is at most a None, or they
    disagree.
    """
    at = 0
    for ply in played:
        if at < len(line) and line[at] is None:
            if ply.seat != seat:
                continue
            at += 1
        if at == len(line) or line[at] != ply.move:
            return []
        at += 1
    rest = line[at:]
    return [] if list(rest) == [None] else rest


def find_premove(table: Table, seat: int) -> Move | None:
    """Return the next premove of the seat to move, from its first line that fits; None if no line fits."""
    for line in list_remaining_lines(table, seat):
        move = next((move for move in line.moves if move is not None), None)
        if move is not None:
            # Clients cannot send an id that begins with "+".
            return Move(f"+{table.version}", table.version, move)
    return None


def preview_line(table: Table, player: str, seat: int, line: PremoveLine) -> LinePreview:
    """Return what can follow a line of moves that a player thinks about; an empty line is the current board.

    `[None]` asks for the moves that the seat will probably have when its turn comes. Raise IllegalMoveError if the
    player may not premove for this seat, it is the seat's turn, the line cannot be played, or hands are hidden and the
    line is not `[None]`.
    """
    _check_seat(table, player, seat)
    position = table.match.position
    if position.seat == seat:
        raise IllegalMoveError("premoves", *_OWN_TURN)
    if list(line) == [None]:
        return LinePreview(predict_moves(position.view(seat), seat), seat, None)
    if table.hidden:
        raise IllegalMoveError("premoves", *_HIDDEN_HANDS)
    for move in line:
        if move is None:
            raise IllegalMoveError(
                "premoves", "a line with null can be previewed only if it has nothing else", "hidden"
            )
        position = _play_line_move(position, move)
    view = position.view(seat)
    return LinePreview(view.offered_moves(), position.seat, view)


@lru_cache(maxsize=64)
def predict_moves(view: View, seat: int) -> tuple[str, ...]:
    """Return the moves that a seat will probably have when its turn comes, sorted; `view` is what this seat knows.

    Random continuations are played from deals that agree with the view, so that the result depends on nothing hidden.
    Moves that are possible after few of them are left out. Equal views give equal results, which are cached.
    """
    game, rng = view.game, new_rng(len(view.plies) + 1)
    found: Counter[str] = Counter()
    samples = 0
    while samples < _SAMPLES and found.total() <= _MAX_SAMPLED_MOVES:
        states = view.states.copy()
        if game.spec.hidden:
            compiled_api.deal(states, 0, rng)
        position = Position(game, states, ())
        while position.seat not in {seat, None}:
            # A position keeps its states and must not see them change.
            states = states.copy()
            compiled_api.play(states, 0, compiled_api.pick(states, 0, rng))
            position = Position(game, states, ())
        found.update(position.view(seat).offered_moves())
        samples += 1
    return tuple(sorted(move for move, count in found.items() if count * _SAMPLE_SHARE >= samples))
