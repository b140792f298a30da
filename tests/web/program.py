"""A program that uses the API; every answer is checked against its documented type."""

import itertools
import json
import re
from typing import Any, Self

import httpx
import msgspec

from fourcorners.web.api.endpoints import ENDPOINTS, Endpoint
from fourcorners.web.api.models.common import Problem
from tests.web.client import WAIT, Json, Server

_ids = itertools.count()


def find_endpoint(method: str, path: str) -> Endpoint | None:
    """Return the first endpoint with this method whose template fits `path`, without a query; None if undocumented."""
    for endpoint in ENDPOINTS:
        pattern = re.sub(r"\{\w+\}", "[^/]+", endpoint.path)
        if endpoint.method == method and re.fullmatch(pattern, path):
            return endpoint
    return None


class Program:
    """A guest with a secret; without a name, a program that does not identify itself."""

    def __init__(self, server: Server, name: str | None = "Ada") -> None:
        """Create a guest of this name at a running server and send its secret from now on; nothing without a name."""
        self.server = server
        self.http = httpx.Client(base_url=server.url, timeout=WAIT)
        self.secret = ""
        if name is not None:
            self.secret = self.fetch("POST", "/api/players", name=name)["secret"]
            self.http.headers["authorization"] = f"Bearer {self.secret}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def request(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Send a request, with the arguments `sent` of httpx, and return the answer, be it a success or an error.

        Assert that an error is a `Problem` with a sentence and a code, and that a success at a documented endpoint with
        a typed answer has the documented type and status.
        """
        answer = self.http.request(method, path, **sent)
        documented = find_endpoint(method, path)
        if not answer.is_success:
            problem = msgspec.json.decode(answer.content, type=Problem)
            assert problem.sentence.strip()
            assert re.fullmatch(r"[a-z-]+", problem.code)
        elif documented is not None and documented.answer_type is not None:
            msgspec.json.decode(answer.content, type=documented.answer_type)
            assert answer.status_code == documented.status
        return answer

    def fetch(self, method: str, path: str, **body: Any) -> Json:
        """Send a request that must succeed, with `body` as JSON (POST) or in the query, and return the JSON object."""
        answer = self.request(method, path, **({"json": body} if method == "POST" else {"params": body}))
        assert answer.is_success, answer.text
        data: Json = answer.json()
        return data

    def begin_table(self, game: str, *seats: str, **more: Any) -> str:
        """Set up a table at which seat 0 begins, and return its id; fail if it is refused.

        `seats` are "me", "open" or a computer such as "computer:1"; without any, this program takes the first one and
        the others are open. `more` adds fields of the request, such as `options`.
        """
        answer = self.fetch("POST", "/api/tables", game=game, seats=list(seats) or None, order="given", **more)
        return str(answer["id"])

    def fetch_table(self, table: str, **query: Any) -> Json:
        """Return a table, given by id, as this program sees it; `query` may have `since`, `wait` and `viewer`."""
        return self.fetch("GET", f"/api/tables/{table}", **query)

    def send_command(self, table: str, verb: str, version: int | None = None, **more: Any) -> httpx.Response:
        """Send a command, with the fields `more`, for `version` (None: the current one); return any answer."""
        known = self.fetch_table(table)["version"] if version is None else version
        return self.request(
            "POST", f"/api/tables/{table}/{verb}", json={"id": f"p{next(_ids)}", "version": known, **more}
        )

    def execute(self, table: str, verb: str, **more: Any) -> int:
        """Send a command, as `send_command` does, that must succeed, and return the new version of the table."""
        answer = self.send_command(table, verb, **more)
        assert answer.is_success, answer.text
        return int(answer.json()["version"])


def read_refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return the HTTP status and the error code of an answer, which must be an error."""
    assert not answer.is_success
    return answer.status_code, json.loads(answer.text)["code"]
