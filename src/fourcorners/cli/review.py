"""`fourcorners review`: review a finished game."""

import json
import sys
from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer import Option

from fourcorners.cli.common import (
    INTERRUPTED,
    NOT_OVER,
    RecordFile,
    create_progress_bar,
    fail,
    load_record,
    require_extra,
    require_positive,
    require_writable,
    stop_on_interrupt,
    write_file,
)
from fourcorners.core.errors import GameError
from fourcorners.core.plurals import pluralise
from fourcorners.study import wording
from fourcorners.study.json_report import build_json
from fourcorners.study.labels import ERRORS
from fourcorners.study.results import parse_result
from fourcorners.study.review import DEFAULT_SECONDS, MAX_PLIES, Review
from fourcorners.study.review import review as make_review

_USAGE_ERROR = 2


def review(
    record: RecordFile,
    seconds: Annotated[
        float | None, Option(help=f"The approximate time in seconds; {DEFAULT_SECONDS:g} if no limit is given.")
    ] = None,
    nodes: Annotated[
        int | None, Option(min=1, help="Simulations for each estimate; with --seed the review is reproducible.")
    ] = None,
    seed: Annotated[int | None, Option(help="The seed of the estimates.")] = None,
    html: Annotated[Path | None, Option(help="Also write the review to this file, as one HTML page.")] = None,
    as_data: Annotated[bool, Option("--json", help="Print the review as JSON.")] = False,
) -> None:
    """Review a game, finished or broken off: what every move lost, which moves were errors, and why.

    Ctrl-C stops with what was found so far. Exit status: 0 finished, 1 unusable file or record, 2 usage error, or a
    game without moves, 130 interrupted. Example: fourcorners review game.txt --seconds 60 --html review.html
    """
    require_positive("--seconds", seconds)
    require_writable(html)
    if html is not None:
        require_extra("pictures", "--html needs")
    parsed = load_record(record)
    try:
        with stop_on_interrupt() as stop, create_progress_bar() as bar:
            task = bar.add_task("moves judged", total=min(len(parsed.lines), MAX_PLIES))

            def show(partial: Review) -> None:
                judged = sum(move.label is not None for move in partial.moves)
                bar.update(task, completed=judged, total=len(partial.moves))

            found = make_review(parsed, seconds, nodes=nodes, seed=seed, progress=show, stop=stop, unfinished=True)
    except GameError as error:
        fail(error.message, _USAGE_ERROR)
    if html is not None:
        _write_html(found, html)
    if as_data:
        print(json.dumps(build_json(found), indent=2))
    else:
        _print_text(found)
    if stop.is_set():
        sys.exit(INTERRUPTED)


def _write_html(review: Review, path: Path) -> None:
    """Write the page, or exit with status 1 and an error."""
    # Templates take a tenth of a second to import, and belong to an extra.
    from fourcorners.study.html_report import build_html

    write_file(path, build_html(review))


def _print_text(review: Review) -> None:
    """Print the review: the players, then the errors with their reasons."""
    console = Console(highlight=False)
    has_points, names = wording.has_points(review), wording.list_names(review)
    played = f"{review.record.game.title}, {pluralise(len(review.moves), '{} move', '{} moves')}"
    is_over = parse_result(review.result) is not None
    console.print(f"{played}. {escape(wording.describe_result(review)) if is_over else NOT_OVER}.")
    console.print(review.knowledge)
    if not review.is_complete:
        console.print("This review is not finished: moves without a label were not judged.")
    console.print(_build_table(review, has_points=has_points))
    for player in review.players:
        if player.advice:
            console.print(f"{escape(player.name)}, to learn: {player.advice}")
    for move in review.errors:
        loss = wording.format_loss(move.loss, has_points=has_points)
        worth = wording.format_evaluation(move.evaluation, has_points=has_points)
        label = "" if move.label is None else move.label.value
        console.print(
            f"\n[bold]{escape(wording.name_move(move, names))}[/bold]: {label}. Lost: {loss}. Before it: {worth}."
        )
        for statement in move.statements:
            console.print(f"  • {escape(statement.text)}")
            if len(statement.line) > 1:
                console.print(f"    [dim]line: {escape(', '.join(statement.line))}[/dim]")
    if not review.errors:
        console.print("\nNo errors were found.")


def _build_table(review: Review, *, has_points: bool) -> Table:
    """Return a table with one line for each player."""
    table = Table()
    phases = list(review.players[0].points_lost)
    unit = "points lost" if has_points else "chance lost"
    columns = ("lost per move", "errors: " + ", ".join(wording.PLURALS.values()), "turning point")
    table.add_column("player")
    for name in (*columns, f"{unit}: {', '.join(phase.value for phase in phases)}"):
        table.add_column(name, justify="right")
    for player in review.players:
        mean = wording.format_loss_per_move(review, player)
        errors = ", ".join(str(player.labels[label]) for label in ERRORS)
        turn = "" if player.turning_point is None else f"move {player.turning_point + 1}"
        lost = player.points_lost if has_points else {phase: 100 * player.chance_lost[phase] for phase in phases}
        amounts = ", ".join(f"{lost[phase]:.3g}{'' if has_points else '%'}" for phase in phases)
        table.add_row(escape(player.name), mean, errors, turn, amounts)
    return table
