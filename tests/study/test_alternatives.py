"""Other moves than those played: attempts to find a better one are judged by proof, or by a review's interval."""

from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.study import alternatives
from fourcorners.study.alternatives import judge_attempt, list_mistakes, why_not
from fourcorners.study.evaluation import Interval, Loss
from fourcorners.study.labels import ERRORS, Label
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.statements import verify
from tests.study.games import Minimax, play_random_match, review_small_game


def find_mistakes(review: fc.Review) -> list[int]:
    """Return the plies of all errors of both seats, inaccuracies included."""
    return [move.ply for seat in (0, 1) for move in list_mistakes(review, seat, inaccuracies=True)]


def test_every_equally_good_move_is_accepted_and_no_other_one_by_proof() -> None:
    review, minimax, judged = review_small_game(), Minimax(), 0
    for ply in find_mistakes(review)[:2]:
        position = review.positions[ply]
        sign = 1 if position.seat == 0 else -1
        best = sign * minimax.find_margin(position)
        for move in position.moves():
            attempt = judge_attempt(review, ply, move, nodes=5, seed=1)
            assert attempt.is_proven
            assert attempt.is_accepted == (sign * minimax.find_margin(position.play(move)) == best)
            judged += 1
            if not attempt.is_accepted:
                assert attempt.move.statements
                assert not any(verify(statement, position) for statement in attempt.move.statements)
    assert judged > 3


def test_mistakes_are_those_of_one_seat_and_inaccuracies_only_on_request() -> None:
    review = review_small_game()
    moves = tuple(
        replace(move, label=Label.INACCURACY) if move.label in ERRORS and number % 2 else move
        for number, move in enumerate(review.moves)
    )
    changed = replace(review, moves=moves)
    for seat in (0, 1):
        labels = [move.label for move in list_mistakes(changed, seat)]
        assert Label.INACCURACY not in labels
        everything = list_mistakes(changed, seat, inaccuracies=True)
        assert {move.seat for move in everything} <= {seat}
        assert len(everything) == sum(move.seat == seat and move.label in ERRORS for move in moves)


@pytest.mark.compiled
def test_an_estimated_move_is_accepted_within_the_interval_of_the_review_and_the_mistake_itself_never() -> None:
    """The review is given intervals so wide that nothing is worse for certain, then none at all."""
    match = fc.Match(fc.game("dots-and-boxes", cols=4, rows=4))
    for move in ("a1b1", "a1a2", "a2b2", "b1b2"):
        match.play(move)
    match.resign(0)
    review = fc.review(match, nodes=4, seed=1)
    ply = 2
    position = review.positions[ply]
    played = replace(review.moves[ply], label=Label.BLUNDER, best_moves=("c3c4",))
    other = next(move for move in position.moves() if move not in {played.move, "c3c4"})
    accepted = []
    for doubt in (1000.0, 0.0001):
        loss = Loss(Interval(0.0, 0.0, doubt), Interval(0.0, 0.0, min(doubt, 1.0)), exact=False)
        wide = replace(review, moves=(*review.moves[:ply], replace(played, loss=loss), *review.moves[ply + 1 :]))
        attempt = judge_attempt(wide, ply, other, nodes=4, seed=1)
        assert not attempt.is_proven
        accepted.append(attempt.is_accepted)
        assert not judge_attempt(wide, ply, played.move, nodes=4, seed=1).is_accepted
        assert judge_attempt(wide, ply, "c3c4", nodes=4, seed=1).is_accepted
    assert accepted[0]


def test_what_cannot_be_judged_in_time_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    review = review_small_game()
    ply = find_mistakes(review)[0]
    played = review.moves[ply]
    moves = review.positions[ply].moves()
    other = next(move for move in moves if move != played.move and move not in played.best_moves)
    monkeypatch.setattr(alternatives, "why_not", lambda *_, **__: replace(played, move=other, loss=None))
    with pytest.raises(fc.GameError, match=f"there was not enough time to judge '{other}'"):
        judge_attempt(review, ply, other)


