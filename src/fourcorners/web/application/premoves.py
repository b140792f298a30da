"""What a seat plans to play when its turn comes: a premove, or lines of moves that hang on the others' moves.

In a line the moves of all seats follow each other as they are played; null stands for all that others play until it is
the seat's turn. What is planned is checked again when it is due, and a take-back undoes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import GameError, IllegalMoveError, quote
from fourcorners.core.position import Ply, Position, View
from fourcorners.web.domain.actions import Command
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.snapshots import MOST_MOVES, as_text, drawn
from fourcorners.web.store import Chair

Line = Sequence[str | None]
_FORESEEN, _OFTEN = 24, 6
_SPELT = 5_000
"""So many continuations are looked at for the moves a seat may have, which are those after each sixth of them or more;
about so many moves are written for that."""


def may_plan(table: Table, seat: int) -> bool:
    """Tell whether what a seat has planned may be played for it."""
    return table.chairs[seat].kind == PERSON and not table.study and seat not in table.match.out


def planned(table: Table, player: str, seat: int, lines: list[list[str | None]], ply: int, version: int) -> Chair:
    """Return a chair with its new plan, made for the board of a version after so many plies.

    Raise IllegalMoveError if this player may not plan for it, or if a line can never be played.
    """
    _check_seat(table, player, seat)
    if not lines:
        return table.chairs[seat]._replace(plan=None)
    plies = table.match.position.plies
    since = plies[ply:]
    if version < table.taken_back or ply > len(plies) or any(played.seat == seat for played in since):
        raise IllegalMoveError("plan", "the board has changed since this was planned", "stale")
    if since and not all(line[0] is None for line in lines):
        raise IllegalMoveError("plan", "others have moved since this was planned", "stale")
    if not since and table.seat == seat:
        raise _own_turn()
    movers = [_movers(table, seat, line) for line in lines]
    return table.chairs[seat]._replace(plan={"at": ply, "version": version, "lines": lines, "movers": movers})


def _check_seat(table: Table, player: str, seat: int) -> None:
    if seat not in table.playing(player):
        raise IllegalMoveError("plan", f"seat {seat} is not yours", "not-yours")
    table.check_running("plan")


def _own_turn() -> IllegalMoveError:
    return IllegalMoveError("plan", "it is your turn: nothing need be planned", "your-turn")


def _movers(table: Table, seat: int, line: Line) -> list[int | None]:
    """Say whose each move of a line is, checking it as far as the board is known; the last one is the seat's own."""
    position = table.match.position
    movers: list[int | None] = []
    for number, move in enumerate(line):
        if move is None:
            return movers + _after_any(position, seat, line[number:])
        if table.hidden:
            raise IllegalMoveError("plan", "here an answer can be planned to any move only", "hidden")
        movers.append(position.seat)
        position = _played(position, move)
    if movers[-1] != seat:
        raise _no_answer()
    return movers


def _after_any(position: Position, seat: int, rest: Line) -> list[int | None]:
    """Say whose the moves are from a null on: where the board is not known, a move can still be of this game or not."""
    if rest[-1] is None or rest[1] is None:
        raise _no_answer()
    view = position.view(seat)
    for move in rest:
        if move is not None:
            try:
                view.game.spec.notation.parse(view.record, move)
            except GameError as error:
                raise IllegalMoveError("plan", f"{quote(move)}: {error.message}", error.code) from None
    return [None, seat, *(None for _ in rest[2:])]


def _no_answer() -> IllegalMoveError:
    return IllegalMoveError("plan", "a line ends with a move of your own", "no-answer")


def _played(position: Position, move: str) -> Position:
    try:
        return position.play(move)
    except GameError as error:
        reason = error.reason
        raise IllegalMoveError("plan", f"{quote(move)}: {reason}", error.code) from None


