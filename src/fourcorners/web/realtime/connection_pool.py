"""All open sockets of a process: their limits, their heartbeats, and messages to many of them."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable

from fourcorners.web.protocol.close_codes import RESTART
from fourcorners.web.protocol.server_messages import Goodbye, ServerMessage, encode
from fourcorners.web.realtime.connection import BEAT_EVERY, Connection, encode_beats

MAX_PER_PLAYER = 24
MAX_PER_ADDRESS = 200
"""A school shares one address, but so do the sockets of an attacker who is a new guest with each of them."""
_BEATS_AT_ONCE = 25
_GOODBYE_WITHIN = 1.2
"""The seconds that the closing of all sockets may take."""


class ConnectionPool:
    """All open sockets of this process, counted by player and by address."""

    def __init__(self, limit: int) -> None:
        """Allow at most `limit` sockets in all; the limits by player and by address are constants."""
        self._limit = limit
        # In the order in which they were opened, so that two visits of `send_beats` are always as far apart.
        self._open: dict[Connection, None] = {}
        self._per_player: Counter[str] = Counter()
        self._per_address: Counter[str] = Counter()
        self._empty = asyncio.Event()
        self._empty.set()

    def __len__(self) -> int:
        """Return the number of open sockets."""
        return len(self._open)

    def has_room_for(self, connection: Connection) -> bool:
        """Return whether a new connection is within the limits by player, by address and in total; do not add it."""
        if connection.address and self._per_address[connection.address] >= MAX_PER_ADDRESS:
            return False
        return len(self._open) < self._limit and self._per_player[connection.player] < MAX_PER_PLAYER

    def add(self, connection: Connection) -> None:
        """Count an open socket; it must be removed once it is closed."""
        self._open[connection] = None
        self._empty.clear()
        self._per_player[connection.player] += 1
        self._per_address[connection.address] += 1

    def remove(self, connection: Connection) -> None:
        """Stop counting a socket that is closed; raise KeyError if it is not counted."""
        del self._open[connection]
        for counter, key in ((self._per_player, connection.player), (self._per_address, connection.address)):
            counter[key] -= 1
            if not counter[key]:
                del counter[key]
        if not self._open:
            self._empty.set()

    def send_to_all(self, message: ServerMessage) -> None:
        """Send every socket the same message."""
        text = encode(message)
        for connection in list(self._open):
            connection.send(text)

    def send_to_game(self, game: str, message: ServerMessage) -> None:
        """Send the sockets of all tables where a game, an id without a preset, is played the same message."""
        text = encode(message)
        for connection in list(self._open):
            if connection.game == game:
                connection.send(text)

    async def send_beats(self, now: Callable[[], float]) -> None:
        """Visit each socket every `BEAT_EVERY` seconds until cancelled: see `Connection.send_beat`.

        The sockets take turns in small slices, so that no move waits until all beats are sent. A slice that comes late
        does not delay those after it; a round that comes late is not made up for. `now` returns the server time, which
        the beats carry.
        """
        loop = asyncio.get_running_loop()
        begin, pause = loop.time(), float(BEAT_EVERY)
        while True:
            waiting = list(self._open)
            slices = max(1, -(-len(waiting) // _BEATS_AT_ONCE))
            # Without sockets there is one empty slice, so that this waits all the same.
            for number in range(slices):
                beats, time = encode_beats(now()), loop.time()
                for connection in waiting[number * _BEATS_AT_ONCE : (number + 1) * _BEATS_AT_ONCE]:
                    connection.send_beat(*beats, time, pause)
                await asyncio.sleep(max(0.0, begin + BEAT_EVERY * (number + 1) / slices - loop.time()))
            # If the loop is late, the next round is expected to take as long as this one.
            before, begin = begin, max(begin + BEAT_EVERY, loop.time())
            pause = begin - before

    def disconnect_player(self, player: str, but: str = "") -> None:
        """Close a player's sockets, except those of the session `but` if it is not ""; the pages then connect again."""
        for connection in list(self._open):
            if connection.player == player and connection.session != but:
                connection.disconnect(RESTART, "Connect again.")

    async def say_goodbye(self, sentence: str) -> None:
        """Close all sockets with a sentence, because the server stops; return after `_GOODBYE_WITHIN` at the latest."""
        self.send_to_all(Goodbye(sentence=sentence))
        for connection in list(self._open):
            connection.disconnect(RESTART, "The server is restarting.")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), _GOODBYE_WITHIN)
