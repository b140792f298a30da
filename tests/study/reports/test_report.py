"""Reports: their figures, that a seed makes them again, and that both forms have what was found."""

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import EngineMatch, PlayedGame, parse_side
from fourcorners.study.reports import charts, statistics
from fourcorners.study.reports.html import build_html, write_command
from fourcorners.study.reports.report import GameReport, Plan, build_json, count_opening_nodes, make_report
from fourcorners.study.reports.self_play import SelfPlayGame, _Outlook, play_games

GAME = fc.game("sqez", cols=4, rows=4)
PLAN = Plan(games=3, level="1", nodes=5, plies=1, ladder_games=0, solver_nodes=10)


@pytest.fixture(scope="module")
def report() -> GameReport:
    return make_report(GAME, PLAN)


def make_game(
    shares: tuple[float, float], leads: tuple[int, ...] = (), chances: tuple[float, ...] = ()
) -> SelfPlayGame:
    return SelfPlayGame(0, ("a",), (3,) * max(len(leads) - 1, len(chances)), chances, leads, shares, (0, 0))


@pytest.mark.compiled
def test_same_seed_makes_the_same_report_however_many_games_run_at_once(report: GameReport) -> None:
    again = make_report(GAME, PLAN._replace(jobs=2))
    assert build_json(again) == build_json(report)
    assert make_report(GAME, PLAN._replace(seed=2)).games != report.games


def test_json_and_html_have_what_was_found(report: GameReport) -> None:
    data = json.loads(json.dumps(build_json(report), allow_nan=False))
    assert (data["schema"], data["game"], data["games"]) == ("fourcorners report 1", "sqez", 3)
    assert data["length"]["least"] <= data["length"]["value"] <= data["length"]["most"]
    assert sum(count for *_, count in data["length"]["bins"]) == 3
    assert sum(share["value"] for share in data["shares"]) == pytest.approx(1)
    assert data["solved"][-1]["lower"] == data["solved"][-1]["upper"] == fc.solve(GAME.start()).remaining_margin
    assert data["openings"][0]["move"] in GAME.start().moves()
    page = build_html(report)
    assert page.count("<svg") >= 3 and "http" not in page.replace("http://www.w3.org", "")
    assert write_command(report) in page
    assert "-o cols=4 -o rows=4" in write_command(report)


def test_ladder_has_a_rung_for_each_pair_of_levels_that_simulate_little() -> None:
    report = make_report(GAME, PLAN._replace(games=1, ladder_games=2, nodes=2, solver_nodes=0))
    assert [rung.level for rung in report.ladder] == [2, 3, 4, 5, 6, 7]
    assert all(rung.games == 2 and rung.share.low <= rung.share.value <= rung.share.high for rung in report.ladder)
    assert "Level 8 simulates more than 600 games for a move" in build_html(report)
    assert [rung["level"] for rung in build_json(report)["levels"]] == [2, 3, 4, 5, 6, 7]


def test_levels_of_a_ladder_simulate_as_much_as_in_play(monkeypatch: pytest.MonkeyPatch) -> None:
    matches: list[EngineMatch] = []
    play = EngineMatch.play

    def note(match: EngineMatch, *task: Any) -> PlayedGame | None:
        matches.append(match)
        return play(match, *task)

    monkeypatch.setattr(EngineMatch, "play", note)
    make_report(GAME, PLAN._replace(games=1, ladder_games=2, nodes=2, solver_nodes=0))
    sides = {side.name: side for match in matches for side in (match.first, match.second)}
    assert {name: (side.nodes, side.seconds) for name, side in sides.items()} == {
        str(number): (level.nodes or None, None)
        for number, level in enumerate(GAME.spec.part(ComputerPlay).levels[:-1], 1)
    }


