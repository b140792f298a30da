"""Premoves: lines that are followed, refused, previewed and cancelled."""

import pytest

import fourcorners as fc
from fourcorners.core.contract import Ply
from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.domain import premoves
from fourcorners.web.domain.commands import AnswerTakeback, RequestTakeback, Resign
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import Preview
from fourcorners.web.protocol.snapshots import build_preview
from tests.require import require
from tests.web.tables import ADA, BOB, CLEO, SMALL, apply, play_moves, seat_players

BOXES = fc.game("dots-and-boxes", cols=2, rows=2)
Lines = list[list[str | None]]


def set_premoves(
    table: Table, player: str, seat: int, lines: Lines, ply: int | None = None, version: int | None = None
) -> None:
    """Set the premoves of a seat, made for the board as it is, or as it was after `ply` plies at a version.

    Raise IllegalMoveError, and leave the chair as it is, if `prepare_premoves` refuses it.
    """
    ply = len(table.match.position.plies) if ply is None else ply
    version = table.version if version is None else version
    table.replace_chair(premoves.prepare_premoves(table, player, seat, lines, ply, version))


def find_due_move(table: Table) -> str | None:
    """Return the premove of the seat to move that is due, without playing it; None if there is none."""
    command = premoves.find_premove(table, table.seat or 0)
    return None if command is None else command.move


@pytest.mark.parametrize(
    ("line", "played", "rest"),
    [
        ([None, "a1"], "", [None, "a1"]),
        ([None, "a1"], "0b2", [None, "a1"]),
        ([None, "a1"], "0b2 0b3", [None, "a1"]),
        ([None, "a1"], "0b2 1a1", []),
        ([None, "a1"], "0b2 1c1", []),
        ([None, "a1", "c3"], "0b2 1a1", ["c3"]),
        ([None, "a1", None, "c3"], "0b2 1a1 0d4", [None, "c3"]),
        (["b2", "a1"], "0b2", ["a1"]),
        (["b2", "a1"], "0b3", []),
        (["b2", "a1", "b3", "c3"], "0b2 1a1", ["b3", "c3"]),
        (["b2", "a1", "b3", "c3"], "0b2 1a1 0b3", ["c3"]),
        (["b2", "a1", "b3", "c3"], "0b2 1a1 0b4", []),
        (["b2", "b3", "a1"], "0b2 0b3", ["a1"]),
        (["b2", None, "a1"], "0b2 0b3 0b4", [None, "a1"]),
        (["b2", "a1", None], "0b2 1a1", []),
    ],
)
def test_line_continues_only_while_it_matches_the_moves(
    line: list[str | None], played: str, rest: list[str | None]
) -> None:
    # The line is of seat 1; each played move follows the digit of its seat.
    plies = [Ply(int(text[0]), text[1:]) for text in played.split()]
    assert premoves.follow_line(line, plies, 1) == rest


def test_premove_for_any_move_is_due_after_it_and_only_once() -> None:
    table = seat_players(SMALL, ADA, BOB)
    set_premoves(table, BOB, 1, [[None, "a1"]])
    assert find_due_move(table) is None
    play_moves(table, "b2")
    assert find_due_move(table) == "a1"
    play_moves(table, "a1", "c3")
    assert find_due_move(table) is None
    assert premoves.list_remaining_lines(table, 1) == []


def test_premove_waits_while_the_opponent_moves_again() -> None:
    table = seat_players(BOXES, ADA, BOB)
    # The fourth side of a box gives another move.
    play_moves(table, "a1b1", "a1a2", "b1b2", "c1c2")
    assert table.seat == 0
    set_premoves(table, BOB, 1, [[None, "b3c3"]])
    play_moves(table, "a2b2")
    assert table.seat == 0
    assert premoves.list_remaining_lines(table, 1) == [([None, "b3c3"], [None, 1])]
    play_moves(table, "a2a3")
    assert find_due_move(table) == "b3c3"


def test_line_is_followed_while_it_matches_the_moves_and_others_are_dropped() -> None:
    table = seat_players(SMALL, ADA, BOB)
    set_premoves(table, BOB, 1, [["a1", "b2", "c3", "d4"], ["a2", "b3"], [None, "d1"]])
    assert [line.movers for line in premoves.list_remaining_lines(table, 1)] == [[0, 1, 0, 1], [0, 1], [None, 1]]
    play_moves(table, "a1")
    assert find_due_move(table) == "b2"
    play_moves(table, "b2")
    assert premoves.list_remaining_lines(table, 1) == [(["c3", "d4"], [0, 1])]
    play_moves(table, "c3")
    assert find_due_move(table) == "d4"
    play_moves(table, "d4")
    assert premoves.list_remaining_lines(table, 1) == []


