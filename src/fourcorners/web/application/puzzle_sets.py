"""Sets of puzzles that teachers share: what they list, what pupils do, and who may see the results."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Position
from fourcorners.study.lessons.format import LessonError, find_lesson
from fourcorners.study.lessons.judge import get_position
from fourcorners.study.puzzles.format import Puzzle, PuzzleError, find_puzzle
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.fair_turns import get_client
from fourcorners.web.application.puzzles import PuzzleJudgement, judge_puzzle
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.running_games import refuse_help
from fourcorners.web.auth.identity import generate_secret, hash_secret
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.domain.names import clean_line
from fourcorners.web.domain.rows import ConflictError
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.store import StoredSet
from fourcorners.web.store.puzzle_sets import CLOSED, NONE, SetResult

MAX_ITEMS, MAX_POSITIONS, MAX_TITLE, MAX_PUPIL_NAME, MAX_TEXT = 30, 10, 80, 32, 20_000
LIFETIME = 180 * DAY
"""A set expires this many seconds after it was made, and its results with it."""
_GONE = "There is no set of puzzles at this address. It may have expired or been deleted."
_PUZZLE = re.compile(r"(?:\S*/puzzles/)?([a-z0-9-]{1,60})/([0-9a-z]{8})(?:\?\S*)?", re.ASCII)
_LESSON = re.compile(r"(?:\S*/learn/)?([a-z0-9-]{1,60})/([a-z0-9-]{1,60})#([1-9][0-9]?)", re.ASCII)
_POSITION = re.compile(r"([a-z0-9-]{1,60})(?: (\{.{0,2000}\}))?: (.{1,4000})", re.ASCII)
_FORMS = "a puzzle as GAME/ID, a step of a lesson as GAME/LESSON#3, or a position as GAME {OPTIONS}: POSITION"


class SetError(Refusal):
    """A set that cannot be made; the message is a sentence for people."""

    def __init__(self, sentence: str) -> None:
        super().__init__(422, sentence, "set")


class NewSet(NamedTuple):
    """A set that was made: its id, which is the pupils' link, and the secret of the owner's link."""

    id: str
    secret: str


def load_set(context: ServerContext, set_id: str) -> StoredSet:
    """Return a set; raise Refusal 404 if there is none, or StoreError."""
    stored = context.store.load_set(set_id[:32], context.time.now())
    if stored is None:
        raise Refusal(404, _GONE)
    return stored


def load_own_set(context: ServerContext, set_id: str, owner: str | None, key: str) -> StoredSet:
    """Return a set for the player who made it or has the key of the owner's link; for others it does not exist. `owner`
    is the player who asks, None without a cookie or an API key. Raise as `load_set`.
    """
    stored = load_set(context, set_id)
    if not ((owner is not None and owner == stored.owner) or may_see_results(stored, key)):
        raise Refusal(404, _GONE)
    return stored


async def create_set(context: ServerContext, owner: str, title: str, text: str) -> NewSet:
    """Make a set of the items that a text lists, one on each line; the server's solver proves the best moves of
    positions. Raise SetError, StoreError, BusyError, and IllegalMoveError for a position of a running game.
    """
    title = clean_line(title[: 10 * MAX_TITLE], MAX_TITLE)
    if not title:
        raise SetError(f"The set needs a title of 1 to {MAX_TITLE} characters.")
    if len(text) > MAX_TEXT:
        raise SetError(f"The list has {len(text)} characters; {MAX_TEXT} are allowed.")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not 1 <= len(lines) <= MAX_ITEMS:
        raise SetError(f"The list has {len(lines)} items; it must have 1 to {MAX_ITEMS}, one on each line.")
    found = [await context.run_in_board_thread(_read_item, line) for line in lines]
    positions = sum(isinstance(item, Position) for item in found)
    if positions > MAX_POSITIONS:
        raise SetError(f"The list has {positions} positions; {MAX_POSITIONS} are allowed besides puzzles.")
    items = []
    for item, line in zip(found, lines, strict=True):
        items.append(item if isinstance(item, dict) else await _solve_item(context, item, line))
    now, made = context.time.now(), NewSet(generate_secret()[:22], generate_secret())
    stored = StoredSet(made.id, owner, hash_secret(made.secret), title, items, now, now + LIFETIME)
    try:
        await run_in_threadpool(context.store.add_set, stored)
    except ConflictError as error:
        raise SetError(write_sentence(str(error))) from None
    return made


def _read_item(line: str) -> dict[str, Any] | Position:
    """Return a puzzle as JSON, or the position of another item, which is still to be solved; raise SetError."""
    try:
        if match := _PUZZLE.fullmatch(line):
            find_puzzle(match[1], match[2])
            return {"game": match[1], "puzzle": match[2]}
        if match := _LESSON.fullmatch(line):
            lesson, number = find_lesson(match[1], match[2]), int(match[3])
            if number > len(lesson.steps):
                raise SetError(f"{quote(line)} is not possible: the lesson has {len(lesson.steps)} steps.")
            return get_position(lesson, number - 1)
        if match := _POSITION.fullmatch(line):
            return _read_position(match[1], match[2] or "{}", match[3])
    except (OptionError, LessonError, PuzzleError) as error:
        raise SetError(f"{quote(line)} cannot be used: {error.message}.") from None
    except (GameError, ValueError) as error:
        raise SetError(f"{quote(line)} cannot be used: {error}.") from None
    raise SetError(f"{quote(line)} cannot be read; an item is {_FORMS}.")


def _read_position(game_id: str, options: str, text: str) -> Position:
    """Return a position; raise GameError, or ValueError for options that are not JSON."""
    try:
        given = json.loads(options)
    except RecursionError:
        raise ValueError("the options are nested too deeply") from None
    return catalogue.game(game_id, **given).position(text)


async def _solve_item(context: ServerContext, position: Position, line: str) -> dict[str, Any]:
    """Return a position with its proven best moves as JSON; raise SetError if that is not possible."""
    if position.is_over:
        raise SetError(f"{quote(line)} cannot be used: the game is over there.")
    if position.game.spec.hidden:
        raise SetError(f"{quote(line)} cannot be used: hands are hidden in this game, so only puzzles can be in a set.")
    await refuse_help(context, position)
    result = await context.engine.solve(get_client(), position)
    if not result.values:
        reason = result.refusal or "it takes too long to solve"
        raise SetError(f"{quote(line)} cannot be used: {reason}.")
    best = max(result.values.values())
    others = [value for value in result.values.values() if value < best]
    if not others:
        raise SetError(f"{quote(line)} cannot be used: all moves are equally good there.")
    return {
        "game": position.game.id,
        "options": position.game.given_options(),
        "position": position.text,
        "best": sorted(move for move, value in result.values.items() if value == best),
        "value": best,
        "next_value": max(others),
    }


def is_position(item: dict[str, Any]) -> bool:
    """Return whether an item is a position of the set's author, not one of the server's puzzles, which are public."""
    return "puzzle" not in item


def build_puzzle(item: dict[str, Any]) -> Puzzle:
    """Return an item as a puzzle; raise GameError if the current rules or puzzles no longer know it."""
    if not is_position(item):
        return find_puzzle(item["game"], item["puzzle"])
    best = tuple(item["best"])
    return Puzzle(
        id="00000000",
        game=catalogue.game(item["game"], **item["options"]),
        text=item["position"],
        best=best,
        value=item["value"],
        next_value=item["next_value"],
        themes=(),
        rating=1500,
        source="set",
        line=best[:1],
    )


def clean_pupil(name: str) -> str:
    """Return the name that a pupil has typed on one line; it may be empty."""
    return clean_line(name[: 10 * MAX_PUPIL_NAME], MAX_PUPIL_NAME)


async def answer_item(
    context: ServerContext,
    stored: StoredSet,
    pupil: str,
    number: int,
    moves: Sequence[str],
    *,
    gives_up: bool,
    count_name: Callable[[], Awaitable[None]],
) -> PuzzleJudgement:
    """Judge a pupil's move in an item, counted from 0, and store what came of it; `count_name` is called before a new
    name is stored, which its errors prevent. Raise SetError for a wrong number or name, and if the set is closed, takes
    no new names or has too many pupils; IllegalMoveError if the item is a position of a running game; GameError,
    StoreError.
    """
    if stored.admits == NONE:
        raise SetError(write_sentence(CLOSED))
    if not 0 <= number < len(stored.items):
        raise SetError(f"There is no item {number}; the numbers are 0 to {len(stored.items) - 1}.")
    puzzle = await context.run_in_board_thread(build_puzzle, stored.items[number])
    if is_position(stored.items[number]) and (moves or gives_up):
        await refuse_help(context, puzzle.position)
    answer = await context.run_in_board_thread(partial(judge_puzzle, puzzle, tuple(moves), gives_up=gives_up))
    if answer.state in {"done", "wrong"}:
        name = clean_pupil(pupil)
        if not name:
            raise SetError("Type your name first.")
        is_solved = answer.state == "done" and not gives_up
        result = SetResult(name, number, is_solved, gives_up, 1, context.time.now())
        if not await run_in_threadpool(context.store.has_pupil, stored.id, name):
            await count_name()
        try:
            await run_in_threadpool(context.store.add_result, stored.id, result)
        except ConflictError as error:
            raise SetError(write_sentence(str(error))) from None
    return answer


def may_see_results(stored: StoredSet, secret: str) -> bool:
    """Return whether a secret is that of the owner's link."""
    return bool(secret) and hash_secret(secret) == stored.secret


def tabulate_results(stored: StoredSet, results: Sequence[SetResult]) -> list[dict[str, Any]]:
    """Return a row for each pupil: the name, how many items are solved, and by item the result or None."""
    pupils: dict[str, dict[int, SetResult]] = {}
    for result in results:
        pupils.setdefault(result.pupil, {})[result.item] = result
    return [
        {
            "name": name,
            "solved": sum(result.solved for result in found.values()),
            "items": [found.get(number) for number in range(len(stored.items))],
        }
        for name, found in pupils.items()
    ]
