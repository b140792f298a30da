"""The values of the players' browsers for a fair shuffle: hashes first, then the values, then the deal.

`core.shuffle` says how a deck follows from the server's nonce and the seats' values. A browser that takes part gives
the hash of its value when its player gets a seat, and the value itself once every seat is taken. By then all hashes are
known, so the last to give a value cannot choose it by those of the others, even together with the server.
"""

from typing import NamedTuple

from fourcorners.core.shuffle import Values, hash_text, is_value

REVEAL_SECONDS = 10.0
"""The game waits this long for values after the last seat was taken, then starts without those that are missing."""


class SeatChoice(NamedTuple):
    """What a player says when sitting down: the letter of a colour and the hash of a value; each may be empty."""

    colour: str = ""
    hash: str = ""

    def write(self) -> str:
        """Return the text of the event `@sit`."""
        return " ".join(filter(None, ("@sit", self.colour, self.hash)))

    @classmethod
    def parse(cls, text: str) -> "SeatChoice":
        """Read what `write` returned."""
        words = text.split(" ")[1:]
        hash_ = next(filter(is_value, words), "")
        return cls(next((word for word in words if word != hash_), ""), hash_)


class ShuffleValues:
    """The hash that each seat has given, None for a seat that takes no part, and the value behind it once it is known.

    People at one screen have one browser: their seats share one hash, and one value stands for all of them.
    """

    def __init__(self, seats: int) -> None:
        """Begin without hashes."""
        self.hashes: list[str | None] = [None] * seats
        self._values: list[str | None] = [None] * seats

    @property
    def values(self) -> Values:
        """The values so far."""
        return tuple(self._values)

    @property
    def seats_without_value(self) -> tuple[int, ...]:
        """The seats that have given a hash, but no value yet."""
        pairs = zip(self.hashes, self._values, strict=True)
        return tuple(seat for seat, (hash_, value) in enumerate(pairs) if hash_ is not None and value is None)

    def take_part(self, seat: int, hash_: str) -> None:
        """Note the hash that the holder of a seat gives; an empty one withdraws that of its last holder."""
        self.hashes[seat], self._values[seat] = hash_ or None, None

    def reveal(self, seat: int, value: str) -> None:
        """Note the value of a seat and of all others with the same hash."""
        self._values[seat] = value
        for other in self.seats_without_value:
            if self.hashes[other] == hash_text(value):
                self._values[other] = value
