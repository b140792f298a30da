"""The tools for the page's scripts: exact versions from a lock that names no registry."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REGISTRY = re.compile(rb"https?://[\w.:-]*(npm|registry)[\w.-]*", re.IGNORECASE)


def read_json(path: str) -> Any:
    """Return the content of a JSON file, whose path is relative to the root of the checkout."""
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def list_tracked_files() -> list[Path]:
    """Return the absolute paths of the files that git tracks and that have not been deleted."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def test_npm_packages_depend_on_exact_versions() -> None:
    for path in ("package.json", "benchmarks/peers/boardgame_io/package.json"):
        package = read_json(path)
        versions = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
        assert versions, path
        assert [name for name, version in versions.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


def test_npm_lock_has_the_development_dependencies_of_the_package() -> None:
    assert (
        read_json("package-lock.json")["packages"][""]["devDependencies"]
        == read_json("package.json")["devDependencies"]
    )


def test_npm_lock_has_hashes_for_every_platform_and_no_addresses_to_fetch_from() -> None:
    # Programs for other platforms are optional dependencies; the lock must have them too.
    packages = {name: package for name, package in read_json("package-lock.json")["packages"].items() if name}
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert [name for name, package in packages.items() if "resolved" in package] == []
    optional = {
        f"node_modules/{name}" for package in packages.values() for name in package.get("optionalDependencies", {})
    }
    assert optional  # there are some, so that the next line checks something
    assert optional <= packages.keys()


def test_no_tracked_file_names_an_npm_registry() -> None:
    named = [path for path in list_tracked_files() if REGISTRY.search(path.read_bytes())]
    assert named == []


def test_git_tracks_only_one_npm_lock_and_no_installed_packages() -> None:
    assert [path for path in list_tracked_files() if path.name == "package-lock.json"] == [ROOT / "package-lock.json"]
    assert not [path for path in list_tracked_files() if "node_modules" in path.parts]
