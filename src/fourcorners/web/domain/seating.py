"""Who holds the chairs of a table, and what follows from that alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from fourcorners.web.domain.rows import Chair
from fourcorners.web.domain.seats import PERSON


class Seating:
    """The chairs of a table by seat; immutable, so that what a server asks for with each move is found only once."""

    def __init__(self, chairs: Iterable[Chair]) -> None:
        """Keep the chairs, in the order of the seats."""
        self.chairs = tuple(chairs)
        self._own_seats: dict[str, tuple[int, ...]] = {}
        self._others_seats: dict[str | None, tuple[int, ...]] = {}

    def replace(self, chairs: Iterable[Chair]) -> Seating:
        """Return a seating with these chairs in place of those of the same seats; this one if there are none."""
        new = {chair.seat: chair for chair in chairs}
        return Seating(new.get(chair.seat, chair) for chair in self.chairs) if new else self

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kind of player at each seat: a person, or a computer with its strength."""
        return tuple(chair.kind for chair in self.chairs)

    @cached_property
    def person_seats(self) -> tuple[int, ...]:
        """The seats of people, open ones included."""
        return tuple(chair.seat for chair in self.chairs if chair.kind == PERSON)

    @cached_property
    def players(self) -> frozenset[str]:
        """The ids of the people who hold chairs."""
        return frozenset(chair.player for chair in self.chairs if chair.player is not None and chair.taken)

    @cached_property
    def participants(self) -> frozenset[str]:
        """The ids of the people who hold chairs, or for whom chairs are reserved."""
        return frozenset(chair.player for chair in self.chairs if chair.player is not None)

    @cached_property
    def is_full(self) -> bool:
        """Whether every seat is taken."""
        return all(chair.taken for chair in self.chairs)

    def find_seats(self, player: str) -> tuple[int, ...]:
        """Return the seats that a player holds, in order."""
        if player not in self.players:
            return ()
        if player not in self._own_seats:
            self._own_seats[player] = tuple(
                chair.seat for chair in self.chairs if chair.player == player and chair.taken
            )
        return self._own_seats[player]

    def find_others_seats(self, player: str) -> tuple[int, ...]:
        """Return the seats that people other than a player hold, in order."""
        # All spectators share one entry, so that what is kept does not grow with them.
        key = player if player in self.players else None
        if key not in self._others_seats:
            held = [self.chairs[seat] for seat in self.person_seats if self.chairs[seat].taken]
            # A chair without a player belonged to someone whose account is deleted.
            others = [chair for chair in held if chair.player is None or chair.player != key]
            self._others_seats[key] = tuple(chair.seat for chair in others)
        return self._others_seats[key]
