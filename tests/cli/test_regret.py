"""`fourcorners regret`: players, agents and sheets."""

import json
from pathlib import Path
from typing import Any

import pytest

from fourcorners.cli.regret import regret
from fourcorners.envs import regret as yardstick

AGENTS = """
def first(view):
    return view.moves()[0]
number = 3
"""


@pytest.fixture(autouse=True)
def two_questions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ask only the last two questions of each game, in an empty folder."""
    load = yardstick.load
    monkeypatch.setattr(yardstick, "load", lambda game: load(game)[-2:])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")


def read_rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the rows that were printed as JSON."""
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_levels_are_measured_in_the_order_given(capsys: pytest.CaptureFixture[str]) -> None:
    regret(player=["1", "top"], game=["dots-and-boxes"], as_data=True)
    rows = read_rows(capsys)
    assert [(row["player"], row["game"], row["answers"]) for row in rows] == [
        ("1", "dots-and-boxes", 2),
        ("top", "dots-and-boxes", 2),
    ]
    assert rows[1]["lost"] == 0.0
    assert (rows[0]["early"], rows[0]["late"]) == (None, rows[0]["lost"])


def test_agent_is_imported_from_the_present_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("agents_of_a_test.py").write_text(AGENTS, encoding="utf-8")
    regret(agent="agents_of_a_test:first", game=["sqez"])
    table = capsys.readouterr().out
    assert "agents_of_a_test:first" in table.replace("\n", "")
    assert "Sqez: points lost in a move" in table
    for wrong, why in (("agents_of_a_test:second", "has no attribute"), ("agents_of_a_test:number", "not a function")):
        with pytest.raises(SystemExit):
            regret(agent=wrong)
        assert why in capsys.readouterr().err


def test_sheet_is_written_filled_in_and_measured(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = Path("sheet.txt")
    regret(sheet=sheet, game=["sqez"])
    best = yardstick.load("sqez")[1].best[0]
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("\n2:", f"\n2: {best}"), encoding="utf-8")
    capsys.readouterr()
    regret(file=sheet, as_data=True)
    (row,) = read_rows(capsys)
    assert (row["player"], row["game"], row["answers"], row["lost"], row["best"]) == ("sheet.txt", "sqez", 1, 0.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give one of these: a FILE with answers, --player, --agent or --sheet"),
        ({"player": ["1"], "agent": "a:b"}, "give one of these"),
        ({"sheet": Path("-")}, "--sheet needs one --game"),
        ({"agent": "no_such_module:x"}, "it must be MODULE:NAME, but No module named 'no_such_module'"),
    ],
)
def test_wrong_arguments_are_refused(
    arguments: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        regret(**arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
