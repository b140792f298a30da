"""`fourcorners play` with an empty cache: what can be played before anything is compiled, and what waits."""

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


def start_play(folder: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    """Start a game of Sqez on 6 by 6 dots with an empty cache, while the compilers are held by a file `hold`.

    Its errors go to the file `errors`. The caller sends its input and waits for its end.
    """
    (folder / "hold").touch()
    held = {"HELD_BY": str(folder / "hold"), "FOURCORNERS_CACHE": str(folder / "cache")}
    game = ["play", "sqez", "-o", "cols=6", "-o", "rows=6"]
    with (folder / "errors").open("w") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.web.cli_with_held_compiler", *game, *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", **held, **environment},
        )


def test_level_that_does_not_search_is_met_before_anything_is_compiled(tmp_path: Path) -> None:
    with start_play(tmp_path, "--computer", "1:1", NUMBA_DISABLE_JIT="0") as process:
        output, _ = process.communicate("a1 c3\nquit\n")
    assert "Computer 1 (red): " in output
    assert "You left the game." in output
    assert not list((tmp_path / "cache").rglob("*.nbc"))
    assert (tmp_path / "errors").read_text() == ""


def test_level_that_searches_says_in_one_line_that_it_is_compiled_and_then_moves(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    with start_play(tmp_path, "--computer", "1:4", NUMBA_DISABLE_JIT="1") as process:
        assert process.stdin is not None
        process.stdin.write("a1 c3\n")
        process.stdin.flush()
        wait_until(lambda: errors.read_text().endswith("\n"))
        (tmp_path / "hold").unlink()
        output, _ = process.communicate("quit\n")
    assert "Computer 4 (red): " in output
    assert errors.read_text() == "Preparing Sqez, which is compiled once for this computer.\n"
