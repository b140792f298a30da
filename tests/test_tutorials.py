"""The scripts and commands of the tutorials run and print what their pages say; pytest runs their doctests itself."""

import re
import runpy
import shlex
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
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


Outputs = list[tuple[str, int]]
"""What each code cell of a notebook prints, and how many pictures it shows."""


def list_outputs(notebook: nbformat.NotebookNode) -> Outputs:
    """Return the outputs that a notebook holds now."""
    return [
        (
            "".join(output.text for output in cell.outputs if output.get("name") == "stdout"),
            sum("image/png" in output.get("data", ()) for output in cell.outputs),
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


async def run_notebook(name: str, folder: Path) -> tuple[Outputs, Outputs]:
    """Run a notebook in an empty folder, which Jupyter uses too; return its outputs, and those stored in its file."""
    path = DOCUMENTS / "tutorials" / f"{name}.ipynb"
    stored = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # it has no annotations
    notebook = deepcopy(stored)
    # On a busy machine it may take long until a kernel starts, or until its output arrives.
    client = NotebookClient(notebook, startup_timeout=600, iopub_timeout=600, resources={"metadata": {"path": folder}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(folder))
        patch.setenv("IPYTHONDIR", str(folder))
        patch.delenv("MPLBACKEND", raising=False)  # the kernel's own backend shows pictures in cells
        await client.async_execute()
    return list_outputs(notebook), list_outputs(stored)


@pytest.mark.ci
@pytest.mark.compiled
async def test_agent_of_the_notebook_beats_random_moves(tmp_path: Path) -> None:
    outputs, stored = await run_notebook("agent", tmp_path)
    assert outputs[0] == stored[0]
    # How well it has learned depends on how the processor rounds.
    won = re.fullmatch(r"(\d+) of 100 games won\.\n", outputs[-1][0])
    assert won is not None
    assert int(won[1]) >= 95


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["opening", "labels", "regret"])
async def test_notebook_shows_what_its_file_says(name: str, tmp_path: Path) -> None:
    outputs, stored = await run_notebook(name, tmp_path)
    assert outputs == stored
