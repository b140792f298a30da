"""Reviews: losses agree with minimax, limits and errors, partial and repeated reviews."""

import itertools
import math
import threading
from dataclasses import replace
from html import escape
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.seat_names import distinguish_names
from fourcorners.study.evaluation import NO_LOSS, Evaluation, Interval, Loss
from fourcorners.study.findings import Estimate, Noise, evaluate_finding, find_loss, make_finding
from fourcorners.study.html_report import build_html
from fourcorners.study.labels import ERRORS, Label
from fourcorners.study.pace import Pace
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.reviewer import Reviewer
from fourcorners.study.statements import verify
from fourcorners.study.wording import describe_turn
from tests.study.games import MaxN, Minimax, play_random_ending, play_random_match, review_small_game


def check_against_minimax(match: fc.Match, review: fc.Review, minimax: Minimax) -> int:
    """Assert that all evaluations, losses and labels are those of minimax; return the number of errors."""
    has_points = match.game.spec.scoring == "points"
    for move, before, after in zip(review.moves, match.positions, match.positions[1:], strict=False):
        sign = 1 if move.seat == 0 else -1
        best, played = sign * minimax.find_margin(before), sign * minimax.find_margin(after)
        assert move.evaluation is not None
        assert move.loss is not None
        assert move.evaluation.exact
        assert move.evaluation.margin == Interval(best, best, best)
        assert move.loss.exact
        assert move.loss.points.value == best - played
        wins = [1.0 if margin > 0 else 0.5 if margin == 0 else 0.0 for margin in (best, played)]
        assert move.loss.win.value == wins[0] - wins[1]
        if len(before.moves()) == 1:
            assert move.label is Label.FORCED
        elif best == played:
            assert move.label is Label.BEST
        elif wins[0] - wins[1] >= 0.5:
            assert move.label is Label.BLUNDER
        else:
            assert has_points
            share = (best - played) / sum(match.position.scores)
            assert move.label is (Label.MISTAKE if share >= 0.1 else Label.INACCURACY)
        for good in move.best_moves:
            assert sign * minimax.find_margin(before.play(good)) == best
    return len(review.errors)


def test_every_label_agrees_with_minimax_on_a_small_board() -> None:
    review = review_small_game()
    assert review.is_complete
    assert check_against_minimax(review.record.match(), review, Minimax()) > 0


def find_turn(match: fc.Match, minimax: Minimax) -> int | None:
    """Return the last ply of the loser that went from at least a draw to a loss; None without one, or a draw."""
    margin = match.position.scores[0] - match.position.scores[1]
    turns = []
    for ply, (before, after) in enumerate(itertools.pairwise(match.positions)):
        sign = 1 if before.seat == 0 else -1
        if margin * sign < 0 and sign * minimax.find_margin(after) < 0 <= sign * minimax.find_margin(before):
            turns.append(ply)
    return turns[-1] if turns else None


def test_a_game_turned_with_the_last_move_that_lost_it() -> None:
    found = []
    for seed in range(8):
        match = play_random_match("dots-and-boxes", seed, cols=2, rows=1)
        review = fc.review(match, nodes=5, seed=1)
        found.append(None if review.turn is None else review.turn.ply)
        assert found[-1] == find_turn(match, Minimax())
        if review.turn is not None:
            sentence = describe_turn(review, review.turn)
            assert sentence.startswith(f"Move {review.turn.ply + 1}, {review.turn.move}, turned the game: before it ")
    assert None in found and set(found) - {None}


def find_game_that_turned() -> fc.Review:
    """Review the first random game for two boxes that turned before its last moves."""
    for seed in range(20):
        review = fc.review(play_random_match("dots-and-boxes", seed, cols=2, rows=1), nodes=5, seed=1)
        if review.turn is not None and review.turn.ply < len(review.moves) - 1:
            return review
    raise AssertionError("no game turned")


