"""A table that hides points: until the game is over, no message tells any, nor lets anyone find them out."""

import random
import re

import msgspec
import pytest

import fourcorners as fc
from fourcorners.core.errors import IllegalMoveError, OptionError
from fourcorners.web.application.table_setup import TableSetup, build_rematch, build_table
from fourcorners.web.domain.commands import Resign
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.snapshots import Snapshot, SnapshotCache, build_look
from tests.web.tables import ADA, START, apply, play_moves

GAME = fc.game("squarin-off", cols=3, rows=2, values=["213", "120"], blockers=1)


def build(game: fc.Game = GAME, *, hide_points: bool = True) -> Table:
    """Return a running table at which Ada plays both seats."""
    kinds = [PERSON] * game.seats
    names = {seat: f"Ada {seat}" for seat in range(game.seats)}
    return Table(build_table(TableSetup(game, kinds, names, shuffle=False, hide_points=hide_points), ADA, START))


def take_snapshot(table: Table, player: str = ADA) -> Snapshot:
    return SnapshotCache(table.version).find_or_build(table, player, None, START)


def play_to_the_end(table: Table) -> None:
    choose = random.Random(3)
    while not table.is_over:
        play_moves(table, choose.choice(table.match.position.moves()))


@pytest.mark.parametrize("game", [GAME, fc.game("dots-and-boxes", cols=3, rows=2)])
def test_no_state_patch_or_earlier_position_tells_points_before_the_end(game: fc.Game) -> None:
    table, choose = build(game), random.Random(5)
    shown, gained = {player: take_snapshot(table, player) for player in (ADA, "nobody")}, False
    while True:
        play_moves(table, choose.choice(table.match.position.moves()))
        if table.is_over:
            break
        gained = gained or any(table.match.position.scores)
        for player, old in shown.items():
            new = shown[player] = take_snapshot(table, player)
            patch = new.build_patch(old, new.picture.find_changes(old.picture))
            merged = msgspec.json.decode(old.state_message) | msgspec.json.decode(patch)
            for sent in (msgspec.json.decode(new.state_message), merged):
                assert sent["scores"] == []
                assert sent["result"] == "running"
                assert not [words for words in sent["words"] if "point" in words or "completed" in words]
                assert [None, "points", "hidden until the end"] in sent["facts"]
                assert (sent["outcome"], sent["count"], sent["overlay"]) == (None, False, None)
                assert sent["areas"] == sent["gains"] == []
        look = build_look(table, None, len(table.match.positions) - 1)
        assert look.scores == ()
    assert gained


def test_points_are_sent_once_the_game_is_over_but_words_leave_them_to_be_counted() -> None:
    table = build()
    play_to_the_end(table)
    sent = msgspec.json.decode(take_snapshot(table).state_message)
    assert sent["scores"] == list(table.match.position.scores)
    assert sent["count"]
    assert "points" not in [name for _, name, _ in sent["facts"]]
    assert not [words for words in sent["words"] if "point" in words]


def test_boxes_to_count_are_sent_once_the_game_is_over_and_add_up_to_the_points() -> None:
    table = build()
    play_to_the_end(table)
    sent = msgspec.json.decode(take_snapshot(table).state_message)
    areas = sent["areas"]
    counts = [sum(area["points"] for area in areas if area["seat"] == seat) for seat in (0, 1)]
    assert counts == list(table.match.position.scores)
    boxes = re.findall(r'aria-label="(box [a-z0-9]+), \d points?, (?!blocked)[A-Z]', sent["board"])
    assert sorted(area["name"] for area in areas) == sorted(boxes)


def test_there_is_nothing_to_tap_at_tables_that_showed_points_or_whose_game_was_resigned() -> None:
    shown = build(hide_points=False)
    play_to_the_end(shown)
    resigned = build()
    apply(resigned, ADA, Resign("r", 0, 0))
    for table in (shown, resigned):
        assert msgspec.json.decode(take_snapshot(table).state_message)["areas"] == []


def test_other_tables_tell_points_and_have_nothing_to_count() -> None:
    table = build(hide_points=False)
    assert msgspec.json.decode(take_snapshot(table).state_message)["scores"] == [0, 0]
    play_to_the_end(table)
    assert not msgspec.json.decode(take_snapshot(table).state_message)["count"]


def test_there_is_nothing_to_count_after_resigning() -> None:
    table = build()
    apply(table, ADA, Resign("r", 0, 0))
    sent = msgspec.json.decode(take_snapshot(table).state_message)
    assert sent["over"]
    assert not sent["count"]


def test_hints_and_evaluations_are_refused_until_the_end() -> None:
    table = build()
    with pytest.raises(IllegalMoveError, match="while points are hidden"):
        table.hint_view(ADA, None)
    with pytest.raises(IllegalMoveError, match="with hidden points"):
        table.evaluation_view(ADA, None, 0)
    with pytest.raises(IllegalMoveError):
        table.solvable_position(0)
    play_to_the_end(table)
    assert table.evaluation_view(ADA, None, 3).plies


def test_a_game_whose_points_cannot_be_counted_on_the_board_is_refused() -> None:
    with pytest.raises(OptionError, match="cannot be counted") as caught:
        build(fc.game("sqez"))
    assert caught.value.option == "hide_points"


def test_rematch_hides_points_again() -> None:
    table = build()
    play_to_the_end(table)
    assert Table(build_rematch(table, ADA, START)).hides_points


def test_dots_and_boxes_can_hide_points() -> None:
    assert build(fc.game("dots-and-boxes", cols=2, rows=2)).hides_points
