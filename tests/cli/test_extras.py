"""A command that needs packages which are not installed says so in one sentence, before it does any work."""

from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.cli import match, paper, records, report, review, selfplay, stats
from fourcorners.core import extras
from fourcorners.core.errors import GameError
from fourcorners.study.rendering import render_png
from fourcorners.web.settings import Settings, SettingsError
from fourcorners.web.store import Store, StoreError
from tests.cli.test_commands import run_command, run_failing_command

RECORD = 'fourcorners record 1\ngame: dots-and-boxes\noptions: {"cols": 2, "rows": 1}\n\n1 0 a1b1\n'


def hide(monkeypatch: pytest.MonkeyPatch, *hidden: str) -> None:
    """Let the modules of some extras be missing."""
    modules = {module for extra in hidden for module in extras.MODULES[extra]}
    monkeypatch.setattr(extras, "find_spec", lambda module: None if module in modules else object())


@pytest.mark.parametrize(
    ("module", "work", "extra", "command"),
    [
        (records, "load_game", "pictures", "show game.txt --picture board.png"),
        (records, "load_game", "pictures", "show game.txt --picture game.gif"),
        (paper, "print_boards", "pictures", "print sqez --output boards.pdf"),
        (review, "make_review", "pictures", "review game.txt --html review.html"),
        (report, "make_report", "pictures", "report sqez --html report.html"),
        (match, "EngineMatch", "plot", "match sqez 1 2 --plot plot.svg"),
        (selfplay, "parse_game", "data", "selfplay sqez --player plain --nodes 1 --out data"),
        (stats, "show_status", "data", "stats data"),
        (stats, "show_status", "plot", "stats data --plot plot.svg"),
        (selfplay, "parse_game", "ray", "selfplay sqez --player plain --nodes 1 --out data --ray local"),
    ],
)
def test_missing_extra_is_named_before_the_work(
    module: object, work: str, extra: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.txt").write_text(RECORD, encoding="utf-8")
    monkeypatch.delattr(module, work)
    hide(monkeypatch, extra)
    sentence = run_failing_command(*command.split(" "))
    assert sentence.endswith(f' the extra "{extra}": pip install "fourcorners[{extra}]"\n')
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]


@pytest.mark.parametrize(
    "command",
    [
        "serve --no-open",
        "tables list",
        "tables close TABLE",
        "accounts list",
        "accounts set-password NAME",
        "reports list",
        "backup games.db",
        "restore games.db",
    ],
)
def test_commands_of_a_server_need_its_extra_and_have_help_without_it(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(monkeypatch, "server")
    sentence = run_failing_command(*command.split(" "), "--data", str(tmp_path / "data"))
    assert sentence == 'fourcorners: this command needs the extra "server": pip install "fourcorners[server]"\n'
    assert not list(tmp_path.iterdir())
    assert run_command(*command.split(" ")[:2], "--help").returncode == 0


def test_text_and_svg_need_no_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, *extras.MODULES)
    path, picture = tmp_path / "game.txt", tmp_path / "board.svg"
    path.write_text(RECORD, encoding="utf-8")
    assert run_command("show", str(path)).returncode == 0
    assert run_command("show", str(path), "--picture", str(picture)).returncode == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_missing_extra_is_an_error_in_python_too(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "pictures")
    with pytest.raises(GameError, match='drawing this needs the extra "pictures"'):
        render_png(fc.game("sqez").start().svg(), 200)


@pytest.mark.parametrize("extra", ["redis", "ray"])
def test_server_with_an_address_names_the_extra_for_it(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(monkeypatch, extra)
    settings = Settings(tmp_path, redis="redis://localhost") if extra == "redis" else Settings(tmp_path, ray="auto")
    with pytest.raises(SettingsError, match=f'^--{extra} needs the extra "{extra}": pip install'):
        settings.validate()


def test_database_of_postgresql_names_the_extra_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "postgresql")
    with pytest.raises(StoreError, match=r'^a database of PostgreSQL needs the extra "postgresql": pip install'):
        Store("postgresql://user@localhost/name")


def test_version_is_printed() -> None:
    assert run_command("--version").stdout == f"fourcorners {fc.__version__}\n"