def test_wrong_seats_plies_and_moves_are_refused() -> None:
    review = review_small_game()
    for seat in (-1, 2, True, "0"):
        with pytest.raises(fc.OptionError, match="it must be 0 to 1"):
            list_mistakes(review, seat)  # type: ignore[arg-type]
    with pytest.raises(fc.OptionError, match="it must be 0 to 6"):
        judge_attempt(review, 7, "a1b1")
    with pytest.raises(fc.NotationError):
        judge_attempt(review, 0, "z")
    with pytest.raises(fc.GameError, match="must be a Review"):
        list_mistakes("x", 0)  # type: ignore[arg-type]


@pytest.fixture
def uneven_review() -> fc.Review:
    """Review a game for two boxes of 1 and 9 points, in which some errors lose points, others the game."""
    match = play_random_match("squarin-off", 0, cols=2, rows=1, blockers=0, values=["19"])
    return fc.review(match, nodes=5, seed=1)


def test_a_move_has_the_same_label_on_its_own_as_in_the_whole_review(uneven_review: fc.Review) -> None:
    """Alone it is judged without the end of the game, so the points of all seats come from the review."""
    judged = [move for move in uneven_review.moves if move.label is not Label.FORCED]
    for move in judged:
        alone = why_not(uneven_review, move.ply, move.move, nodes=5, seed=1)
        assert (alone.label, alone.loss) == (move.label, move.loss)
    assert {move.label for move in judged} == {Label.BEST, Label.MISTAKE, Label.BLUNDER}


def test_a_label_compares_points_with_those_that_the_review_counted(uneven_review: fc.Review) -> None:
    played = next(move for move in uneven_review.moves if move.label is Label.MISTAKE)
    assert played.loss is not None and played.loss.points.value == 2
    for points, label in ((10.0, Label.MISTAKE), (100.0, Label.INACCURACY)):
        changed = replace(uneven_review, all_points=points)
        assert why_not(changed, played.ply, played.move, nodes=5, seed=1).label is label


@pytest.mark.compiled
def test_an_attempt_with_hidden_hands_is_judged_by_what_its_player_could_know() -> None:
    """Two games whose first player sees the same; in one of them other hands and the pile hold other tiles."""
    game = fc.game("squendo")
    deck = game.deck(seed=4)
    found = []
    for tiles in (deck, (*deck[:4], *reversed(deck[4:]))):
        match = fc.Match(game, deck=tiles, date="2026-11-23", nonce="")
        first = match.position.moves()[:4]
        match.play(first[0])
        match.play(match.position.moves()[0])
        match.resign(0)
        review = fc.review(match, nodes=20, seed=1)
        best = review.moves[0].best_moves
        attempts = {move: judge_attempt(review, 0, move, nodes=20, seed=1) for move in (*first, *best)}
        assert not any(attempt.is_proven for attempt in attempts.values())
        assert best and all(attempts[move].is_accepted for move in best)
        found.append(attempts)
    assert found[0] == found[1]


@pytest.mark.compiled
def test_attempts_where_hands_can_be_inferred_are_accepted_by_proof_alone() -> None:
    minimax, judged = Minimax(), []
    puzzle = list_puzzles("squendo")[0]
    position = puzzle.position
    for move in puzzle.line:
        if int(sum(position.record.hand_size)) <= 2:
            break
        position = position.play(move)
    start = position.game.position(position.text)
    sign = 1 if start.seat == 0 else -1
    margins = {move: sign * minimax.find_margin(start.play(move)) for move in start.moves()}
    worst = min(margins, key=margins.__getitem__)
    match = fc.Match(start.game, date="2026-11-23", start=start)
    match.play(worst)
    match.resign(match.position.seat or 0)
    review = fc.review(match, nodes=50, seed=1)
    for move in [*list(margins)[:8], worst]:
        attempt = judge_attempt(review, 0, move, nodes=200, seed=1)
        assert attempt.is_proven
        assert attempt.is_accepted == (margins[move] == max(margins.values()))
        judged.append(attempt.is_accepted)
    assert False in judged
