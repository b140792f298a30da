"""The tables of `docs/solved`: the page agrees with the data, and the data agree with the solvers."""

import json
import shutil
from pathlib import Path

import pytest

import fourcorners as fc
from benchmarks import depth, solved

TABLES = solved.Tables()
LINES = [(table, line) for table in TABLES.list_names() for line in TABLES.read(table)]
SOLVED = [(table, line) for table, line in LINES if line["value"]]
QUICK, LONGEST = 0.1, 20.0  # seconds: lines below the first are tested in CI, those below the second as slow tests

# Published, or found by two other programs before this solver existed.
KNOWN_MARGINS = {
    **{f"1x{cols}": -(cols % 2) for cols in range(1, 7)},
    **{f"2x{cols}": 2 if cols % 2 == 0 else -2 for cols in range(2, 7)},
    "3x3": -3,
    "3x4": 0,
    "3x5": -1,
    "4x4": 0,
    "4x5": 0,
    "5x5-border": -3,
    "4x5-left-bottom": 4,
}
_NIMBERS = "3x3 1, 3x4 1, 3x5 1, 3x6 2, 4x4 1, 4x5 2, 4x6 2, 5x5 0, 5x6 0, 6x6 4, 6x7 1, 7x7 1, 8x8 3"
KNOWN_NIMBERS = {name: int(nimber) for name, nimber in map(str.split, _NIMBERS.split(", "))}


def select_results(line: solved.Row) -> dict[str, str]:
    """Return the columns of a line that must be the same in every solve: values and number of nodes."""
    return {column: line[column] for column in (*solved.FOUND, "nodes")}


def select_lines(table: str, min_seconds: float, max_seconds: float) -> list[solved.Row]:
    """Return the solved lines of a table that took at least `min_seconds` and less than `max_seconds`."""
    return [line for name, line in SOLVED if name == table and min_seconds <= float(line["seconds"]) < max_seconds]


def test_page_is_up_to_date_and_contains_every_table_once() -> None:
    assert TABLES.page.read_text(encoding="utf-8") == TABLES.render_page()
    for table in TABLES.list_names():
        assert TABLES.render_page().count(f"<!-- table {table} -->") == 1, table


def test_data_package_has_every_table_its_columns_and_the_version() -> None:
    folder = TABLES.page.with_suffix("")
    package, schema = (json.loads((folder / name).read_text("utf-8")) for name in ("datapackage.json", "schema.json"))
    assert package["version"] == fc.__version__
    assert [table["path"] for table in package["resources"]] == [f"{name}.csv" for name in TABLES.list_names()]
    assert {table["schema"] for table in package["resources"]} == {"schema.json"}
    assert tuple(field["name"] for field in schema["fields"]) == solved.COLUMNS
    parsers = {"integer": int, "number": float, "string": str}
    for field in schema["fields"]:
        for _, line in LINES:
            if line[field["name"]]:
                parsers[field["type"]](line[field["name"]])  # raises ValueError


@pytest.mark.parametrize(("table", "line"), LINES, ids=lambda part: part if isinstance(part, str) else part["name"])
def test_line_has_a_name_of_its_own_an_unfinished_position_and_plausible_figures(table: str, line: solved.Row) -> None:
    assert sum(other["name"] == line["name"] for other_table, other in LINES if other_table == table) == 1
    assert not solved.set_up_position(line).is_over
    assert line["known"] in solved.SOURCES
    assert int(line["memory"]) > 0 and line["threads"] in {"1", "2"}
    if line["value"]:
        assert int(line["nodes"]) >= 0 and float(line["seconds"]) > 0 and float(line["used"]) <= int(line["memory"])


@pytest.mark.parametrize(
    ("table", "column", "known"), [("dots", "value", KNOWN_MARGINS), ("sqez", "nimber", KNOWN_NIMBERS)]
)
def test_values_marked_as_known_are_those_listed_here_and_most_are_confirmed(
    table: str, column: str, known: dict[str, int]
) -> None:
    lines = {line["name"]: line for name, line in LINES if name == table}
    assert {name for name, line in lines.items() if line["known"]} == set(known)
    confirmed = [name for name in known if lines[name]["value"]]
    assert {name: int(lines[name][column]) for name in confirmed} == {name: known[name] for name in confirmed}
    assert len(confirmed) > len(known) // 2  # the largest boards may be unsolved


@pytest.mark.compiled
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.ci)])
@pytest.mark.parametrize("table", TABLES.list_names())
def test_quick_lines_have_the_same_values_and_nodes_when_solved_again(table: str, step: int) -> None:
    lines = select_lines(table, 0.0, QUICK)[::step]
    assert lines
    for line in lines:
        assert select_results(solved.solve_row(line)) == select_results(line), line["name"]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("table", sorted({table for table, line in SOLVED if float(line["seconds"]) >= QUICK}))
