"""Standard streams and files that are closed, full, damaged or in the way: one sentence, no traceback, nothing lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fourcorners as fc
from tests.cli.test_commands import run_command, run_failing_command

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no device that is always full")
LINK = "https://trmph.com/dnb/board#1,a2"
SMALL = ["sqez", "-o", "cols=3", "-o", "rows=3"]
RECORD = str(fc.Match(fc.game("sqez", cols=3, rows=3), date="2026-11-21").record())


def run(command: str, folder: Path, text: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell in a folder, in which `fourcorners` is the command."""
    program = f'fourcorners() {{ "{sys.executable}" -m fourcorners "$@"; }}\n{command}'
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1", **variables}
    (folder / "game.txt").write_text(RECORD)
    return subprocess.run(
        ["/bin/sh", "-c", program], input=text, capture_output=True, check=False, cwd=folder, env=environment
    )


def check_failure(done: subprocess.CompletedProcess[bytes], sentence: str) -> None:
    """Check that a command ended with status 1 and one sentence on standard error, perhaps after a greeting."""
    message = done.stderr.decode().removeprefix("Sqez. Type help for a list of commands.\n")
    assert (done.returncode, message.count("\n")) == (1, 1), message
    assert message.startswith("fourcorners: ")
    assert sentence in message
    assert "None" not in message


@needs_full
@pytest.mark.parametrize(
    "command",
    [
        "enter sqez -o cols=3 -o rows=3",
        "check game.txt",
        *(pytest.param(other, marks=pytest.mark.ci) for other in (f"import '{LINK}'", "show game.txt", "perft sqez 1")),
    ],
)
def test_full_standard_output_is_named(command: str, tmp_path: Path) -> None:
    done = run(f"fourcorners {command} >/dev/full", tmp_path)
    message = done.stderr.decode()
    assert done.returncode == 1
    assert "standard output cannot be written" in message
    assert message.splitlines()[-1].startswith("fourcorners: ")
    assert "No space left on device" in message
    assert "Exception" not in message
    # What was typed is not lost.
    assert ("fourcorners record 1" in message) == command.startswith("enter")


def test_closed_standard_output_is_named(tmp_path: Path) -> None:
    check_failure(run("fourcorners check game.txt >&-", tmp_path), "standard output is closed")


def test_reader_that_leaves_early_gets_what_it_wants_without_a_word(tmp_path: Path) -> None:
    done = run("fourcorners perft sqez 1 --divide | head -n 1", tmp_path)
    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")


@pytest.mark.parametrize(
    "command",
    [
        "check -",
        "enter sqez",
        *(pytest.param(other, marks=pytest.mark.ci) for other in ("import - sqez", "show -", "solve --record -")),
    ],
)
def test_closed_standard_input_is_named(command: str, tmp_path: Path) -> None:
    check_failure(run(f"fourcorners {command} <&-", tmp_path), "standard input")


@pytest.mark.parametrize(("way", "status"), [("<&-", 1), ("</dev/null", 0)])
def test_record_of_a_game_is_kept_when_the_input_ends(way: str, status: int, tmp_path: Path) -> None:
    # The computer begins, so that a move has been played.
    done = run(f"fourcorners play sqez -o cols=6 -o rows=6 --computer 0:1 --record kept.txt {way}", tmp_path)
    assert done.returncode == status, done.stderr
    record = fc.Record.parse((tmp_path / "kept.txt").read_text())
    assert len(record.lines) == 1
    assert b"internal error" not in done.stderr


def test_input_that_is_no_text_is_refused_and_the_record_kept(tmp_path: Path) -> None:
    text = b"a1 c3\nb\xff2\n"
    done = run("fourcorners play sqez -o cols=6 -o rows=6 --people --record kept.txt", tmp_path, text)
    assert b"That line is not text" in done.stdout
    assert [line.text for line in fc.Record.parse((tmp_path / "kept.txt").read_text()).lines] == ["a1 c3"]
    check_failure(run("fourcorners enter sqez 2>&1 >/dev/null | tail -n 1 >&2; exit 1", tmp_path, text), "is not text")
    check_failure(run("fourcorners check -", tmp_path, b"fourcorners record 1\n\xff"), "byte 22 is not UTF-8")


@needs_full
def test_file_that_cannot_be_written_is_named_and_what_was_typed_is_printed(tmp_path: Path) -> None:
    for target in ("/dev/full", str(tmp_path), str(tmp_path / "none" / "game.txt")):
        done = run_command("enter", *SMALL, "--output", target, text="a1 c3\n")
        assert done.returncode == 1
        assert done.stdout.startswith("fourcorners record 1\n")
        assert f"fourcorners: {target} cannot be written (" in done.stderr
        assert f"{target} cannot be written: " in run_failing_command("import", LINK, "--output", target)
    file = tmp_path / "game.txt"
    file.write_text(RECORD)
    for arguments in (("show", str(file), "--svg"), ("print", "sqez", "--output")):
        assert "/dev/full cannot be written: No space left" in run_failing_command(*arguments, "/dev/full")


def test_what_a_file_contained_stays_when_it_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "game.txt"
    file.write_text("precious")
    file.chmod(0o640)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        assert "No space left on device" in run_failing_command("import", LINK, "--output", str(file))
    assert file.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [file]
    link = tmp_path / "link.txt"
    link.symlink_to(file)
    assert run_command("import", LINK, "--output", str(link)).returncode == 0
    assert file.read_text().startswith("fourcorners record 1\n")
    assert (link.is_symlink(), file.stat().st_mode & 0o777) == (True, 0o640)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no such name")
def test_output_may_be_a_file_that_is_open_already(tmp_path: Path) -> None:
    printed = run("fourcorners import game.txt", tmp_path).stdout
    assert run("fourcorners import game.txt --output /dev/stdout | cat", tmp_path).stdout == printed
    done = run("echo first >all.txt; fourcorners import game.txt --output /dev/stdout >>all.txt; cat all.txt", tmp_path)
    assert (done.stdout, done.stderr) == (b"first\n" + printed, b"")
