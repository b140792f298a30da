"""A fair shuffle at a table: hashes, values, the deal, and what happens if a value does not come."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import IllegalMoveError
from fourcorners.core.shuffle import commit_nonce, deal, hash_text
from fourcorners.web.application.table_setup import TableSetup, build_rematch, build_study, build_table, export_record
from fourcorners.web.domain.actions import Change, flag_clock, list_allowed_verbs, resign_or_leave
from fourcorners.web.domain.commands import AnyCommand, LeaveSeat, Move, Rematch, Resign, Reveal, Sit, Undo, Verb
from fourcorners.web.domain.rematch import find_agreement
from fourcorners.web.domain.shuffle import REVEAL_SECONDS, SeatChoice
from fourcorners.web.domain.table import Table
from tests.web.tables import ADA, BOB, CLEO, START, apply

GAME = fc.game("squendo")
VALUES = {ADA: "a1" * 32, BOB: "b2" * 32, CLEO: "c3" * 32}
HASHES = {player: hash_text(value) for player, value in VALUES.items()}


class StoredTable:
    """A table that is replayed from what is stored after every event, as by another server or after a restart."""

    def __init__(
        self, kinds: Sequence[str] = ("person", "open"), hash_: str = HASHES[ADA], game: fc.Game = GAME
    ) -> None:
        """Set up a table of Ada, whose browser gives a hash."""
        names = {seat: f"Ada {seat}" for seat, kind in enumerate(kinds) if kind == "person"}
        self.row = build_table(TableSetup(game, kinds, names, shuffle=False, hash=hash_), ADA, START)
        self.table = Table(self.row)

    def apply(self, player: str, command: AnyCommand, at: float, rematch_id: str | None = None) -> Change:
        """Apply a command, and replay the table."""
        return self.store(apply(self.table, player, command, at, rematch_id=rematch_id))

    def store(self, change: Change | None) -> Change:
        """Store a change, and replay the table; fail if there is none."""
        assert change is not None
        summary = self.table.summarise(change.event.at)
        events = [*self.row.events, change.event]
        changed: dict[str, Any] = {"started": summary.started, "deadline": summary.deadline, "version": summary.version}
        self.row = dataclasses.replace(self.row, chairs=list(self.table.chairs), events=events, **changed)
        before, self.table = self.table, Table(self.row)
        assert self.table.match.deck == before.match.deck
        assert self.table.unrevealed_seats == before.unrevealed_seats
        assert (self.table.started, self.table.deal_time) == (before.started, before.deal_time)
        return change

    def sit(self, player: str, seat: int | None = None, colour: str = "", hash_: str | None = None) -> None:
        """Sit down with the hash of the player's value, unless another one or none ("") is given."""
        hash_ = HASHES[player] if hash_ is None else hash_
        self.apply(player, Sit(f"sit-{player[0]}", 0, seat, "", colour, hash_), START + 5)

    def read_started(self) -> float | None:
        """Return when the game has started, None if it has not."""
        return self.table.started

    def reveal(self, player: str, value: str = "") -> None:
        """Give a player's value, or another one."""
        self.apply(player, Reveal(f"reveal-{player[0]}{self.table.version}", 0, value or VALUES[player]), START + 6)


def test_the_deck_follows_from_the_nonce_and_every_value_once_all_are_known() -> None:
    stored = StoredTable()
    commitment, nonce = stored.table.match.commitment, stored.row.nonce
    assert (stored.row.deck, commitment) == ([], commit_nonce(nonce))
    stored.sit(BOB)
    assert (stored.read_started(), stored.table.unrevealed_seats) == (None, (0, 1))
    stored.reveal(BOB)
    assert (stored.read_started(), stored.table.unrevealed_seats) == (None, (0,))
    stored.reveal(ADA)
    assert stored.read_started() == START + 6
    match = stored.table.match
    assert (match.values, match.commitment) == ((VALUES[ADA], VALUES[BOB]), commitment)
    assert match.deck == deal(GAME, nonce, (VALUES[ADA], VALUES[BOB]))
    assert stored.table.seat == 0


def test_neither_the_server_nor_a_player_alone_determines_the_deck() -> None:
    """With one side fixed, every other side still changes the deck: all of them are different."""
    decks = set()
    for nonce in ("0" * 64, "1" * 64):
        for value in ("2" * 64, "3" * 64):
            for other in ("4" * 64, "5" * 64):
                stored = StoredTable(hash_=hash_text(value))
                stored.row = dataclasses.replace(stored.row, nonce=nonce)
                stored.table = Table(stored.row)
                stored.sit(BOB, hash_=hash_text(other))
                stored.reveal(ADA, value)
                stored.reveal(BOB, other)
                decks.add(stored.table.match.deck)
    assert len(decks) == 8


