"""The commands that draw, print, type back and report on games."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

import fourcorners as fc
from fourcorners.study.entry import enter_moves
from tests.cli.test_commands import run_command, run_failing_command

MOVES = ("b2", "b4", "c3")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The path of a record of Square Off on 4 × 4 with three moves, an arrow at the last one."""
    match = enter_moves(fc.game("square-off", size=4), MOVES, ["Ada", "Ben"], "2026-11-23").match
    tree = match.record().open_tree().set_marks(MOVES, [fc.Mark("arrow", ("b2", "c3"))])
    path = tmp_path / "game.txt"
    path.write_text(str(match.record().with_tree(tree)), encoding="utf-8")
    return path


def test_show_draws_a_position_with_its_marks_and_the_game_as_an_animation(record: Path, tmp_path: Path) -> None:
    svg, png, gif = (tmp_path / f"board.{kind}" for kind in ("svg", "png", "gif"))
    for path in (svg, png, gif):
        completed = run_command(
            "show", str(record), "--picture", str(path), "--width", "100", "--palette", "high-contrast"
        )
        assert completed.returncode == 0, completed
    assert 'aria-label="arrow b2 c3"' in svg.read_text(encoding="utf-8")
    with Image.open(png) as still, Image.open(gif) as moving:
        assert still.size == (100, 100)
        assert getattr(moving, "n_frames", 1) == 4
    end = tmp_path / "end.gif"
    assert run_command("show", str(record), "--last", "2", "--picture", str(end)).returncode == 0
    with Image.open(end) as moving:
        assert getattr(moving, "n_frames", 1) == 3 and moving.height > moving.width
    for options, sentence in (
        (("--picture", "board.bmp"), "must end in"),
        (("--picture", "b.png", "--width", "9"), "64 to 1600"),
        (("--picture", "b.png", "--palette", "pink"), "palette"),
        (("--picture", "b.png", "--last", "2"), "only gif or webp"),
    ):
        assert sentence in run_failing_command("show", str(record), *options, status=2)
    assert "cannot be written" in run_failing_command("show", str(record), "--picture", str(tmp_path / "no" / "b.svg"))


def test_print_writes_boards_positions_and_games_as_pdf(record: Path, tmp_path: Path) -> None:
    target = tmp_path / "paper.pdf"
    position = fc.Record.parse(record.read_text(encoding="utf-8")).match().position.text
    for source in (
        ("square-off", "-o", "size=4"),
        (str(record),),
        (str(record), "--ply", "1"),
        ("square-off", "-o", "size=4", "--position", position),
    ):
        target.unlink(missing_ok=True)
        assert run_command("print", *source, "--output", str(target)).returncode == 0
        assert target.read_bytes().startswith(b"%PDF-")
    image = tmp_path / "paper.png"
    assert run_command("print", "square-off", "--output", str(image)).returncode == 0
    assert Image.open(io.BytesIO(image.read_bytes())).format == "PNG"
    assert "a4 or letter" in run_failing_command("print", "sqez", "--paper", "a0", "--output", str(target), status=2)
    assert "cannot be read" in run_failing_command("print", "nothing", "--output", str(target))


def test_enter_makes_the_record_of_typed_moves_which_can_be_corrected(tmp_path: Path) -> None:
    target = tmp_path / "game.txt"
    options = ("enter", "square-off", "-o", "size=4", "--name", "Ada", "--name", "Ben", "--date", "2026-11-23")
    text = "1. b2 b4\nfix 2 a1\na2\nundo\nlist\nd4, resign\ndone\n"
    completed = run_command(*options, "--output", str(target), text=text)
    assert completed.returncode == 0, completed
    record = fc.Record.parse(target.read_text(encoding="utf-8"))
    assert [line.text for line in record.lines] == ["b2", "a1", "d4", "!resign"]
    assert (record.seats, record.date) == (("Ada", "Ben"), "2026-11-23")
    assert "2. a1" in completed.stderr and "The game is over" in completed.stderr


def test_enter_names_the_number_and_the_reason_of_a_wrong_move() -> None:
    wrong = run_command("enter", "square-off", "-o", "size=4", text="b2\nb2\n")
    assert wrong.returncode == 1 and "move 2: b2 is not free" in wrong.stderr
    assert "deck" in run_failing_command("enter", "squendo", status=2)


@pytest.mark.compiled
def test_report_prints_json_and_writes_html(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    small = (
        "report",
        "sqez",
        "-o",
        "cols=3",
        "-o",
        "rows=3",
        "--games",
        "2",
        "--level",
        "1",
        "--ladder",
        "0",
        "--jobs",
        "1",
    )
    completed = run_command(*small, "--nodes", "2", "--json", "--html", str(page))
    assert completed.returncode == 0, completed
    assert json.loads(completed.stdout)["games"] == 2
    assert "<svg" in page.read_text(encoding="utf-8")
    assert "player" in run_failing_command(*small[:6], "--level", "99", status=2)
