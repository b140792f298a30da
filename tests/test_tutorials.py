"""The scripts and commands of the tutorials run and print what their pages say; pytest runs their doctests itself."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli import app
from tests.documents import DOCUMENTS, join_code


@pytest.mark.compiled
def test_solver_script_prints_what_the_tutorial_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "boards.py").write_text(join_code("tutorials/solver.md", "python"), encoding="utf-8")
    runpy.run_path(str(tmp_path / "boards.py"))
    assert capsys.readouterr().out == join_code("tutorials/solver.md", "text")


@pytest.mark.parametrize("command", join_code("tutorials/class.md", "sh").splitlines())
def test_command_for_a_class_writes_its_file(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "fourcorners"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert Path(arguments[-1]).read_bytes().startswith(b"%PDF")


def run_notebook(name: str, folder: Path) -> tuple[str, str]:
    """Run the cells of a notebook; return what they print, and what the notebook says they print."""
    notebook = json.loads((DOCUMENTS / "tutorials" / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    (folder / f"{name}.py").write_text("\n\n".join("".join(cell["source"]) for cell in cells), encoding="utf-8")
    # In a separate process, because a cell may set how many threads NumPy uses.
    run = subprocess.run(
        [sys.executable, "-W", "ignore", f"{name}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert run.returncode == 0, run.stderr
    stored = ["".join(output.get("text", ())) for cell in cells for output in cell["outputs"]]
    return run.stdout, "".join(stored)


@pytest.mark.ci
@pytest.mark.compiled
def test_agent_of_the_notebook_beats_random_moves(tmp_path: Path) -> None:
    printed, _ = run_notebook("agent", tmp_path)
    won = re.fullmatch(r"(\d+) of 100 games won\.", printed.splitlines()[-1])
    assert won is not None
    assert int(won[1]) >= 95


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["opening", "labels", "regret"])
def test_notebook_prints_what_it_says(name: str, tmp_path: Path) -> None:
    printed, stored = run_notebook(name, tmp_path)
    assert printed == stored
