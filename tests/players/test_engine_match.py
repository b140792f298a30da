"""Engine matches: balance of seats and openings, statistics, and the log file."""

import math
import threading
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import (
    PLAIN,
    EngineMatch,
    PlayedGame,
    Score,
    Side,
    elo_difference,
    expected_share,
    parse_side,
)
from fourcorners.players.levels import Level
from fourcorners.players.match_log import MatchLog
from tests.require import require

SMALL = fc.game("dots-and-boxes", cols=2, rows=2)
# A single simulation chooses almost at random.
CHANCE = Side("chance", Level("chance", "plays at random", 1, 1.0), nodes=1)
GOOD = Side("good", PLAIN, nodes=300)


def play_openings(match: EngineMatch, openings: int) -> Score:
    """Play the first `openings` openings with all seatings, one game after the other; return the first side's score."""
    log = MatchLog({}, len(match.seatings))
    for opening in range(openings):
        for seats in match.seatings:
            log.add_game(require(match.play(opening, seats)))
    return log.score


def test_elo_difference_is_zero_at_an_equal_share_400_at_odds_of_ten_and_at_most_1200() -> None:
    assert elo_difference(0.5) == 0
    assert elo_difference(10 / 11) == pytest.approx(400)
    assert elo_difference(0.0) == -elo_difference(1.0) == -1200
    assert elo_difference(1e-9) == -1200
    assert elo_difference(1 / 3, 3) == pytest.approx(0)  # of three parties


def test_expected_share_is_the_inverse_of_elo_difference() -> None:
    assert expected_share(elo_difference(0.7, 4), 4) == pytest.approx(0.7)


def test_standard_error_shrinks_with_the_square_root_of_the_openings() -> None:
    few, many = Score((0.5, 1.0) * 10, 40), Score((0.5, 1.0) * 40, 160)
    assert few.mean == many.mean == 0.75
    assert few.standard_error / many.standard_error == pytest.approx(2, rel=0.05)


def test_interval_of_nothing_but_wins_ends_at_1_and_is_not_empty() -> None:
    low, high = Score((1.0,) * 10, 20).interval
    assert low < 0.95
    assert high == 1


def test_log_likelihood_ratio_favours_the_nearer_hypothesis() -> None:
    # Elo differences of 0 and 100: a positive ratio is for 100. 2 and 3 are rather clear results.
    assert Score((0.75, 0.5, 1.0, 0.5) * 10, 80).log_likelihood_ratio(0, 100) > 3
    assert Score((0.25, 0.5, 0.75, 0.5) * 10, 80).log_likelihood_ratio(0, 100) < -2
    between = (0.5 + 1 / (1 + 10 ** (-100 / 400))) / 2
    assert math.isclose(Score((between,) * 9, 18).log_likelihood_ratio(0, 100), 0, abs_tol=1e-9)
    # With three parties a third is the share of equal players.
    assert Score((1 / 3,) * 20, 60, 3).log_likelihood_ratio(0, 100) < 0


def test_side_is_parsed_from_the_number_of_a_level_or_a_name_and_others_are_refused() -> None:
    assert parse_side(SMALL, "1").level == SMALL.spec.part(ComputerPlay).levels[0]
    assert parse_side(SMALL, "top", nodes=7) == Side("top", SMALL.spec.part(ComputerPlay).levels[-1], nodes=7)
    assert parse_side(SMALL, "plain") == Side("plain", PLAIN)
    for wrong in ("0", "99", "nobody", ""):
        with pytest.raises(fc.OptionError, match=r"is not allowed; it must be 1, 2, 3"):
            parse_side(SMALL, wrong)


@pytest.mark.compiled
def test_games_are_reproducible_with_every_seating_and_depend_on_the_seed() -> None:
    match = EngineMatch(fc.game("squarin-off", cols=2, rows=2, players=3), CHANCE, CHANCE, plies=3)
    assert match.seatings == ((0,), (1,), (2,))
    games = [match.play(0, seats) for seats in match.seatings]
    assert games == [match.play(0, seats) for seats in match.seatings]
    # Six openings, since single games of two seeds may be equal by chance.
    reseeded = EngineMatch(match.game, CHANCE, CHANCE, plies=3, seed=2)
    assert [reseeded.play(k, (0,)) for k in range(6)] != [match.play(k, (0,)) for k in range(6)]


@pytest.mark.compiled
def test_partners_play_on_the_same_side() -> None:
    match = EngineMatch(fc.game("squarin-off", cols=2, rows=2, players=4, teams=True), GOOD, CHANCE)
    assert match.seatings == ((0, 2), (1, 3))
    assert play_openings(match, 4).games == 8  # each opening with both seatings


@pytest.mark.compiled
def test_stronger_side_wins_more() -> None:
    score = play_openings(EngineMatch(SMALL, GOOD, CHANCE), 12)
    assert score.games == 24
    assert score.mean > 0.75


@pytest.mark.compiled
def test_stopped_game_returns_no_result() -> None:
    stop = threading.Event()
    stop.set()
    assert EngineMatch(SMALL, GOOD, CHANCE).play(0, (0,), stop) is None


def test_log_is_resumed_and_a_truncated_line_is_dropped(tmp_path: Path) -> None:
    path, terms = tmp_path / "games.jsonl", {"game": "dots-and-boxes", "seed": 1}
    log = MatchLog(terms, 2, path)
    for opening, seat, share in [(0, 0, 1.0), (0, 1, 0.5), (1, 0, 1.0)]:
        log.add_game(PlayedGame(opening, (seat,), share, 12))
    assert log.score == Score((0.75,), 2)  # of the opening that is complete
    assert log.list_incomplete(3) == [1, 2]
    path.write_bytes(path.read_bytes()[:-5])  # as if the last write had been interrupted
    resumed = MatchLog(terms, 2, path)
    assert resumed.list_incomplete(3) == [1, 2]
    assert not resumed.has_game(1, (0,))
    resumed.add_game(PlayedGame(1, (0,), 1.0, 12))
    assert MatchLog(terms, 2, path).has_game(1, (0,))


@pytest.mark.parametrize("content", ["{}\n", "no json\n", '{"contest": {}}\n', "\n", "\xff\n", "my notes"])
def test_file_that_is_not_the_log_of_this_match_is_refused_and_not_changed(tmp_path: Path, content: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(fc.OptionError, match="is not the log of this match"):
        MatchLog({"game": "sqez"}, 2, path)
    assert path.read_bytes() == content.encode("latin-1")


def test_log_with_an_invalid_line_is_rejected(tmp_path: Path) -> None:
    path, terms = tmp_path / "games.jsonl", {"game": "sqez"}
    MatchLog(terms, 2, path)
    path.write_text(path.read_text(encoding="utf-8") + '{"opening": 1}\n', encoding="utf-8")
    with pytest.raises(fc.OptionError, match="one of its lines is not a game"):
        MatchLog(terms, 2, path)
