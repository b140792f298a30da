"""Secrecy over every channel of the server: games that differ in hidden things alone are told alike, byte for byte."""

import io
import json
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.web.application import table_setup
from fourcorners.web.auth.identity import hash_secret
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import LIVE
from fourcorners.web.store import Chair
from tests.test_secrecy import HIDDEN_GAMES, find_twins, play_whole_game
from tests.web.client import Browser, Server, Socket
from tests.web.program import Program

pytestmark = pytest.mark.compiled
EVERY = 6
TIME = re.compile(r'"(now|since|at|changed|created|started)": ?[0-9.]+')
LOGGED_AT = re.compile(r'"timestamp": ?"[^"]*"|127\.0\.0\.1:[0-9]+')


class Staged:
    """A table with a chosen deck, its players, and one who watches all channels from a seat or from none."""

    def __init__(self, stack: ExitStack, server: Server, match: fc.Match, viewer: int | None) -> None:
        self.players = [stack.enter_context(Program(server, f"Player {seat}")) for seat in range(match.game.seats)]
        self.eye = stack.enter_context(Program(server, "Eye")) if viewer is None else self.players[viewer]
        chairs = [
            Chair(seat, PERSON, hash_secret(player.secret), f"Player {seat}", taken=True)
            for seat, player in enumerate(self.players)
        ]
        fresh = fc.Match(match.game, deck=match.deck, date=match.date)
        owner = chairs[0].player or ""
        saved = table_setup._build_row(fresh, LIVE, chairs, owner, {"chat": "presets"}, server.registry.time.now())
        server.registry.store.add_table(saved).result()
        self.id, self.commitment, self.nonce, self.deck = saved.id, fresh.commitment, fresh.nonce, match.deck
        self.page = stack.enter_context(Browser(server))
        self.page.http.cookies.clear()
        self.page.http.cookies.set("player", self.eye.secret)
        self.socket: Socket = stack.enter_context(self.page.sit(self.id))
        self.told: list[str] = []
        self.plies = 0

    def play(self, move: str, seat: int) -> None:
        self.players[seat].done(self.id, "move", version=self.plies, move=move)
        self.plies += 1
        while self.socket.state["version"] < self.plies:
            self.socket.next()

    def look_everywhere(self) -> None:
        """Ask on every channel for all that may be asked for."""
        socket, here = self.socket, f"/play/{self.id}"
        for viewer in (None, 0, 1):
            self.told.append(self.eye.ask("GET", f"/api/tables/{self.id}", params=_given(viewer=viewer)).text)
        self.told += [self.page.http.get(here).text, self.page.http.get(f"{here}/record").text]
        self.told.append(self.eye.ask("GET", f"/api/tables/{self.id}/record").text)
        self.told.append(self.eye.ask("GET", "/api/tables", params={"mine": True}).text)
        version = socket.state["version"]
        asked: tuple[tuple[str, dict[str, Any]], ...] = (
            ("look", {"ply": self.plies // 2}),
            ("complete", {"tokens": []}),
            ("why", {"text": self.deck[0]}),
            ("hint", {"id": "h", "version": version}),
            ("evaluate", {"id": "e", "version": version, "ply": self.plies // 2}),
            ("solve", {"id": "s", "ply": self.plies}),
        )
        for kind, more in asked:
            socket.send(type=kind, **more)
            self.told.append(json.dumps(socket.until(kind, "bad")))
        for seat in range(len(self.players)):
            socket.send(type="view", viewer=seat)
            socket.send(type="hello", version=None, viewer=seat)
            self.told.append(json.dumps(socket.until("state")))

    def channels(self) -> Iterator[str]:
        """Give all that was told, without what differs by design: the table's name, times, and the commitment."""
        heard = [json.dumps(message) for message in self.socket.heard if message["type"] != "here"]
        for text in (*heard, *self.told):
            assert self.nonce not in text
            masked = text.replace(self.commitment, "COMMITMENT").replace(self.id, "TABLE")
            yield TIME.sub(r'"\1":0', masked)

    def of_log(self, text: str) -> Iterator[str]:
        """Give what was logged of this table, without its name, the time, and the port of who asked."""
        assert self.nonce not in text
        for line in text.splitlines():
            if self.id in line:
                yield LOGGED_AT.sub("", line.replace(self.id, "TABLE"))


def _given(**query: int | None) -> dict[str, int]:
    return {name: value for name, value in query.items() if value is not None}


@pytest.mark.parametrize("viewer", [None, 0, 1])
@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_what_is_hidden_changes_no_byte_on_any_channel(
    server: Server, logged: io.StringIO, name: str, viewer: int | None
) -> None:
    for seed in range(40):
        match = play_whole_game(name, seed)
        if viewer is not None and viewer >= match.game.seats:
            continue
        for twin in find_twins(match, viewer, random.Random(seed)):
            if any(one != two for one, two in zip(match.positions, twin.positions, strict=True)):
                compare(server, logged, match, twin, viewer)
                return
    pytest.fail("no two games differ in hidden things alone")


def compare(server: Server, logged: io.StringIO, match: fc.Match, twin: fc.Match, viewer: int | None) -> None:
    with ExitStack() as stack:
        both = [Staged(stack, server, each, viewer) for each in (match, twin)]
        assert both[0].commitment != both[1].commitment
        # The whole game but for its last move: once it is over, all is told.
        for ply, event in enumerate(match.events[:-1]):
            for table in both:
                table.play(event.text, event.seat)
                if ply % EVERY == 0:
                    table.look_everywhere()
        first, second = (list(table.channels()) for table in both)
        logs = [sorted(table.of_log(logged.getvalue())) for table in both]
        assert len(logs[0]) >= len(match.events) - 1
        assert logs[0] == logs[1]
        assert len(first) > 2 * len(match.events)
        assert first == second
        seen = "\n".join(first)
        assert "COMMITMENT" in seen
        assert f"seen by: {'spectator' if viewer is None else f'seat {viewer}'}" in seen
        assert "deck:" not in seen


def test_a_change_of_what_is_shown_is_noticed(server: Server) -> None:
    matches = [play_whole_game(HIDDEN_GAMES[0], seed) for seed in (1, 2)]
    with ExitStack() as stack:
        both = [Staged(stack, server, each, 0) for each in matches]
        for table in both:
            table.look_everywhere()
        first, second = (list(table.channels()) for table in both)
        assert first != second