def test_a_game_that_may_not_have_been_lost_from_then_on_has_not_turned() -> None:
    review = find_game_that_turned()
    assert review.turn is not None
    later = review.moves[review.turn.ply + 1]
    winner = 1 - review.turn.seat
    chance = Interval(0.5, 0.4, 0.6)
    for changed in (
        replace(later, label=None),
        replace(later, evaluation=Evaluation(Interval.at(0.0), chance), label=Label.GOOD, loss=NO_LOSS),
    ):
        moves = tuple(changed if move is later else move for move in review.moves)
        assert replace(review, moves=moves).turn is None
    # After the last move that was played the one who resigns may have been winning, or not.
    last = review.moves[-1]
    lost, level = (Evaluation(Interval.at(0.0), Interval.at(chance)) for chance in (float(last.seat == winner), 0.5))
    result = f"seat {winner} wins 0-0: Ada resigned"
    for evaluation, turn in ((lost, review.turn), (level, None)):
        moves = (*review.moves[:-1], replace(last, evaluation=evaluation, loss=NO_LOSS))
        assert replace(review, result=result, moves=moves).turn == turn
    slip = Loss(Interval.at(1.0), Interval.at(0.5), exact=True)
    if last.seat == winner:
        moves = (*review.moves[:-1], replace(last, evaluation=lost, loss=slip))
        assert replace(review, result=result, moves=moves).turn is None


def test_interval_of_an_estimate_reaches_from_one_search_to_the_other_however_small_the_noise() -> None:
    position = fc.game("dots-and-boxes", cols=5, rows=5).start()
    choice = position.moves()[0]
    finding = make_finding(position.game, position, choice, 59, 60)
    finding.choice, finding.before, finding.played = choice, Estimate(34.0, 0.9), Estimate(-26.0, 0.2)
    finding.left = 0.0
    evaluation = evaluate_finding(finding, (0.25, 0.01))
    assert evaluation is not None
    assert evaluation.margin == Interval(4.0, -26.0, 34.0)
    assert evaluation.win == pytest.approx((0.55, 0.2, 0.9))


def test_noise_of_searches_leaves_out_how_much_they_favour_the_side_to_move() -> None:
    """Every search expects the side to move to win by 30 more, and is off by 1 point and 2 percentage points."""
    noise = Noise((9.0, 0.9))
    errors = [(1.0, 0.02), (-1.0, -0.02)] * 3
    for margin, win in errors[:4]:
        noise.add(Estimate(30.0 + margin, 0.6 + win), Estimate(-30.0, 0.4), passes=True)
    assert noise.levels == (9.0, 0.9), "four pairs and their mean leave three to measure"
    for margin, win in errors[4:]:
        noise.add(Estimate(30.0 + margin, 0.6 + win), Estimate(-30.0, 0.4), passes=True)
    assert noise.levels == pytest.approx((math.sqrt(6 / 5), 0.02 * math.sqrt(6 / 5)))
    # Where the same side goes on, both searches favour it.
    noise.add(Estimate(35.0, 0.6), Estimate(30.0, 0.5), passes=False)
    assert noise.levels == pytest.approx((math.sqrt(31 / 6), math.sqrt((6 * 0.02**2 + 0.1**2) / 6)))
    assert noise.favour == pytest.approx((60.0, 0.2))


def test_move_that_hands_on_the_turn_does_not_lose_what_searches_give_the_side_to_move() -> None:
    position = fc.game("dots-and-boxes", cols=5, rows=5).start()
    choice, other = position.moves()[:2]
    finding = make_finding(position.game, position, other, 0, 60)
    finding.choice, finding.before = choice, Estimate(34.0, 0.6)
    finding.best, finding.played = Estimate(33.0, 0.6), Estimate(-28.0, 0.35)
    for swing, points, win in ((0, 61.0, 0.25), (1, 1.0, 0.05)):
        finding.swing = swing
        loss = find_loss(finding, None, (1.0, 0.1), (60.0, 0.2))
        assert loss is not None
        assert (loss.points.value, loss.win.value) == pytest.approx((points, win))


