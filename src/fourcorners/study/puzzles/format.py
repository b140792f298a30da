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
from fourcorners.core.game import Game, Position
from fourcorners.study.teaching import name_file

COLUMNS = ("id", "options", "position", "best", "value", "next_value", "themes", "rating", "source", "line", "later")
_COLUMNS_WITHOUT_LATER = COLUMNS[:-1]
"""The columns of a file without later decisions, as earlier versions wrote them."""
_SEPARATOR = ";"
_ID = re.compile(r"[0-9a-z]{8}")
_THEME = re.compile(r"[a-z]+(?:-[a-z]+)*")
_INTEGER = re.compile(r"-?[0-9]{1,6}")
_MAX_FILE_LENGTH = 10_000_000
MAX_LATER = 40
"""The maximum number of decisions in a puzzle after the first one."""
MAX_LINE = 60


class PuzzleError(GameError):
    """A puzzle that does not exist, cannot be read or makes a false claim; the message names it."""

    def __init__(self, puzzle: str, message: str) -> None:
        super().__init__(f"puzzle {puzzle}: {message}", "puzzle")


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The position after the moves `after`, in which the solver of a puzzle has to find one of the `best` moves.

    A best move wins a margin of `value` from there to the end; the best of the other moves wins `next_value`, which is
    less. In a game without points they are 1 and -1.
    """

    after: tuple[str, ...]
    best: tuple[str, ...]
    value: int
    next_value: int


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """A position and its proven best moves, by an id that is the same for all positions equivalent under symmetry.

    `best` are all the best moves. Each wins a margin of `value` from here to the end; the best of the other moves wins
    `next_value`, which is less. In a game without points they are 1 and -1. `themes` are those that the game detected,
    `rating` is the initial difficulty in Elo points, and `line` is best play, beginning with the first best move.
    `later` are the decisions that follow best moves and the best defence; without any, one move solves the puzzle.
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
    later: tuple[Decision, ...] = ()

    @property
    def name(self) -> str:
        """The puzzle's game and id, such as "a-game/0123abcd"."""
        return f"{self.game.id}/{self.id}"

    @cached_property
    def position(self) -> Position:
        """The position; the solver sees the view of the seat to move. Raise NotationError if its text is invalid."""
        return self.game.position(self.text)

    @cached_property
    def first(self) -> Decision:
        """The decision with which the puzzle begins."""
        return Decision(after=(), best=self.best, value=self.value, next_value=self.next_value)

    def find_next(self, decision: Decision, move: str) -> Decision | None:
        """Return the decision that follows a best move in a decision; None if that move solves the puzzle."""
        played = (*decision.after, move)
        following = (other for other in self.later if other.after[: len(played)] == played)
        return min(following, key=lambda other: len(other.after), default=None)

    def list_main_decisions(self) -> list[Decision]:
        """List the decisions along the line: the first one, and those that follow the first best moves."""
        decisions: list[Decision] = []
        following: Decision | None = self.first
        while following is not None:
            decisions.append(following)
            following = self.find_next(following, following.best[0])
        return decisions

    def count_moves(self, decision: Decision) -> tuple[int, int]:
        """Return the least and the greatest number of moves to find from a decision on."""
        following = [self.find_next(decision, move) for move in decision.best]
        counts = [(0, 0) if each is None else self.count_moves(each) for each in following]
        return 1 + min(least for least, _ in counts), 1 + max(most for _, most in counts)


@functools.lru_cache(maxsize=64)
def list_puzzles(game_id: str) -> tuple[Puzzle, ...]:
    """List the puzzles of a game or preset in the order of its file; raise OptionError or PuzzleError.

    The result is cached. A game without a file of puzzles has none.
    """
    game = catalogue.game(game_id)
    text = game.spec.read_if_present(name_file(game, "puzzles.csv"))
    return parse_puzzles(game, text) if text else ()


def find_puzzle(game_id: str, puzzle_id: str) -> Puzzle:
    """Return a puzzle by its id; raise PuzzleError if there is no such game or no such puzzle."""
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
        columns = tuple(next(rows, ()))
        _require(columns in {COLUMNS, _COLUMNS_WITHOUT_LATER}, f"the first line must be {','.join(COLUMNS)}")
        for row in rows:
            _require(len(row) == len(columns), f"it has {len(row)} columns, not {len(columns)}")
            puzzle = _parse_row(game, games, dict(zip(columns, row, strict=True)))
            _require(puzzle.id not in puzzles, f"the id {puzzle.id} occurs twice")
            puzzles[puzzle.id] = puzzle
    except (ValueError, csv.Error) as error:
        raise PuzzleError(f"{game.id}, line {rows.line_num}", str(error)) from None
    return tuple(puzzles.values())


def _parse_row(game: Game, games: dict[str, Game], row: Mapping[str, str]) -> Puzzle:
    """Return the puzzle of a row, given by column; `games` caches games by their options. Raise ValueError."""
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
        later=_parse_later(row.get("later", "")),
    )


def _parse_later(text: str) -> tuple[Decision, ...]:
    """Return the later decisions of a row without checking that moves are legal; raise ValueError."""
    found = json.loads(text) if text else {}
    _require(
        isinstance(found, dict) and len(found) <= MAX_LATER, f"later must be an object of at most {MAX_LATER} decisions"
    )
    decisions = []
    for after, parts in found.items():
        words = f"the decision after {quote(after)}"
        _require(
            isinstance(parts, list) and list(map(type, parts)) == [str, int, int],
            f"{words} must have best moves, a value and a next value",
        )
        decision = Decision(after=_split(after), best=_split(parts[0]), value=parts[1], next_value=parts[2])
        _require(0 < len(decision.after) <= MAX_LINE and all(decision.after), f"{words} must have moves before it")
        _require(decision.best and all(decision.best), f"{words} must have a best move")
        _require(decision.value > decision.next_value, f"{words} has a value that is not more than the next value")
        decisions.append(decision)
    return tuple(decisions)


def _format_later(decisions: Iterable[Decision]) -> str:
    found = {
        _SEPARATOR.join(each.after): [_SEPARATOR.join(each.best), each.value, each.next_value] for each in decisions
    }
    return json.dumps(found, separators=(",", ":")) if found else ""


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
            "later": _format_later(puzzle.later),
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
