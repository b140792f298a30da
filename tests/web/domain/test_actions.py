"""Commands at a table: what they change, and what is refused."""

from typing import get_args

import pytest

from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.web.domain import actions
from fourcorners.web.domain.actions import Move, SeatComputer, Sit, Stand, Verb, apply_command, close_table, flag_clock
from fourcorners.web.domain.rows import TableEvent
from fourcorners.web.domain.seats import OPEN, PERSON
from fourcorners.web.domain.table import Table
from tests.web.tables import ADA, BOB, SMALL, START, build_row, play_moves, seat_players

TIMED = {"clock": {"kind": "game", "seconds": 60, "increment": 0}}


def test_commands_have_all_verbs_in_the_same_order() -> None:
    assert [command.verb for command in get_args(actions.Command)] == list(Verb)


def test_refused_command_leaves_chairs_and_version_unchanged() -> None:
    table = seat_players(SMALL, ADA, BOB)
    chairs, version = list(table.chairs), table.version
    for command in (Move("x", START, "z9"), Move("y", START, "!resign"), Stand("z", START, 0)):
        with pytest.raises(GameError):
            apply_command(table, ADA, command)
    assert (table.chairs, table.version) == (chairs, version)


def test_new_holder_gets_no_chair_if_the_event_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(_table: Table, _event: TableEvent) -> TableEvent:
        raise GameError("rejected")

    table = Table(build_row(SMALL, [PERSON, OPEN]))
    chairs, version = list(table.chairs), table.version
    # The rules reject no event of a chair today.
    monkeypatch.setattr(Table, "apply_event", reject)
    with pytest.raises(GameError, match="rejected"):
        apply_command(table, BOB, Sit("x", START, 1, "Bob"))
    assert (table.chairs, table.version) == (chairs, version)


def test_closed_table_refuses_changes_of_seats_and_has_no_deadline() -> None:
    table = Table(build_row(SMALL, [PERSON, OPEN], settings=TIMED))
    assert close_table(table, START + 1) is not None
    with pytest.raises(IllegalMoveError, match="closed"):
        apply_command(table, ADA, SeatComputer("x", START + 2, 1, "computer:1"))
    with pytest.raises(IllegalMoveError, match="closed"):
        apply_command(table, ADA, Stand("y", START + 2, 0))
    assert table.started is None
    assert table.summarise(START + 3).deadline is None


def test_clock_is_flagged_only_after_the_maximum_lag() -> None:
    table = seat_players(SMALL, ADA, BOB, settings=TIMED)
    play_moves(table, "a1")
    assert table.deadline == START + 60
    assert table.flag_time == START + 61
    assert flag_clock(table, START + 60.5) is None
    change = flag_clock(table, START + 61)
    assert change is not None
    assert change.event.text == "!time"
    assert table.is_over
