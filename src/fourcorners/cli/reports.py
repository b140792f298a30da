"""`fourcorners reports`: reports from players, for the operator."""

from typing import Annotated

import typer
from typer import Argument, Option

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import MAX_LISTED, DatabaseAddress, DataFolder, format_time, open_store, sanitise

app = typer.Typer(help="List and settle reports from players.", no_args_is_help=True)


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    limit: Annotated[int, Option(min=1, max=MAX_LISTED, help="The maximum number of reports.")] = 100,
) -> None:
    """List open reports, oldest first: number, table, time (UTC), what was reported, and the player's comment."""
    with open_store(data, database) as store:
        for report in store.list_open_reports(limit):
            about = sanitise(report.about) or "(the table)"
            print(report.id, report.table_id, format_time(report.at), about, sanitise(report.text), sep="\t")


@app.command()
def settle(
    report: Annotated[int, Argument(metavar="NUMBER", help="The number of the report, as listed.")],
    data: DataFolder = None,
    database: DatabaseAddress = "",
) -> None:
    """Mark a report as settled, or exit with status 1 if there is no open report with this number."""
    with open_store(data, database) as store:
        if not store.close_report(report).result():
            fail(f"there is no open report {report}")
    print(f"report {report} is settled")