def test_estimate_does_not_favour_the_side_to_move() -> None:
    """Both searches expect the mover's seat to win by 4, and the side to move by 30 more."""
    position = fc.game("dots-and-boxes", cols=5, rows=5).start()
    choice, other = position.moves()[:2]
    for move, after in ((choice, "played"), (other, "best")):
        finding = make_finding(position.game, position, move, 0, 60)
        finding.choice, finding.before = choice, Estimate(34.0, 0.9)
        setattr(finding, after, Estimate(-26.0, 0.2))
        evaluation = evaluate_finding(finding, (60.0, 0.7))
        assert evaluation is not None
        assert evaluation.margin.value == 4.0 and evaluation.win.value == pytest.approx(0.55)
        assert evaluation.margin.low <= -26.0 and evaluation.margin.high >= 34.0


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options", "games"),
    [
        ("dots-and-boxes", {"cols": 2, "rows": 2}, 2),
        pytest.param("dots-and-boxes", {"cols": 2, "rows": 2}, 6, marks=pytest.mark.ci),
        pytest.param("squarin-off", {"cols": 2, "rows": 1, "blockers": 1, "values": ["21"]}, 4, marks=pytest.mark.ci),
        ("sqez", {"cols": 6, "rows": 4}, 2),
        pytest.param("sqez", {"cols": 6, "rows": 4}, 6, marks=pytest.mark.ci),
        pytest.param("sqez", {"cols": 5, "rows": 4, "sides": "shared"}, 6, marks=pytest.mark.ci),
    ],
)
def test_every_label_agrees_with_minimax(name: str, options: dict[str, Any], games: int) -> None:
    minimax, errors = Minimax(), 0
    for seed in range(games):
        match = play_random_match(name, seed, **options)
        errors += check_against_minimax(match, fc.review(match, nodes=50, seed=1), minimax)
    assert errors > 0


@pytest.mark.compiled
def test_every_label_agrees_with_minimax_at_the_end_of_square_off() -> None:
    """The last seven cells of random games on 4 x 4, where the symmetry right may still be open."""
    minimax, errors = Minimax(), 0
    for seed in range(4):
        full = play_random_match("square-off", seed, size=4)
        match = play_random_ending(full.game.position(full.positions[-8].text), seed + 100)
        errors += check_against_minimax(match, fc.review(match, nodes=50, seed=1), minimax)
    assert errors > 0


@pytest.mark.compiled
def test_every_label_agrees_with_minimax_at_the_end_of_squendo_where_hands_can_be_inferred() -> None:
    """Positions of puzzles, after best play until three tiles are left."""
    minimax, errors = Minimax(), 0
    for puzzle in list_puzzles("squendo")[::75]:
        position = puzzle.position
        for move in puzzle.line:
            if int(sum(position.record.hand_size)) == 3:
                break
            position = position.play(move)
        match = play_random_ending(position.game.position(position.text), 1)
        errors += check_against_minimax(match, fc.review(match, nodes=50, seed=1), minimax)
    assert errors > 0


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("squarin-off", {"cols": 2, "rows": 1, "players": 3, "blockers": 0}),
        pytest.param("squarin-off", {"cols": 2, "rows": 2, "players": 3, "blockers": 0}, marks=pytest.mark.ci),
    ],
)
def test_losses_of_three_agree_with_max_n(name: str, options: dict[str, Any]) -> None:
    reference, errors = MaxN(), 0
    for seed in range(6):
        match = play_random_match(name, seed, **options)
        review = fc.review(match, nodes=50, seed=1)
        for move, before, after in zip(review.moves, match.positions, match.positions[1:], strict=False):
            best, played = (reference.find_margins(position)[move.seat] for position in (before, after))
            assert move.loss is not None and move.loss.exact
            assert move.loss.points.value == best - played
            if len(before.moves()) > 1:
                assert (move.label is Label.BEST) == (best == played)
                errors += best > played
            for good in move.best_moves:
                assert reference.find_margins(before.play(good))[move.seat] == best
    assert errors > 0


def test_a_review_takes_a_record_a_match_or_a_text() -> None:
    match = play_random_match("dots-and-boxes", 5, cols=1, rows=1)
    expected = fc.review(match, nodes=5, seed=1)
    for given in (match.record(), str(match.record())):
        assert fc.review(given, nodes=5, seed=1) == expected


