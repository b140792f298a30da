"""Play a whole game over the network, against people or another bot: bot.py http://127.0.0.1:8000 square-off size=4."""

import json
import sys
import time
import uuid
from typing import Any

import httpx

import fourcorners as fc


class Bot:
    """A guest at a server."""

    def __init__(self, url: str, name: str, level: int = 3) -> None:
        self.http = httpx.Client(base_url=url, timeout=60)
        self.http.headers["authorization"] = f"Bearer {self.ask('POST', '/api/players', name=name)['secret']}"
        self.computer = fc.Computer(level=level)

    def ask(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        """Ask until there is an answer: a command has an id, so that it is done once however often it is sent."""
        query, body = (given, None) if method == "GET" else (None, given)
        while True:
            try:
                answer = self.http.request(method, path, params=query, json=body)
            except httpx.TransportError:
                answer = httpx.Response(503)
            if answer.status_code not in {429, 503}:
                told: dict[str, Any] = answer.json()
                # What came too late is no fault: one looks again.
                return told if told.get("code") in {None, "stale", "taken"} else sys.exit(told["sentence"])
            time.sleep(float(answer.headers.get("retry-after", 1)))

    def table(self, game: fc.Game) -> str:
        """Sit down where somebody waits for this game, or set up a table and wait there."""
        for one in self.ask("GET", "/api/tables")["tables"]:
            if (one["game"], one["options"]) == (game.id, game.given()) and one["free"] and not one["seats"]:
                path = f"/api/tables/{one['id']}/sit"
                if "code" not in self.ask("POST", path, id=uuid.uuid4().hex, version=one["version"]):
                    return str(one["id"])
        return str(self.ask("POST", "/api/tables", game=game.id, options=game.given(), visibility="public")["id"])

    def play(self, table: str) -> str:
        """Play to the end, and return the result."""
        state = self.ask("GET", f"/api/tables/{table}")
        while not state["over"]:
            if state["mine"]:
                game, view = fc.game(state["game"]["id"], **state["game"]["options"]), state["view"]
                move = self.computer.choose(game.view(view["text"], view["seat"])).move
                self.ask("POST", f"/api/tables/{table}/move", id=uuid.uuid4().hex, version=state["version"], move=move)
            state = self.ask("GET", f"/api/tables/{table}", since=state["version"], wait=30)
        return str(state["result"])


if __name__ == "__main__":
    bot, options = Bot(sys.argv[1], "Bot"), (text.split("=", 1) for text in sys.argv[3:])
    print(bot.play(bot.table(fc.game(sys.argv[2], **{name: json.loads(value) for name, value in options}))))
