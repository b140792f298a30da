"""`fourcorners report`: report on a game from many games between computers."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

from typer import Option

from fourcorners.cli.common import (
    INTERRUPTED,
    GameId,
    GameOptions,
    Jobs,
    RandomPlies,
    create_progress_bar,
    fail,
    parse_game,
    require_extra,
    require_writable,
    stop_on_interrupt,
    write_file,
)
from fourcorners.core.errors import GameError
from fourcorners.core.plurals import pluralise
from fourcorners.study.reports.report import DEFAULT_PLAN, MAX_GAMES, GameReport, Plan, build_json, make_report
from fourcorners.study.reports.statistics import write_figure, write_percent

_USAGE_ERROR = 2


def report(
    game: GameId,
    option: GameOptions = None,
    games: Annotated[int, Option(min=1, max=MAX_GAMES, help="Games of the level against itself.")] = DEFAULT_PLAN.games,
    level: Annotated[str, Option(help="The level that plays: its number, or top.")] = DEFAULT_PLAN.level,
    nodes: Annotated[
        int, Option(min=1, max=10**7, help="At most this many simulations for each move.")
    ] = DEFAULT_PLAN.nodes,
    plies: RandomPlies = DEFAULT_PLAN.plies,
    ladder: Annotated[
        int, Option(min=0, max=MAX_GAMES, help="Games for each pair of levels; 0 skips them.")
    ] = DEFAULT_PLAN.ladder_games,
    seed: Annotated[int, Option(help="The seed; the same one gives the same report.")] = DEFAULT_PLAN.seed,
    jobs: Jobs = None,
    html: Annotated[Path | None, Option(help="Write the report to this file, as one HTML page.")] = None,
    as_data: Annotated[bool, Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Report on a game: its length, branching, balance, draws and drama, its levels, solved boards and openings.

    Ctrl-C stops with what was found so far. Exit status: 0 finished, 1 a file cannot be written, 2 usage error, 130
    interrupted. Example: fourcorners report GAME -o cols=5 -o rows=5 --games 100 --html report.html
    """
    require_writable(html)
    if html is not None:
        require_extra("pictures", "--html needs")
    chosen = parse_game(game, option)
    plan = Plan(games, level, nodes, plies, ladder, seed=seed, jobs=jobs or os.cpu_count() or 1)
    try:
        with stop_on_interrupt() as stop, create_progress_bar() as bar:
            task = bar.add_task("games", total=games)
            found = make_report(
                chosen,
                plan,
                stop,
                lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
            )
    except GameError as error:
        fail(error.message, _USAGE_ERROR)
    if html is not None:
        _write_html(found, html)
    if as_data:
        print(json.dumps(build_json(found), indent=2))
    elif html is None:
        _print_text(found)
    if stop.is_set():
        sys.exit(INTERRUPTED)


def _write_html(found: GameReport, path: Path) -> None:
    """Write the page, or exit with status 1 and an error."""
    # Templates take a tenth of a second to import, and belong to an extra.
    from fourcorners.study.reports.html import build_html

    write_file(path, build_html(found))


def _print_text(found: GameReport) -> None:
    """Print the main figures."""
    first = found.shares[0] if found.shares else None
    print(f"{found.title}: {pluralise(len(found.games), '{} game', '{} games')} of level {found.plan.level}")
    for name, value in (
        ("moves in a game", write_figure(found.length)),
        ("legal moves", write_figure(found.branching_factor)),
        ("wins of the first player", write_percent(first)),
        ("draws", write_percent(found.draws)),
        ("changes of the lead", write_figure(found.changes, 2)),
        ("decided after", write_percent(found.decision_point)),
    ):
        print(f"  {name:26}{value}")
    for rung in found.ladder:
        print(f"  level {rung.level} over {rung.level - 1}: {write_figure(rung.elo, 0)} Elo")
