"""Commands at a table: what they change, and what is refused."""

from collections.abc import Callable
from typing import get_args

import pytest

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web.domain import actions
from fourcorners.web.domain.actions import (
    AnswerDraw,
    AnswerUndo,
    AskUndo,
    Command,
    Move,
    OfferDraw,
    Rematch,
    Rename,
    Resign,
    SeatComputer,
    Sit,
    Stand,
    Undo,
    Verb,
    apply_command,
    close_table,
    flag_clock,
    list_allowed_verbs,
)
from fourcorners.web.domain.rows import TableEvent
from fourcorners.web.domain.seats import OPEN, PERSON
from fourcorners.web.domain.table import Table
from tests.web.tables import ADA, BOB, CLEO, SMALL, START, build_row, play_moves, seat_players

DAN = "d" * 64
TIMED = {"clock": {"kind": "game", "seconds": 60, "increment": 0}}


def build_table_of_cleo(*players: str) -> Table:
    """Return a table that Cleo set up without a seat of her own, and at which the players sit down at seats 0 and 1."""
    table = Table(build_row(SMALL, [OPEN, OPEN], CLEO))
    for seat, player in enumerate(players):
        apply_command(table, player, Sit(f"sit{seat}", START, seat, f"Player {seat + 1}"))
    return table


def build_table_against_computer() -> Table:
    """Return a table of Cleo at which Ada has played a move against a computer."""
    table = build_table_of_cleo(ADA)
    apply_command(table, CLEO, SeatComputer("computer", START, 1, "computer:1"))
    play_moves(table, "a1")
    return table


def build_table_with_requests() -> Table:
    """Return a table of Cleo at which Bob has offered a draw and Ada, who moved first, has asked for a takeback."""
    table = build_table_of_cleo(ADA, BOB)
    play_moves(table, "a1")
    apply_command(table, BOB, OfferDraw("offer", START, 1))
    apply_command(table, ADA, AskUndo("ask", START, 0))
    return table


def build_resigned_table() -> Table:
    """Return a table of Cleo at which Ada has resigned against Bob after one move."""
    table = build_table_of_cleo(ADA, BOB)
    play_moves(table, "a1")
    apply_command(table, ADA, Resign("resign", START, 0))
    return table


def build_closed_table() -> Table:
    """Return a table of Cleo at which only Ada sat down and which the server has closed."""
    table = build_table_of_cleo(ADA)
    assert close_table(table, START) is not None
    return table


def list_commands(seat: int) -> list[Command]:
    """Return a command of every verb, in the order of `Verb`, which names the seat if it names one."""
    return [
        Move("x", START, "b2"),
        Resign("x", START, seat),
        Undo("x", START),
        OfferDraw("x", START, seat),
        AnswerDraw("x", START, seat, accept=True),
        AskUndo("x", START, seat),
        AnswerUndo("x", START, seat, accept=True),
        Sit("x", START, seat, "New"),
        Stand("x", START, seat),
        SeatComputer("x", START, seat, "computer:1"),
        Rematch("x", START, "rematch"),
        Rename("x", START, seat, "New"),
    ]


def is_accepted(table: Table, player: str, command: Command) -> bool:
    """Return whether `apply_command` accepts the player's command, which has changed the table then."""
    try:
        apply_command(table, player, command)
    except GameError:
        return False
    return True


@pytest.mark.parametrize("player", [ADA, BOB, CLEO, DAN], ids=["ada", "bob", "owner without a seat", "spectator"])
@pytest.mark.parametrize(
    "build",
    [
        lambda: build_table_of_cleo(ADA),
        lambda: build_table_of_cleo(ADA, BOB),
        build_table_against_computer,
        build_table_with_requests,
        build_resigned_table,
        build_closed_table,
    ],
    ids=["open seat", "no move yet", "against a computer", "draw and takeback asked", "resigned", "closed"],
)
def test_server_accepts_the_commands_that_a_page_offers_and_no_others(build: Callable[[], Table], player: str) -> None:
    # A page offers a command if the server accepts it for some seat. Every command gets a table of its own.
    pairs = zip(list_commands(0), list_commands(1), strict=True)
    accepted = [pair[0].verb for pair in pairs if any(is_accepted(build(), player, command) for command in pair)]
    assert accepted == list_allowed_verbs(build(), player)


def test_owner_without_a_seat_cannot_take_back_moves_but_a_player_can() -> None:
    table = build_table_against_computer()
    with pytest.raises(IllegalMoveError, match="seated") as caught:
        apply_command(table, CLEO, Undo("x", START))
    assert caught.value.code == "not-yours"
    assert len(table.match.position.plies) == 1
    assert apply_command(table, ADA, Undo("y", START)).event.text == "!undo 0"


def test_commands_have_all_verbs_in_the_same_order() -> None:
    assert [command.verb for command in get_args(actions.Command)] == list(Verb)


def test_refused_command_leaves_chairs_and_version_unchanged() -> None:
    table = seat_players(SMALL, ADA, BOB)
    chairs, version = table.chairs, table.version
    for command in (Move("x", START, "z9"), Move("y", START, "!resign"), Stand("z", START, 0)):
        with pytest.raises(GameError):
            apply_command(table, ADA, command)
    assert (table.chairs, table.version) == (chairs, version)


def test_new_holder_gets_no_chair_if_the_event_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(_table: Table, _event: TableEvent) -> TableEvent:
        raise GameError("rejected")

    table = Table(build_row(SMALL, [PERSON, OPEN]))
    chairs, version = table.chairs, table.version
    # The rules reject no event of a chair today.
    monkeypatch.setattr(Table, "apply_event", reject)
    with pytest.raises(GameError, match="rejected"):
        apply_command(table, BOB, Sit("x", START, 1, "Bob"))
    assert (table.chairs, table.version) == (chairs, version)


def test_closed_table_refuses_changes_of_seats() -> None:
    table = Table(build_row(SMALL, [PERSON, OPEN], settings=TIMED))
    assert close_table(table, START + 1) is not None
    with pytest.raises(IllegalMoveError, match="closed"):
        apply_command(table, ADA, SeatComputer("x", START + 2, 1, "computer:1"))
    with pytest.raises(IllegalMoveError, match="closed"):
        apply_command(table, ADA, Stand("y", START + 2, 0))
    with pytest.raises(IllegalMoveError, match="closed"):
        apply_command(table, BOB, Sit("z", START + 2, 1, "Bob"))


def test_closed_game_has_no_deadline() -> None:
    table = seat_players(SMALL, ADA, BOB, settings=TIMED)
    play_moves(table, "a1")
    assert table.summarise(START).deadline is not None
    assert close_table(table, START + 1) is not None
    assert table.summarise(START + 3).deadline is None


def test_clock_is_flagged_only_after_the_maximum_lag() -> None:
    table = seat_players(SMALL, ADA, BOB, settings=TIMED)
    play_moves(table, "a1")
    assert table.clock.deadline == START + 60
    # A move made before the deadline may still be on its way for the maximum lag of a second.
    assert table.flag_time == START + 61
    assert flag_clock(table, START + 60.5) is None
    change = flag_clock(table, START + 61)
    assert change is not None
    assert change.event.text == "!time"
    assert table.is_over
