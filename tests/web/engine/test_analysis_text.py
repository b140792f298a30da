"""Describe exact values and bounds in words, from the point of view of one browser."""

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.web.engine.analysis_text import (
    Seats,
    describe_bounds,
    describe_estimate,
    describe_solution,
    format_signed,
)
from fourcorners.web.engine.services import Estimate, SolveResult

DOTS = ("dots-and-boxes", {"cols": 2, "rows": 1})
MOVES = ["a1b1", "a2b2", "a1a2", "b1b2"]
"""After these, Bo (seat 1) has one of the two boxes and moves again."""


def describe_result(
    result: SolveResult, moves: list[str], own_seats: tuple[int, ...] = (), game: Any = DOTS, names: Any = ("Ada", "Bo")
) -> dict[str, Any]:
    """Return the description of a result for the position after some moves, for a browser that plays `own_seats`.

    `game` is the game's id with its options, `names` are those of the seats.
    """
    match = fc.Match(fc.game(game[0], **game[1]), names)
    for move in moves:
        match.play(move)
    return describe_solution(result, Seats(match.position, match.names), match.position, own_seats)


@pytest.mark.parametrize(
    ("value", "own_seats", "sentence"),
    [
        (1, (), "Solved: Bo wins by 2."),
        (1, (1,), "Solved: you win by 2."),
        (1, (0,), "Solved: Bo wins by 2."),
        (1, (0, 1), "Solved: Bo wins by 2."),
        (-1, (), "Solved: a draw."),
        (-3, (), "Solved: Ada wins by 2."),
        (-3, (0,), "Solved: you win by 2."),
    ],
)
def test_solved_result_is_that_of_the_whole_game_and_calls_the_winner_you_or_by_name(
    value: int, own_seats: tuple[int, ...], sentence: str
) -> None:
    answer = describe_result(SolveResult(value, value, {"b1c1": value}, 5), MOVES, own_seats)
    # `value` is Bo's gain from here on, and Bo is one box ahead already.
    assert (answer["sentence"], answer["worth"], answer["seat"]) == (sentence, value + 1, 1)
    assert answer["moves"] == [["b1c1", value + 1]]


def test_detail_tells_who_gains_more_in_the_rest_of_the_game_and_how_many_positions_were_searched() -> None:
    assert (
        "From here to the end Bo gains 1 more than Ada. 5 positions"
        in describe_result(SolveResult(1, 1, nodes=5), MOVES)["detail"]
    )
    assert (
        "Ada gains 1 more than Bo. 1 position searched."
        in describe_result(SolveResult(-1, -1, nodes=1), MOVES)["detail"]
    )
    assert "you gain 1 more than Bo." in describe_result(SolveResult(-1, -1), MOVES, (0,))["detail"]
    assert "both sides gain the same" in describe_result(SolveResult(0, 0), MOVES)["detail"]


def test_best_moves_come_first_and_equal_ones_in_alphabetical_order() -> None:
    answer = describe_result(SolveResult(1, 1, {"c1c2": -1, "b2c2": 1, "b1c1": 1}), MOVES)
    assert answer["moves"] == [["b1c1", 2], ["b2c2", 2], ["c1c2", 0]]


def test_games_without_points_give_the_winner_the_nimber_and_winning_and_losing_moves() -> None:
    game = ("sqez", {"cols": 4, "rows": 4})
    won = describe_result(SolveResult(1, 1, {"a1 c3": 1, "a1 d3": -1}, nimber=3), [], game=game)
    assert won["sentence"] == "Solved: Ada, to move, wins, nimber 3."
    assert (won["counts"], won["moves"]) == ("win", [["a1 c3", 1], ["a1 d3", -1]])
    assert (
        describe_result(SolveResult(-1, -1, nimber=0), [], (0,), game)["sentence"]
        == "Solved: you, to move, lose, nimber 0."
    )


