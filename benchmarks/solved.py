"""Repeat the solves of `docs/solved`: `python -m benchmarks.solved [TABLE [NAME ...]] [--most 60] [--write]`.

Each row of a table has a position, the memory and threads to solve it with, and the result. The program prints every
row that it solves as JSON, and ends if a value differs from the data. With `--write` it writes nodes, seconds and
memory to the data, and generates the tables of `docs/solved.md` from them.
"""

import argparse
import contextlib
import csv
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun

DOCS = Path(__file__).parents[1] / "docs"
COLUMNS = (
    "name",
    "game",
    "options",
    "start",
    "memory",
    "threads",
    "value",
    "nimber",
    "margins",
    "nodes",
    "seconds",
    "used",
    "known",
)
FOUND = ("value", "nimber", "margins")
MIB = 1 << 20
DEPTH_SECONDS = (1, 10, 600)
_FEW_SECONDS = 10

SOURCES = {"": "", "plan": "[1]", "barker-korf": "[2]"}
"""Sources of values known before, with their reference numbers on the page."""

Row = dict[str, str]
"""A row of a table.

`options` are words `name=value`; `start` is empty, `moves ` and moves separated by commas, or `position ` and its text;
`memory` (the limit) and `used` are in MiB. A row without `value` was not solved within its `seconds`, or never tried.
"""


