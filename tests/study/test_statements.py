"""The lines behind all sentences of reviews are replayed, and what they prove is counted again."""

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.study.statements import Check, Statement, contrast_moves, is_merit, list_facts, verify
from fourcorners.study.teaching import Teaching
from tests.require import require
from tests.study.games import Minimax, play_random_match, review_small_game


def replay(position: fc.Position, line: tuple[str, ...]) -> fc.Position:
    """Return the position after a line; an illegal move raises."""
    for move in line:
        position = position.play(move)
    return position


def count_margin(position: fc.Position, seat: int) -> int:
    """Return a seat's points less those of its best rival."""
    rivals = [points for other, points in enumerate(position.scores) if other != seat]
    return position.scores[seat] - max(rivals)


def check_statements(review: fc.Review) -> int:
    """Replay the line behind every sentence and assert what it proves; return the number of checks."""
    count = 0
    for move in review.moves:
        position = review.positions[move.ply]
        for statement in move.statements:
            assert statement.line[0] in {move.move, *move.best_moves}
            replay(position, statement.line)
            numbers = {check.number for check in statement.checks}
            assert statement.text.endswith(".")
            for check in statement.checks:
                end = replay(position, check.line)
                count += 1
                if check.kind == "points":
                    assert check.seat is not None
                    start = replay(position, check.line[: check.since])
                    assert end.scores[check.seat] - start.scores[check.seat] == check.number
                elif check.kind == "moves":
                    assert len(end.moves()) == check.number
                elif check.kind == "margin":
                    assert check.seat is not None
                    assert end.is_over
                    assert count_margin(end, check.seat) == check.number
                elif check.kind == "value":
                    assert check.seat is not None
                    solution = fc.solve(end)
                    mine = solution.final_margin if end.seat == check.seat else -solution.final_margin
                    assert mine == check.number
                else:
                    assert (
                        require(end.game.spec.part(Teaching).facts_of_moves).QUANTITIES[check.quantity](end.record)
                        == check.number
                    )
            assert numbers or "best play" not in statement.text
    return count


def test_the_line_behind_every_sentence_about_a_small_game_is_replayed() -> None:
    assert check_statements(review_small_game()) > 4


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options", "games", "least"),
    [
        ("dots-and-boxes", {"cols": 3, "rows": 2}, 1, 5),
        pytest.param("dots-and-boxes", {"cols": 3, "rows": 2}, 3, 30, marks=pytest.mark.ci),
        ("squarin-off", {"cols": 3, "rows": 2, "blockers": 1, "players": 2}, 2, 10),
        ("squarin-off", {"cols": 2, "rows": 1, "blockers": 0, "players": 3}, 2, 4),
        ("square-off", {"size": 4}, 3, 10),
        ("sqez", {"cols": 6, "rows": 5}, 4, 2),
        pytest.param("squendo", {}, 2, 10, marks=pytest.mark.ci),
    ],
)
def test_the_line_behind_every_sentence_is_replayed(name: str, options: dict[str, Any], games: int, least: int) -> None:
    checks = 0
    for seed in range(games):
        checks += check_statements(fc.review(play_random_match(name, seed, **options), nodes=30, seed=1))
    assert checks >= least


def test_a_result_with_best_play_is_that_of_minimax() -> None:
    review, minimax, seen = review_small_game(), Minimax(), 0
    for move in review.errors:
        for statement in move.statements:
            for check in statement.checks:
                if check.kind in {"margin", "value"}:
                    margin = minimax.find_margin(replay(review.positions[move.ply], check.line[:1]))
                    assert check.number == (margin if move.seat == 0 else -margin)
                    seen += 1
    assert seen >= 2


def test_errors_say_what_should_have_been_played() -> None:
    errors = review_small_game().errors
    assert errors
    for move in errors:
        assert move.best_moves
        assert any(statement.line[0] == move.best_moves[0] for statement in move.statements)


@pytest.mark.parametrize(
    ("statement", "problems"),
    [
        (Statement("It gains 1.", ("a1b1",), (Check("moves", 3, ("a1b1",)),)), 0),
        (Statement("It gains 1.", ("a1b1",), (Check("moves", 2, ("a1b1",)),)), 1),
        (Statement("It gains 1.", ("a1b1",), (Check("points", 1, ("a1b1", "a1a2", "a2b2", "b1b2"), 1),)), 0),
        (Statement("It gains 1.", ("a1b1",), (Check("points", 1, ("a1b1", "a1a2", "a2b2", "b1b2"), 0),)), 1),
        (Statement("It wins.", ("a1b1",), (Check("margin", -1, ("a1b1", "a1a2", "a2b2", "b1b2"), 0),)), 0),
        (Statement("It wins.", ("a1b1",), (Check("margin", -1, ("a1b1",), 0),)), 1),
        (Statement("It wins.", ("a1b1", "a1b1"), ()), 1),
        (Statement("It wins.", ("a1b1",), (Check("moves", 3, ("z",)),)), 1),
        (Statement("It wins.", ("a1b1",), (Check("quantity", 3, ("a1b1",), quantity="wishes"),)), 1),
        (Statement("It wins.", ("a1b1",), (Check("quantity", 0, ("a1b1",), quantity="loops"),)), 0),
    ],
)
def test_verify_finds_illegal_lines_and_false_checks(statement: Statement, problems: int) -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).start()
    assert len(verify(statement, position)) == problems


@pytest.mark.parametrize(("name", "options"), [("dots-and-boxes", {"cols": 2, "rows": 2}), ("square-off", {"size": 4})])
def test_nothing_that_speaks_for_a_mistake_is_said_about_it(name: str, options: dict[str, Any]) -> None:
    left_out = 0
    for seed in range(2):
        match = play_random_match(name, seed, **options)
        for position in match.positions[len(match.positions) // 2 : -1 : 2]:
            moves = position.moves()
            played, better = moves[0], moves[-1]
            if played == better:
                continue
            merits = {f"{played} {fact.text}." for fact in list_facts(position, played) if is_merit(position, fact)}
            of_played, of_better = contrast_moves(position, played, better)
            said = {statement.text for statement in of_played}
            assert {statement.line[0] for statement in of_better} <= {better}
            assert not merits & said
            left_out += len(merits)
    assert left_out > 0


def test_nothing_that_blames_the_better_move_is_said_about_it() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).start()
    for move in ["b3c3", "c3c4", "d2d3", "a3b3", "a3a4", "b1c1", "c2d2", "c4d4", "a2a3", "c1d1", "d1d2", "c1c2"]:
        position = position.play(move)
    faults = [move for move in position.moves() if any(fact.is_fault for fact in list_facts(position, move))]
    assert len(faults) > 1
    of_played, of_better = contrast_moves(position, faults[0], faults[1])
    assert any("although there is still a safe edge" in statement.text for statement in of_played)
    assert not any("although" in statement.text for statement in of_better)
