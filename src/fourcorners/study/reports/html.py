"""A report as HTML: one self-contained page without scripts."""

import shlex
from functools import cache

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.html_report import create_loader
from fourcorners.study.reports import charts, statistics
from fourcorners.study.reports.report import (
    LADDER_NODES,
    GameReport,
    count_opening_nodes,
    list_certainty,
    list_choices,
    list_ladder_levels,
)
from fourcorners.study.reports.statistics import write_figure, write_percent

_ELO = 1200.0


def build_html(report: GameReport) -> str:
    """Return a report as the text of an HTML document."""
    parties = report.game.options.parties
    names = [" and ".join(report.game.seat_names[seat] for seat in party) for party in parties]
    order = ["first", "second", "third", "fourth", "fifth", "sixth"]
    labels = [f"{name} ({order[index]})" for index, name in enumerate(names)]
    drawn = {
        "length": charts.draw_histogram(statistics.count_in_bins(report.lengths), "moves in a game"),
        "choices": charts.draw_curve(list_choices(report), "Legal moves"),
        "certainty": charts.draw_curve(list_certainty(report), "How sure the players were of the winner", percent=True),
        "shares": charts.draw_intervals(
            list(zip(labels, report.shares, strict=False)), "share of the wins", 0.0, 1.0, 1 / len(parties)
        ),
        "ladder": charts.draw_intervals(
            [(f"{rung.level} {rung.name}", rung.elo) for rung in report.ladder],
            "Elo points over the level below",
            -400.0,
            _ELO,
            0.0,
        ),
    }
    template = _load_environment().get_template("game_report.html")
    return template.render(
        report=report,
        # All text in the charts is escaped.
        charts={name: Markup(svg) for name, svg in drawn.items()},  # noqa: S704  # drawn by charts, which escapes names
        spread=statistics.describe_spread(report.lengths) if report.games else (0, 0, 0),
        has_points=report.game.spec.scoring == "points",
        command=write_command(report),
        left_out=_name_levels_left_out(report.game),
        opening_nodes=count_opening_nodes(report.game, report.plan),
        number=write_figure,
        percent=write_percent,
    )


def _name_levels_left_out(game: Game) -> str:
    """Return a sentence about the levels left out of the ladder; empty if there are none."""
    last, count = len(list_ladder_levels(game)), len(game.spec.part(ComputerPlay).levels)
    if last == count:
        return ""
    levels = f"Level {count} simulates" if last + 1 == count else f"Levels {last + 1} to {count} simulate"
    return f"{levels} more than {LADDER_NODES} games for a move, which takes too long for a report."


def write_command(report: GameReport) -> str:
    """Return the command that makes the report again."""
    plan = report.plan
    options = "".join(f" -o {shlex.quote(f'{name}={value}')}" for name, value in report.game.given_options().items())
    limits = f"--games {plan.games} --level {plan.level} --nodes {plan.nodes} --plies {plan.plies}"
    return f"fourcorners report {report.game.id}{options} {limits} --ladder {plan.ladder_games} --seed {plan.seed}"


@cache
def _load_environment() -> Environment:
    return Environment(
        loader=create_loader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