def test_a_value_must_have_the_hash_given_before_so_that_it_cannot_depend_on_the_other_values() -> None:
    stored = StoredTable()
    with pytest.raises(IllegalMoveError, match="no value is expected from you"):
        stored.reveal(ADA)
    stored.sit(BOB)
    with pytest.raises(IllegalMoveError, match="does not match the hash that you gave"):
        stored.reveal(BOB, VALUES[CLEO])
    stored.reveal(BOB)
    with pytest.raises(IllegalMoveError, match="no value is expected from you"):
        stored.reveal(BOB)
    with pytest.raises(IllegalMoveError, match="only players seated"):
        stored.reveal(CLEO)
    stored.reveal(ADA)
    assert list_allowed_verbs(stored.table, ADA)[-1] != Verb.REVEAL


def test_no_player_leaves_while_values_are_awaited_so_that_none_joins_who_knows_some() -> None:
    stored = StoredTable()
    assert Verb.LEAVE_SEAT in list_allowed_verbs(stored.table, ADA)
    stored.sit(BOB)
    stored.reveal(ADA)
    assert Verb.LEAVE_SEAT not in list_allowed_verbs(stored.table, BOB)
    assert Verb.REVEAL in list_allowed_verbs(stored.table, BOB)
    with pytest.raises(IllegalMoveError, match="the tiles are being shuffled"):
        stored.apply(BOB, LeaveSeat("stand", 0, 1), START + 7)
    with pytest.raises(IllegalMoveError, match="the tiles are being shuffled"):
        stored.apply(BOB, Resign("resign", 0, 1), START + 7)
    with pytest.raises(IllegalMoveError, match="the tiles are being shuffled"):
        stored.apply(ADA, Move("move", 0, "pass"), START + 7)
    # A deleted account cannot stay.
    stored.store(resign_or_leave(BOB, stored.table, START + 7))
    assert stored.table.closed and stored.table.deal_time is None and stored.table.flag_time is None


def test_a_seat_that_changes_hands_takes_part_with_the_hash_of_its_new_holder() -> None:
    stored = StoredTable(("person", "open", "open"), game=fc.game("squendo", players=3))
    stored.sit(BOB, 1)
    stored.apply(BOB, LeaveSeat("stand", 0, 1), START + 5)
    stored.sit(CLEO, 1, hash_="")
    shuffle = stored.table.shuffle
    assert shuffle is not None and shuffle.hashes == [HASHES[ADA], None, None]
    stored.apply(BOB, Sit("again", 0, 2, "", "Y", HASHES[BOB]), START + 5)
    stored.reveal(ADA)
    stored.reveal(BOB)
    assert stored.table.match.game.seat_names == ("red", "blue", "yellow")
    assert stored.table.match.values == (VALUES[ADA], None, VALUES[BOB])
    assert stored.table.match.deck == deal(stored.table.match.game, stored.row.nonce, stored.table.match.values)


def test_a_value_that_does_not_come_is_left_out_after_a_while() -> None:
    stored = StoredTable()
    stored.sit(BOB)
    due = START + 5 + REVEAL_SECONDS
    assert [stored.table.deal_time, stored.table.flag_time, stored.row.deadline] == [due] * 3
    stored.reveal(ADA)
    assert flag_clock(stored.table, due - 0.1) is None
    change = stored.store(flag_clock(stored.table, due))
    assert change.event.text == "@deal"
    assert stored.read_started() == due
    assert stored.table.match.values == (VALUES[ADA], None)
    assert stored.table.flag_time is None
    with pytest.raises(IllegalMoveError, match="no value is expected from you"):
        stored.reveal(BOB)


def test_time_without_a_server_does_not_count_for_a_late_value() -> None:
    stored = StoredTable()
    assert Table(stored.row).deal_time is None
    stored.sit(BOB)
    assert Table(stored.row, [(START + 6, START + 106)]).deal_time == START + 105 + REVEAL_SECONDS


def test_a_table_without_hashes_starts_at_once_with_a_deck_of_the_server_alone() -> None:
    stored = StoredTable(hash_="")
    stored.sit(BOB, hash_="")
    assert stored.read_started() == START + 5
    assert stored.table.match.values == (None, None)
    alone = StoredTable(("person", "computer:1"), hash_="")
    assert (alone.row.started, alone.row.events) == (START, [])
    watched = StoredTable(("computer:1", "computer:2"))
    assert watched.row.started == START


