"""The bot of the tutorial, put together from the parts on its page, plays a game over the network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import join_code
from tests.web.client import Server

pytestmark = pytest.mark.compiled


def test_bot_has_at_most_forty_lines_and_plays_to_the_end(server: Server, tmp_path: Path) -> None:
    code = join_code("tutorials/bot.md", "python")
    assert len(code.splitlines()) <= 40
    (tmp_path / "bot.py").write_text(code, encoding="utf-8")
    played = subprocess.run(
        [sys.executable, "bot.py", server.url], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (played.returncode, played.stderr) == (0, "")
    link, result = played.stdout.splitlines()
    assert link.startswith(f"See the game at {server.url}/play/")
    assert re.fullmatch("You (win|lost) [0-9] : [0-9]", result)
