"""What is said of a position's worth: who wins and how high, seen from this browser."""

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.web.engine.analysis_text import describe_bounds, format_signed, describe_solution
from fourcorners.web.engine.solve_service import SolveResult

DOTS = ("dots-and-boxes", {"cols": 2, "rows": 1})
TAKEN = ["a1b1", "a2b2", "a1a2", "b1b2"]  # Bo has box a1 and goes on


def say(
    verdict: SolveResult, moves: list[str], own: tuple[int, ...] = (), game: Any = DOTS, names: Any = ("Ada", "Bo")
) -> dict[str, Any]:
    match = fc.Match(fc.game(game[0], **game[1]), names)
    for move in moves:
        match.play(move)
    return describe_solution(verdict, match, match.position, own)


@pytest.mark.parametrize(
    ("value", "own", "sentence"),
    [
        (1, (), "Solved: Bo wins by 2."),
        (1, (1,), "Solved: you win by 2."),
        (1, (0,), "Solved: Bo wins by 2."),
        (1, (0, 1), "Solved: Bo wins by 2."),
        (-1, (), "Solved: a tie."),
        (-3, (), "Solved: Ada wins by 2."),
        (-3, (0,), "Solved: you win by 2."),
    ],
)
def test_the_result_is_that_of_the_whole_game(value: int, own: tuple[int, ...], sentence: str) -> None:
    answer = say(SolveResult(value, value, {"b1c1": value}, 5), TAKEN, own)
    assert (answer["sentence"], answer["worth"], answer["seat"]) == (sentence, value + 1, 1)
    assert answer["moves"] == [["b1c1", value + 1]]


def test_the_rest_of_the_game_is_told_too() -> None:
    assert "From here to the end Bo gains 1 more than Ada. 5 positions" in say(SolveResult(1, 1, nodes=5), TAKEN)["detail"]
    assert "Ada gains 1 more than Bo. 1 position searched." in say(SolveResult(-1, -1, nodes=1), TAKEN)["detail"]
    assert "you gain 1 more than Bo." in say(SolveResult(-1, -1), TAKEN, (0,))["detail"]
    assert "both sides gain the same" in say(SolveResult(0, 0), TAKEN)["detail"]


def test_the_best_moves_come_first() -> None:
    answer = say(SolveResult(1, 1, {"c1c2": -1, "b2c2": 1, "b1c1": 1}), TAKEN)
    assert answer["moves"] == [["b1c1", 2], ["b2c2", 2], ["c1c2", 0]]


def test_where_only_winning_counts_the_nimber_is_told() -> None:
    game = ("sqez", {"cols": 4, "rows": 4})
    won = say(SolveResult(1, 1, {"a1 c3": 1, "a1 d3": -1}, nimber=3), [], game=game)
    assert won["sentence"] == "Solved: Ada, to move, wins, nimber 3."
    assert (won["counts"], won["moves"]) == ("win", [["a1 c3", 1], ["a1 d3", -1]])
    assert say(SolveResult(-1, -1, nimber=0), [], (0,), game)["sentence"] == "Solved: you, to move, lose, nimber 0."


def test_open_hands_are_called_so() -> None:
    answer = say(SolveResult(2, 2, open_hands=True), TAKEN)
    assert answer["sentence"] == "Open-hands value: Bo wins by 3."
    assert "open to everybody" in answer["detail"]


def test_partners_win_together() -> None:
    game = ("squarin-off", {"cols": 2, "rows": 1, "players": 4, "teams": True})
    names = ("Ada", "Bo", "Cy", "Di")
    assert say(SolveResult(2, 2), [], game=game, names=names)["sentence"] == "Solved: Ada and Cy win by 2."
    assert say(SolveResult(-2, -2), [], (3,), game, names)["sentence"] == "Solved: you win by 2."
    assert "Ada and Cy gain 2 more" in say(SolveResult(2, 2), [], game=game, names=names)["detail"]


def test_of_three_seats_it_is_told_who_wins() -> None:
    # Ada has a box; the margins are by how much everybody's changes.
    game = ("squarin-off", {"cols": 2, "rows": 1, "players": 3, "blockers": 0})
    names = ("Ada", "Bo", "Cy")
    answer = say(SolveResult(-1, -1, {"b1c1": -1}, margins=(-1, 0, 1)), TAKEN, game=game, names=names)
    assert answer["sentence"] == "Solved: Ada and Cy share the win."
    assert (answer["counts"], answer["moves"]) == ("rest", [["b1c1", -1]])
    bounds = say(SolveResult(0, 2), TAKEN, game=game, names=names)
    assert "for Ada the rest of the game lies between 0 and +2" in bounds["sentence"]
    answer = say(SolveResult(1, 1, margins=(1, -1, -1)), TAKEN, (0,), game, names)
    assert answer["sentence"] == "Solved: you win by 2."
    sqez = ("sqez", {"cols": 4, "rows": 4, "players": 3})
    assert say(SolveResult(1, 1, margins=(1, -1, -1)), [], game=sqez, names=names)["sentence"] == "Solved: Ada wins."


@pytest.mark.compiled
def test_of_three_seats_the_winner_is_the_one_the_solver_means() -> None:
    game = fc.game("squarin-off", cols=3, rows=1, players=3, blockers=0)
    match = fc.Match(game, ("Ada", "Bo", "Cy"))
    for move in ["a1b1", "a2b2", "c1d1", "a1a2", "b1b2", "c2d2", "d1d2", "c1c2"]:
        match.play(move)
    assert match.position.scores == (1, 1, 0)
    found = fc.solve(match.position)
    answer = describe_solution(SolveResult(found.value, found.value, margins=found.margins), match, match.position, ())
    while not match.position.is_over:
        match.play(fc.solve(match.position).moves[0])
    winners = match.position.outcome.winners if match.position.outcome else ()
    assert winners == (1,)
    assert answer["sentence"] == "Solved: Bo wins by 1."


def test_bounds_are_those_of_the_whole_game() -> None:
    answer = say(SolveResult(-1, 1), TAKEN)
    assert answer["sentence"] == "Not solved within 5 s and 64 MB: for Bo the result lies between 0 and +2."
    match = fc.Match(fc.game(DOTS[0], **DOTS[1]))
    assert describe_bounds(match, match.position, -2, 2, 7) == {"lower": -2, "upper": 2, "nodes": 7}


def test_equal_names_are_told_apart_by_colour() -> None:
    assert say(SolveResult(1, 1), TAKEN, names=("Ada", "Ada"))["sentence"] == "Solved: Ada (White) wins by 2."


def test_signs() -> None:
    assert [format_signed(number) for number in (-2, 0, 3)] == ["−2", "0", "+3"]
