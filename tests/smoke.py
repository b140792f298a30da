"""Play a game in the terminal, draw it, and play one at a server with the installed package: `python tests/smoke.py`.

The workflows run this on every system, in an environment that has the wheel and nothing else.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "fourcorners"]
SMALL = {"cols": 3, "rows": 3}


def play_in_terminal(folder: str) -> None:
    """Play the only move of the smallest game, draw its end as PNG, and raise if any of this fails."""
    options = [word for name, value in SMALL.items() for word in ("--option", f"{name}={value}")]
    command = [*PROGRAM, "play", "sqez", "--people", *options, "--record", "game.txt"]
    text = subprocess.run(command, cwd=folder, input=b"a1 c3\n", stdout=subprocess.PIPE, check=True, timeout=300).stdout
    if b" wins" not in text:
        raise SystemExit(f"no one won: {text!r}")
    command = [*PROGRAM, "show", "game.txt", "--picture", "game.png"]
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    if not Path(folder, "game.png").read_bytes().startswith(b"\x89PNG"):
        raise SystemExit("the picture is not a PNG")


def request(address: str, secret: str = "", **body: Any) -> Any:
    """Return the JSON that an address of the API answers; a body makes it a POST. Raise HTTPError."""
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {secret}"} if secret else {})}
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=60) as answer:
        return json.load(answer)


def play_at_server(folder: str) -> None:
    """Serve, open the home page, and play the same game through the API; raise if any of this fails."""
    command = [*PROGRAM, "serve", "--port", "0", "--no-open", "--data", "games"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            words = (word for line in server.stdout or () for word in line.split())
            home = next(word for word in words if word.startswith("http://")).rstrip("/")
            with urllib.request.urlopen(home, timeout=60) as page:
                if b"Fourcorners" not in page.read():
                    raise SystemExit("the home page lacks the name")
            secret = request(f"{home}/api/players", name="Ada")["secret"]
            made = request(f"{home}/api/tables", secret, game="sqez", options=SMALL, seats=["me", "me"])
            table = f"{home}/api/tables/{made['id']}"
            version = request(table, secret)["version"]
            request(f"{table}/move", secret, id="smoke", version=version, seat=0, move="a1 c3")
            if not request(table, secret)["over"]:
                raise SystemExit("the game is not over")
        finally:
            server.terminate()


if __name__ == "__main__":
    # On Windows a program that has just ended may keep its files for a moment.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        play_in_terminal(folder)
        play_at_server(folder)
