"""A fresh copy of the checkout: the first start installs, compiles and serves; the second one serves at once."""

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the tracked files as they are now, and the untracked ones that git does not ignore; return the folder.

    All tests of this module share and change this copy, and they depend on their order: the second start uses what the
    first one installed and compiled.
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
    """Return a port that was unused a moment ago; both starts use it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@contextmanager
def run_play_script(checkout: Path, port: int, limit: float, **variables: str) -> Iterator[None]:
    """Run `scripts/play` during the block, which starts as soon as the page answers, within `limit` seconds.

    Its games are in `kept`, its kernels in `kernels` and its output in `output`, all in the checkout; `variables` are
    added to its environment. It is interrupted at the end, and killed if that takes more than 20 seconds.
    """
    environment = {**os.environ, "FOURCORNERS_CACHE": str(checkout / "kernels"), "BROWSER": "true", **variables}
    start = time.monotonic()
    with (checkout / "output").open("w+") as output:
        process = subprocess.Popen(
            ["scripts/play", "--port", str(port), "--data", "kept"],
            cwd=checkout,
            env=environment,
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
                except (urllib.error.URLError, ConnectionError):
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


def test_first_start_needs_only_python(checkout: Path, port: int) -> None:
    assert not (checkout / ".venv").exists()
    with run_play_script(checkout, port, limit=600):
        assert f"http://127.0.0.1:{port}" in (checkout / "output").read_text()
    assert list((checkout / "kept").iterdir()), "--data DIR is empty"


def test_second_start_needs_no_network_and_compiles_nothing(checkout: Path, port: int) -> None:
    kernels = sorted(path.name for path in (checkout / "kernels").rglob("*.nbc"))
    with run_play_script(checkout, port, limit=60, PIP_INDEX_URL="http://127.0.0.1:9/simple"):
        while b'"ready":true' not in urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).read():
            time.sleep(0.1)
    assert kernels
    assert sorted(path.name for path in (checkout / "kernels").rglob("*.nbc")) == kernels


def test_port_in_use_is_reported_in_one_sentence(checkout: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        number = str(server.getsockname()[1])
        result = subprocess.run(
            ["scripts/play", "--port", number], cwd=checkout, capture_output=True, text=True, timeout=60, check=False
        )
    assert result.returncode != 0
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert number in result.stderr
