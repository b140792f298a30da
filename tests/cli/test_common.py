"""What all commands share: consoles."""

import sys
import time

import pytest

from fourcorners.cli.common import create_error_console, create_progress_bar, show_status


@pytest.fixture(params=["FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"])
def _forced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a variable by which users ask for colours; standard error is not a terminal."""
    monkeypatch.setenv(request.param, "1")


@pytest.mark.usefixtures("_forced")
def test_nothing_moves_on_what_is_not_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert not create_error_console().is_terminal
    with show_status("looking"), create_progress_bar() as bar:
        for _ in bar.track(range(3)):
            time.sleep(0)
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("_forced")
def test_status_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert create_error_console().is_terminal
