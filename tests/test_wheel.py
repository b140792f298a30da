"""The wheel: it contains the whole package, and works in an empty environment of every Python that is found here."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("/", "/lobby", "/ladder", "/account", "/api", "/games/sqez", "/games/squendo/cover.svg", "/static/play.js")
IMPORT_EVERYTHING = """
import importlib, pkgutil
import fourcorners
for module in pkgutil.walk_packages(fourcorners.__path__, "fourcorners."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def find_pythons() -> list[str]:
    """Return the names of the supported Pythons that start: the shim of a version manager may have none to start."""
    names = [f"python3.{minor}" for minor in range(11, 15)]
    return [
        name for name in names if shutil.which(name) and not subprocess.run([name, "-c", ""], check=False).returncode
    ]


def list_tracked_files(folder: str) -> list[Path]:
    """Return the tracked files in a folder, relative to the root of the checkout."""
    listing = subprocess.run(["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the tracked files alone, as they are now, and return its path."""
    copy = tmp_path_factory.mktemp("source")
    for path in [*list_tracked_files("src"), Path("pyproject.toml"), Path("README.md"), Path("LICENSE")]:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, copy / path)
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "build", "--wheel", "--no-build-isolation", "--offline", "--python", sys.executable, "--quiet"]
    subprocess.run([*command, "--out-dir", str(copy / "dist")], cwd=copy, check=True)
    (built,) = (copy / "dist").glob("*.whl")
    return built


def test_the_wheel_contains_every_tracked_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {str(path.relative_to("src")) for path in list_tracked_files("src")}


@pytest.mark.slow
@pytest.mark.parametrize("python", find_pythons())
def test_the_wheel_serves_and_plays_in_an_empty_environment(python: str, wheel: Path, tmp_path: Path) -> None:
    subprocess.run([python, "-m", "venv", "venv"], cwd=tmp_path, check=True)
    subprocess.run(["venv/bin/python", "-m", "pip", "install", "-q", str(wheel)], cwd=tmp_path, check=True)
    serve_and_play(tmp_path)


@pytest.mark.slow
def test_the_wheel_works_with_the_lowest_versions_that_it_allows(wheel: Path, tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    lowest = tmp_path / "lowest.txt"
    resolve = [str(uv), "pip", "compile", "-q", "--all-extras", "--resolution", "lowest-direct", "-o", str(lowest)]
    subprocess.run([*resolve, "--python", sys.executable, str(ROOT / "pyproject.toml")], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "venv"], cwd=tmp_path, check=True)
    install = [str(uv), "pip", "install", "-q", "--python", "venv/bin/python", str(wheel), "-r", str(lowest)]
    subprocess.run(install, cwd=tmp_path, check=True)
    subprocess.run(["venv/bin/python", "-c", IMPORT_EVERYTHING], cwd=tmp_path, env=build_environment(), check=True)
    serve_and_play(tmp_path)


def build_environment() -> dict[str, str]:
    """Return the environment variables without those by which Python or Numba would find or do something else."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "NUMBA_DISABLE_JIT"}}


def serve_and_play(folder: Path) -> None:
    """Run the smoke test, and open pages and a board of a server, with the environment `venv` in a folder."""
    environment = {**build_environment(), "FOURCORNERS_CACHE": str(folder / "kernels")}
    program = str(folder / "venv/bin/fourcorners")
    subprocess.run(
        [str(folder / "venv/bin/python"), str(ROOT / "tests" / "smoke.py")], cwd=folder, env=environment, check=True
    )

    command = [program, "serve", "--port", "0", "--no-open", "--data", "games"]
    with subprocess.Popen(
        command, cwd=folder, env={**environment, "PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
            for page in PAGES:
                assert fetch(address.rstrip("/") + page)
            assert open_board(address.rstrip("/"))["version"] == 0
        finally:
            server.terminate()


def open_board(address: str) -> Any:
    """Create a table at a server and return the state that its socket sends."""
    with httpx.Client(base_url=address) as client:
        key = client.post("/api/players", json={"name": "Ada"}).json()["secret"]
        headers = {"authorization": f"Bearer {key}"}
        table = client.post("/api/tables", json={"game": "sqez", "seats": ["me", "me"]}, headers=headers).json()["id"]
    with connect(f"{address.replace('http', 'ws', 1)}/play/{table}/live", additional_headers=headers) as socket:
        socket.send(json.dumps({"type": "hello", "version": None, "viewer": None}))
        return next(message for message in map(json.loads, socket) if message["type"] == "state")


def fetch(address: str) -> bytes:
    """Return what a server answers with status 200, retrying for a minute while it refuses connections."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError:
            time.sleep(0.1)
    pytest.fail(f"{address} does not answer")
