"""Secrecy of every channel: games that differ in hidden information only look the same, byte for byte."""

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
from fourcorners.web.domain.rows import Chair
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import LIVE
from tests.test_secrecy import HIDDEN_GAMES, find_twins, play_whole_game
from tests.web.client import Browser, Server, Socket
from tests.web.program import Program

pytestmark = pytest.mark.compiled
EVERY = 6
"""All channels are read after each such number of plies."""
TIME = re.compile(r'("(?:now|since|at|changed|created|started)": ?|data-waited=")[0-9.]+')
LOGGED_AT = re.compile(r'"timestamp": ?"[^"]*"|127\.0\.0\.1:[0-9]+')


class WatchedTable:
    """A table with a chosen deck, and a viewer who records everything that all channels reveal.

    `received` has the answers to what the viewer asked, in order; the socket keeps all other messages.
    """

    def __init__(self, stack: ExitStack, server: Server, match: fc.Match, viewer: int | None) -> None:
        """Store a new table with the deck and date of `match` and connect everyone, to be closed by the stack.

        `viewer` is the seat of the viewer; None watches as a spectator.
        """
        self.players = [stack.enter_context(Program(server, f"Player {seat}")) for seat in range(match.game.seats)]
        self.viewer = stack.enter_context(Program(server, "Eye")) if viewer is None else self.players[viewer]
        chairs = [
            Chair(seat, PERSON, hash_secret(player.secret), f"Player {seat}", taken=True)
            for seat, player in enumerate(self.players)
        ]
        fresh = fc.Match(match.game, deck=match.deck, date=match.date)
        owner = chairs[0].player or ""
        now = server.context.time.now()
        saved = table_setup._build_table_row(fresh, LIVE, chairs, owner, {"chat": "presets"}, now, {})
        server.context.store.add_table(saved).result()
        self.id, self.commitment, self.nonce, self.deck = saved.id, fresh.commitment, fresh.nonce, match.deck
        self.page = stack.enter_context(Browser(server))
        self.page.http.cookies.clear()
        self.page.http.cookies.set("player", self.viewer.secret)
        self.socket: Socket = stack.enter_context(self.page.open_table(self.id))
        self.received: list[str] = []
        self.plies = 0

    def play(self, move: str, seat: int) -> None:
        """Play a legal move for the seat to move through the API, and wait until the viewer has received it."""
        self.players[seat].execute(self.id, "move", version=self.plies, move=move)
        self.plies += 1
        while self.socket.state["version"] < self.plies:
            self.socket.receive_next()

    def look_everywhere(self) -> None:
        """Send every request and message that may reveal something about the table, and add the answers to `received`.

        Refusals are kept as well. Fails if an answer does not come within `WAIT` seconds.
        """
        socket, here = self.socket, f"/play/{self.id}"
        for viewer in (None, 0, 1):
            self.received.append(
                self.viewer.request("GET", f"/api/tables/{self.id}", params=_drop_none_values(viewer=viewer)).text
            )
        self.received += [self.page.http.get(here).text, self.page.http.get(f"{here}/record").text]
        self.received.append(self.viewer.request("GET", f"/api/tables/{self.id}/record").text)
        self.received.append(self.viewer.request("GET", "/api/tables", params={"mine": True}).text)
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
            self.received.append(json.dumps(socket.receive_until(kind, "error")))
        for seat in range(len(self.players)):
            socket.send(type="change-viewer", viewer=seat)
            socket.send(type="hello", version=None, viewer=seat)
            self.received.append(json.dumps(socket.receive_until("state")))

    def list_received(self) -> Iterator[str]:
        """Yield everything received so far, without what differs by design: the table's id, times, and the commitment.

        Messages of type "presence" are left out, since they depend on who is connected at the moment. Fail if the
        nonce, which must stay secret until the end, was received.
        """
        heard = [json.dumps(message) for message in self.socket.heard if message["type"] != "presence"]
        for text in (*heard, *self.received):
            assert self.nonce not in text
            masked = text.replace(self.commitment, "COMMITMENT").replace(self.id, "TABLE")
            yield TIME.sub(r"\1", masked)

    def list_log_lines(self, text: str) -> Iterator[str]:
        """Yield the lines of a log that are about this table, without its id, the time, and ports.

        Fail if the nonce was logged.
        """
        assert self.nonce not in text
        for line in text.splitlines():
            if self.id in line:
                yield LOGGED_AT.sub("", line.replace(self.id, "TABLE"))


def _drop_none_values(**query: int | None) -> dict[str, int]:
    """Return the fields of a query that are not None."""
    return {name: value for name, value in query.items() if value is not None}


@pytest.mark.parametrize("viewer", [None, 0, pytest.param(1, marks=pytest.mark.ci)])
@pytest.mark.parametrize("name", HIDDEN_GAMES)
def test_games_that_differ_in_hidden_information_only_send_and_log_the_same_bytes(
    server: Server, logged: io.StringIO, name: str, viewer: int | None
) -> None:
    # A game of which only hidden things can be changed for this viewer is found among the first few.
    for seed in range(40):
        match = play_whole_game(name, seed)
        # The number of seats depends on the seed.
        if viewer is not None and viewer >= match.game.seats:
            continue
        for twin in find_twins(match, viewer, random.Random(seed)):
            # The twin may have exchanged equal tiles, which is no difference.
            if any(one != two for one, two in zip(match.positions, twin.positions, strict=True)):
                play_twins_and_compare(server, logged, match, twin, viewer)
                return
    pytest.fail("no two games differ in hidden things alone")


def play_twins_and_compare(
    server: Server, logged: io.StringIO, match: fc.Match, twin: fc.Match, viewer: int | None
) -> None:
    """Play the moves of `match` with its own deck and with that of `twin`; fail if `viewer` can tell the tables apart.

    The matches differ only in what `viewer`, a seat or None for a spectator, may not know. What this viewer receives
    at both tables must be equal, and so must the lines of the log. The last move is not played, since the end reveals
    everything.
    """
    with ExitStack() as stack:
        both = [WatchedTable(stack, server, each, viewer) for each in (match, twin)]
        # The tables are not the same by mistake: a commitment is a hash of the deck and a random number.
        assert both[0].commitment != both[1].commitment
        for ply, event in enumerate(match.events[:-1]):
            for table in both:
                table.play(event.text, event.seat)
                if ply % EVERY == 0:
                    table.look_everywhere()
        first, second = (list(table.list_received()) for table in both)
        # Threads log in any order.
        logs = [sorted(table.list_log_lines(logged.getvalue())) for table in both]
        # Lower bounds, so that an empty log or an empty list of messages does not pass: one line is logged for each
        # move, and the viewer receives a patch for each besides all the answers.
        assert len(logs[0]) >= len(match.events) - 1
        assert logs[0] == logs[1]
        assert len(first) > 2 * len(match.events)
        assert first == second
        seen = "\n".join(first)
        # The record has the commitment and the viewer, but the deck only after the end.
        assert "COMMITMENT" in seen
        assert f"seen by: {'spectator' if viewer is None else f'seat {viewer}'}" in seen
        assert "deck:" not in seen


def test_games_that_a_seat_can_tell_apart_are_received_differently(server: Server) -> None:
    # The comparison of the other test would be worthless if it left out too much.
    matches = [play_whole_game(HIDDEN_GAMES[0], seed) for seed in (1, 2)]
    with ExitStack() as stack:
        both = [WatchedTable(stack, server, each, 0) for each in matches]
        for table in both:
            table.look_everywhere()
        first, second = (list(table.list_received()) for table in both)
        assert first != second
