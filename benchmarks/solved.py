"""Solve the lines of `docs/solved` anew: `python -m benchmarks.solved [TABLE [NAME ...]] [--most 60] [--write]`.

Every table is a file of lines: a position, the memory and threads to solve it with, and what was found. Each line that
is solved is printed as JSON; a value that differs from the data ends the program. With `--write` the nodes, seconds and
memory go into the data, and the tables of `docs/solved.md` are made from them.
"""

from __future__ import annotations

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
from fourcorners.solve.solver import SolveBudget, Solver, create_backend

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
"""Who knew a value before, and the number on the page."""

Line = dict[str, str]
"""A line of a table.

`options` are words `name=value`; `start` is empty, `moves ` with moves between commas, or `position ` with its text;
`memory` (at most) and `used` are in MiB. A line without `value` was not solved in its `seconds`, or never tried.
"""


class Tables:
    """The data and the page in one folder."""

    def __init__(self, folder: Path = DOCS) -> None:
        self.page = folder / "solved.md"
        self._data = folder / "solved"

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._data.glob("*.csv"))

    def read(self, table: str) -> list[Line]:
        with (self._data / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write(self, table: str, lines: list[Line]) -> None:
        """Write a table, and the page anew."""
        with (self._data / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        self.page.write_text(self.filled(), encoding="utf-8")

    def filled(self) -> str:
        """Return the page with every table as the data have it; the prose around them stays."""

        def fill(match: re.Match[str]) -> str:
            table = match[2]
            return f"{match[1]}{markdown(table, self.read(table))}{match[3]}"

        text = self.page.read_text(encoding="utf-8")
        return re.sub(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", fill, text, flags=re.DOTALL)


def new_line(**cells: str) -> Line:
    """Return a line that was not tried, with a gibibyte and one thread."""
    return {**dict.fromkeys(COLUMNS, ""), "memory": "1024", "threads": "1", **cells}


def start(line: Line) -> fc.Position:
    """Set up what a line is about."""
    options: dict[str, Any] = dict(word.split("=", 1) for word in line["options"].split())
    game = fc.game(line["game"], **{name: _read(text) for name, text in options.items()})
    kind, _, rest = line["start"].partition(" ")
    if kind == "position":
        return game.position(rest)
    position = game.start(seed=1)
    for move in rest.split(",") if kind == "moves" else ():
        position = position.play(move)
    return position


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def measure(line: Line, seconds: float | None = None) -> Line:
    """Return a line with what is found now; of what takes a few seconds, the quickest of three solves.

    The first solve in a process may wait for the machine to give it memory.
    """
    position = start(line)
    # Compiled code is loaded before the clock runs.
    with contextlib.suppress(SolverLimit):
        create_backend(position.game, int(line["memory"]) * MIB, int(line["threads"])).create_task(position).advance(1)
    found = solve(line, seconds)
    if float(found["seconds"]) < _FEW_SECONDS and found["value"]:
        again = [solve(line, seconds) for _ in range(2)]
        return min([found, *again], key=lambda one: float(one["seconds"]))
    return found


def solve(line: Line, seconds: float | None = None) -> Line:
    """Return a line with what is found now; without a value if the seconds or the memory do not suffice."""
    position = start(line)
    memory, threads = int(line["memory"]) * MIB, int(line["threads"])
    backend = create_backend(position.game, memory, threads)
    budget = SolveBudget(seconds)
    found = dict.fromkeys(FOUND, "")
    try:
        solution = Solver(backend, budget).solve(position, moves=False)
    except SolverLimit as limit:
        print(f"{line['name']}: {limit}", file=sys.stderr, flush=True)
    else:
        found["value"] = str(solution.value)
        found["nimber"] = "" if solution.nimber is None else str(solution.nimber)
        found["margins"] = " ".join(map(str, solution.margins or ()))
    took, used = budget.elapsed, backend.fill * memory / MIB
    return {**line, **found, "nodes": str(budget.spent), "seconds": f"{took:.3g}", "used": f"{used:.3g}"}


def difference(old: Line, new: Line) -> str:
    """Say in what two solves of one line disagree; nothing if one of them did not end."""
    if not old["value"] or not new["value"]:
        return ""
    return ", ".join(f"{column} was {old[column]}, is {new[column]}" for column in FOUND if old[column] != new[column])


def is_asked(line: Line, names: list[str], most: float, *, untried: bool) -> bool:
    if names:
        return line["name"] in names
    return float(line["seconds"]) <= most if line["value"] else untried


def markdown(table: str, lines: list[Line]) -> str:
    """Return a table for the page."""
    return depth_rows(lines) if table.endswith("-depth") else plain_rows(lines)


def plain_rows(lines: list[Line]) -> str:
    tried = [line for line in lines if line["value"]]
    waiting = [line for line in lines if not line["value"]]
    column = next((name for name in ("margins", "nimber") if any(line[name] for line in tried)), "value")
    title = {"margins": "margins by seat", "nimber": "nimber", "value": "margin"}[column]
    rows = [f"| position | {title} | nodes | seconds | MiB | known before |", "|---|---:|---:|---:|---:|---|"]
    for line in tried:
        found = signed(line[column]) if column != "nimber" else line[column]
        known = SOURCES[line["known"]]
        cells = line["name"], found, f"{int(line['nodes']):,}", short(line["seconds"]), short(line["used"]), known
        rows.append(f"| {' | '.join(cells)} |")
    if waiting:
        rows.append(f"\nStill open: {', '.join(open_line(line) for line in waiting)}.")
    return "\n".join(rows) + "\n"


def open_line(line: Line) -> str:
    """Name a line that is not solved, with the seconds that did not suffice."""
    tried = f" (more than {float(line['seconds']):.0f} s)" if line["seconds"] else ""
    return f"{line['name']}{tried}"


def short(number: str) -> str:
    """Write seconds or MiB; of less than a hundredth nobody knows the digits.

    >>> short("4.1e-05"), short("0"), short("0.25"), short("1.2e+03")
    ('< 0.01', '< 0.01', '0.25', '1200')
    """
    return "< 0.01" if float(number) < 0.01 else f"{float(number):g}"


def signed(numbers: str) -> str:
    """Write margins as people do.

    >>> signed("2 -1 0")
    '+2 −1 0'
    """
    return " ".join(f"{int(number):+d}".replace("-", "−") if int(number) else "0" for number in numbers.split())


def within(group: list[Line], seconds: float) -> str:
    """Count what was solved in so many seconds; `+` tells that some were given up earlier."""
    solved = sum(float(line["seconds"]) <= seconds for line in group if line["value"])
    given_up = any(float(line["seconds"] or 0) < seconds for line in group if not line["value"])
    return f"{solved}{'+' if given_up else ''}"


def depth_rows(lines: list[Line]) -> str:
    """Return how many positions of each kind and depth were solved in how many seconds."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        kind, depth, _ = line["name"].split("-")
        groups.setdefault((kind, depth), []).append(line)
    heads = [f"in {seconds} s" for seconds in DEPTH_SECONDS]
    rule = "|---" + "|---:" * (len(heads) + 3) + "|"
    rows = [f"| games | left | positions | {' | '.join(heads)} | median nodes |", rule]
    for (kind, depth), group in groups.items():
        counts = [within(group, seconds) for seconds in DEPTH_SECONDS]
        # Of the positions that were not solved it is only known that they take more.
        nodes = sorted(int(line["nodes"]) if line["value"] else sys.maxsize for line in group)
        median = statistics.median_high(nodes)
        shown = f"{median:,}" if median < sys.maxsize else "more"
        rows.append(f"| {kind} | {depth} | {len(group)} | {' | '.join(counts)} | {shown} |")
    return "\n".join(rows) + "\n"


def main(arguments: list[str], tables: Tables | None = None) -> None:
    """Read the command line and solve what is asked for."""
    tables = tables or Tables()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solved", description=__doc__)
    parser.add_argument("table", nargs="?", choices=tables.names(), help="a table; by default, all tables")
    parser.add_argument("names", nargs="*", metavar="name", help="lines of the table; by default, all lines")
    parser.add_argument(
        "--most", type=float, default=60.0, help="skip lines that took more seconds, unless they are named"
    )
    parser.add_argument("--untried", action="store_true", help="include lines that have never been solved")
    parser.add_argument("--seconds", type=float, help="the time limit for a line")
    parser.add_argument("--write", action="store_true", help="write the results to the data file and the page")
    given = parser.parse_intermixed_args(arguments)
    for table in [given.table] if given.table else tables.names():
        lines = tables.read(table)
        unknown = sorted(set(given.names) - {line["name"] for line in lines})
        if unknown:
            parser.error(f"{table} has no {', '.join(unknown)}")
        for at, line in enumerate(lines):
            if not is_asked(line, given.names, given.most, untried=given.untried):
                continue
            found = measure(line, given.seconds)
            print(json.dumps(found), flush=True)
            if wrong := difference(line, found):
                parser.exit(1, f"{table} {line['name']}: {wrong}\n")
            if given.write and (found["value"] or not line["value"]):
                lines[at] = found
                tables.write(table, lines)
        if given.write:
            tables.write(table, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