class Tables:
    """The data files in `solved` and the page `solved.md` of one folder."""

    def __init__(self, folder: Path = DOCS) -> None:
        self.page = folder / "solved.md"
        self._data = folder / "solved"

    def list_names(self) -> list[str]:
        """Return the names of all tables, sorted."""
        return sorted(path.stem for path in self._data.glob("*.csv"))

    def read(self, table: str) -> list[Row]:
        """Return the rows of a table in the order of its file; raise FileNotFoundError if there is no such table."""
        with (self._data / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write(self, table: str, rows: list[Row]) -> None:
        """Write a table, in place of one of the same name, and then the page; see `render_page` for what is raised."""
        with (self._data / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        self.page.write_text(self.render_page(), encoding="utf-8")  # of all tables

    def render_page(self) -> str:
        """Return the page as Markdown, with its tables generated from the data; the text between them is kept.

        A table belongs between the comments `table NAME` and `end`. Raise FileNotFoundError for an unknown NAME.
        """

        def replace_table(match: re.Match[str]) -> str:
            """Return the two comments of a match with the table of that name between them."""
            return f"{match[1]}{format_table(match[2], self.read(match[2]))}{match[3]}"

        text = self.page.read_text(encoding="utf-8")
        return re.sub(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", replace_table, text, flags=re.DOTALL)


def create_row(**cells: str) -> Row:
    """Return a row with these cells; those not given are empty, but for 1 GiB of memory and one thread."""
    return {**dict.fromkeys(COLUMNS, ""), "memory": "1024", "threads": "1", **cells}


def set_up_position(row: Row) -> fc.Position:
    """Return the position of a row, or the game's start if its `start` is empty; raise GameError if a cell is wrong."""
    options: dict[str, Any] = dict(word.split("=", 1) for word in row["options"].split())
    game = fc.game(row["game"], **{name: _parse_option(text) for name, text in options.items()})
    kind, _, rest = row["start"].partition(" ")
    if kind == "position":
        return game.position(rest)
    position = game.start(seed=1)
    for move in rest.split(",") if kind == "moves" else ():
        position = position.play(move)
    return position


def _parse_option(text: str) -> Any:
    """Return an option's value: JSON if it can be parsed, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def measure_row(row: Row, seconds: float | None = None) -> Row:
    """Return a copy of a row with the result of a solve within `seconds` (None: no limit); see `solve_row`.

    If that solved it in less than ten seconds, the result is the quickest of three, as the first solve in a process may
    have to wait until the system provides memory.
    """
    position = set_up_position(row)
    # Load compiled code before the clock starts.
    with contextlib.suppress(SolverLimit):
        create_backend(position.game, int(row["memory"]) * MIB, int(row["threads"])).create_task(position).advance(1)
    found = solve_row(row, seconds)
    if float(found["seconds"]) < _FEW_SECONDS and found["value"]:
        repeats = [solve_row(row, seconds) for _ in range(2)]
        return min([found, *repeats], key=lambda repeat: float(repeat["seconds"]))
    return found


def solve_row(row: Row, seconds: float | None = None) -> Row:
    """Return a copy of a row with the result of one solve: the columns FOUND, `nodes`, `seconds` and `used`.

    The columns FOUND are empty if `seconds` (None: no limit) or the row's memory do not suffice; stderr says why. Raise
    GameError if a cell is wrong.
    """
    position = set_up_position(row)
    memory, threads = int(row["memory"]) * MIB, int(row["threads"])
    backend = create_backend(position.game, memory, threads)
    budget = SolveBudget(seconds)
    found = dict.fromkeys(FOUND, "")
    try:
        solution = SolverRun(backend, budget).solve(position, moves=False)
    except SolverLimit as limit:
        print(f"{row['name']}: {limit}", file=sys.stderr, flush=True)
    else:
        found["value"] = str(solution.remaining_margin)
        found["nimber"] = "" if solution.nimber is None else str(solution.nimber)
        found["margins"] = " ".join(map(str, solution.margins or ()))
    took, used = budget.elapsed_seconds, backend.fill * memory / MIB
    return {**row, **found, "nodes": str(budget.spent), "seconds": f"{took:.3g}", "used": f"{used:.3g}"}


def describe_difference(old: Row, new: Row) -> str:
    """Return how the results of two solves of a row differ; an empty string if they agree or one is missing."""
    if not old["value"] or not new["value"]:
        return ""
    return ", ".join(f"{column} was {old[column]}, is {new[column]}" for column in FOUND if old[column] != new[column])


def is_selected(row: Row, names: list[str], max_seconds: float, *, untried: bool) -> bool:
    """Return whether the command line selects a row: by `names` if there are any, or else by the seconds that it took.

    A row without a value, tried or not, is selected if `untried`.
    """
    if names:
        return row["name"] in names
    return float(row["seconds"]) <= max_seconds if row["value"] else untried


def format_table(table: str, rows: list[Row]) -> str:
    """Return the rows of a table as Markdown, by depth if the table's name ends with "-depth"."""
    return format_depth_table(rows) if table.endswith("-depth") else format_value_table(rows)


def format_value_table(rows: list[Row]) -> str:
    """Return a Markdown table with a row for each solved position, and a sentence with those still unsolved.

    Its values are margins by seat, nimbers or margins, whichever of these the rows have.
    """
    solved = [row for row in rows if row["value"]]
    unsolved = [row for row in rows if not row["value"]]
    column = next((name for name in ("margins", "nimber") if any(row[name] for row in solved)), "value")
    title = {"margins": "margins by seat", "nimber": "nimber", "value": "margin"}[column]
    text = [f"| position | {title} | nodes | seconds | MiB | known before |", "|---|---:|---:|---:|---:|---|"]
    for row in solved:
        found = format_margins(row[column]) if column != "nimber" else row[column]
        known = SOURCES[row["known"]]
        cells = (
            row["name"],
            found,
            f"{int(row['nodes']):,}",
            format_number(row["seconds"]),
            format_number(row["used"]),
            known,
        )
        text.append(f"| {' | '.join(cells)} |")
    if unsolved:
        text.append(f"\nStill open: {', '.join(format_unsolved(row) for row in unsolved)}.")
    return "\n".join(text) + "\n"


def format_unsolved(row: Row) -> str:
    """Return the name of an unsolved row, with the seconds that did not suffice, if it was tried."""
    tried = f" (more than {float(row['seconds']):.0f} s)" if row["seconds"] else ""
    return f"{row['name']}{tried}"


def format_number(number: str) -> str:
    """Return seconds or MiB for a table; the digits of less than a hundredth mean nothing.

    >>> format_number("4.1e-05"), format_number("0"), format_number("0.25"), format_number("1.2e+03")
    ('< 0.01', '< 0.01', '0.25', '1200')
    """
    return "< 0.01" if float(number) < 0.01 else f"{float(number):g}"


def format_margins(numbers: str) -> str:
    """Return margins with their signs, separated by spaces.

    >>> format_margins("2 -1 0")
    '+2 −1 0'
    """
    return " ".join(f"{int(number):+d}".replace("-", "−") if int(number) else "0" for number in numbers.split())


def count_solved_rows(group: list[Row], seconds: float) -> str:
    """Return how many rows were solved within `seconds`, followed by `+` if others were given up earlier."""
    solved = sum(float(row["seconds"]) <= seconds for row in group if row["value"])
    given_up = any(float(row["seconds"] or 0) < seconds for row in group if not row["value"])
    return f"{solved}{'+' if given_up else ''}"


def format_depth_table(rows: list[Row]) -> str:
    """Return a Markdown table of how many positions of each kind and depth were solved within each limit.

    Rows are named KIND-DEPTH-NUMBER; each kind and depth gets a line, in the order in which they first occur.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        kind, depth, _ = row["name"].split("-")
        groups.setdefault((kind, depth), []).append(row)
    titles = [f"in {seconds} s" for seconds in DEPTH_SECONDS]
    rule = "|---" + "|---:" * (len(titles) + 3) + "|"
    text = [f"| games | left | positions | {' | '.join(titles)} | median nodes |", rule]
    for (kind, depth), group in groups.items():
        counts = [count_solved_rows(group, seconds) for seconds in DEPTH_SECONDS]
        # Unsolved positions count as larger than all others.
        nodes = sorted(int(row["nodes"]) if row["value"] else sys.maxsize for row in group)
        median = statistics.median_high(nodes)
        median_text = f"{median:,}" if median < sys.maxsize else "more"
        text.append(f"| {kind} | {depth} | {len(group)} | {' | '.join(counts)} | {median_text} |")
    return "\n".join(text) + "\n"


def main(arguments: list[str], tables: Tables | None = None) -> None:
    """Read the command line; solve the selected rows, print them as JSON and, with --write, store their results.

    Exit with status 1 at the first value that differs from the data, with 2 if there is no such table or row; results
    stored before that stay.
    """
    tables = tables or Tables()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solved", description=__doc__)
    parser.add_argument("table", nargs="?", choices=tables.list_names(), help="a table; by default, all tables")
    parser.add_argument("names", nargs="*", metavar="name", help="rows of the table; by default, all rows")
    parser.add_argument(
        "--most", type=float, default=60.0, help="skip rows that took more seconds, unless they are named"
    )
    parser.add_argument("--untried", action="store_true", help="include rows that have never been solved")
    parser.add_argument("--seconds", type=float, help="the time limit for a row")
    parser.add_argument("--write", action="store_true", help="write the results to the data file and the page")
    args = parser.parse_intermixed_args(arguments)
    for table in [args.table] if args.table else tables.list_names():
        rows = tables.read(table)
        unknown = sorted(set(args.names) - {row["name"] for row in rows})
        if unknown:
            parser.error(f"{table} has no {', '.join(unknown)}")
        for index, row in enumerate(rows):
            if not is_selected(row, args.names, args.most, untried=args.untried):
                continue
            found = measure_row(row, args.seconds)
            print(json.dumps(found), flush=True)
            if wrong := describe_difference(row, found):
                parser.exit(1, f"{table} {row['name']}: {wrong}\n")
            # A result is never replaced by none, which less time may have led to.
            if args.write and (found["value"] or not row["value"]):
                rows[index] = found
                tables.write(table, rows)
        if args.write:
            # Also without a new result, as the page may be out of date.
            tables.write(table, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
