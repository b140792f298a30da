"""The API does what its OpenAPI document says, whatever schemathesis sends, also in sequences of requests."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fourcorners.web.auth import limits
from tests.web.client import StartServer
from tests.web.program import Program

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
RUN = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"
SIMILAR = "/(resign|undo|request-takeback|answer-takeback|offer-draw|answer-draw|decline-rematch|leave-seat)$"
"""Commands with the same fields as others; each takes a second."""
SHORT = ("--max-examples", "3", "--exclude-path-regex", SIMILAR)
LONG = ("--max-examples", "200")
TIMEOUT = 600.0


@pytest.mark.parametrize(
    "extent",
    [pytest.param(SHORT, marks=pytest.mark.ci), pytest.param(LONG, marks=pytest.mark.slow)],
    ids=["short", "long"],
)
def test_api_conforms_to_its_documentation(
    start_cold: StartServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, extent: tuple[str, ...]
) -> None:
    """All checks, in all phases: the documented examples, the limits of all values, random cases, and sequences."""
    for name in list(limits.RATE_LIMITS):
        monkeypatch.setitem(limits.RATE_LIMITS, name, limits.RateLimit("", player=f"{10**6}/second"))
    server = start_cold()
    with Program(server) as ada:
        secret = ada.secret
    command = [sys.executable, "-c", RUN, "--config-file", str(CONFIGURATION), "run", f"{server.url}/api/openapi.json"]
    options = ["--checks", "all", "--seed", "1", "--continue-on-failure", "--no-color"]
    completed = subprocess.run(
        [*command, *options, *extent, "--header", f"Authorization: Bearer {secret}"],
        cwd=tmp_path,  # it keeps examples there
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    count = re.search(r"(\d+) generated", completed.stdout)
    # More than a dozen operations, each with parameters or fields whose limits are tried.
    assert count and int(count[1]) > 300, completed.stdout
