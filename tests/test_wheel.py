"""The wheel: it contains the whole package, and works in empty environments: with each extra, and with each Python."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from fourcorners.core import extras
from fourcorners.web.store import Store

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("/", "/lobby", "/ladder", "/account", "/api", "/games/sqez", "/games/squendo/cover.svg", "/static/play.js")
UV = Path(sys.executable).with_name("uv")
DRIVERS = ("postgresql", "redis", "ray")
"""Extras that include the server."""
NEEDS = (
    ("pictures", "show game.txt --picture board.png"),
    ("pictures", "print game.txt --output game.pdf"),
    ("pictures", "review game.txt --nodes 1 --html review.html"),
    ("server", "backup games.db --data ."),
    ("plot", "match sqez 1 plain --nodes 1 --games 1 -o cols=3 -o rows=3 --plot plot.svg"),
    ("data", "selfplay sqez --player plain --nodes 1 --games 1 -o cols=3 -o rows=3 --out data"),
)
"""Commands that need an extra, in a folder with the record game.txt and the database of a server."""
IMPORT_EVERYTHING = """
import importlib, pkgutil
import fourcorners
for module in pkgutil.walk_packages(fourcorners.__path__, "fourcorners."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""

PLAY_ENVIRONMENTS = """
import gymnasium, pyspiel
import fourcorners.envs.gymnasium
from fourcorners.envs import openspiel, pettingzoo

zoo = pettingzoo.dots_and_boxes_v0.env(cols=1, rows=1)
zoo.reset(seed=1)
for agent in zoo.agent_iter():
    _, reward, is_over, is_truncated, info = zoo.last()
    zoo.step(None if is_over else int(info["action_mask"].argmax()))
print(zoo.position.scores)
gym = gymnasium.make("fourcorners/DotsAndBoxes-v0", cols=1, rows=1)
print(gym.reset(seed=1)[1]["action_mask"].shape)
spiel = pyspiel.load_game(openspiel.name_game("dots-and-boxes") + "(cols=1,rows=1)").new_initial_state()
while not spiel.is_terminal():
    spiel.apply_action(spiel.legal_actions()[0])
print(spiel.returns())
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
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution from the tracked files alone, as they are now, and the wheel from that; return
    their folder.
    """
    copy = tmp_path_factory.mktemp("source")
    for path in list_tracked_files("."):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, copy / path)
    command = [str(UV), "build", "--no-build-isolation", "--offline", "--python", sys.executable, "--quiet"]
    subprocess.run([*command, "--out-dir", str(copy / "dist")], cwd=copy, check=True)
    return copy / "dist"


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    """Return the path of the wheel."""
    (built,) = distributions.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel without extras, in the versions of the locks, and import it; return the environment."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([str(UV), "venv", "-q", "--python", sys.executable, str(folder)], check=True)
    install(folder, str(wheel))
    subprocess.run([folder / "bin/python", "-c", "import fourcorners.cli"], env=build_environment(), check=True)
    return folder


def install(venv: Path, *requirements: str) -> None:
    """Install requirements into an environment, in the versions of the locks."""
    command = [str(UV), "pip", "install", "-q", "--python", str(venv / "bin/python")]
    subprocess.run([*command, "-c", str(ROOT / "requirements/dev.txt"), *requirements], check=True)