def test_value_with_open_hands_is_labelled_as_such() -> None:
    answer = describe_result(SolveResult(2, 2, open_hands=True), MOVES)
    assert answer["sentence"] == "Open-hands value: Bo wins by 3."
    assert "everyone sees all hands" in answer["detail"]


def test_partners_win_and_gain_together() -> None:
    game = ("squarin-off", {"cols": 2, "rows": 1, "players": 4, "teams": True})
    names = ("Ada", "Bo", "Cy", "Di")
    assert describe_result(SolveResult(2, 2), [], game=game, names=names)["sentence"] == "Solved: Ada and Cy win by 2."
    assert describe_result(SolveResult(-2, -2), [], (3,), game, names)["sentence"] == "Solved: you win by 2."
    assert "Ada and Cy gain 2 more" in describe_result(SolveResult(2, 2), [], game=game, names=names)["detail"]


def test_winners_among_three_seats_are_named_and_bounds_are_those_of_the_rest_of_the_game() -> None:
    # Among three, Ada has the box and moves again. With `margins`, the changes from here on, the final margins of the
    # seats (points ahead of the best other seat) are 0, -1 and 0.
    game = ("squarin-off", {"cols": 2, "rows": 1, "players": 3, "blockers": 0})
    names = ("Ada", "Bo", "Cy")
    answer = describe_result(SolveResult(-1, -1, {"b1c1": -1}, margins=(-1, 0, 1)), MOVES, game=game, names=names)
    assert answer["sentence"] == "Solved: Ada and Cy share the win."
    assert (answer["counts"], answer["moves"]) == ("rest", [["b1c1", -1]])
    bounds = describe_result(SolveResult(0, 2), MOVES, game=game, names=names)
    assert "for Ada the rest of the game lies between 0 and +2" in bounds["sentence"]
    answer = describe_result(SolveResult(1, 1, margins=(1, -1, -1)), MOVES, (0,), game, names)
    assert answer["sentence"] == "Solved: you win by 2."
    sqez = ("sqez", {"cols": 4, "rows": 4, "players": 3})
    assert (
        describe_result(SolveResult(1, 1, margins=(1, -1, -1)), [], game=sqez, names=names)["sentence"]
        == "Solved: Ada wins."
    )


@pytest.mark.compiled
def test_named_winner_among_three_seats_is_the_one_after_best_play_to_the_end() -> None:
    game = fc.game("squarin-off", cols=3, rows=1, players=3, blockers=0)
    match = fc.Match(game, ("Ada", "Bo", "Cy"))
    for move in ["a1b1", "a2b2", "c1d1", "a1a2", "b1b2", "c2d2", "d1d2", "c1c2"]:
        match.play(move)
    assert match.position.scores == (1, 1, 0)
    solution = fc.solve(match.position)
    answer = describe_solution(
        SolveResult(solution.remaining_margin, solution.remaining_margin, margins=solution.margins),
        Seats(match.position, match.names),
        match.position,
        (),
    )
    while not match.position.is_over:
        match.play(fc.solve(match.position).moves[0])
    winners = match.position.outcome.winners if match.position.outcome else ()
    assert winners == (1,)
    assert answer["sentence"] == "Solved: Bo wins by 1."


def test_bounds_between_two_seats_are_those_of_the_whole_game() -> None:
    # Bo's gain from here on is -1 to 1, and Bo is one box ahead.
    answer = describe_result(SolveResult(-1, 1), MOVES)
    assert answer["sentence"] == "Not solved within 2 s and 64 MB: for Bo the result lies between 0 and +2."
    position = fc.game(DOTS[0], **DOTS[1]).start()
    assert describe_bounds(position, -2, 2, 7) == {"lower": -2, "upper": 2, "nodes": 7}


def test_equal_names_are_distinguished_by_the_names_of_their_seats() -> None:
    assert (
        describe_result(SolveResult(1, 1), MOVES, names=("Ada", "Ada"))["sentence"] == "Solved: Ada (White) wins by 2."
    )


