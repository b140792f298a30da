"""A copy of the checkout on a machine that never saw it: installed, compiled, served; then served again at once."""

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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@contextmanager
def played(checkout: Path, port: int, limit: float, **variables: str) -> Iterator[None]:
    """Run scripts/play until the block ends, which begins when the page answers."""
    environment = {**os.environ, "FOURCORNERS_CACHE": str(checkout / "kernels"), "BROWSER": "true", **variables}
    begun = time.monotonic()
    with (checkout / "said").open("w+") as said:
        process = subprocess.Popen(
            ["scripts/play", "--port", str(port), "--data", "kept"],
            cwd=checkout,
            env=environment,
            stdout=said,
            stderr=said,
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
                    said.seek(0)
                    assert process.poll() is None, said.read()
                    assert time.monotonic() - begun < limit, said.read()
                    time.sleep(0.05)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def test_first_start_needs_nothing_but_python(checkout: Path, port: int) -> None:
    assert not (checkout / ".venv").exists()
    with played(checkout, port, limit=600):
        assert f"http://127.0.0.1:{port}" in (checkout / "said").read_text()
    assert list((checkout / "kept").iterdir()), "--data DIR holds nothing"


def test_second_start_needs_no_network_and_compiles_nothing(checkout: Path, port: int) -> None:
    kernels = sorted(path.name for path in (checkout / "kernels").rglob("*.nbc"))
    with played(checkout, port, limit=60, PIP_INDEX_URL="http://127.0.0.1:9/simple"):
        while b'"ready":true' not in urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).read():
            time.sleep(0.1)
    assert kernels
    assert sorted(path.name for path in (checkout / "kernels").rglob("*.nbc")) == kernels


def test_taken_port_is_one_sentence(checkout: Path) -> None:
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
