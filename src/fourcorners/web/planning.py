"""What a seat plans to play when its turn comes: a premove, or lines of moves that hang on the others' moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.reading import Ply
from fourcorners.web.deeds import Command
from fourcorners.web.frames import as_text
from fourcorners.web.seats import PERSON
from fourcorners.web.store import Chair
from fourcorners.web.table import Table

Line = Sequence[str | None]


def may_plan(table: Table, seat: int) -> bool:
    """Tell whether a seat may plan: where others play as well, and no curtain hides the hands of one screen."""
    chair = table.chairs[seat]
    return chair.kind == PERSON and not table.study and len(table.match.game.options.parties) > 1


def planned(table: Table, player: str, seat: int, lines: list[list[str | None]]) -> Chair:
    """Return a chair with its new plan; raise IllegalMoveError if this player may not plan for it."""
    if seat not in table.playing(player):
        raise IllegalMoveError("plan", f"seat {seat} is not yours", "not-yours")
    table.check_running("plan")
    plan = {"at": len(table.match.position.plies), "lines": lines} if lines else None
    return table.chairs[seat]._replace(plan=plan)


def due(table: Table, seat: int, at: float) -> Command | None:
    """Return the move that the seat to move has planned for what was played; None if it has planned none."""
    plan: dict[str, Any] | None = table.chairs[seat].plan
    plies = table.match.position.view(seat).plies
    if plan is None or plan["at"] > len(plies):
        return None
    played = plies[plan["at"] :]
    for line in plan["lines"]:
        move = next_of(line, played, seat)
        if move is not None:
            # No browser may send an id with this sign.
            return Command("move", f"+{table.version}", at, move=move)
    return None


def next_of(line: Line, played: Sequence[Ply], seat: int) -> str | None:
    """Return what a seat plays next in a line after so many plies; None if they left it, or it has ended.

    In a line the moves of all seats follow each other; None stands for all that others play until it is the seat's turn.
    """
    at = 0
    for ply in played:
        own = ply.seat == seat
        if own and at < len(line) and line[at] is None:
            at += 1
        if at >= len(line):
            return None
        if line[at] is None:
            continue
        if line[at] != ply.move:
            return None
        at += 1
    if at < len(line) and line[at] is None:
        at += 1
    return line[at] if at < len(line) else None


def told(table: Table, seat: int) -> str:
    """Write the message that tells a seat its plan."""
    plan = table.chairs[seat].plan
    return as_text({"type": "plan", "seat": seat, "lines": plan["lines"] if plan else []})