def run(venv: Path, *arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of Fourcorners in an environment and a folder, interpreted; return its output."""
    environment = {**build_environment(), "NUMBA_DISABLE_JIT": "1"}
    # The programs of a copied environment would start the interpreter of the first one.
    command = [str(venv / "bin/python"), "-m", "fourcorners", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def run_python(venv: Path, program: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program of Python in an environment and a folder, interpreted; return its output."""
    environment = {**build_environment(), "NUMBA_DISABLE_JIT": "1"}
    command = [str(venv / "bin/python"), "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_contains_every_tracked_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {str(path.relative_to("src")) for path in list_tracked_files("src")}


def test_source_distribution_has_no_tests_which_need_more_than_it_would_have(distributions: Path) -> None:
    (path,) = distributions.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert "src/fourcorners/__init__.py" in names
    assert not [name for name in names if name.startswith("tests")]


def test_licence_expression_has_the_licences_of_all_files_that_come_from_others(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        headers = archive.read(metadata).decode().partition("\n\n")[0].splitlines()
        licences = {name.partition("/licenses/")[2] for name in archive.namelist() if "/licenses/" in name}
    assert "License-Expression: MIT AND OFL-1.1 AND Apache-2.0 AND CC0-1.0 AND Unicode-3.0" in headers
    beside = {str(path) for path in list_tracked_files("src") if path.name in {"LICENSE.md", "preact.md"}}
    assert licences == {"LICENSE", *beside}
    assert "src/fourcorners/core/LICENSE.md" in beside


@pytest.mark.slow
def test_library_and_command_line_work_without_any_extra(bare: Path, tmp_path: Path) -> None:
    played = subprocess.run(
        [bare / "bin/fourcorners", "play", "sqez", "--people", "-o", "cols=3", "-o", "rows=3", "--record", "game.txt"],
        cwd=tmp_path,
        env={**build_environment(), "NUMBA_DISABLE_JIT": "1"},
        input="a1 c3\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "wins" in played.stdout
    for command in (
        "show game.txt --picture board.svg",
        "review game.txt --nodes 1 --json",
        "solve sqez -o cols=3 -o rows=3",
        "import https://example.org/learn/sqez/rules",
    ):
        completed = run(bare, *command.split(" "), folder=tmp_path)
        assert completed.returncode == 0, (command, completed)
    for extra, command in (("pictures", "print sqez --output boards.pdf"), ("server", "serve"), *NEEDS):
        completed = run(bare, *command.split(" "), folder=tmp_path)
        assert f'needs the extra "{extra}": pip install "fourcorners[{extra}]"' in completed.stderr
    refused = run_python(bare, "import fourcorners.envs.gymnasium", tmp_path)
    assert 'needs the extra "envs": pip install "fourcorners[envs]"' in refused.stderr
    batch = run_python(bare, "import fourcorners as fc; print(fc.envs.Batch('sqez', 2, seed=1).rollout(9))", tmp_path)
    assert batch.stdout.startswith("Rollout("), batch.stderr


@pytest.mark.slow
@pytest.mark.parametrize("extra", [*extras.MODULES, "all"])
def test_extra_brings_what_needs_it(extra: str, bare: Path, wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    # To install Numba and byte-compile it takes longer than all the rest.
    shutil.copytree(bare, venv, symlinks=True, copy_function=os.link)
    install(venv, f"fourcorners[{extra}] @ {wheel.as_uri()}")
    brought = set(extras.MODULES) if extra == "all" else {extra, *(["server"] if extra in DRIVERS else [])}
    modules = {module for each in brought for module in extras.MODULES[each]}
    code = IMPORT_EVERYTHING if extra == "all" else f"import {', '.join(sorted(modules))}"
    subprocess.run([venv / "bin/python", "-c", code], cwd=tmp_path, env=build_environment(), check=True)
    (tmp_path / "game.txt").write_text(
        'fourcorners record 1\ngame: sqez\noptions: {"cols": 3, "rows": 3}\n\n1 0 a1 c3\n'
    )
    Store(tmp_path).close()
    if extra == "envs":
        played = run_python(venv, PLAY_ENVIRONMENTS, tmp_path)
        assert played.stdout.splitlines() == ["(0, 1)", "(4,)", "[-1.0, 1.0]"], played.stderr
    for needed, command in NEEDS:
        if needed == extra:
            completed = run(venv, *command.split(" "), folder=tmp_path)
            assert completed.returncode == 0, (command, completed)


@pytest.mark.slow
@pytest.mark.parametrize("python", find_pythons())
def test_the_wheel_serves_and_plays_in_an_empty_environment(python: str, wheel: Path, tmp_path: Path) -> None:
    subprocess.run([python, "-m", "venv", "venv"], cwd=tmp_path, check=True)
    install = ["venv/bin/python", "-m", "pip", "install", "-q", f"fourcorners[server] @ {wheel.as_uri()}"]
    subprocess.run(install, cwd=tmp_path, check=True)
    serve_and_play(tmp_path)


@pytest.mark.slow
def test_the_wheel_works_with_the_lowest_versions_that_it_allows(wheel: Path, tmp_path: Path) -> None:
    lowest = tmp_path / "lowest.txt"
    resolve = [str(UV), "pip", "compile", "-q", "--all-extras", "--resolution", "lowest-direct", "-o", str(lowest)]
    subprocess.run([*resolve, "--python", sys.executable, str(ROOT / "pyproject.toml")], cwd=tmp_path, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "venv"], cwd=tmp_path, check=True)
    install = [str(UV), "pip", "install", "-q", "--python", "venv/bin/python", str(wheel), "-r", str(lowest)]
    subprocess.run(install, cwd=tmp_path, check=True)
    subprocess.run(["venv/bin/python", "-c", IMPORT_EVERYTHING], cwd=tmp_path, env=build_environment(), check=True)
    serve_and_play(tmp_path)


def build_environment() -> dict[str, str]:
    """Return the environment variables without those by which Python or Numba would find or do something else."""
    unwanted = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "NUMBA_DISABLE_JIT"}
    return {name: value for name, value in os.environ.items() if name not in unwanted}


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
