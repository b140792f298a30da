"""Contests: balance of seats and openings, the figures, and games kept in a file."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.core.levels import Level
from fourcorners.players.engine_match import PLAIN, EngineMatch, PlayedGame, Score, Side, elo_difference, expected_share, parse_side
from fourcorners.players.match_log import MatchLog

SMALL = fc.game("dots-and-boxes", cols=2, rows=2)
CHANCE = Side("chance", Level("chance", "looks at nothing", 1, 1.0), nodes=1)
GOOD = Side("good", PLAIN, nodes=300)


def test_elo_is_zero_at_a_half_and_never_infinite() -> None:
    assert elo_difference(0.5) == 0
    assert elo_difference(10 / 11) == pytest.approx(400)
    assert elo_difference(0.0) == -elo_difference(1.0) == -1200
    assert elo_difference(1e-9) == -1200
    assert elo_difference(1 / 3, 3) == pytest.approx(0)
    assert expected_share(elo_difference(0.7, 4), 4) == pytest.approx(0.7)
    assert Score((1 / 3,) * 20, 60, 3).evidence(0, 100) < 0


def test_the_interval_shrinks_with_the_root_of_the_openings_and_knows_that_luck_exists() -> None:
    few, many = Score((0.5, 1.0) * 10, 40), Score((0.5, 1.0) * 40, 160)
    assert few.mean == many.mean == 0.75
    assert few.deviation / many.deviation == pytest.approx(2, rel=0.05)
    low, high = Score((1.0,) * 10, 20).interval
    assert low < 0.95
    assert high == 1


def test_evidence_is_for_the_nearer_hypothesis() -> None:
    assert Score((0.75, 0.5, 1.0, 0.5) * 10, 80).evidence(0, 100) > 3
    assert Score((0.25, 0.5, 0.75, 0.5) * 10, 80).evidence(0, 100) < -2
    between = (0.5 + 1 / (1 + 10 ** (-100 / 400))) / 2
    assert math.isclose(Score((between,) * 9, 18).evidence(0, 100), 0, abs_tol=1e-9)


def test_sides_are_levels_or_have_names() -> None:
    assert parse_side(SMALL, "1").style == SMALL.spec.levels[0]
    assert parse_side(SMALL, "top", nodes=7).style == SMALL.spec.levels[-1]
    assert parse_side(SMALL, "plain").style.weights == ()
    for wrong in ("0", "99", "nobody", ""):
        with pytest.raises(fc.OptionError, match=r"is not allowed; it may be 1, 2, 3"):
            parse_side(SMALL, wrong)


@pytest.mark.compiled
def test_every_opening_is_played_from_all_sides_and_again_the_same() -> None:
    contest = EngineMatch(fc.game("squarin-off", cols=2, rows=2, players=3), CHANCE, CHANCE, plies=3)
    assert contest.seatings == ((0,), (1,), (2,))
    games = [contest.play(0, seats) for seats in contest.seatings]
    assert games == [contest.play(0, seats) for seats in contest.seatings]
    other = EngineMatch(contest.game, CHANCE, CHANCE, plies=3, seed=2)
    assert [other.play(k, (0,)) for k in range(6)] != [contest.play(k, (0,)) for k in range(6)]


@pytest.mark.compiled
def test_partners_play_together() -> None:
    contest = EngineMatch(fc.game("squarin-off", cols=2, rows=2, players=4, teams=True), GOOD, CHANCE)
    assert contest.seatings == ((0, 2), (1, 3))
    assert contest.score(4).games == 8


@pytest.mark.compiled
def test_the_better_side_wins_more() -> None:
    score = EngineMatch(SMALL, GOOD, CHANCE).score(12)
    assert score.games == 24
    assert score.mean > 0.75


@pytest.mark.compiled
def test_a_game_that_is_stopped_does_not_count() -> None:
    stop = threading.Event()
    stop.set()
    assert EngineMatch(SMALL, GOOD, CHANCE).play(0, (0,), stop) is None


def test_what_was_played_is_kept_and_a_cut_line_is_played_again(tmp_path: Path) -> None:
    path, terms = tmp_path / "games.jsonl", {"game": "dots-and-boxes", "seed": 1}
    ledger = MatchLog(terms, 2, path)
    for opening, seat, share in [(0, 0, 1.0), (0, 1, 0.5), (1, 0, 1.0)]:
        ledger.add(PlayedGame(opening, (seat,), share, 12))
    assert ledger.score == Score((0.75,), 2)
    assert ledger.missing(3) == [1, 2]
    path.write_bytes(path.read_bytes()[:-5])
    again = MatchLog(terms, 2, path)
    assert again.missing(3) == [1, 2]
    assert not again.has(1, (0,))
    again.add(PlayedGame(1, (0,), 1.0, 12))
    assert MatchLog(terms, 2, path).has(1, (0,))


@pytest.mark.parametrize("content", ["{}\n", "no json\n", '{"contest": {}}\n', "\n", "\xff\n"])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(fc.OptionError, match=r"holds another contest|holds no contest"):
        MatchLog({"game": "sqez"}, 2, path)
    assert path.read_bytes() == content.encode("latin-1")


def test_a_line_that_is_no_game_is_named(tmp_path: Path) -> None:
    path, terms = tmp_path / "games.jsonl", {"game": "sqez"}
    MatchLog(terms, 2, path)
    path.write_text(path.read_text(encoding="utf-8") + '{"opening": 1}\n', encoding="utf-8")
    with pytest.raises(fc.OptionError, match="a line of it is no game of a contest"):
        MatchLog(terms, 2, path)
