"""Patches: a client that merges them shows what the whole state says, and nothing that has not changed is sent."""

import json
from random import Random
from typing import Any

import pytest
from msgspec.structs import fields

import fourcorners as fc
from fourcorners.web.domain.commands import AnswerDraw, AnswerTakeback, AnyCommand, OfferDraw, RequestTakeback
from fourcorners.web.protocol.snapshots import Snapshot, SnapshotCache, UpdateCache
from fourcorners.web.protocol.table_fields import BoardFields
from tests.web.tables import ADA, BOB, START, apply, play_moves, seat_players

NAMES = [field.name for field in fields(BoardFields)]


def read_patch(old: Snapshot, new: Snapshot) -> dict[str, Any]:
    """Return the patch from one snapshot to another as a client reads it."""
    patch: dict[str, Any] = json.loads(UpdateCache().find_or_build(old, new))
    assert patch["type"] == "patch"
    return patch


@pytest.mark.parametrize("name", ["squarin-off", "square-off", "squendo", "sqez"])
def test_merging_patches_gives_the_fields_of_the_whole_state_and_they_repeat_none(name: str) -> None:
    table = seat_players(fc.game(name, **fc.game(name).starter), ADA, BOB)
    random = Random(1)
    shown = {player: SnapshotCache(0).find_or_build(table, player, None, START) for player in (ADA, BOB, "")}
    states = {player: json.loads(snapshot.state_message) for player, snapshot in shown.items()}
    while not table.is_over and table.version < 30:
        play_moves(table, random.choice(table.match.position.moves()))
        snapshots = SnapshotCache(table.version)
        for player, old in shown.items():
            new = snapshots.find_or_build(table, player, None, START + table.version)
            patch, before, whole = read_patch(old, new), states[player], json.loads(new.state_message)
            merged = before | patch
            kept = patch["plies_from"]
            for listed in ("plies", "words", "gains"):
                merged[listed] = before[listed][:kept] + patch[listed]
                assert merged[listed] == whole[listed]
            assert len(patch["gains"]) in {0, 1}
            assert {key: merged[key] for key in NAMES} == {key: whole[key] for key in NAMES}
            assert not [key for key in NAMES if key in patch and patch[key] == before[key]]
            shown[player], states[player] = new, whole


def test_the_gains_of_a_seats_plies_add_up_to_its_points_and_the_last_move_of_a_game_without_points_gains_none() -> (
    None
):
    for name, options in (("dots-and-boxes", {"cols": 3, "rows": 2}), ("square-off", {"size": 4}), ("sqez", {})):
        table = seat_players(fc.game(name, **options), ADA, BOB)
        random = Random(1)
        while not table.is_over:
            play_moves(table, random.choice(table.match.position.moves()))
        state = json.loads(SnapshotCache(table.version).find_or_build(table, ADA, None, START).state_message)
        if name == "sqez":
            assert state["gains"] == []
            continue
        pairs = list(zip(state["plies"], state["gains"], strict=True))
        for seat, points in enumerate(state["scores"]):
            assert sum(gain for (mover, _), gain in pairs if mover == seat) == points


def test_a_client_that_comes_back_to_the_same_version_gets_all_fields() -> None:
    # What changes without an event, such as who holds a chair, may have changed meanwhile.
    table = seat_players(fc.game("square-off", size=4), ADA, BOB)
    snapshot = SnapshotCache(0).find_or_build(table, ADA, None, START)
    assert set(NAMES) <= read_patch(snapshot, snapshot).keys()


@pytest.mark.parametrize(
    ("field", "request_", "answer"),
    [
        ("draw", OfferDraw("a", 3, 0), AnswerDraw("b", 4, 1)),
        ("takeback_request", RequestTakeback("a", 3, 0), AnswerTakeback("b", 4, 1)),
    ],
)
def test_a_field_that_becomes_null_is_sent_as_null(field: str, request_: AnyCommand, answer: AnyCommand) -> None:
    table = seat_players(fc.game("square-off", size=4), ADA, BOB)
    play_moves(table, "a1")
    apply(table, ADA, request_)
    asked = SnapshotCache(table.version).find_or_build(table, BOB, None, START)
    assert json.loads(asked.state_message)[field] is not None
    apply(table, BOB, answer)
    patch = read_patch(asked, SnapshotCache(table.version).find_or_build(table, BOB, None, START))
    assert patch[field] is None
