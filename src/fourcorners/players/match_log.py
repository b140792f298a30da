"""The log of an engine match: a file with one line for each game, so that an interrupted match can continue."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fourcorners.core.errors import OptionError
from fourcorners.players.engine_match import PlayedGame, Score


class MatchLog:
    """The finished games of one engine match, optionally kept in a file; for one thread."""

    def __init__(self, terms: Mapping[str, Any], seatings: int, path: Path | None = None) -> None:
        """Open the log of a match with these terms, and load the games in the file.

        `terms` are JSON values that identify the match; they form the first line of the file, which is created if it is
        missing or empty. `seatings` is the number of games for each opening. Raise OptionError if the file is damaged
        or is not the log of a match with these terms, and OSError.
        """
        self._seatings = seatings
        self._path = path
        self._terms = json.dumps({"contest": dict(terms)}, sort_keys=True)
        self._games: dict[int, dict[tuple[int, ...], PlayedGame]] = {}
        if path is not None and path.exists() and path.stat().st_size > 0:
            self._load(path)
        elif path is not None:
            path.write_text(self._terms + "\n", encoding="utf-8")

    def _load(self, path: Path) -> None:
        """Load all games of a file, and cut off an incomplete last line, which an interrupted run leaves.

        Raise OptionError, without a change, if the file is damaged or is not the log of this match, and OSError.
        """
        data = path.read_bytes()
        complete = data[: data.rfind(b"\n") + 1]
        lines = complete.decode("utf-8", errors="replace").splitlines()
        if lines[:1] != [self._terms]:
            message = f"{path} is not the log of this match, with these players, options and limits: name another file"
            raise OptionError("save", message)
        for line in lines[1:]:
            try:
                row = json.loads(line)
                game = PlayedGame(row["opening"], tuple(row["seats"]), float(row["share"]), row["plies"])
            except (ValueError, KeyError, TypeError):
                raise OptionError("save", f"{path} cannot be read: one of its lines is not a game") from None
            self._games.setdefault(game.opening, {})[game.seats] = game
        if len(complete) < len(data):
            path.write_bytes(complete)

    def list_incomplete(self, openings: int) -> list[int]:
        """List the numbers below `openings`, ascending, of the openings that still have a game to play."""
        return [opening for opening in range(openings) if len(self._games.get(opening, ())) < self._seatings]

    def has_game(self, opening: int, seats: tuple[int, ...]) -> bool:
        """Return whether the game of an opening, by number, with the first side on these seats has been played."""
        return seats in self._games.get(opening, {})

    def add_game(self, game: PlayedGame) -> None:
        """Add a game, replacing one with the same opening and seats, and append it to the file; raise OSError."""
        self._games.setdefault(game.opening, {})[game.seats] = game
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(game._asdict()) + "\n")

    @property
    def score(self) -> Score:
        """The score of the openings whose games have all been played."""
        complete = [games for _, games in sorted(self._games.items()) if len(games) == self._seatings]
        shares = tuple(sum(game.share for game in games.values()) / self._seatings for games in complete)
        return Score(shares, self._seatings * len(complete), self._seatings)
