"""The command line: `fourcorners serve | play | solve | match | show | …`, one module for each group of commands."""

import os
import sys
from typing import Annotated

import typer

from fourcorners import __version__
from fourcorners.cli import (
    accounts,
    backup,
    engine,
    enter,
    imports,
    match,
    paper,
    perft,
    play,
    records,
    regret,
    report,
    reports,
    review,
    rules,
    selfplay,
    serve,
    solve,
    stats,
    streams,
    tables,
    warm,
)
from fourcorners.core.errors import GameError

app = typer.Typer(
    name="fourcorners",
    help="Play and study games about making squares: in the browser, in the terminal, or as records in files.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="markdown",
)


def _print_version(wanted: bool) -> None:
    """Print the version and exit, if that is wanted."""
    if wanted:
        print(f"fourcorners {__version__}")
        raise typer.Exit


@app.callback()
def accept_options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Accept the options that come before a command."""


app.command()(serve.serve)
app.command()(play.play)
app.command()(rules.rules)
app.command()(solve.solve)
app.command()(match.match)
app.command()(selfplay.selfplay)
app.command()(stats.stats)
app.command()(engine.engine)
app.command()(regret.regret)
app.command()(review.review)
app.command()(report.report)
app.command()(records.show)
app.command()(records.check)
app.command()(enter.enter)
app.command("print")(paper.print_)
app.command("import")(imports.import_game)
app.command()(perft.perft)
app.command()(warm.warm)
app.add_typer(tables.app, name="tables")
app.add_typer(accounts.app, name="accounts")
app.add_typer(reports.app, name="reports")
app.command()(backup.backup)
app.command()(backup.restore)


def main() -> None:
    """Run the command line and exit: with status 0, or another one after an error, which is printed as one sentence.

    Ctrl-C (130) and an output that its reader has closed (1) print nothing. With FOURCORNERS_TRACEBACK, unexpected
    errors (70) are raised instead.
    """
    streams.prepare_streams()
    try:
        try:
            app()
        finally:
            # What is still in the buffer may not fit, and that must not be noticed after the exit status is chosen.
            sys.stdout.flush()
    except GameError as error:
        print(f"fourcorners: {error.message}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has closed it, which is not an error of ours.
        streams.drop_output()
        sys.exit(1)
    except OSError as error:
        streams.drop_output()
        print(f"fourcorners: {streams.describe_error(error)}", file=sys.stderr)
        sys.exit(1)
    except UnicodeError:
        print("fourcorners: standard input is not text: write UTF-8", file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        if os.environ.get("FOURCORNERS_TRACEBACK"):
            raise
        cause = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        print(f"fourcorners: internal error ({cause}); set FOURCORNERS_TRACEBACK=1 to see where", file=sys.stderr)
        sys.exit(70)