def test_line_for_any_move_answers_moves_that_no_other_line_has() -> None:
    table = seat_players(SMALL, ADA, BOB)
    set_premoves(table, BOB, 1, [["a1", "b2"], [None, "d1"]])
    play_moves(table, "a2")
    assert find_due_move(table) == "d1"


@pytest.mark.parametrize(
    ("player", "seat", "lines", "code"),
    [
        (CLEO, 1, [[None, "a1"]], "not-yours"),
        (ADA, 1, [[None, "a1"]], "not-yours"),
        (ADA, 0, [[None, "a1"]], "your-turn"),
        (BOB, 1, [["a1", "a1"]], "not-free"),
        (BOB, 1, [["a1", "b1", "c1"]], "no-answer"),
        (BOB, 1, [[None, None]], "no-answer"),
        (BOB, 1, [["a1", None]], "no-answer"),
        (BOB, 1, [[None, "<b>"]], "unreadable"),
        (BOB, 1, [[None, "!resign"]], "unreadable"),
        (BOB, 1, [["a1", "@close"]], "unreadable"),
    ],
)
def test_illegal_premove_is_refused_with_its_code_and_not_kept(player: str, seat: int, lines: Lines, code: str) -> None:
    table = seat_players(SMALL, ADA, BOB)
    with pytest.raises(IllegalMoveError) as caught:
        set_premoves(table, player, seat, lines)
    assert caught.value.code == code
    assert all(chair.plan is None for chair in table.chairs)


def test_answer_to_any_move_counts_if_the_move_came_first() -> None:
    table = seat_players(SMALL, ADA, BOB)
    before = table.version
    play_moves(table, "a1")
    set_premoves(table, BOB, 1, [[None, "b2"]], ply=0, version=before)
    assert find_due_move(table) == "b2"


def test_premoves_are_stale_if_they_name_a_move_already_made_or_the_seat_has_moved_since() -> None:
    table = seat_players(SMALL, ADA, BOB)
    before = table.version
    play_moves(table, "a1")
    # It names a move by Ada, who has moved already.
    with pytest.raises(IllegalMoveError, match="other players have moved"):
        set_premoves(table, BOB, 1, [["a1", "b2"]], ply=0, version=before)
    # It would answer any move by Ada, but Bob himself has answered it.
    play_moves(table, "b2")
    with pytest.raises(IllegalMoveError, match="the board has changed"):
        set_premoves(table, BOB, 1, [[None, "b3"]], ply=0, version=before)


def test_takeback_cancels_the_premoves_but_its_request_does_not() -> None:
    table = seat_players(SMALL, ADA, BOB)
    play_moves(table, "a1", "b2")
    set_premoves(table, BOB, 1, [[None, "d4"]])
    play_moves(table, "c1")
    apply(table, ADA, RequestTakeback("u", 0, 0))
    assert find_due_move(table) == "d4"
    apply(table, BOB, AnswerTakeback("v", 0, 1, accept=True))
    play_moves(table, "c1")
    assert premoves.list_remaining_lines(table, 1) == []
    assert find_due_move(table) is None


def test_end_of_the_game_deletes_the_premoves_of_all_seats() -> None:
    table = seat_players(SMALL, ADA, BOB)
    set_premoves(table, BOB, 1, [["a1", "b2"], [None, "d4"]])
    change = apply(table, ADA, Resign("r", 0, 0))
    assert [(chair.seat, chair.plan) for chair in change.chairs] == [(1, None)]
    assert all(chair.plan is None for chair in table.chairs)


def test_tree_answers_each_move_and_keeps_only_what_follows_it() -> None:
    table = seat_players(SMALL, ADA, BOB)
    tree: Lines = [["a1", "b2", "c3", "d4"], ["a1", "b2", "c1", "d1"], ["a2", "b3"], [None, "c4"]]
    set_premoves(table, BOB, 1, tree)
    play_moves(table, "a1")
    assert find_due_move(table) == "b2"
    play_moves(table, "b2")
    assert [line.moves for line in premoves.list_remaining_lines(table, 1)] == [["c3", "d4"], ["c1", "d1"]]
    play_moves(table, "c1")
    assert find_due_move(table) == "d1"


def test_tree_goes_through_turns_of_several_moves() -> None:
    """A player who closes a box moves again, even by a premove."""
    table = seat_players(BOXES, ADA, BOB)
    play_moves(table, "a1b1", "a1a2", "c2c3")
    set_premoves(table, ADA, 0, [["b1b2", "a2b2", "b2c2"], ["b1c1", "a3b3"]])
    movers = [line.movers for line in premoves.list_remaining_lines(table, 0)]
    assert movers == [[1, 0, 0], [1, 0]]
    play_moves(table, "b1b2")
    assert find_due_move(table) == "a2b2"
    play_moves(table, "a2b2")
    # She has closed a box, so it is still her turn.
    assert table.seat == 0
    assert find_due_move(table) == "b2c2"


