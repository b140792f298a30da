"""Numbers of a review as people read them: what is lost, and chances, never "about 0"."""

from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.study.evaluation import Evaluation, Interval, Loss
from fourcorners.study.html_report import render_move, render_sentence
from fourcorners.study.labels import Label
from fourcorners.study.move_review import Phase
from fourcorners.study.statements import Statement
from fourcorners.study.summary import PlayerSummary
from fourcorners.study.wording import (
    address_reader,
    describe_result,
    describe_turn,
    format_chance,
    format_loss,
    format_loss_per_move,
    list_names,
)
from tests.study.games import review_small_game

NONE = Interval.at(0.0)


@pytest.mark.parametrize(
    ("points", "win", "words"),
    [
        (Interval(0.3, 0.0, 4.6), NONE, "at most 5 points"),
        (Interval(0.3, 0.0, 1.2), Interval(0.002, 0.0, 0.1), "at most 1 point and at most 10% chance of winning"),
        (Interval(0.0, 0.0, 0.4), Interval(0.001, 0.0, 0.004), "nothing"),
        (Interval(1.2, 0.0, 3.0), NONE, "about 1 point (0 to 3)"),
        (
            Interval(2.2, 1.0, 5.0),
            Interval(0.25, 0.0, 0.5),
            "about 2 points (1 to 5) and about 25% chance of winning (0 to 50)",
        ),
        (Interval(2.2, 1.9, 2.3), NONE, "about 2 points"),
    ],
)
def test_an_estimated_loss_is_never_about_nothing(points: Interval, win: Interval, words: str) -> None:
    assert format_loss(Loss(points, win, exact=False), has_points=True) == words


def test_a_proven_loss_has_no_range() -> None:
    assert (
        format_loss(Loss(Interval.at(1.0), Interval.at(0.5), exact=True), has_points=True)
        == "1 point and 50% chance of winning"
    )
    assert format_loss(Loss(NONE, NONE, exact=True), has_points=True) == "nothing"
    assert (
        format_loss(Loss(Interval.at(2.0), Interval.at(1.0), exact=True), has_points=False) == "100% chance of winning"
    )
    assert format_loss(None, has_points=True) == "not known"


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (Interval(0.001, 0.0, 0.043), "at most 5%"),
        (Interval(0.0, 0.0, 0.0), "at most 1%"),
        (Interval(0.999, 0.95, 1.0), "at least 95%"),
        (Interval(0.6, 0.45, 0.75), "about 60% (45 to 75)"),
    ],
)
def test_an_estimated_chance_is_never_about_none_or_all(chance: Interval, words: str) -> None:
    assert format_chance(chance, exact=False) == words
    assert format_chance(Interval.at(1.0), exact=True) == "100%"


@pytest.mark.parametrize(
    ("text", "line", "html"),
    [
        ("#c4 c4d4 cuts a chain.", ("#c4 c4d4",), "<code>#c4 c4d4</code> cuts a chain."),
        (
            "After a1, <Bo> gains 12 with a12.",
            ("a1", "a12"),
            "After <code>a1</code>, &lt;Bo&gt; gains 12 with <code>a12</code>.",
        ),
        ("The move a1b1 is no other.", ("a1",), "The move a1b1 is no other."),
    ],
)
def test_moves_in_sentences_are_code_and_all_else_is_escaped(text: str, line: tuple[str, ...], html: str) -> None:
    assert render_sentence(Statement(text, line)) == html


def test_a_move_is_code_in_notation_and_plain_in_words() -> None:
    assert render_move(fc.game("square-off").start(), "b2") == "<code>b2</code>"
    start = fc.game("squendo").start(seed=1)
    tile = start.moves()[0].split(" ")[0]
    assert render_move(start, f"{tile} 0,0 r0").startswith("the ")


def test_a_player_who_reads_a_review_is_you_in_it_and_no_one_else_is() -> None:
    review = review_small_game()
    names = list_names(review)
    for seat in (0, 1):
        addressed = address_reader(review, seat)
        assert list_names(addressed)[seat] == "You" and list_names(addressed)[1 - seat] == names[1 - seat]
        assert describe_result(addressed).startswith(("You lost 0 : 2; ", "You win 2 : 0; ")[seat])
        for before, after in zip(review.errors, addressed.errors, strict=True):
            for plain, told in zip(before.statements, after.statements, strict=True):
                assert names[seat] not in told.text and plain.line == told.line
                if f"{names[seat]} loses by" in plain.text:
                    assert "you lose by" in told.text


def test_a_sentence_that_calls_another_player_you_says_so() -> None:
    review = review_small_game()
    error = review.errors[0]
    fact = Statement("a1b1 completes a box, so it is your turn again.", ("a1b1",))
    told = replace(review, moves=(replace(error, statements=(fact,)),))
    assert address_reader(told, error.seat).moves[0].statements == (fact,)
    (other,) = address_reader(told, 1 - error.seat).moves[0].statements
    assert other.text == f"{fact.text} Here “you” is {list_names(review)[error.seat]}."


