"""The lines of docs/shuffle.md verify a record as they stand there, and find every change of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.core.shuffle import hash_text

TEXT = (Path(__file__).parents[1] / "docs" / "shuffle.md").read_text(encoding="utf-8")
[PYTHON] = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
NONCE_HASH, SEED_HASH, OLD_HASH = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)


def finish_match(folder: Path, values: tuple[str | None, ...] | None) -> tuple[fc.Match, str]:
    """Return a match of Squendo that has ended, and its record, which is stored as record.txt in a folder."""
    match = fc.Match(fc.game("squendo", lines=True), ["Äda", "Ben"], values=values)
    match.play(match.position.moves()[0])
    match.resign(0)
    text = str(match.record())
    (folder / "record.txt").write_text(text, encoding="utf-8")
    return match, text


def run_lines(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, and return what it printed."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def run_shell(line: str, folder: Path) -> str:
    """Return the hash that a line prints."""
    return run_lines(["bash", "-c", line], folder).stdout.split(" ")[0]


@pytest.mark.parametrize("values", [("5e" * 32, None), ("a" * 64, "b" * 64), (None, None)])
def test_documented_lines_verify_the_record_of_a_fair_shuffle(tmp_path: Path, values: tuple[str | None, ...]) -> None:
    match, _ = finish_match(tmp_path, values)
    ran = run_lines([sys.executable, "-c", PYTHON], tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "The deck follows from the nonce and the values.\n"), ran.stderr
    assert run_shell(NONCE_HASH, tmp_path) == match.commitment
    given = " ".join(value or "-" for value in values)
    assert run_shell(SEED_HASH, tmp_path) == hash_text(f"nonce: {match.nonce}\nvalues: {given}\n")


def test_documented_lines_find_another_nonce_value_or_deck(tmp_path: Path) -> None:
    match, text = finish_match(tmp_path, ("a" * 64, "b" * 64))
    last, before = match.deck[-1], match.deck[-2]
    for changed, found in (
        (text.replace("a" * 64, "c" * 64), "another order"),
        (text.replace(f"values: {'a' * 64}", "values: -"), "another order"),
        (text.replace(f"{before} {last}\n", f"{last} {before}\n"), "another order"),
        (text.replace(match.nonce, "0" * 64), "another nonce"),
    ):
        assert changed != text
        (tmp_path / "record.txt").write_text(changed, encoding="utf-8")
        ran = run_lines([sys.executable, "-c", PYTHON], tmp_path)
        assert ran.returncode == 1 and found in ran.stderr


def test_documented_line_verifies_the_deck_of_a_record_without_values(tmp_path: Path) -> None:
    match, _ = finish_match(tmp_path, None)
    assert run_shell(OLD_HASH, tmp_path) == match.commitment