def left(table: Table, seat: int) -> list[tuple[Line, list[int | None]]]:
    """Return what is left of the lines that a seat has planned, and whose moves those are, if they were followed."""
    plan: dict[str, Any] | None = table.chairs[seat].plan
    plies = table.match.position.view(seat).plies
    if plan is None or plan["version"] < table.taken_back or plan["at"] > len(plies):
        return []
    played = plies[plan["at"] :]
    pairs = zip(plan["lines"], plan["movers"], strict=True)
    rests = ((rest_of(line, played, seat), movers) for line, movers in pairs)
    return [(rest, movers[-len(rest) :]) for rest, movers in rests if rest]


def rest_of(line: Line, played: Sequence[Ply], seat: int) -> Line:
    """Return what is left of a line after some plies; nothing if something else was played, or if it has ended."""
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


def due(table: Table, seat: int, at: float) -> Command | None:
    """Return the move that the seat to move has planned for what was played; None if it has planned none."""
    for rest, _ in left(table, seat):
        move = next((move for move in rest if move is not None), None)
        if move is not None:
            # No browser may send an id with this sign.
            return Command("move", f"+{table.version}", at, move=move)
    return None


def told(table: Table, seat: int) -> str:
    """Write the message that tells a seat its plan."""
    kept = [] if table.seat is None else left(table, seat)
    lines, movers = [line for line, _ in kept], [movers for _, movers in kept]
    return as_text({"type": "plan", "seat": seat, "lines": lines, "movers": movers})


def tried(table: Table, player: str, seat: int, line: list[str | None], tokens: list[str] | None) -> dict[str, Any]:
    """Show the board after a line, and what may be played there, for who plans; raise IllegalMoveError.

    `[null]` asks for the moves that the seat may have when its turn comes. `tokens` asks only what may follow these,
    where the moves are too many to be sent.
    """
    _check_seat(table, player, seat)
    position = table.match.position
    if position.seat == seat:
        raise _own_turn()
    shown: dict[str, Any] = {}
    mover: int | None = seat
    if line == [None]:
        moves = foreseen(position.view(seat), seat)
    elif None in line or table.hidden:
        raise IllegalMoveError("plan", "here an answer can be planned to any move only", "hidden")
    else:
        for move in line:
            position = _played(position, move or "")
        view = position.view(seat)
        moves, mover = view.offered_moves(), position.seat
        if tokens is None:
            shown["board"], shown["tray"] = drawn(view.scene())
    answer = {"type": "try", "seat": seat, "line": line, "tokens": tokens}
    if tokens is not None:
        return {**answer, **following(moves, tokens)}
    labels = {token: table.match.game.spec.explain.label(token) for move in moves for token in move.split(" ")}
    listed = list(moves) if len(moves) <= MOST_MOVES else None
    return {**answer, **shown, "mover": mover, "moves": listed, "labels": labels}


def following(moves: Sequence[str], tokens: list[str]) -> dict[str, Any]:
    """Say what may follow some tokens of these moves, and whether they are a move."""
    start = "".join(f"{token} " for token in tokens)
    next_ = {move[len(start) :].partition(" ")[0] for move in moves if move.startswith(start)}
    return {"next": sorted(next_), "move": " ".join(tokens) in moves}


@lru_cache(maxsize=64)
def foreseen(view: View, seat: int) -> tuple[str, ...]:
    """List the moves that a seat will likely have when its turn comes, from what it knows.

    The others play at random in worlds that fit the view, so hidden things stay hidden; a move that is possible only
    after few of these continuations is left out.
    """
    game, rng = view.game, new_rng(len(view.plies) + 1)
    found: Counter[str] = Counter()
    tries = 0
    while tries < _FORESEEN and found.total() <= _SPELT:
        states = view.states.copy()
        if game.spec.hidden:
            compiled_api.deal(states, 0, rng)
        position = Position(game, states, ())
        while position.seat not in {seat, None}:
            states = states.copy()
            compiled_api.play(states, 0, compiled_api.pick(states, 0, rng))
            position = Position(game, states, ())
        found.update(position.view(seat).offered_moves())
        tries += 1
    return tuple(sorted(move for move, count in found.items() if count * _OFTEN >= tries))
