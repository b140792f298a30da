"""Results in words: for a reader of one seat and for everyone, with the reader's points first."""

import pytest

import fourcorners as fc
from fourcorners.study.results import describe_result, format_score, parse_result

TWO = fc.game("dots-and-boxes")
THREE = fc.game("squarin-off", players=3)
PARTNERS = fc.game("squarin-off", players=4, teams=True)
LAST_MOVE = fc.game("sqez")
NAMES = ("Ada", "Ben", "Cid", "Dan")


@pytest.mark.parametrize(
    ("result", "own", "words"),
    [
        ("seat 0 wins 5-3: all is full", [0], "You win 5 : 3"),
        ("seat 0 wins 5-3: all is full", [1], "You lost 3 : 5"),
        ("seat 1 wins 3-5: all is full", [0, 1], "Ben wins 5 : 3"),
        ("seat 0 wins 1-0: all is full", [0], "You win 1 : 0"),
        ("seat 0 wins 5-3: seat 1 resigned", [0], "You win: Ben resigned"),
        ("seat 0 wins 5-3: seat 1 resigned", [1], "You resigned"),
        ("seat 0 wins 5-3: seat 1 ran out of time", [1], "You ran out of time"),
        ("draw 4-4: all is full", [0], "Draw 4 : 4"),
        ("draw 0-0: the players agreed on a draw", [0], "Draw"),
        ("abandoned", [0], "abandoned"),
        ("running", [], "running"),
        ("", [], ""),
    ],
)
def test_a_result_addresses_the_reader_of_one_seat_and_has_the_readers_points_first(
    result: str, own: list[int], words: str
) -> None:
    assert describe_result(result, NAMES[:2], TWO, own, is_stored=True) == words


@pytest.mark.parametrize(
    ("result", "own", "words"),
    [
        ("seat 2 wins 3-4-5: all is full", [0], "You lost (Cid: 5, Ben: 4, you: 3)"),
        ("seat 2 wins 3-4-5: all is full", [2], "You win (you: 5, Ben: 4, Ada: 3)"),
        ("seats 0 and 1 win 5-5-3: all is full", [], "Ada and Ben win (Ada: 5, Ben: 5, Cid: 3)"),
        ("seats 0 and 1 win 5-5-3: all is full", [1], "You share the win (Ada: 5, you: 5, Cid: 3)"),
        ("seat 2 wins 3-4-5: seat 1 resigned", [0], "You lost: Ben resigned"),
        ("seat 2 wins 3-4-5: seat 1 resigned", [1], "You resigned"),
        ("draw 4-4-4: all is full", [1], "Draw 4 : 4 : 4"),
    ],
)
def test_points_of_three_players_stand_with_their_names_by_rank(result: str, own: list[int], words: str) -> None:
    assert describe_result(result, NAMES[:3], THREE, own, is_stored=True) == words
    assert describe_result(result, NAMES[:3], None, own, is_stored=True) == words


@pytest.mark.parametrize(
    ("result", "own", "words"),
    [
        ("seats 0 and 2 win 5-4-5-4: all is full", [], "Ada and Cid win 5 : 4"),
        ("seats 0 and 2 win 5-4-5-4: all is full", [2], "You win 5 : 4"),
        ("seats 0 and 2 win 5-4-5-4: all is full", [3], "You lost 4 : 5"),
        ("seats 0 and 2 win 5-4-5-4: all is full", [0, 2], "You win 5 : 4"),
        ("seats 0 and 2 win 5-4-5-4: all is full", [1, 3], "You lost 4 : 5"),
        ("seats 0 and 2 win 5-4-5-4: all is full", [0, 1], "Ada and Cid win 5 : 4"),
        ("draw 4-4-4-4: all is full", [], "Draw 4 : 4"),
    ],
)
def test_points_of_partners_count_once(result: str, own: list[int], words: str) -> None:
    assert describe_result(result, NAMES, PARTNERS, own) == words


def test_a_game_that_the_last_move_wins_has_no_points() -> None:
    assert describe_result("seat 1 wins 0-1: no rectangle is left", NAMES[:2], LAST_MOVE, [1]) == "You win"
    assert describe_result("seat 1 wins 0-1: no rectangle is left", NAMES[:2], LAST_MOVE, [0]) == "You lost"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("seat 1 wins 4-12: all edges are drawn", "Ben wins 12 : 4; all edges are drawn"),
        ("draw 4-4: all edges are drawn", "Draw 4 : 4; all edges are drawn"),
        ("seat 0 wins 0-0: Ben resigned", "Ada wins: Ben resigned"),
        ("draw 0-0: the players agreed on a draw", "Draw: the players agreed on a draw"),
    ],
)
def test_how_a_game_ended_can_be_told(result: str, words: str) -> None:
    assert describe_result(result, NAMES[:2], TWO, has_reason=True) == words


def test_a_name_is_never_taken_for_a_seat() -> None:
    names = ("seat 1", "seat 5")
    for match, words in (
        (resign(1, names), "seat 1 wins: seat 5 resigned"),
        (resign(0, names), "seat 5 wins: seat 1 resigned"),
    ):
        assert describe_result(match.result, names, TWO) == words
    assert describe_result(resign(0, names).result, names, TWO, [0]) == "You resigned"
    assert describe_result(resign(0, names).result, names, TWO, [1]) == "You win: seat 1 resigned"
    assert describe_result("seat 1 wins 0-0: seat 0 resigned", names, TWO, is_stored=True) == words


def resign(seat: int, names: tuple[str, ...]) -> fc.Match:
    """Return a match that a seat has resigned."""
    match = fc.Match(TWO, names)
    match.resign(seat)
    return match


def test_a_guest_called_you_wins_and_does_not_wins() -> None:
    assert describe_result("seat 0 wins 5-3: all is full", ("You", "Ben"), TWO) == "You win 5 : 3"


def test_a_winner_with_fewer_points_than_a_player_who_left_comes_first() -> None:
    result = parse_result("seat 1 wins 9-5-7: all is full")
    assert result is not None
    assert format_score(result.winners, result.points, THREE) == "5 : 9 : 7"
    assert format_score(result.winners, result.points, THREE, [2]) == "7 : 5 : 9"


def test_three_winners_are_a_list() -> None:
    words = describe_result("seats 0 and 1 and 3 win 5-5-3-5: all is full", NAMES, fc.game("squarin-off", players=4))
    assert words == "Ada, Ben and Dan win (Ada: 5, Ben: 5, Dan: 5, Cid: 3)"
