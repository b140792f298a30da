"""Rules about the source files: only a game's own folder names the game, and no file names a package index."""

import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

import fourcorners as fc

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "tests", "benchmarks", "examples", "scripts")


def list_sources() -> list[Path]:
    """Return the tracked source files, relative to the root: tools leave others, such as packages of npm."""
    listing = subprocess.run(["git", "ls-files", "-z", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [Path(name) for name in listing.stdout.split("\0") if name]
    return [
        path
        for path in sorted(paths)
        if path.suffix in {".py", ".js", ".css", ".html", ".sh", ""} and (ROOT / path).is_file()
    ]


SOURCES = list_sources()
GENERIC = [path for path in SOURCES if path.parts[:2] == ("src", "fourcorners") and path.parts[2] != "builtin"]


def read_source(path: Path) -> str:
    """Return the text of a file, whose path is relative to the root of the checkout."""
    return (ROOT / path).read_text(encoding="utf-8")


def test_files_that_are_not_tracked_are_not_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "benchmarks" / "node_modules").mkdir(parents=True)
    (tmp_path / "benchmarks" / "tracked.py").touch()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "benchmarks" / "node_modules" / "package.js").touch()
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert list_sources() == [Path("benchmarks/tracked.py")]


# The docstring of the package shows an example; everything else works for any game.
@pytest.mark.parametrize("path", [path for path in GENERIC if path.name != "__init__.py"], ids=str)
def test_generic_code_names_no_game(path: Path) -> None:
    names = [folder.name for folder in (ROOT / "src/fourcorners/builtin").iterdir() if (folder / "rules.py").exists()]
    assert len(names) >= 4  # the folders were found
    names += [name for name in fc.games() if fc.game(name).preset is not None]
    # "square_off" also stands for Square Off, square-off and SquareOff, and Squarin' Off has an apostrophe.
    pattern = "|".join(re.sub("[-_]", "[-_ '’]*", name) for name in names)
    found = re.search(pattern.replace("squarin", "squarin['’]?"), read_source(path), re.IGNORECASE)
    assert found is None, f"{path} names {found}"


def test_no_source_and_no_lock_contains_the_address_of_a_package_index() -> None:
    address = re.compile(r"https?://[\w.:-]*(pypi|npm|debian|mirror|registry|proxy)", re.IGNORECASE)
    texts = [*SOURCES, *(path.relative_to(ROOT) for path in ROOT.glob("requirements/*")), Path("pyproject.toml")]
    assert [str(path) for path in texts if address.search(read_source(path))] == []


def test_no_public_name_hides_a_package() -> None:
    # `import fourcorners.solve.solver as s` fails if `fourcorners.solve` is a function.
    packages = {path.parent.name for path in (ROOT / "src/fourcorners").glob("*/__init__.py")}
    assert packages & set(fc.__all__) == set()
    assert import_module("fourcorners.solvers.solver").solve is fc.solve


def test_no_test_waits_in_a_way_that_pages_forbid() -> None:
    # From the second time on it evaluates text within the page, so it fails only where the page is slow.
    paths = sorted((ROOT / "tests").rglob("*.py"))
    assert [
        path.name for path in paths if re.search(r"\w\.wait_for_function\(", path.read_text(encoding="utf-8"))
    ] == []