@pytest.mark.parametrize("name", ["dots-and-boxes", "squendo"])
def test_running_games_are_refused_in_one_sentence(name: str) -> None:
    match = fc.Match(fc.game(name), seed=1)
    match.play(match.position.moves()[0])
    with pytest.raises(fc.GameError, match="still running: only finished games can be reviewed"):
        fc.review(match)
    with pytest.raises(fc.GameError, match="still running" if name == "dots-and-boxes" else "cannot be replayed"):
        fc.review(match.record(0))


def test_what_is_no_finished_game_is_refused() -> None:
    with pytest.raises(fc.RecordError, match="a record begins with"):
        fc.review("hello")
    for wrong in (None, 3, fc.game("sqez"), fc.game("sqez").start()):
        with pytest.raises(fc.GameError, match="must be a Record, a Match or the text of a record"):
            fc.review(wrong)  # type: ignore[arg-type]
    match = fc.Match(fc.game("dots-and-boxes"))
    match.resign(0)
    with pytest.raises(fc.GameError, match="a game of 0 moves cannot be reviewed"):
        fc.review(match)


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": 0},
        {"seconds": True},
        {"seconds": "1"},
        {"nodes": 0},
        {"nodes": 1.5},
        {"seed": "x"},
        {"stop": 1},
        {"progress": 1},
    ],
)
def test_wrong_limits_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(fc.OptionError, match="is not allowed; it must be"):
        fc.review(play_random_match("dots-and-boxes", 5, cols=1, rows=1), **limits)


def test_progress_receives_the_whole_review_last_and_a_stop_ends_it_early() -> None:
    match = play_random_match("dots-and-boxes", 5, cols=2, rows=1)
    seen: list[fc.Review] = []
    result = fc.review(match, nodes=5, seed=1, progress=seen.append)
    assert seen[-1] == result
    stop = threading.Event()
    stop.set()
    stopped = fc.review(match, nodes=5, seed=1, stop=stop)
    assert not stopped.is_complete
    assert len(stopped.moves) == len(result.moves)
    assert any(move.label is None for move in stopped.moves)


def test_a_partial_review_knows_the_end_before_the_beginning() -> None:
    match = play_random_match("dots-and-boxes", 5, cols=2, rows=1)
    reviewer = Reviewer(match.positions, match.names, Pace(None, 5, None), 1)
    steps = reviewer.run()
    next(steps)
    assert reviewer.label(len(reviewer.findings) - 1) is not None
    assert reviewer.label(0) is None
    for _ in steps:
        pass
    assert reviewer.label(0) is not None
    assert reviewer.is_complete


@pytest.mark.parametrize("name", ["dots-and-boxes", pytest.param("squendo", marks=pytest.mark.compiled)])
def test_an_error_has_a_better_move_and_a_reason_long_before_all_moves_are_judged(name: str) -> None:
    match = play_random_match(name, 3)
    reviewer = Reviewer(match.positions, ["Ada", "Bo"], Pace(None, 20, None), 0)
    steps = reviewer.run()
    while not reviewer.statements:
        next(steps)
    (ply,) = reviewer.statements
    assert reviewer.label(ply) in ERRORS
    assert reviewer.findings[ply].best_moves
    judged = sum(reviewer.label(each) is not None for each in range(len(reviewer.findings)))
    assert judged <= len(reviewer.findings) / 4


def test_proofs_estimates_and_reasons_stop_one_after_the_other_before_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(100.0, None, None)
    stops = {0: 3, 34: 3, 36: 2, 79: 2, 81: 1, 94: 1, 96: 0}
    for seconds, steps in stops.items():
        monkeypatch.setattr(Pace, "elapsed_seconds", float(seconds))
        assert pace.has_time_for_proofs + pace.has_time_for_estimates + pace.has_time_for_reasons == steps


def test_a_resigned_game_is_reviewed_up_to_its_last_move() -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=2, rows=1))
    for text in ("a1b1", "a2b2", "a1a2"):
        match.play(text)
    match.resign(0)
    review = fc.review(match, nodes=5, seed=1)
    assert review.is_complete
    minimax = Minimax()
    for move, before, after in zip(review.moves, match.positions, match.positions[1:], strict=False):
        change = minimax.find_margin(before) - minimax.find_margin(after)
        assert move.loss is not None
        assert move.loss.points.value == abs(change)


