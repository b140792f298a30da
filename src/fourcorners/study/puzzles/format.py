"""The format of puzzles: one CSV file for each game, in its folder; docs/puzzles.md describes the columns."""

import csv
import functools
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Game
from fourcorners.core.position import Position

COLUMNS = ("id", "options", "position", "best", "value", "next_value", "themes", "rating", "source", "line")
_SEPARATOR = ";"
_ID = re.compile(r"[0-9a-z]{8}")
_THEME = re.compile(r"[a-z]+(?:-[a-z]+)*")
_INTEGER = re.compile(r"-?[0-9]{1,6}")
_MAX_FILE_LENGTH = 10_000_000


class PuzzleError(GameError):
    """A puzzle that does not exist, cannot be read, or says what is not true; the message names it."""

    def __init__(self, puzzle: str, message: str) -> None:
        super().__init__(f"puzzle {puzzle}: {message}", "puzzle")


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """A position and its proven best moves, by an id that is the same for all positions equivalent under symmetry.

    `best` are all best moves. With one of them the seat to move wins a margin of `value` from here to the end, and with
    the best of all other moves `next_value`, which is less; in a game without points they are 1 and -1. `themes` are
    those that the game detected, `rating` is the difficulty in Elo points to begin with, and `line` is best play, which
    begins with the first best move.
    """

    id: str
    game: Game
    text: str
    best: tuple[str, ...]
    value: int
    next_value: int
    themes: tuple[str, ...]
    rating: int
    source: str
    line: tuple[str, ...]

    @property
    def name(self) -> str:
        """The puzzle's game and id, such as "a-game/0123abcd"."""
        return f"{self.game.id}/{self.id}"

    @cached_property
    def position(self) -> Position:
        """The position; NotationError if its text is wrong. The solver of the puzzle sees the view of its seat."""
        return self.game.position(self.text)


@functools.lru_cache(maxsize=64)
def list_puzzles(game_id: str) -> tuple[Puzzle, ...]:
    """List the puzzles of a game or preset, in the order of its file; raise OptionError for an unknown game,
    PuzzleError.

    The result is kept. A game without a file of puzzles has none.
    """
    game = catalogue.game(game_id)
    text = game.read_puzzles()
    return parse_puzzles(game, text) if text else ()


def find_puzzle(game_id: str, puzzle_id: str) -> Puzzle:
    """Return a puzzle by its id; raise PuzzleError if there is no such game, or if it has no such puzzle."""
    found = _index_puzzles(game_id).get(puzzle_id) if game_id in catalogue.games() else None
    if found is None:
        raise PuzzleError(quote(puzzle_id), f"there is none with this id in {game_id}")
    return found


@functools.lru_cache(maxsize=64)
def _index_puzzles(game_id: str) -> Mapping[str, Puzzle]:
    return {puzzle.id: puzzle for puzzle in list_puzzles(game_id)}


def parse_puzzles(game: Game, text: str) -> tuple[Puzzle, ...]:
    """Parse a file of puzzles; raise PuzzleError, which names the line.

    Positions and moves are not checked; `check_puzzle` does that.
    """
    if len(text) > _MAX_FILE_LENGTH:
        raise PuzzleError(game.id, f"the file is longer than {_MAX_FILE_LENGTH} characters")
    rows = csv.reader(io.StringIO(text), strict=True)
    puzzles: dict[str, Puzzle] = {}
    games: dict[str, Game] = {}
    try:
        _require(tuple(next(rows, ())) == COLUMNS, f"the first line must be {','.join(COLUMNS)}")
        for row in rows:
            _require(len(row) == len(COLUMNS), f"it has {len(row)} columns, not {len(COLUMNS)}")
            puzzle = _parse_row(game, games, dict(zip(COLUMNS, row, strict=True)))
            _require(puzzle.id not in puzzles, f"the id {puzzle.id} occurs twice")
            puzzles[puzzle.id] = puzzle
    except (ValueError, csv.Error) as error:
        raise PuzzleError(f"{game.id}, line {rows.line_num}", str(error)) from None
    return tuple(puzzles.values())


def _parse_row(game: Game, games: dict[str, Game], row: Mapping[str, str]) -> Puzzle:
    """Return the puzzle of a row, by column; `games` keeps the games by their options. Raise ValueError."""
    _require(_ID.fullmatch(row["id"]), f"the id {quote(row['id'])} must have 8 digits or lower-case letters")
    options = row["options"]
    if options not in games:
        given = json.loads(options) if options else {}
        _require(isinstance(given, dict), f"the options {quote(options)} must be a JSON object")
        games[options] = type(game)(game.spec, given, game.id if game.preset else "")
    best, themes, line = (_split(row[name]) for name in ("best", "themes", "line"))
    _require(best and all(best), "there must be a best move")
    _require(len(set(best)) == len(best), "a best move occurs twice")
    _require(all(map(_THEME.fullmatch, themes)), f"the themes {quote(row['themes'])} must be lower-case words")
    _require(line[:1] == best[:1], f"the line must begin with {quote(best[0])}, the first of the best moves")
    value, next_value, rating = (_parse_integer(name, row[name]) for name in ("value", "next_value", "rating"))
    _require(value > next_value, f"the value {value} must be more than the next value {next_value}")
    return Puzzle(
        id=row["id"],
        game=games[options],
        text=row["position"],
        best=best,
        value=value,
        next_value=next_value,
        themes=themes,
        rating=rating,
        source=row["source"],
        line=line,
    )


def format_puzzles(puzzles: Iterable[Puzzle]) -> str:
    """Return the text of a file of puzzles."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for puzzle in puzzles:
        given = puzzle.game.given_options()
        row = {
            "id": puzzle.id,
            "options": json.dumps(given, separators=(",", ":")) if given else "",
            "position": puzzle.text,
            "best": _SEPARATOR.join(puzzle.best),
            "value": puzzle.value,
            "next_value": puzzle.next_value,
            "themes": _SEPARATOR.join(puzzle.themes),
            "rating": puzzle.rating,
            "source": puzzle.source,
            "line": _SEPARATOR.join(puzzle.line),
        }
        writer.writerow([row[name] for name in COLUMNS])
    return out.getvalue()


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split(_SEPARATOR)) if text else ()


def _parse_integer(name: str, text: str) -> int:
    _require(_INTEGER.fullmatch(text), f"the column {name} has {quote(text)}; it must be a whole number")
    return int(text)


def _require(condition: object, message: str) -> None:
    """Raise ValueError with a message unless a condition holds."""
    if not condition:
        raise ValueError(message)