def test_search_for_openings_has_as_many_simulations_for_each_as_a_move_in_a_game(report: GameReport) -> None:
    assert count_opening_nodes(GAME, PLAN) == 5 * 10
    assert count_opening_nodes(fc.game("dots-and-boxes"), PLAN) == 5 * 60
    assert "by a search of 50 simulations" in build_html(report)


@pytest.mark.compiled
def test_games_of_three_have_shares_for_each_and_no_margin() -> None:
    found = make_report(fc.game("squarin-off", cols=2, rows=2, players=3, blockers=0), PLAN._replace(games=3))
    assert len(found.shares) == 3 and found.margin is None and found.dramas == [] and found.boards == ()
    assert "<svg" in build_html(found)


def test_random_opening_never_ends_a_game() -> None:
    tiny = fc.game("sqez", cols=3, rows=3)
    (game,) = play_games(tiny, parse_side(tiny, "1"), 1, 5, 1, 1)
    assert game.plies == 1 and game.shares == (1.0, 0.0)


def test_stop_keeps_only_finished_games() -> None:
    stop = threading.Event()
    stop.set()
    found = make_report(GAME, PLAN._replace(ladder_games=2), stop)
    assert (found.games, found.ladder, found.boards, found.openings) == ((), (), (), ())
    assert build_json(found)["games"] == 0
    assert "Report on" in build_html(found)


def test_confidence_of_the_mover_is_no_change_of_the_lead_but_a_proof_counts_at_once() -> None:
    outlook = _Outlook()
    assert outlook.update(0, 0.7, is_proven=False) is None
    assert outlook.update(1, 0.7, is_proven=False) == pytest.approx(0.5)
    assert outlook.update(0, 0.7, is_proven=False) == pytest.approx(0.5)
    assert outlook.update(1, 1.0, is_proven=True) == 0.0


def test_drama_counts_changes_of_the_lead_and_when_the_winner_led_for_good() -> None:
    by_points = make_game((1.0, 0.0), leads=(0, 1, 1, -1, 2))
    assert statistics.measure_drama(by_points) == (2, 1.0)
    assert statistics.measure_drama(make_game((1.0, 0.0), leads=(0, 1, 1, 2, 2))) == (0, 0.25)
    by_chances = make_game((0.0, 1.0), chances=(0.5, 0.7, 0.3, 0.2))
    assert statistics.measure_drama(by_chances) == (1, 0.5)
    assert statistics.measure_drama(make_game((0.5, 0.5), leads=(0, 1, 0))) == (0, 1.0)
    assert statistics.measure_drama(make_game((1.0, 0.0))) is None


def test_intervals_follow_the_formulas_of_wilson_and_of_the_normal_distribution() -> None:
    share = statistics.estimate_share(8, 10)
    assert share is not None
    # Newcombe 1998, table I: 8 of 10 have not their own row, so this is computed by hand from Wilson's formula.
    assert (round(share.low, 3), round(share.high, 3)) == (0.490, 0.943)
    assert statistics.estimate_share(0, 0) is None
    mean = statistics.estimate_mean([1, 2, 3, 4])
    assert mean is not None and (round(mean.low, 3), mean.value, round(mean.high, 3)) == (1.235, 2.5, 3.765)


def test_bins_are_round_and_contain_all_values() -> None:
    bins = statistics.count_in_bins([3, 4, 4, 60, 118])
    assert all(right - left == 10 for left, right, _ in bins)
    assert sum(count for *_, count in bins) == 5 and bins[0][0] == 0
    assert charts.draw_histogram(bins, "moves").count('class="bar"') == len(bins)


def test_plan_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(OptionError, match="1 to 10000"):
        make_report(GAME, PLAN._replace(games=0))
    with pytest.raises(OptionError, match="player"):
        make_report(GAME, PLAN._replace(level="nobody"))


def test_report_of_nothing_has_no_figures(report: GameReport) -> None:
    empty = replace(report, games=())
    assert empty.length is None and empty.shares == [] and empty.draws is None