def test_lines_of_up_to_twenty_seconds_have_the_same_values_and_nodes_when_solved_again(table: str) -> None:
    for line in select_lines(table, QUICK, LONGEST):
        assert select_results(solved.solve_row(line)) == select_results(line), line["name"]


def copy_tables(folder: Path) -> solved.Tables:
    """Copy the data and the page to a folder, which must not have them yet; return the tables there, free to change."""
    shutil.copytree(TABLES.page.with_suffix(""), folder / "solved")
    shutil.copy(TABLES.page, folder)
    return solved.Tables(folder)


@pytest.mark.compiled
def test_measured_results_are_printed_and_written_to_data_and_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = copy_tables(tmp_path)
    lines = tables.read("dots")
    index = next(i for i, line in enumerate(lines) if line["name"] == "2x2")
    lines[index] = {**lines[index], **dict.fromkeys((*solved.FOUND, "nodes", "seconds", "used"), "")}
    tables.write("dots", lines)
    assert "| 2x2 |" not in tables.page.read_text(encoding="utf-8")
    solved.main(["dots", "2x2", "--write"], tables)
    assert select_results(tables.read("dots")[index]) == {"value": "2", "nimber": "", "margins": "", "nodes": "71"}
    assert "| 2x2 | +2 | 71 |" in tables.page.read_text(encoding="utf-8")
    assert '"name": "2x2"' in capsys.readouterr().out


@pytest.mark.compiled
def test_different_value_is_reported_with_status_1_and_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = copy_tables(tmp_path)
    lines = [{**line, "value": "1"} if line["name"] == "2x2" else line for line in tables.read("dots")]
    tables.write("dots", lines)
    with pytest.raises(SystemExit) as ended:
        solved.main(["dots", "2x2", "--write"], tables)
    assert ended.value.code == 1
    assert "dots 2x2: value was 1, is 2" in capsys.readouterr().err
    assert tables.read("dots") == lines


@pytest.mark.compiled
def test_line_that_takes_too_long_is_written_as_unsolved_with_its_time_and_nodes(tmp_path: Path) -> None:
    tables = copy_tables(tmp_path)
    line = solved.create_row(name="long", game="dots-and-boxes", options="cols=5 rows=4")
    tables.write("dots", [line])
    solved.main(["dots", "long", "--seconds", "0.05", "--write"], tables)
    [measured] = tables.read("dots")
    assert measured["value"] == "" and float(measured["seconds"]) >= 0.05 and int(measured["nodes"]) > 0
    # Its 0.05 seconds, rounded.
    assert "long (more than 0 s)" in tables.page.read_text(encoding="utf-8")


def test_lines_are_selected_by_name_or_by_time_and_untried_ones_on_request() -> None:
    line = solved.create_row(name="a", value="1", seconds="9")
    assert solved.is_selected(line, [], 10.0, untried=False)
    assert not solved.is_selected(line, [], 8.0, untried=True)
    assert solved.is_selected(line, ["a"], 8.0, untried=False)
    assert not solved.is_selected(line, ["b"], 10.0, untried=True)
    assert not solved.is_selected(solved.create_row(name="a"), [], 10.0, untried=False)
    assert solved.is_selected(solved.create_row(name="a"), [], 10.0, untried=True)


@pytest.mark.compiled
def test_position_that_is_too_large_stays_unsolved() -> None:
    line = solved.create_row(name="large", game="dots-and-boxes", options="cols=20 rows=20")
    assert solved.measure_row(line)["value"] == ""


def test_unknown_name_of_a_line_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        solved.main(["dots", "9x9x9"])
    assert "dots has no 9x9x9" in capsys.readouterr().err


def test_depth_table_counts_positions_solved_in_time_and_has_the_median_of_nodes() -> None:
    """The columns are kind, moves left, positions, those solved within 1, 10 and 600 seconds, and the median of nodes.

    A plus says that others were given up before that time. The median is "more" if it is that of an unsolved position.
    """
    lines = [
        solved.create_row(name="random-8-0", value="1", seconds="0.5", nodes="10"),
        solved.create_row(name="random-8-1", value="-1", seconds="5", nodes="900"),
        solved.create_row(name="random-8-2", seconds="10", nodes="20"),
        solved.create_row(name="strong-9-0", seconds="600", nodes="30"),
        solved.create_row(name="strong-9-1", seconds="", nodes=""),
    ]
    rows = solved.format_depth_table(lines).splitlines()[2:]
    assert rows == ["| random | 8 | 3 | 1 | 2 | 2+ | 900 |", "| strong | 9 | 2 | 0+ | 0+ | 0+ | more |"]


@pytest.mark.parametrize(("name", "left"), [("square-off", 60), ("squendo", 30)])
def test_depth_positions_have_the_requested_number_of_cells_or_tiles_left(name: str, left: int) -> None:
    game = fc.game(name)
    assert depth.COUNTERS[name](depth.play_until(game, "random", left, 1, 0)) == left