def test_why_not_explains_any_other_move() -> None:
    review = review_small_game()
    minimax = Minimax()
    ply = next(move.ply for move in review.moves if move.label in ERRORS)
    position = review.positions[ply]
    sign = 1 if position.seat == 0 else -1
    for move in position.moves()[::2]:
        found = fc.why_not(review, ply, move, nodes=5, seed=1)
        assert found.loss is not None
        loss = sign * (minimax.find_margin(position) - minimax.find_margin(position.play(move)))
        assert (found.move, found.loss.points.value) == (move, loss)
        assert bool(found.statements) == (loss > 0)
        assert [problem for statement in found.statements for problem in verify(statement, position)] == []


def test_why_not_refuses_what_is_no_legal_move_and_no_ply() -> None:
    review = review_small_game()
    with pytest.raises(fc.IllegalMoveError):
        fc.why_not(review, len(review.moves) - 1, review.moves[0].move)
    with pytest.raises(fc.NotationError):
        fc.why_not(review, 0, "z")
    for ply in (-1, len(review.moves), True, "1"):
        with pytest.raises(fc.OptionError, match="it must be 0 to 6"):
            fc.why_not(review, ply, "a1b1")  # type: ignore[arg-type]


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["sqez", *(pytest.param(name, marks=pytest.mark.ci) for name in ("dots-and-boxes", "square-off"))]
)
def test_the_same_seed_and_nodes_give_the_same_review(name: str) -> None:
    options = {"cols": 3, "rows": 3} if name == "dots-and-boxes" else {"size": 4} if name == "square-off" else {}
    match = play_random_match(name, 2, **options)
    assert fc.review(match, nodes=20, seed=3) == fc.review(match, nodes=20, seed=3)


@pytest.mark.compiled
def test_estimates_have_intervals_and_never_claim_certainty() -> None:
    match = play_random_match("squarin-off", 4, cols=4, rows=4, blockers=1)
    review = fc.review(match, nodes=4, seed=1)
    estimates = [move.evaluation for move in review.moves if move.evaluation and not move.evaluation.decided]
    assert len(estimates) > 3
    for evaluation in estimates:
        assert evaluation.margin.low < evaluation.margin.value < evaluation.margin.high
        assert 0.0 < evaluation.win.low <= evaluation.win.value <= evaluation.win.high < 1.0


@pytest.mark.compiled
def test_a_move_is_judged_by_what_its_player_could_know() -> None:
    """Two games whose first player sees the same; in one of them other hands and the pile hold other tiles."""
    game = fc.game("squendo")
    deck = game.start(seed=4).game.deck(seed=4)
    other = (*deck[:4], *reversed(deck[4:]))
    found = []
    for tiles in (deck, other):
        match = fc.Match(game, deck=tiles, date="2026-11-23", nonce="")
        match.play(match.position.moves()[0])
        match.play(match.position.moves()[0])
        match.resign(0)
        review = fc.review(match, nodes=20, seed=1)
        assert "what its player could know" in review.knowledge
        found.append((review.moves[0].loss, review.moves[0].best_moves, review.moves[0].statements))
    assert found[0] == found[1]
    assert found[0][0] is not None


@pytest.mark.parametrize("names", [("seat 1", "seat 0"), ("Ada", "Ada"), ("<b>Bo</b>", "Bo wins by 9. Ada")])
def test_no_name_in_a_review_can_be_taken_for_a_seat_or_another_player(names: tuple[str, str]) -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=2, rows=1), names, date="2026-11-27")
    for move in ("a1b1", "b1c1", "a2b2", "a1a2"):
        match.play(move)
    match.resign(1)
    review = fc.review(match, nodes=20, seed=1)
    shown = distinguish_names(match.game.seat_names, names)
    assert shown != names and tuple(player.name for player in review.players) == shown
    texts = [statement.text for move in review.moves for statement in move.statements]
    assert review.result.endswith(f": {shown[1]} resigned")
    assert any(name in text for text in texts for name in shown)
    for text in [review.result, *texts]:
        rest = text.replace(shown[0], "").replace(shown[1], "")
        assert not any(name in rest.removeprefix("seat 0 wins") for name in names)
    page = build_html(review)
    assert "<b>Bo" not in page and escape(shown[0]) in page