def test_what_a_player_lost_per_move_leaves_forced_moves_out() -> None:
    labels = {**dict.fromkeys(Label, 0), Label.BLUNDER: 1, Label.BEST: 3, Label.FORCED: 6}
    points, chance = dict.fromkeys(Phase, 0.0), dict.fromkeys(Phase, 0.0)
    player = PlayerSummary(0, "Ada", labels, points | {Phase.ENDING: 6.0}, chance | {Phase.OPENING: 0.5}, 0, "", "")
    review = review_small_game()
    assert format_loss_per_move(review, player) == "1.5 points"
    without_points = replace(review, record=fc.Match(fc.game("sqez")).record())
    assert format_loss_per_move(without_points, player) == "12.5% chance of winning"
    none = player._replace(points_lost=points)
    assert format_loss_per_move(review, none) == "nothing"
    assert format_loss_per_move(review, none._replace(labels=dict.fromkeys(Label, 0))) == "no move was judged"


def test_small_and_estimated_losses_per_move_are_not_called_nothing_or_exact() -> None:
    review = review_small_game()
    player = review.players[0]._replace(points_lost={Phase.ENDING: 0.05}, labels={Label.BEST: 2, Label.FORCED: 0})
    assert format_loss_per_move(review, player) == "less than 0.1 points"
    error = next(move for move in review.errors if move.seat == 0)
    estimated = replace(error, loss=Loss(Interval(1.0, 0.5, 1.5), Interval(0.5, 0.2, 0.8), exact=False))
    player = player._replace(points_lost={Phase.ENDING: 2.0})
    for move, words in ((error, "1 point"), (estimated, "about 1 point")):
        assert format_loss_per_move(replace(review, moves=(move,)), player) == words


@pytest.mark.parametrize("clause", ["resigned", "ran out of time"])
def test_a_reader_who_left_is_told_so_and_no_word_of_the_result_is_taken_for_a_name(clause: str) -> None:
    review = review_small_game()
    names = ("all", "Countess all")
    players = tuple(player._replace(name=name) for player, name in zip(review.players, names, strict=True))
    review = replace(review, players=players)
    assert describe_result(address_reader(review, 0)) == "You lost 0 : 2; all edges are drawn"
    left = replace(review, result=f"seat 1 wins 0-0: all {clause}")
    assert describe_result(address_reader(left, 0)) == f"You {clause}"
    assert describe_result(address_reader(left, 1)) == f"You win: all {clause}"
    other = replace(review, result=f"seat 0 wins 0-0: Countess all {clause}")
    assert describe_result(address_reader(other, 0)) == f"You win: Countess all {clause}"


def test_only_whole_names_in_sentences_about_results_are_the_reader() -> None:
    review = review_small_game()
    names = ("it", "Countess it")
    players = tuple(player._replace(name=name) for player, name in zip(review.players, names, strict=True))
    error = next(move for move in review.errors if move.seat == 0)
    told = (
        Statement("a1b1: with best play, it loses by 1.", ("a1b1",)),
        Statement("After a1b1, Countess it gains 1 point with a1a2.", ("a1b1",)),
        Statement("a1b1 closes the chain, it ends with a loop.", ("a1b1",), theme="chains"),
    )
    review = replace(review, players=players, moves=(replace(error, statements=told),))
    addressed = address_reader(review, 0).moves[0].statements
    expected = (told[0]._replace(text="a1b1: with best play, you lose by 1."), *told[1:])
    assert addressed == expected


@pytest.mark.parametrize(
    ("chance", "lost", "words"),
    [
        ((0.51, 0.4, 0.62), (0.3, 0.1, 0.5), "the game was about even, after it Bo had the better chances"),
        ((0.51, 0.5, 0.52), (0.3, 0.2, 0.4), "the game was about even, after it Bo was winning"),
        ((0.8, 0.7, 0.9), (0.6, 0.5, 0.7), "Ada was winning, after it Bo was winning"),
        ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), "the game was even, after it Bo was winning"),
    ],
)
def test_the_turn_of_a_game_calls_no_one_winning_whose_chance_may_be_even(
    chance: tuple[float, float, float], lost: tuple[float, float, float], words: str
) -> None:
    review = review_small_game()
    players = tuple(player._replace(name=name) for player, name in zip(review.players, ("Ada", "Bo"), strict=True))
    error = next(move for move in review.errors if move.seat == 0)
    evaluation = Evaluation(Interval.at(0.0), Interval(*chance))
    turn = replace(error, evaluation=evaluation, loss=Loss(Interval.at(1.0), Interval(*lost), exact=False))
    assert f"before it {words}, by estimate." in describe_turn(replace(review, players=players), turn)
