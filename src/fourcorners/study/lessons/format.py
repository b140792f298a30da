"""The format of lessons: one TOML file for each, in a folder of the game; docs/lessons.md describes it for authors."""

import functools
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Game
from fourcorners.study.teaching import name_file

_FILE = re.compile(r"[0-9]+-([a-z]+(?:-[a-z0-9]+)*)\.toml")


class LessonError(GameError):
    """A lesson that cannot be read or makes a false claim; the message names it."""

    def __init__(self, lesson: str, message: str) -> None:
        super().__init__(f"lesson {lesson}: {message}", "lesson")


class _Table(BaseModel):
    """A table of a lesson's file; unknown keys are rejected."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", strict=True)


class Condition(_Table):
    """A set of legal moves: those with all of the given properties, or all legal moves if none is given.

    `moves` lists them, and `token` is one that the move must contain. `least_gain` is the least number of points that
    the move wins at once. `most_gift` and `least_gift` bound the points that the best single reply wins, and `choices`
    is the number of legal moves after the move.
    """

    moves: tuple[str, ...] = ()
    token: str = ""
    least_gain: int | None = None
    most_gift: int | None = None
    least_gift: int | None = None
    choices: int | None = None


class Wrong(Condition):
    """Moves that are not accepted: the text about them, and the moves `then` that show why."""

    text: str
    then: tuple[str, ...] = ()


class Claim(_Table):
    """The provable claim of a part of a text, `says`. `after` are moves from the step's position on.

    Exactly one of the other fields states what is then true for `seat` (None: the learner): the `points` that the seat
    has won by these moves, its `total`, the number of legal moves (`choices`), the final `margin` with best play by
    both sides, whether it `wins` then, or an illegal move (`refused`).
    """

    says: str
    after: tuple[str, ...] = ()
    seat: int | None = None
    points: int | None = None
    total: int | None = None
    choices: int | None = None
    margin: int | None = None
    wins: bool | None = None
    refused: str | None = None

    @property
    def needs_solver(self) -> bool:
        """Whether the proof of the claim may need a solver."""
        return self.margin is not None or self.wins is not None


class Step(_Table):
    """A position, a text about it, and an optional task. Each text is one paragraph of Markdown.

    The position is `position`, or the start with the `deck`, followed by `moves`. Without any of the three, the step
    continues where the one before it ended. `options` default to the lesson's.

    The task is to play one move that `accept` describes, or to `collect` this many points in one turn; then `reply` is
    played. `best` says that the accepted moves are exactly the best ones.
    """

    text: str
    options: dict[str, Any] | None = None
    position: str | None = None
    deck: tuple[str, ...] | None = None
    moves: tuple[str, ...] | None = None
    marks: tuple[str, ...] = ()
    overlay: bool = False
    accept: tuple[str, ...] | Condition | None = None
    collect: int = 0
    best: bool = False
    solution: tuple[str, ...] = ()
    reply: tuple[str, ...] = ()
    good: str = ""
    wrong: tuple[Wrong, ...] = ()
    otherwise: str = ""
    hint: str = ""
    claims: tuple[Claim, ...] = ()

    @property
    def condition(self) -> Condition | None:
        """The accepted moves; None unless the task asks for one move."""
        return Condition(moves=self.accept) if isinstance(self.accept, tuple) else self.accept

    @property
    def has_task(self) -> bool:
        """Whether the learner has something to do."""
        return self.accept is not None or self.collect > 0

    @property
    def goes_on(self) -> bool:
        """Whether the step continues where the one before it ended."""
        return (self.position, self.deck, self.moves) == (None, None, None)

    @property
    def shown_moves(self) -> tuple[str, ...]:
        """The learner's moves that solve the task."""
        condition = self.condition
        return self.solution or (condition.moves[:1] if condition is not None else ())

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the step."""
        return tuple(filter(None, (self.text, self.good, self.hint, self.otherwise, *(w.text for w in self.wrong))))


class _File(_Table):
    """The content of a lesson's file."""

    title: str
    summary: str
    minutes: int
    options: dict[str, Any] = {}
    rules: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Lesson:
    """A lesson of a game, by its id there.

    `rules` are phrases whose numbers are rules and need no proof. `themes` name what it teaches, by the names of the
    game's facts about moves and of its puzzles.

    `games` has one game for each step.
    """

    id: str
    game: Game
    title: str
    summary: str
    minutes: int
    rules: tuple[str, ...]
    themes: tuple[str, ...]
    steps: tuple[Step, ...]
    games: tuple[Game, ...]

    @property
    def name(self) -> str:
        """The lesson's game and id, such as "a-game/long-chains"."""
        return f"{self.game.id}/{self.id}"


@functools.lru_cache(maxsize=64)
def list_lessons(game_id: str) -> tuple[Lesson, ...]:
    """List the lessons of a game or preset, in order; raise OptionError for an unknown game, LessonError.

    The result is cached. A game without a folder of lessons has none.
    """
    game = catalogue.game(game_id)
    texts = game.spec.read_folder(name_file(game, "lessons"))
    return tuple(parse_lesson(game, name, text) for name, text in sorted(texts.items()))


def find_lesson(game_id: str, lesson_id: str) -> Lesson:
    """Return a lesson; raise OptionError if there is no such game, LessonError if there is no such lesson."""
    for lesson in list_lessons(game_id):
        if lesson.id == lesson_id:
            return lesson
    raise LessonError(quote(lesson_id), f"there is none with this name in {game_id}")


def find_lesson_about(game_id: str, theme: str) -> Lesson | None:
    """Return the first lesson of a game that teaches a theme; None if there is none. Raise as `list_lessons`."""
    return next((lesson for lesson in list_lessons(game_id) if theme and theme in lesson.themes), None)


def parse_lesson(game: Game, file_name: str, text: str) -> Lesson:
    """Parse the file of a lesson, named by a number and the lesson's id; raise LessonError.

    Positions and moves are not checked; `check_lesson` does that.
    """
    found = _FILE.fullmatch(file_name)
    if found is None:
        raise LessonError(quote(file_name), "a lesson's file is called like 2-long-chains.toml")
    try:
        # As JSON, in which an array may be a tuple.
        content = _File.model_validate_json(json.dumps(tomllib.loads(text), default=str))
        if not content.steps:
            raise ValueError("a lesson has at least one step")
        games = _list_games(game, content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise LessonError(f"{game.id}/{found[1]}", f"{place}: {first['msg']}") from None
    except ValueError as error:
        raise LessonError(f"{game.id}/{found[1]}", str(error)) from None
    return Lesson(
        id=found[1],
        game=game,
        title=content.title,
        summary=content.summary,
        minutes=content.minutes,
        rules=content.rules,
        themes=content.themes,
        steps=content.steps,
        games=games,
    )


def _list_games(game: Game, content: _File) -> tuple[Game, ...]:
    """Return the game of each step, with its options; raise OptionError."""
    games: list[Game] = []
    for step in content.steps:
        if step.goes_on and step.options is None and games:
            games.append(games[-1])
        else:
            games.append(_make_game(game, content.options if step.options is None else step.options))
    return tuple(games)


def _make_game(game: Game, options: Mapping[str, Any]) -> Game:
    return type(game)(game.spec, options, game.id if game.preset else "")
