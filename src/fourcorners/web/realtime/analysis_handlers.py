"""What a browser may ask of a table that takes a while: exact values, a hint, an estimate."""

from __future__ import annotations

import threading

from fourcorners.web.engine.analysis_text import describe_bounds, describe_estimate, describe_solution
from fourcorners.web.engine.cancellable_query import Answer, Reply, build_refusal
from fourcorners.web.engine.hint_service import HintService
from fourcorners.web.engine.solve_service import SolveService
from fourcorners.web.protocol.snapshots import look
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.room_context import Watcher

_CHANGED = {"state": "left"}
"""The answer to a question about what has changed meanwhile: who asked is shown the change."""


async def solved(solve_service: SolveService, room: Room, watcher: Watcher, ply: int, reply: Reply, stop: threading.Event) -> Answer:
    """Solve a position of which all may be known."""
    async with room.present() as table:
        match, position = table.match, table.revealed_at(ply)
    if position.is_over:
        return build_refusal("the game is over here: step back to see what could still be won.")

    def bounds(lower: int, upper: int, nodes: int) -> None:
        if not stop.is_set():
            reply({"type": "solving", "ply": ply, **describe_bounds(match, position, lower, upper, nodes)})

    verdict = await solve_service.solve(position, stop, bounds)
    own = table.held(watcher.owner)
    return await room.on_board(describe_solution, verdict, match, position, own)


async def hinted(hint_service: HintService, room: Room, watcher: Watcher, version: int, stop: threading.Event) -> Answer:
    """Find a move for the seat to move and say why, from what this seat knows; for who plays it alone."""
    async with room.present() as table:
        if table.version != version:
            return _CHANGED
        asked = table.own_turn(watcher.owner, watcher.wish)
    advice = await hint_service.hint(watcher.owner, asked, stop)
    reason = advice.text.removeprefix(advice.move).removeprefix(": ")
    return {"state": "found", "move": advice.move, "reason": reason}


async def evaluated(
    hint_service: HintService, room: Room, watcher: Watcher, version: int, ply: int, stop: threading.Event
) -> Answer:
    """Say how a position is expected to end, from what the browser may know of it."""
    async with room.present() as table:
        if table.version != version:
            return _CHANGED
        match, view = table.match, table.to_evaluate(watcher.owner, watcher.wish, ply)
    estimate = await hint_service.estimate(watcher.owner, view, stop)
    own = table.held(watcher.owner)
    return await room.on_board(describe_estimate, estimate, match, view, own)


async def looked(room: Room, watcher: Watcher, ply: int) -> Answer:
    """Show an earlier position as a browser may see it."""
    async with room.present() as table:
        if not 0 <= ply < len(table.match.positions):
            return {"type": "bad", "sentence": f"there are {len(table.match.positions) - 1} plies, not {ply}"}
        viewer = table.sight(watcher.owner, watcher.wish).viewer
        return await room.on_board(look, table, viewer, ply)
