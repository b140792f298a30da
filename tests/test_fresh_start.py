"""A fresh copy of the checkout: the first start installs, serves, and compiles meanwhile; later ones serve at once."""

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.servers import find_free_port

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the tracked files as they are now, and the untracked ones that git does not ignore; return the folder.

    It has no environment yet. All tests of this module share and change this copy, through `started_checkout`.
    """
    folder = tmp_path_factory.mktemp("fresh") / "fourcorners"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        source, target = ROOT / name, folder / name
        if name and source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return folder


@pytest.fixture(scope="module")
def port() -> int:
    """Return a free port, which all starts use."""
    return find_free_port()


def build_environment(checkout: Path, **variables: str) -> dict[str, str]:
    """Return this process's environment for `scripts/play`, with `variables` added and kernels kept in the checkout.

    Compilation is not disabled, though `scripts/test` disables it for this process.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    return {**inherited, "FOURCORNERS_CACHE": str(get_cache(checkout)), "BROWSER": "true", **variables}


def get_cache(checkout: Path) -> Path:
    """Return the folder of the kernels: `FOURCORNERS_CACHE`, which must be empty, or else a folder in the checkout.

    `.ci/run` names one, so that what the first start compiles serves all tests that follow.
    """
    return Path(os.environ.get("FOURCORNERS_CACHE") or checkout / "kernels")


@contextmanager
def run_play_script(checkout: Path, port: int, limit: float, **variables: str) -> Iterator[None]:
    """Run `scripts/play` during the block, which starts as soon as the page answers, within `limit` seconds.

    Its games are in `kept` and its output, that of the last start alone, in `output`, both in the checkout; `variables`
    are added to its environment. Raise AssertionError if it exits or is too slow. It is interrupted at the end, and
    killed if that takes more than 20 seconds.
    """
    start = time.monotonic()
    with (checkout / "output").open("w+") as output:
        process = subprocess.Popen(
            ["scripts/play", "--port", str(port), "--data", "kept"],
            cwd=checkout,
            env=build_environment(checkout, **variables),
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
        )
        try:
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                        assert page.status == 200
                        assert b"Fourcorners" in page.read()
                        break
                except OSError:  # not yet there, or too busy for an answer in time
                    output.seek(0)
                    assert process.poll() is None, output.read()
                    assert time.monotonic() - start < limit, output.read()
                    time.sleep(0.05)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def started_checkout(checkout: Path, port: int) -> Path:
    """Start the copy for the first time, which installs, wait until all is compiled, and stop it; return the folder.

    The tests depend on this fixture instead of on each other, so that any of them can run first, or alone.
    """
    assert not (checkout / ".venv").exists()
    with run_play_script(checkout, port, limit=300):
        # The page answers before anything is compiled.
        assert not list(get_cache(checkout).rglob("*.done"))
        wait_until_compiled(port)
    assert list(get_cache(checkout).rglob("*.done"))
    return checkout


def wait_until_compiled(port: int) -> None:
    """Wait until the server says that it is ready, which means that everything is compiled; at most 15 minutes."""
    end = time.monotonic() + 900
    while True:
        with suppress(TimeoutError), urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
            if b'"ready":true' in answer.read():
                return
        assert time.monotonic() < end
        time.sleep(0.1)


def test_first_start_prints_its_address_and_keeps_its_data_in_the_given_folder(
    started_checkout: Path, port: int
) -> None:
    assert f"http://127.0.0.1:{port}" in (started_checkout / "output").read_text()
    assert list((started_checkout / "kept").iterdir()), "--data DIR is empty"


def test_later_start_needs_no_network_and_compiles_nothing(started_checkout: Path, port: int) -> None:
    def list_kernels() -> list[str]:
        """Return the names of the files with compiled code, sorted."""
        return sorted(path.name for path in get_cache(started_checkout).rglob("*.nbc"))

    kernels = list_kernels()
    # An address at which nothing answers, so that any use of the network fails.
    nowhere = "http://127.0.0.1:9/simple"
    with run_play_script(started_checkout, port, limit=60, PIP_INDEX_URL=nowhere, UV_DEFAULT_INDEX=nowhere):
        wait_until_compiled(port)
    assert kernels
    assert list_kernels() == kernels


def test_port_in_use_is_reported_by_the_script_in_one_line(started_checkout: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        number = str(server.getsockname()[1])
        result = subprocess.run(
            ["scripts/play", "--port", number],
            cwd=started_checkout,
            env=build_environment(started_checkout),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert result.returncode != 0
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert number in result.stderr
