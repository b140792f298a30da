"""Hashes of positions: those of running games are found again however the board is turned, and no others."""

import random
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.game import Position, View
from fourcorners.web.application.table_setup import build_study
from fourcorners.web.domain.commands import Resign
from fourcorners.web.domain.position_hashes import list_hashes
from fourcorners.web.domain.table import Table
from tests.builtin.test_symmetry import MAPPINGS
from tests.web.tables import ADA, BOB, SMALL, START, apply, build_row, play_moves, seat_players

MOVES = ["a1", "d4", "b2", "c4"]


def is_same(running: Position, asked: Position | View) -> bool:
    """Return whether a position that is asked about is recognised as that of a running game."""
    return next(list_hashes(running)) in set(list_hashes(asked))


@pytest.mark.parametrize("name", MAPPINGS)
def test_mirrored_positions_are_recognised_and_those_a_move_earlier_or_later_are_not(name: str) -> None:
    map_move, options = MAPPINGS[name]
    rng = random.Random(name)
    position = image = fc.game(name, **options).start(seed=3)
    for _ in range(8):
        if position.is_over:
            break
        move = rng.choice([move for move in position.moves() if "take:" not in move])
        earlier, position, image = position, position.play(move), image.play(map_move(move, options))
        assert is_same(position, image) and is_same(image, position)
        assert not is_same(position, earlier) and not is_same(earlier, position)
        assert all(-(2**63) <= hash_ < 2**63 for hash_ in list_hashes(position))


def test_turned_boards_presets_and_other_owners_are_recognised() -> None:
    moves = ["a1b1", "a1a2"]
    wide, high = (fc.game("dots-and-boxes", cols=cols, rows=5 - cols).replay(moves) for cols in (3, 2))
    assert is_same(wide, high)
    assert is_same(wide, fc.game("squarin-off", cols=3, rows=2, blockers=0).replay(moves))
    assert not is_same(wide, fc.game("dots-and-boxes", cols=4, rows=2).replay(moves))


def test_hidden_hands_do_not_count() -> None:
    position = fc.game("squendo").start(seed=3)
    for _ in range(3):
        position = position.play(position.moves()[0])
    own = position.game.view(position.view(0).text, 0)
    assert is_same(position, own) and is_same(position, position.view(None))
    open_hands = next(list_hashes(position.view(1)))
    assert open_hands == next(list_hashes(position))
    assert not is_same(position, position.play(position.moves()[0]))


def test_only_equal_positions_of_a_game_without_symmetries_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    game = fc.game("sqez", cols=5)
    monkeypatch.setitem(vars(game.spec), "list_equivalent_texts", lambda _: ())
    first = game.start()
    second = first.play(first.moves()[0])
    assert is_same(second, game.position(second.text)) and not is_same(first, second)


@pytest.mark.parametrize("settings", [{}, {"rated": True}])
def test_a_table_of_two_people_is_guarded_from_the_third_ply_until_its_end(settings: dict[str, Any]) -> None:
    table = seat_players(SMALL, ADA, BOB, settings=settings)
    for number, move in enumerate(MOVES, 1):
        play_moves(table, move)
        hash_ = table.summarise(START).position
        assert (hash_ in set(list_hashes(table.match.position))) if number >= 3 else hash_ is None
    apply(table, BOB, Resign("r", 0, 1))
    assert table.summarise(START).position is None


def test_a_rated_game_against_the_computer_is_guarded_and_a_game_alone_or_a_record_is_not() -> None:
    alone, rated = (Table(build_row(SMALL, ("person", "computer:1"), settings=each)) for each in ({}, {"rated": True}))
    at_one_screen = Table(build_row(SMALL, ("person", "person")))
    for table in (alone, rated, at_one_screen):
        for move in MOVES:
            table.match.play(move)
    assert alone.summarise(START).position is None and at_one_screen.summarise(START).position is None
    assert rated.summarise(START).position == next(list_hashes(rated.match.position))
    study = Table(build_study(rated.match, ADA, START))
    assert len(study.match.positions) == 5 and study.summarise(START).position is None
