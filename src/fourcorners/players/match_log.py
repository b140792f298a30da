"""Contests that take hours: what has been played is in a file, line by line, and is not played again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fourcorners.core.errors import OptionError
from fourcorners.players.engine_match import Played, Score

_LONGEST_LINE = 1 << 16


class Ledger:
    """The games of one contest, in the order in which they were finished, and in a file if there is one."""

    def __init__(self, terms: Mapping[str, Any], seatings: int, path: Path | None = None) -> None:
        """Open a contest with these terms, going on with what the file has of it; raise OptionError, OSError."""
        self._seatings = seatings
        self._path = path
        self._terms = json.dumps({"contest": dict(terms)}, sort_keys=True)
        self._games: dict[int, dict[tuple[int, ...], Played]] = {}
        if path is not None and path.exists() and path.stat().st_size > 0:
            self._load(path)
        elif path is not None:
            path.write_text(self._terms + "\n", encoding="utf-8")

    def _load(self, path: Path) -> None:
        lines = self._lines(path)
        first = next(lines, "")
        if first != self._terms:
            message = f"{path} holds another contest, or none: name another file; here it would begin {self._terms}"
            raise OptionError("save", message)
        for line in lines:
            try:
                kept = json.loads(line)
                game = Played(kept["opening"], tuple(kept["seats"]), float(kept["share"]), kept["plies"])
            except (ValueError, KeyError, TypeError):
                message = f"{path} cannot be read: a line of it is no game of a contest"
                raise OptionError("save", message) from None
            self._games.setdefault(game.opening, {})[game.seats] = game

    def _lines(self, path: Path) -> Iterator[str]:
        """Read whole lines; one that was cut off when the writer died is taken out."""
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            path.write_bytes(whole)
        try:
            yield from whole.decode("utf-8").splitlines()
        except UnicodeDecodeError:
            message = f"{path} holds no contest: it is not text"
            raise OptionError("save", message) from None

    def missing(self, openings: int) -> list[int]:
        """List the openings of which not every game has been played."""
        return [opening for opening in range(openings) if len(self._games.get(opening, ())) < self._seatings]

    def has(self, opening: int, seats: tuple[int, ...]) -> bool:
        """Tell whether a game has been played."""
        return seats in self._games.get(opening, {})

    def add(self, game: Played) -> None:
        """Put down a game, in the file at once."""
        self._games.setdefault(game.opening, {})[game.seats] = game
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(game._asdict()) + "\n")

    @property
    def score(self) -> Score:
        """The score of the openings that are complete."""
        whole = [games for _, games in sorted(self._games.items()) if len(games) == self._seatings]
        shares = tuple(sum(game.share for game in games.values()) / self._seatings for games in whole)
        return Score(shares, self._seatings * len(whole), self._seatings)
