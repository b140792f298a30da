"""Puzzles: what a move means, the ratings that follow from first attempts, and which puzzle suits whom."""

import functools
from functools import partial
from html import escape
from typing import Annotated, NamedTuple

from msgspec import Meta, structs
from starlette.concurrency import run_in_threadpool

from fourcorners.core import catalogue
from fourcorners.core.game import Game
from fourcorners.core.narration import name_move
from fourcorners.solve.solver import compute_margin
from fourcorners.study.puzzles.format import Puzzle, find_puzzle, list_puzzles
from fourcorners.study.puzzles.judge import judge_move
from fourcorners.study.statements import list_costs, list_merits
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.daily import add_daily_result
from fourcorners.web.application.exercises import (
    ExerciseAnswer,
    accept_move,
    open_exercise,
    refuse_move,
    reject_move,
)
from fourcorners.web.domain.ratings import INITIAL_POINTS, MU, POINTS_PER_MU, SIGMA, Standing, rating_points
from fourcorners.web.protocol.board_picture import PICTURE_EXAMPLE
from fourcorners.web.protocol.codec import example
from fourcorners.web.store import Store
from fourcorners.web.store.puzzles import Attempt

_STREAK_DESCRIPTION = (
    "For how many days in a row you have found the puzzle of the day on the home page; null unless this is that puzzle "
    "and it is solved."
)


@example(
    state="done",
    proven=True,
    feedback="<strong>Right.</strong> Every other move is worse, by proof.",
    events=[],
    patches=[],
    picture=PICTURE_EXAMPLE,
    best=["a1b1"],
    line=["a1b1"],
    rating=1516,
    change=16,
    streak=None,
)
class PuzzleAnswer(ExerciseAnswer, frozen=True, kw_only=True):
    """What has come of a move in a puzzle. A first attempt changes the ratings of player and puzzle."""

    rating: Annotated[int | None, Meta(description="Your new rating; null unless this attempt counts.")]
    change: Annotated[int | None, Meta(description="By how much it has changed; null unless this attempt counts.")]
    streak: Annotated[int | None, Meta(description=_STREAK_DESCRIPTION)]


class Question(NamedTuple):
    """What someone does in a puzzle: moves, of which the first one counts, or gives up and wants to be shown the
    solution. `is_helped` says that a hint came before, `is_rated` that a first attempt counts.
    """

    moves: tuple[str, ...]
    gives_up: bool
    is_helped: bool
    is_rated: bool = True


async def answer_puzzle(
    context: ServerContext, player: str | None, game_id: str, puzzle_id: str, question: Question
) -> PuzzleAnswer:
    """Judge a move in a puzzle; `player` is who asks, None for someone without an identity. Raise OptionError or
    PuzzleError if there is no such puzzle, and StoreError.
    """
    puzzle = find_puzzle(game_id, puzzle_id)
    answer = await context.run_in_board_thread(
        partial(judge_puzzle, puzzle, question.moves[:1], gives_up=question.gives_up)
    )
    standings = streak = None
    # A player who is shown the solution has had the first attempt, even in a run that is not rated.
    counts = question.is_rated or question.gives_up
    if player is not None and counts and answer.state in {"done", "wrong"}:
        is_solved = answer.state == "done" and not question.gives_up and not question.is_helped
        attempt = Attempt(player, game_id, puzzle_id, is_solved, context.time.now(), find_first_standing(puzzle))
        standings = await run_in_threadpool(context.store.add_attempt, attempt)
        if answer.state == "done":
            add = partial(add_daily_result, context.store, player, puzzle, context.time.now())
            streak = await run_in_threadpool(add, found=not question.gives_up)
    if standings is None:
        return PuzzleAnswer(**structs.asdict(answer), rating=None, change=None, streak=streak)
    before, after = map(rating_points, standings)
    return PuzzleAnswer(**structs.asdict(answer), rating=after, change=after - before, streak=streak)


def find_first_standing(puzzle: Puzzle) -> Standing:
    """Return the standing of a puzzle before any attempt: the difficulty that its file says, half as uncertain as the
    strength of a new player.
    """
    return Standing(MU + (puzzle.rating - INITIAL_POINTS) / POINTS_PER_MU, SIGMA / 2)