def test_premoves_have_a_limited_number_of_moves_of_which_common_ones_count_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(premoves, "MAX_PREMOVES", 6)
    table = seat_players(SMALL, ADA, BOB)
    tree: Lines = [["a1", "b2", "c3", "d4"], ["a1", "b2", "c1", "d1"]]
    set_premoves(table, BOB, 1, tree)
    with pytest.raises(IllegalMoveError) as caught:
        set_premoves(table, BOB, 1, [*tree, [None, "a4"]])
    assert caught.value.code == "too-many"
    assert require(table.chairs[1].plan)["lines"] == tree


def test_empty_premoves_clear_the_chair() -> None:
    table = seat_players(SMALL, ADA, BOB)
    set_premoves(table, BOB, 1, [[None, "d4"]])
    set_premoves(table, BOB, 1, [])
    assert table.chairs[1].plan is None


def test_preview_shows_the_board_after_a_line_and_what_can_follow() -> None:
    table = seat_players(SMALL, ADA, BOB)
    preview = premoves.preview_line(table, BOB, 1, ["a1"])
    assert preview.mover == 1
    assert set(preview.moves) == set(SMALL.replay(["a1"]).moves())
    answer = build_preview(table, Preview(seat=1, line=["a1"]), preview)
    assert isinstance(answer.board, str)
    assert answer.board.startswith("<svg")
    # After b2, a whole move, nothing can follow.
    answer = build_preview(table, Preview(seat=1, line=["a1"], tokens=["b2"]), preview)
    assert (answer.next, answer.move) == ([], True)


def test_preview_is_refused_for_illegal_lines_on_the_own_turn_and_to_spectators() -> None:
    table = seat_players(SMALL, ADA, BOB)
    with pytest.raises(IllegalMoveError, match="'a1'"):
        premoves.preview_line(table, BOB, 1, ["a1", "a1"])
    for player, seat, code in ((ADA, 0, "your-turn"), (CLEO, 1, "not-yours")):
        with pytest.raises(IllegalMoveError) as caught:
            premoves.preview_line(table, player, seat, [])
        assert caught.value.code == code


@pytest.mark.parametrize("name", [name for name in fc.games() if not fc.game(name).spec.hidden])
def test_nearly_all_moves_of_the_next_turn_are_predicted(name: str) -> None:
    position = fc.game(name).start(seed=3)
    offered = set(premoves.predict_moves(position.view(1), 1))
    later = position.play(position.moves()[0])
    assert later.seat == 1
    missing = set(later.view(1).offered_moves()) - offered
    assert len(missing) <= len(offered) // 10


def test_predicted_moves_do_not_depend_on_hidden_tiles() -> None:
    deck = list(fc.game("squendo").deck(seed=5))
    dealt = fc.game("squendo").start(deck=deck)
    # Bob keeps his hand, which is among the first eight tiles; Ada and the pile get other tiles.
    own = [i for i in range(8) if _is_in_bobs_hand(deck, i)]
    others = [i for i in range(len(deck)) if i not in own]
    turned = list(deck)
    for i, j in zip(others, others[::-1], strict=True):
        turned[i] = deck[j]
    other = fc.game("squendo").start(deck=turned)
    assert other != dealt
    assert other.view(1) == dealt.view(1)
    # The views are equal, so the cache would answer the second question without computing anything.
    assert premoves.predict_moves.__wrapped__(other.view(1), 1) == premoves.predict_moves.__wrapped__(dealt.view(1), 1)


def _is_in_bobs_hand(deck: list[str], i: int) -> bool:
    """Return whether Bob, at seat 1, is dealt the tile at this index: swapping it with the last changes his view."""
    game = fc.game("squendo")
    changed = list(deck)
    changed[i], changed[-1] = changed[-1], changed[i]
    return game.start(deck=changed).view(1) != game.start(deck=deck).view(1)


def test_with_hidden_hands_only_answers_to_any_move_can_be_premoved() -> None:
    table = seat_players(fc.game("squendo"), ADA, BOB)
    move = table.match.position.moves()[0]
    refused: list[Lines] = [[[move, move]], [["a1", None, "b2"]]]
    for lines in refused:
        with pytest.raises(IllegalMoveError) as caught:
            set_premoves(table, BOB, 1, lines)
        assert caught.value.code == "hidden"
    lines = [[None, premoves.preview_line(table, BOB, 1, [None]).moves[0]]]
    set_premoves(table, BOB, 1, lines)
    assert require(table.chairs[1].plan)["lines"] == lines


def test_with_hidden_hands_only_answers_to_any_move_can_be_previewed_and_show_no_board() -> None:
    table = seat_players(fc.game("squendo"), ADA, BOB)
    with pytest.raises(IllegalMoveError) as caught:
        premoves.preview_line(table, BOB, 1, [])
    assert caught.value.code == "hidden"
    assert premoves.preview_line(table, BOB, 1, [None]).view is None
