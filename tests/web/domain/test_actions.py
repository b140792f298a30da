"""Commands at a table: what they change, and what is refused."""

from collections.abc import Callable

import pytest

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web.domain.actions import close_table, flag_clock, list_allowed_verbs
from fourcorners.web.domain.commands import (
    COMMANDS,
    AddComputer,
    AnswerDraw,
    AnswerTakeback,
    AnyCommand,
    DeclineRematch,
    LeaveSeat,
    Move,
    OfferDraw,
    Rematch,
    Rename,
    RequestTakeback,
    Resign,
    Sit,
    Undo,
    Verb,
)
from fourcorners.web.domain.rematch import TOGETHER
from fourcorners.web.domain.rows import TableEvent
from fourcorners.web.domain.seats import OPEN, PERSON
from fourcorners.web.domain.table import Table
from fourcorners.web.domain.table_clock import GRACE
from fourcorners.web.protocol.codec import find_tag
from tests.require import require
from tests.web.tables import ADA, BOB, CLEO, SMALL, START, apply, build_row, play_moves, seat_players

DAN = "d" * 64
TIMED = {"clock": {"kind": "game", "seconds": 60, "increment": 0}}


def build_table_of_cleo(*players: str) -> Table:
    """Return a table that Cleo set up without a seat of her own, and at which the players sit down at seats 0 and 1."""
    table = Table(build_row(SMALL, [OPEN, OPEN], CLEO))
    for seat, player in enumerate(players):
        apply(table, player, Sit(f"sit{seat}", 0, seat, f"Player {seat + 1}"))
    return table


def build_table_against_computer() -> Table:
    """Return a table of Cleo at which Ada has played a move against a computer."""
    table = build_table_of_cleo(ADA)
    apply(table, CLEO, AddComputer("computer", 0, 1, "computer:1"))
    play_moves(table, "a1")
    return table


def build_table_with_requests() -> Table:
    """Return a table of Cleo at which Bob has offered a draw and Ada, who moved first, has asked for a takeback."""
    table = build_table_of_cleo(ADA, BOB)
    play_moves(table, "a1")
    apply(table, BOB, OfferDraw("offer", 0, 1))
    apply(table, ADA, RequestTakeback("ask", 0, 0))
    return table


def build_resigned_table() -> Table:
    """Return a table of Cleo at which Ada has resigned against Bob after one move."""
    table = build_table_of_cleo(ADA, BOB)
    play_moves(table, "a1")
    apply(table, ADA, Resign("resign", 0, 0))
    return table


def build_table_with_rematch_asked() -> Table:
    """Return a table at which Ada resigned and asks for a rematch."""
    table = build_resigned_table()
    apply(table, ADA, Rematch("ask", 0))
    return table


def build_closed_table() -> Table:
    """Return a table of Cleo at which only Ada sat down and which the server has closed."""
    table = build_table_of_cleo(ADA)
    assert close_table(table, START) is not None
    return table


def list_commands(seat: int) -> list[AnyCommand]:
    """Return a command of every verb, in the order of `Verb`, which names the seat if it names one."""
    return [
        Move("x", 0, "b2"),
        Resign("x", 0, seat),
        Undo("x", 0),
        OfferDraw("x", 0, seat),
        AnswerDraw("x", 0, seat, accept=True),
        RequestTakeback("x", 0, seat),
        AnswerTakeback("x", 0, seat, accept=True),
        Sit("x", 0, seat, "New"),
        LeaveSeat("x", 0, seat),
        AddComputer("x", 0, seat, "computer:1"),
        Rematch("x", 0),
        DeclineRematch("x", 0),
        Rename("x", 0, seat, "New"),
    ]


def is_accepted(table: Table, player: str, command: AnyCommand) -> bool:
    """Return whether the server accepts the player's command, which has changed the table then."""
    try:
        apply(table, player, command, rematch_id="rematch")
    except GameError as error:
        # The server tries again without a table for a rematch.
        return error.code == TOGETHER
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
        build_table_with_rematch_asked,
        build_closed_table,
    ],
    ids=[
        "open seat",
        "no move yet",
        "against a computer",
        "draw and takeback asked",
        "resigned",
        "rematch asked",
        "closed",
    ],
)
def test_server_accepts_the_commands_that_a_page_offers_and_no_others(build: Callable[[], Table], player: str) -> None:
    # A page offers a command if the server accepts it for some seat. Every command gets its own table.
    pairs = zip(list_commands(0), list_commands(1), strict=True)
    accepted = [
        find_tag(type(pair[0])) for pair in pairs if any(is_accepted(build(), player, command) for command in pair)
    ]
    assert accepted == list_allowed_verbs(build(), player)


def test_owner_without_a_seat_cannot_take_back_moves_but_a_player_can() -> None:
    table = build_table_against_computer()
    with pytest.raises(IllegalMoveError, match="seated") as caught:
        apply(table, CLEO, Undo("x", 0))
    assert caught.value.code == "not-yours"
    assert len(table.match.position.plies) == 1
    assert apply(table, ADA, Undo("y", 0)).event.text == "!undo 0"


def test_commands_have_all_verbs_in_the_same_order() -> None:
    assert [find_tag(command) for command in COMMANDS] == list(Verb)


def test_refused_command_leaves_chairs_and_version_unchanged() -> None:
    table = seat_players(SMALL, ADA, BOB)
    chairs, version = table.chairs, table.version
    for command in (Move("x", 0, "z9"), Move("y", 0, "!resign"), LeaveSeat("z", 0, 0)):
        with pytest.raises(GameError):
            apply(table, ADA, command)
    assert (table.chairs, table.version) == (chairs, version)


def test_new_holder_gets_no_chair_if_the_event_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(_table: Table, _event: TableEvent) -> TableEvent:
        raise GameError("rejected")

    table = Table(build_row(SMALL, [PERSON, OPEN]))
    chairs, version = table.chairs, table.version
    # The rules reject no event of a chair today.
    monkeypatch.setattr(Table, "apply_event", reject)
    with pytest.raises(GameError, match="rejected"):
        apply(table, BOB, Sit("x", 0, 1, "Bob"))
    assert (table.chairs, table.version) == (chairs, version)


def test_closed_table_refuses_changes_of_seats() -> None:
    table = Table(build_row(SMALL, [PERSON, OPEN], settings=TIMED))
    assert close_table(table, START + 1) is not None
    with pytest.raises(IllegalMoveError, match="closed"):
        apply(table, ADA, AddComputer("x", 0, 1, "computer:1"), START + 2)
    with pytest.raises(IllegalMoveError, match="closed"):
        apply(table, ADA, LeaveSeat("y", 0, 0), START + 2)
    with pytest.raises(IllegalMoveError, match="closed"):
        apply(table, BOB, Sit("z", 0, 1, "Bob"), START + 2)


def test_closed_game_has_no_deadline() -> None:
    table = seat_players(SMALL, ADA, BOB, settings=TIMED)
    play_moves(table, "a1")
    assert table.summarise(START).deadline is not None
    assert close_table(table, START + 1) is not None
    assert table.summarise(START + 3).deadline is None


def test_clock_is_flagged_only_after_the_maximum_lag() -> None:
    table = seat_players(SMALL, ADA, BOB, settings=TIMED)
    play_moves(table, "a1")
    end = START + GRACE + 60
    assert table.clock.deadline == end
    # A move made before the deadline may still be on its way for the maximum lag of a second.
    assert table.flag_time == end + 1
    assert flag_clock(table, end + 0.5) is None
    assert require(flag_clock(table, end + 1)).event.text == "!time"
    assert table.is_over
