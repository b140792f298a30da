"""What all commands share: consoles, and outputs."""

import sys
import time
from pathlib import Path

import pytest

from fourcorners.cli import match, report, review
from fourcorners.cli.common import create_error_console, create_progress_bar, show_status
from tests.cli.test_commands import run_failing_command

RECORD = 'fourcorners record 1\ngame: dots-and-boxes\noptions: {"cols": 2, "rows": 1}\n\n1 0 a1b1\n'


@pytest.fixture(params=["FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"])
def _force_terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a variable by which users ask for colours; standard error is not a terminal."""
    monkeypatch.setenv(request.param, "1")


@pytest.mark.usefixtures("_force_terminal")
def test_nothing_moves_on_what_is_not_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert not create_error_console().is_terminal
    with show_status("looking"), create_progress_bar() as bar:
        for _ in bar.track(range(3)):
            time.sleep(0)
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("_force_terminal")
def test_status_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert create_error_console().is_terminal


@pytest.mark.parametrize("output", [".", "missing/page.svg", "game.txt/page.svg"])
@pytest.mark.parametrize(
    ("module", "work", "arguments"),
    [
        (report, "make_report", ["report", "sqez", "--html"]),
        (review, "make_review", ["review", "game.txt", "--html"]),
        (match, "EngineMatch", ["match", "sqez", "1", "2", "--plot"]),
    ],
)
def test_output_that_cannot_be_written_is_refused_before_the_work(
    module: object, work: str, arguments: list[str], output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.txt").write_text(RECORD, encoding="utf-8")
    monkeypatch.delattr(module, work)
    assert f"{output} cannot be written: " in run_failing_command(*arguments, output)
