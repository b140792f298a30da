"""`fourcorners reports`: what players reported to the operator."""

from __future__ import annotations

from typing import Annotated

import typer

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, opened, said, when

app = typer.Typer(help="List and settle what players reported.", no_args_is_help=True)


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    limit: Annotated[int, typer.Option(min=1, help="How many at most, the oldest first.")] = 100,
) -> None:
    """List what is not settled: number, table, when, what was reported, and what was said of it."""
    with opened(data, database) as store:
        for report in store.reports(limit):
            about = said(report.about) or "(the table)"
            print(report.id, report.table_id, when(report.at), about, said(report.text), sep="\t")


@app.command()
def settle(
    report: Annotated[int, typer.Argument(metavar="NUMBER", help="The report's number, as it is listed.")],
    data: DataFolder = None,
    database: DatabaseAddress = "",
) -> None:
    """Note that a report has been seen to."""
    with opened(data, database) as store:
        if not store.settle(report).result():
            fail(f"there is no report {report} that is not settled")
    print(f"report {report} is settled")
