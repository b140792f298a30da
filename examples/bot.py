"""Play a game over the network, against people or another bot: bot.py http://127.0.0.1:8000 square-off size=4."""

import json
import sys
import time
from http.client import HTTPException
from secrets import token_hex
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import fourcorners as fc


class Bot:
    """A guest called `name` on the server at `url`, whose moves a computer player chooses (level 1 or higher)."""

    def __init__(self, url: str, name: str, level: int = 3) -> None:
        self.url, self.headers, self.computer = url, {"content-type": "application/json"}, fc.Computer(level=level)
        self.headers["authorization"] = f"Bearer {self.request('POST', '/api/players', name=name)['secret']}"

    def request(self, method: str, path: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer, asking again until there is one; on an error exit, unless another player was quicker."""
        body = json.dumps(parameters).encode() if parameters else None
        while True:
            try:
                with urlopen(Request(self.url + path, body, self.headers, method=method), timeout=60) as response:
                    return dict(json.load(response))
            except (OSError, HTTPException) as error:
                if isinstance(error, HTTPError) and error.code not in {429, 503}:
                    problem: dict[str, Any] = json.load(error)
                    return problem if problem["code"] in {"stale", "taken"} else sys.exit(problem["sentence"])
                time.sleep(float(getattr(error, "headers", {}).get("retry-after", 1)))  # ids keep it from running twice

    def find_table(self, game: fc.Game) -> str:
        """Join an open table for this game with these options, or create a public one; return its id."""
        options = game.given_options()
        for table in self.request("GET", "/api/tables")["tables"]:
            if (table["game"], table["options"]) == (game.id, options) and table["free"] and not table["seats"]:
                path, command = f"/api/tables/{table['id']}/sit", {"id": token_hex(8), "version": table["version"]}
                if "code" not in self.request("POST", path, **command):
                    return str(table["id"])
        return str(self.request("POST", "/api/tables", game=game.id, options=options, visibility="public")["id"])

    def play(self, table: str) -> str:
        """Play at the table with this id until the game ends; return the result in one line. This blocks."""
        state = self.request("GET", f"/api/tables/{table}")
        while not state["over"]:
            if state["mine"]:
                game, view = fc.game(state["game"]["id"], **state["game"]["options"]), state["view"]
                move = self.computer.choose(game.view(view["text"], view["seat"])).move
                self.request("POST", f"/api/tables/{table}/move", id=token_hex(8), version=state["version"], move=move)
            state = self.request("GET", f"/api/tables/{table}?since={state['version']}&wait=30")
        return str(state["result"])


if __name__ == "__main__":
    bot, options = Bot(sys.argv[1], "Bot"), (text.split("=", 1) for text in sys.argv[3:])
    print(bot.play(bot.find_table(fc.game(sys.argv[2], **{name: json.loads(value) for name, value in options}))))
