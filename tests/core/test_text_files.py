"""Records are read as people's programs save them, in every place that reads one."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.cli.common import load_record
from fourcorners.core import text_files
from tests.cli.test_commands import run_command, run_failing_command

PLAIN = """\
fourcorners record 2
game: dots-and-boxes
options: {"cols": 1, "rows": 1}
seats: ["Zoë", "Ben"]
date: 2026-11-23

1 0 a1b1
  ; A comment,
  ;
  ; with a blank line.
  * arrow a1 b2
2 1 a1a2
( 2 1 b1b2
    = seat 0: margin 1, exact, win 1, 20 nodes
)
"""
SAVED: dict[str, Callable[[str], bytes]] = {
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "Windows": lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
    "converted twice": lambda text: text.replace("\n", "\r\r\n").encode(),
    "old line ends": lambda text: text.replace("\n", "\r").encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
    "blanks at the ends of rows": lambda text: text.replace("\n", " \t\xa0\n").encode(),
    "blanks at the beginnings of rows": lambda text: text.replace("\n", "\n \t").encode(),
    "no-break spaces": lambda text: text.replace("1 0 a1b1", "1\xa00\xa0a1b1").encode(),
    "a blank row after each": lambda text: text.replace("\n", "\n\n").encode(),
    "blank rows": lambda text: f"\n\n{text}\n \n".replace("2 1 a1a2", "\n2 1 a1a2\n").encode(),
}


@pytest.mark.parametrize("way", SAVED)
def test_record_saved_by_any_program_is_read(way: str, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(SAVED[way](PLAIN))
    expected = fc.Record.parse(PLAIN)
    record = load_record(file)
    assert (record, str(record)) == (expected, str(expected))
    assert fc.import_record(text_files.decode(file.read_bytes())) == expected


@pytest.mark.parametrize("way", SAVED)
def test_every_command_reads_such_a_record(way: str, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(SAVED[way](PLAIN))
    pdf = tmp_path / "game.pdf"
    for arguments, part in (
        (("check",), "2 moves, all legal"),
        (("show", "--ply", "1"), "after 1 move."),
        (("import",), "Zoë"),
        (("print", "--output", str(pdf)), ""),
        (("review", "--nodes", "5"), "2 moves. The game is not over."),
        (("solve", "--no-moves", "--record"), ""),
    ):
        done = run_command(*arguments, str(file))
        written = f"Wrote {pdf}.\n" if str(pdf) in arguments else ""
        assert (done.returncode, done.stderr) == (0, written)
        assert part in done.stdout
    assert pdf.read_bytes().startswith(b"%PDF")


def test_lines_are_counted_in_the_file_as_it_is() -> None:
    text = "\ufeff\r\n" + PLAIN.replace("\n", " \r\n").replace("2 1 a1a2", "\r\n2 1 a9a9")
    with pytest.raises(fc.RecordError) as caught:
        fc.Record.parse(text)
    assert (caught.value.line, caught.value.move) == (text.split("\n").index("2 1 a9a9 \r") + 1, "a9a9")


def test_two_characters_at_the_end_of_a_line_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.core.record_format.MAX_RECORD_LENGTH", len(PLAIN))
    record = fc.Record.parse("\ufeff" + PLAIN.replace("\n", "\r\n"))
    assert record == fc.Record.parse(PLAIN)
    with pytest.raises(fc.RecordError, match=f"at most {len(PLAIN)} characters"):
        fc.Record.parse(PLAIN + "x")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (PLAIN.encode("latin-1"), f"byte {PLAIN.index('ë') + 1} is not UTF-8; save it as UTF-8"),
        (codecs.BOM_UTF16_LE + b"f\0o", "is not UTF-16"),
        (b"\x89PNG\r\n\x1a\n", "byte 1 is not UTF-8"),
    ],
)
def test_file_that_is_no_text_is_refused_with_the_place(data: bytes, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(data)
    message = run_failing_command("check", str(file), status=1)
    assert f"{file} is not text: " in message
    assert sentence in message
