"""The scripts and commands of the tutorials run and print what their pages say; pytest runs their doctests itself."""

import json
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


@pytest.mark.ci
@pytest.mark.compiled
def test_agent_of_the_notebook_beats_random_moves(tmp_path: Path) -> None:
    notebook = json.loads((DOCUMENTS / "tutorials" / "agent.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    (tmp_path / "agent.py").write_text("\n\n".join(cells), encoding="utf-8")
    # In a separate process, because the first cell sets how many threads NumPy uses.
    run = subprocess.run([sys.executable, "agent.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    won = re.fullmatch(r"(\d+) of 100 games won\.", run.stdout.splitlines()[-1])
    assert won is not None
    assert int(won[1]) >= 95