def test_the_opponent_of_you_cannot_be_taken_for_another_seat() -> None:
    for names, sentence in (
        (("You", "White"), "Solved: White wins by 2."),
        (("You", "Black"), "Solved: Black (White) wins by 2."),
        (("You", "Bo wins by 9. Ada"), "Solved: “Bo wins by 9. Ada” (White) wins by 2."),
    ):
        assert describe_result(SolveResult(1, 1), MOVES, names=names)["sentence"] == sentence
    assert describe_result(SolveResult(-3, -3), MOVES, names=("You", "Black"))["sentence"] == "Solved: You win by 2."


def test_margins_are_written_with_a_sign_except_zero() -> None:
    assert [format_signed(number) for number in (-2, 0, 3)] == ["−2", "0", "+3"]


def describe(estimate: Estimate, names: tuple[str, str] = ("Ada", "Bo")) -> dict[str, Any]:
    """Return the description of an estimate for the first seat at the start of a game of Squarin' Off."""
    match = fc.Match(fc.game("squarin-off"), names)
    return describe_estimate(estimate, Seats(match.position, match.names), match.position.view(0), (0, 1))


def test_estimate_at_the_start_is_a_wide_range_and_never_looks_certain() -> None:
    answer = describe(Estimate(88.0, 0.99, solved=False, left=1.0))
    assert answer["sentence"] == "Estimate: Ada wins by about 88, in 64 to 80 of 100 games."
    assert answer["low"] <= answer["share"] <= answer["high"]


def test_range_of_an_estimate_is_narrower_with_more_simulations_and_with_less_left_to_play() -> None:
    def measure_width(nodes: int, left: float) -> float:
        answer = describe(Estimate(2.0, 0.6, solved=False, nodes=nodes, left=left))
        return float(answer["high"] - answer["low"])

    widths = [measure_width(nodes, left) for nodes, left in ((100, 1.0), (2000, 1.0), (2000, 0.5), (2000, 0.01))]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 4


@pytest.mark.parametrize(
    ("margin", "win", "sentence"),
    [
        (-3.4, 0.3, "Estimate: Bo wins by about 3, in 68 to 72 of 100 games."),
        (3.4, 0.7, "Estimate: Ada wins by about 3, in 68 to 72 of 100 games."),
        # A margin that says the opposite of the chance, or nothing, is not told.
        (-2.0, 0.6, "Estimate: Ada wins in 58 to 62 of 100 games."),
        (0.4, 0.5, "Estimate: about even, Ada wins in 48 to 52 of 100 games."),
        # Only chances that may be even are called so.
        (0.2, 0.45, "Estimate: Bo wins in 53 to 57 of 100 games."),
        (0.4, 0.85, "Estimate: Ada wins in 83 to 87 of 100 games."),
    ],
)
def test_margin_and_chance_of_an_estimate_speak_for_the_same_side(margin: float, win: float, sentence: str) -> None:
    assert describe(Estimate(margin, win, solved=False))["sentence"] == sentence


def test_chance_of_an_estimate_is_never_below_two_in_a_hundred_and_a_proven_one_is_exact() -> None:
    for left in (0.0, 0.2, 1.0):
        answer = describe(Estimate(5.0, 1.0, solved=False, left=left))
        assert answer["high"] <= 0.98
    proven = describe(Estimate(5.0, 1.0, solved=True))
    assert (proven["low"], proven["share"], proven["high"]) == (1.0, 1.0, 1.0)
    assert proven["sentence"] == "Ada wins by 5 with best play."


def test_a_player_whose_name_is_you_wins_and_does_not_wins() -> None:
    names = ("You", "Guest")
    assert describe_result(SolveResult(-3, -3), MOVES, names=names)["sentence"] == "Solved: You win by 2."
    assert describe(Estimate(5.0, 1.0, solved=True), names)["sentence"] == "You win by 5 with best play."