def test_people_at_one_screen_and_a_game_with_computers_start_with_the_one_value() -> None:
    stored = StoredTable(("person", "computer:1", "person"), game=fc.game("squendo", players=3))
    assert (stored.row.started, stored.row.deadline) == (None, START + REVEAL_SECONDS)
    stored.reveal(ADA)
    assert stored.read_started() == START + 6
    assert stored.table.match.values == (VALUES[ADA], None, VALUES[ADA])


def test_games_without_hidden_decks_ignore_hashes() -> None:
    table = Table(
        build_table(TableSetup(fc.game("sqez"), ["person", "open"], {0: "Ada"}, hash=HASHES[ADA]), ADA, START)
    )
    change = apply(table, BOB, Sit("sit", 0, None, "Bob", "", HASHES[BOB]))
    assert (table.shuffle, change.event.text, table.started) == (None, "@sit", START)


def play_whole_game() -> StoredTable:
    """Return a finished game of Ada and Bob, with a move taken back."""
    stored = StoredTable()
    stored.sit(BOB)
    stored.reveal(ADA)
    stored.reveal(BOB)
    for number in range(4):
        position, player = stored.table.match.position, (ADA, BOB)[number % 2]
        stored.apply(player, Move(f"m{number}", 0, position.moves()[0]), START + 7)
    stored.apply(ADA, Resign("resign", 0, 0), START + 8)
    return stored


def test_the_record_of_a_finished_game_has_everything_and_can_be_studied() -> None:
    stored = play_whole_game()
    text = export_record(stored.row, BOB, "Bob")[1]
    assert f"\nnonce: {stored.row.nonce}\nvalues: {VALUES[ADA]} {VALUES[BOB]}\n" in text
    record = fc.Record.parse(text)
    study = build_study(record.match(), CLEO, START)
    assert study.started is not None
    again = fc.Record.parse(export_record(study, CLEO, "Cleo")[1])
    assert (again.values, again.deck, again.commitment) == (record.values, record.deck, record.commitment)
    assert again.lines == record.lines


def test_the_record_of_a_running_game_has_the_values_but_not_the_nonce() -> None:
    stored = StoredTable()
    stored.sit(BOB)
    for text in (export_record(stored.row, ADA, "Ada")[1],):
        assert f"commitment: {stored.table.match.commitment}\n" in text
        assert "deck:" not in text and "nonce:" not in text
    stored.reveal(ADA)
    stored.reveal(BOB)
    text = export_record(stored.row, ADA, "Ada")[1]
    assert f"\nvalues: {VALUES[ADA]} {VALUES[BOB]}\n" in text
    assert stored.row.nonce not in text and "deck:" not in text


def test_a_rematch_has_a_new_nonce_and_new_values() -> None:
    stored = play_whole_game()
    stored.apply(BOB, Rematch("ask", 0, hash=HASHES[CLEO]), START + 9)
    agree = Rematch("agree", 0, hash=HASHES[ADA])
    agreement = find_agreement(stored.table, ADA, agree)
    assert agreement.is_last
    assert agreement.hashes == {BOB: HASHES[CLEO]}
    row = build_rematch(stored.table, ADA, START + 9, None, {**agreement.hashes, ADA: agree.hash})
    assert row.nonce != stored.row.nonce
    hashes = [f"@hash {HASHES[CLEO]}", f"@hash {HASHES[ADA]}"]
    assert [(event.seat, event.text) for event in row.events] == list(enumerate(hashes))
    rematch = Table(row)
    assert rematch.unrevealed_seats == (0, 1)
    stored.apply(ADA, agree, START + 9, row.id)


def test_a_move_can_be_taken_back_after_a_fair_shuffle() -> None:
    stored = StoredTable(("person", "person"))
    stored.reveal(ADA)
    deck = stored.table.match.deck
    passed = fc.game("squendo").start(deck=deck)
    stored.apply(ADA, Move("m", 0, passed.moves()[0]), START + 7)
    with pytest.raises(IllegalMoveError, match="tiles have been drawn since"):
        stored.apply(ADA, Undo("undo", 0), START + 8)
    assert stored.table.match.deck == deck


@pytest.mark.parametrize("choice", [SeatChoice(), SeatChoice("R"), SeatChoice("", "f" * 64), SeatChoice("R", "0" * 64)])
def test_what_a_player_says_when_sitting_down_survives_as_the_text_of_an_event(choice: SeatChoice) -> None:
    assert SeatChoice.parse(choice.write()) == choice
    assert SeatChoice("R").write() == "@sit R"
