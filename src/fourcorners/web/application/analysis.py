"""Analysis of a table's positions: exact values, hints, evaluations, and earlier positions.

All functions take the session's lock to find out what the player may know; all but `look_at_position` work without it.
They raise NoTableError, StoreError and GameError as `TableSession.hold` does. There is no help with a position that
another running game has (`running_games`): a record or a game alone may repeat it.
"""

from collections.abc import Callable

from fourcorners.web.application.running_games import refuse_help
from fourcorners.web.application.table_session import TableSession
from fourcorners.web.engine.analysis_text import Seats, describe_bounds, describe_estimate, describe_solution
from fourcorners.web.engine.cancellable_query import Answer, build_refusal
from fourcorners.web.engine.services import SolveResult
from fourcorners.web.engine.work_queue import Client
from fourcorners.web.protocol.server_messages import LookAnswer, SolveProgress
from fourcorners.web.protocol.snapshots import build_look

_CHANGED: Answer = {"state": "cancelled"}
"""The answer about a board that has changed meanwhile; the browser shows the change anyway."""


async def solve_position(
    session: TableSession, client: Client, ply: int, report: Callable[[SolveProgress], None]
) -> Answer:
    """Return the exact value of the position after `ply` plies, as the fields of a `SolveAnswer`; refuse a final one.

    `report` receives the bounds, as margins at the end of the game, from time to time. Raise IllegalMoveError without
    such a ply or if the value must stay unknown until the game is over, and BusyError if the server has too many
    questions.
    """
    async with session.hold() as table:
        position = table.solvable_position(ply)
        seats, own = Seats(position, table.names_for(client.player)), table.player_seats(client.player)
    if position.is_over:
        return build_refusal("The game is over here: step back to an earlier position.")
    await refuse_help(session.context, position, session.id)

    def report_bounds(result: SolveResult) -> None:
        report(SolveProgress(ply=ply, **describe_bounds(position, result.lower, result.upper, result.nodes)))

    result = await session.context.engine.solve(client, position, report_bounds)
    return await session.context.run_in_board_thread(describe_solution, result, seats, position, own)


async def find_hint(session: TableSession, client: Client, wanted_seat: int | None, version: int) -> Answer:
    """Return a move for the seat to move with its reason, as the fields of a `HintAnswer`.

    The hint is found from what this seat knows, for the player who holds it. If the table no longer has this version,
    the state is "cancelled". Raise IllegalMoveError as `Table.hint_view` does, and BusyError.
    """
    async with session.hold() as table:
        if table.version != version:
            return _CHANGED
        view = table.hint_view(client.player, wanted_seat)
    await refuse_help(session.context, view, session.id)
    advice = await session.context.engine.hint(client, view)
    reason = advice.text.removeprefix(advice.move).removeprefix(": ")
    return {"state": "found", "move": advice.move, "reason": reason}


async def evaluate_position(
    session: TableSession, client: Client, wanted_seat: int | None, version: int, ply: int
) -> Answer:
    """Return the expected result of the position after `ply` plies, as the fields of an `EvaluateAnswer`.

    If the table no longer has this version, the state is "cancelled". Raise IllegalMoveError as `Table.evaluation_view`
    does, and BusyError.
    """
    async with session.hold() as table:
        if table.version != version:
            return _CHANGED
        view = table.evaluation_view(client.player, wanted_seat, ply)
        seats, own = Seats(view, table.names_for(client.player)), table.player_seats(client.player)
    if not view.is_over:
        await refuse_help(session.context, view, session.id)
    estimate = await session.context.engine.estimate(client, view)
    return await session.context.run_in_board_thread(describe_estimate, estimate, seats, view, own)


async def look_at_position(session: TableSession, player: str, wanted_seat: int | None, ply: int) -> LookAnswer:
    """Return the position after `ply` plies, 0 or more, as a player may see it; raise IllegalMoveError if none."""
    async with session.hold() as table:
        table.position_at("look", ply)  # raises if there is no such ply
        viewer = table.choose_perspective(player, wanted_seat).viewer
        return await session.context.run_in_board_thread(build_look, table, viewer, ply)