# Positions, moves and answers of a puzzle never change, and many people try the same moves.
@functools.lru_cache(maxsize=256)
def judge_puzzle(puzzle: Puzzle, moves: tuple[str, ...], *, gives_up: bool) -> ExerciseAnswer:
    """Judge the first of the moves in a puzzle, or show its solution."""
    position = puzzle.position
    verdict = judge_move(puzzle, puzzle.best[:1] if gives_up else moves)
    if verdict.state == "open":
        return open_exercise(position)
    if verdict.state == "refused":
        return refuse_move(position, verdict.feedback)
    if verdict.state == "right":
        move = puzzle.best[0] if gives_up else moves[0]
        line = (move, *verdict.line)
        return accept_move(position, line, _praise(puzzle, move, gives_up=gives_up), puzzle.best, proven=True)
    return reject_move(position, moves[:1], _criticise(puzzle, moves[0], verdict.least_loss), proven=True)


def _praise(puzzle: Puzzle, move: str, *, gives_up: bool) -> str:
    """Say as HTML why a move is right."""
    position = puzzle.position
    name = name_move(position, move)
    start = f"The best move is {escape(name)}." if gives_up else "<strong>Right, and proven.</strong>"
    others = [name_move(position, other) for other in puzzle.best if other != move]
    # Words are much longer than notation.
    count = 5 if name == move else 1
    listed = escape(", ".join(others[:count])) + (f" and {len(others) - count} more" if len(others) > count else "")
    more = f"As good: {listed}. " if others else ""
    rest = "Any other move" if others else "Every other move"
    worse = f"is worse by at least {_write_points(puzzle.value - puzzle.next_value)}"
    loss = "loses the game" if puzzle.game.spec.scoring == "last-move" else worse
    line = puzzle.line if move == puzzle.line[0] else ()
    shown = f' <span class="line">Best play: <code>{escape(", ".join(line))}</code></span>' if len(line) > 1 else ""
    words = [f"{start} {more}{rest} {loss}.", compare_results(puzzle)]
    words += [f"The move {escape(fact.text)}." for fact in list_merits(position, move)[:1]]
    return " ".join(filter(None, words)) + shown


def _criticise(puzzle: Puzzle, move: str, least_loss: int) -> str:
    """Say as HTML what a wrong move loses, by proof, and what it gives away."""
    position = puzzle.position
    loss = "the game" if puzzle.game.spec.scoring == "last-move" else f"at least {_write_points(least_loss)}"
    words = [
        f"This move loses {loss}, by proof.",
        *(f"It {escape(fact.text)}." for fact in list_costs(position, move)[:1]),
    ]
    return " ".join(filter(None, [*words, compare_results(puzzle)]))


def compare_results(puzzle: Puzzle) -> str:
    """Say how the game ends for the solver after a best move and after any other one, which is where the points come
    from that a wrong move loses; empty in a game without points. The sentence is true of any position that is shown.
    """
    if puzzle.game.spec.scoring == "last-move":
        return ""
    lead = compute_margin(puzzle.position, puzzle.position.seat or 0)
    best, other = lead + puzzle.value, lead + puzzle.next_value
    won = f"wins by {best}" if best > 0 else f"loses by {-best}" if best < 0 else "draws"
    rest = f"wins by at most {other}" if other > 0 else f"loses by at least {-other}" if other < 0 else "draws at best"
    return f"A best move {won} with best play; any other {rest}."


def _write_points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


class ThemeProgress(NamedTuple):
    """How many of the puzzles of a theme there are, were tried, and were solved at the first attempt."""

    theme: str
    title: str
    total: int
    tried: int
    solved: int


def count_progress(puzzles: tuple[Puzzle, ...], attempts: dict[str, bool], themes: list[str]) -> list[ThemeProgress]:
    """Count by theme what a player has done."""
    return [
        ThemeProgress(
            theme,
            name_theme(theme),
            sum(theme in puzzle.themes for puzzle in puzzles),
            sum(theme in puzzle.themes and puzzle.id in attempts for puzzle in puzzles),
            sum(theme in puzzle.themes and attempts.get(puzzle.id, False) for puzzle in puzzles),
        )
        for theme in themes
    ]


def name_theme(theme: str) -> str:
    """Return a theme as people read it."""
    return theme.replace("-", " ").capitalize()


def list_games_with_puzzles() -> list[Game]:
    """List the games and presets that have puzzles."""
    return [catalogue.game(game_id) for game_id in catalogue.games() if list_puzzles(game_id)]


def read_ratings(store: Store, game_id: str, puzzles: tuple[Puzzle, ...]) -> dict[str, int]:
    """Return the ratings, in Elo points, of the puzzles that someone has tried; raise StoreError."""
    standings = store.read_puzzle_standings(game_id, [puzzle.id for puzzle in puzzles])
    return {puzzle: rating_points(standing) for puzzle, standing in standings.items()}
