"""A program that speaks to the API; every answer is checked against what is documented of it."""

import itertools
import json
import re
from typing import Any, Self

import httpx
import msgspec

from fourcorners.web.api import models
from fourcorners.web.api.endpoints import ENDPOINTS, Endpoint
from tests.web.client import WAIT, Json, Server

_ids = itertools.count()


def find_endpoint(method: str, path: str) -> Endpoint | None:
    """Find what is documented of a request; what is not is not there."""
    for one in ENDPOINTS:
        pattern = re.sub(r"\{\w+\}", "[^/]+", one.path)
        if one.method == method and re.fullmatch(pattern, path):
            return one
    return None


class Program:
    """A guest with a secret, or without a name somebody who asks without one."""

    def __init__(self, server: Server, name: str | None = "Ada") -> None:
        self.server = server
        self.http = httpx.Client(base_url=server.url, timeout=WAIT)
        self.secret = ""
        if name is not None:
            self.secret = self.told("POST", "/api/players", name=name)["secret"]
            self.http.headers["authorization"] = f"Bearer {self.secret}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def ask(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Send a request as httpx does, and check the answer."""
        answer = self.http.request(method, path, **sent)
        documented = find_endpoint(method, path)
        if not answer.is_success:
            problem = msgspec.json.decode(answer.content, type=models.Problem)
            assert problem.sentence.strip()
            assert re.fullmatch(r"[a-z-]+", problem.code)
        elif documented is not None and documented.gives is not None:
            msgspec.json.decode(answer.content, type=documented.gives)
            assert answer.status_code == documented.status
        return answer

    def told(self, method: str, path: str, **body: Any) -> Json:
        """Ask for what must be told."""
        answer = self.ask(method, path, **({"json": body} if method == "POST" else {"params": body}))
        assert answer.is_success, answer.text
        told: Json = answer.json()
        return told

    def begin(self, game: str, *seats: str, **more: Any) -> str:
        """Set up a table, and return its id."""
        told = self.told("POST", "/api/tables", game=game, seats=list(seats) or None, order="given", **more)
        return str(told["id"])

    def look(self, table: str, **query: Any) -> Json:
        return self.told("GET", f"/api/tables/{table}", **query)

    def do(self, table: str, verb: str, version: int | None = None, **more: Any) -> httpx.Response:
        """Send a command for the table as it stands, or for a version."""
        known = self.look(table)["version"] if version is None else version
        return self.ask("POST", f"/api/tables/{table}/{verb}", json={"id": f"p{next(_ids)}", "version": known, **more})

    def done(self, table: str, verb: str, **more: Any) -> int:
        answer = self.do(table, verb, **more)
        assert answer.is_success, answer.text
        return int(answer.json()["version"])


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the code of what was refused."""
    assert not answer.is_success
    return answer.status_code, json.loads(answer.text)["code"]
