"""A game of another package, found by its entry point, works everywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "cram"
# Prints what the game's conformance, encoding, lessons, perft, computer and record give, one line each.
PROGRAM = """
import fourcorners as fc
from fourcorners.core.conformance import check_game, check_documents
from fourcorners.core.encoding_conformance import check_encoding
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.lessons.proof import check_lesson

assert "cram" in fc.games(), fc.games()
game = fc.game("cram", cols=4, rows=3)
print(sum(check_game(game, seed) for seed in range(3)), check_documents(game))
print([check_encoding(game, seed) > 0 for seed in range(2)])
print([check_lesson(lesson) for lesson in list_lessons("cram")])
print([fc.perft(fc.game("cram", cols=3, rows=3).start(), depth) for depth in range(4)])
choice = fc.Computer(nodes=200, seed=1).choose(fc.game("cram", cols=2, rows=2).start().play("a1 a2"))
print(choice.move)
match = fc.Match(game)
while not match.is_over:
    match.play(fc.Computer(nodes=50, seed=1).choose(match.position).move)
print(fc.Record.parse(str(fc.Record.of(match))).match().outcome == match.outcome)
"""


# Compiling the rules and the search of this game takes 18 s. What compiled code computes for it is also compared with
# a reference in tests/solvers/test_nimbers.py.
@pytest.mark.parametrize(
    "disabled",
    [
        pytest.param("1", id="interpreted"),
        pytest.param("0", id="compiled", marks=[pytest.mark.compiled, pytest.mark.slow]),
    ],
)
def test_game_of_an_installed_package_is_found_conforms_and_can_be_counted_played_and_recorded(
    tmp_path: Path, disabled: str
) -> None:
    site = tmp_path / "site"
    source = tmp_path / "source"
    subprocess.run(["cp", "-r", str(PACKAGE), str(source)], check=True)
    uv = str(Path(sys.executable).with_name("uv"))
    install = [uv, "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--offline"]
    subprocess.run([*install, "--python", sys.executable, "--target", str(site), str(source)], check=True)
    env = {**os.environ, "PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": disabled}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    # The first line has numbers of plies and records. After a1 a2 on 2 x 2 cells, b1 b2 is the only move.
    assert run.stdout.splitlines()[1:] == ["[True, True]", "[2]", "[1, 12, 88, 336]", "b1 b2", "True"]
