"""Puzzles: what a move means, the ratings that follow from first attempts, and which puzzle suits whom."""

import functools
import re
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Annotated, NamedTuple

from msgspec import Meta, structs
from starlette.concurrency import run_in_threadpool

from fourcorners.core import catalogue
from fourcorners.core.game import Game, Position
from fourcorners.core.narration import name_move
from fourcorners.core.plurals import pluralise
from fourcorners.core.scene import ScenePatch, diff_scenes
from fourcorners.solvers.solver_run import compute_margin
from fourcorners.study.puzzle_themes import MIXED
from fourcorners.study.puzzles.format import Decision, Puzzle, find_puzzle, list_puzzles
from fourcorners.study.puzzles.judge import find_line, judge_moves
from fourcorners.study.puzzles.knowledge import describe_facts
from fourcorners.study.statements import list_costs, list_merits
from fourcorners.study.teaching import Teaching
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.daily import add_daily_result
from fourcorners.web.application.exercises import (
    ExerciseAnswer,
    accept_move,
    go_on,
    open_exercise,
    refuse_move,
    reject_move,
)
from fourcorners.web.domain.ratings import INITIAL_POINTS, MU, POINTS_PER_MU, SIGMA, Standing, rating_points
from fourcorners.web.protocol.board_picture import PICTURE_EXAMPLE
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields
from fourcorners.web.store import Store
from fourcorners.web.store.puzzles import Attempt

_STREAK_DESCRIPTION = (
    "For how many days in a row you have found the puzzle of the day on the home page; null unless this is that puzzle "
    "and it is solved."
)
_PLACE = re.compile(r"\b[a-z]{1,2}[0-9]|[0-9],-?[0-9]")
"""A place on a board, such as c4, or in a plane, such as 0,-3."""


@example(move="a1b1", name="a1b1", patch={"board": {"set": {"p-b2": {"class": "mark dark"}}}}, facts="Blue 3, Red 1")
class LineMove(Fields, frozen=True, kw_only=True):
    """A move of best play."""

    move: str
    name: Annotated[str, Meta(description="Its name in sentences: the notation, or words.")]
    patch: Annotated[ScenePatch, Meta(description="What it changes in the picture.")]
    facts: Annotated[str, Meta(description="The points and other facts after it.")]


@example(
    state="done",
    proven=True,
    feedback="<strong>Right, and proven.</strong> Any other move is worse by at least 2 points.",
    events=[],
    patches=[],
    picture=PICTURE_EXAMPLE,
    best=["a1b1"],
    line=["a1b1"],
    found=1,
    to_find=0,
    hint="",
    facts="Blue 3, Red 1",
    play=[{"move": "a1b1", "name": "a1b1", "patch": {}, "facts": "Blue 3, Red 1"}],
)
class PuzzleJudgement(ExerciseAnswer, frozen=True, kw_only=True):
    """What has come of the moves in a puzzle, between which the server plays the best defence."""

    found: Annotated[int, Meta(description="The number of moves found.")]
    to_find: Annotated[int, Meta(description="The maximum number still to be found.")]
    hint: Annotated[str, Meta(description="A hint about the next one; may be empty.")]
    facts: Annotated[str, Meta(description="The points and other facts that the picture does not show.")]
    play: Annotated[
        list[LineMove],
        Meta(description="Best play from the puzzle's position on, once it is solved or given up; otherwise empty."),
    ]


@example(
    state="done",
    proven=True,
    feedback="<strong>Right, and proven.</strong> Any other move is worse by at least 2 points.",
    events=[],
    patches=[],
    picture=PICTURE_EXAMPLE,
    best=["a1b1"],
    line=["a1b1"],
    found=1,
    to_find=0,
    hint="",
    facts="Blue 3, Red 1",
    play=[{"move": "a1b1", "name": "a1b1", "patch": {}, "facts": "Blue 3, Red 1"}],
    rating=1516,
    change=16,
    streak=None,
)
class PuzzleAnswer(PuzzleJudgement, frozen=True, kw_only=True):
    """What has come of the moves in a puzzle. A first attempt changes the ratings of player and puzzle."""

    rating: Annotated[int | None, Meta(description="Your new rating; null unless this attempt counts.")]
    change: Annotated[int | None, Meta(description="Its change; null unless this attempt counts.")]
    streak: Annotated[int | None, Meta(description=_STREAK_DESCRIPTION)]


class Question(NamedTuple):
    """A player's attempt at a puzzle: the moves so far, without those of the defence, and whether the player gives up
    and wants to see the next one. `is_helped` says that a hint came before, `is_rated` that a first attempt counts.
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
        partial(judge_puzzle, puzzle, question.moves, gives_up=question.gives_up)
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
def judge_puzzle(puzzle: Puzzle, moves: tuple[str, ...], *, gives_up: bool) -> PuzzleJudgement:
    """Judge the solver's moves in a puzzle, or show how to go on after those that are right."""
    verdict = judge_moves(puzzle, moves)
    decision, found, to_find = verdict.decision, verdict.found, 0
    position = puzzle.position.play_line(decision.after)
    line: tuple[str, ...] = ()
    if gives_up or verdict.state == "right":
        line = verdict.line or find_line(puzzle, decision, decision.best[0])
        feedback = _praise(puzzle, decision, line[0], "" if gives_up else _count_found(found, found))
        answer = accept_move(position, line, feedback, decision.best, proven=True)
        found = found if verdict.state == "right" else found + 1
    elif verdict.state == "wrong":
        line = (moves[found],)
        answer = reject_move(position, line, _criticise(puzzle, decision, line[0]), proven=True)
        _, to_find = puzzle.count_moves(decision)
    else:
        _, to_find = puzzle.count_moves(decision)
        if verdict.state == "refused":
            answer = refuse_move(position, verdict.feedback)
        elif not found:
            answer = open_exercise(position)
        else:
            answer = go_on(verdict.positions, _encourage(puzzle, moves, found, to_find))
    whole = [*decision.after, *answer.line] if answer.line else []
    return PuzzleJudgement(
        **structs.asdict(structs.replace(answer, line=whole)),
        found=found,
        to_find=to_find,
        hint=describe_hint(puzzle, decision) if answer.state in {"open", "refused", "wrong"} else "",
        facts=describe_facts(verdict.positions[-1], position.seat),
        play=_describe_play(puzzle, whole) if answer.state == "done" else [],
    )


def _describe_play(puzzle: Puzzle, line: Sequence[str]) -> list[LineMove]:
    """Return the moves of a line from the puzzle's position on, as its solver sees them."""
    position, seat = puzzle.position, puzzle.position.seat
    scene = position.view(seat).scene()
    play = []
    for move in line:
        after = position.play(move)
        changed = after.view(seat).scene()
        patch = diff_scenes(scene, changed) or {}
        play.append(LineMove(move=move, name=name_move(position, move), patch=patch, facts=describe_facts(after, seat)))
        position, scene = after, changed
    return play


def _count_found(found: int, total: int) -> str:
    """Say as HTML that a move is right, and how many of all are found."""
    if total == 1:
        return "<strong>Right, and proven.</strong>"
    if found == total:
        return f"<strong>Right, and proven: all {total} moves found.</strong>"
    return f"<strong>Right, and proven: {found} of {total} moves found.</strong>"


def _encourage(puzzle: Puzzle, moves: Sequence[str], found: int, to_find: int) -> str:
    """Say as HTML how many moves are found, of which the last one was not the last."""
    before = judge_moves(puzzle, moves[: found - 1]).decision
    words = f"{_count_found(found, found + to_find)} {_name_others(puzzle, before, moves[found - 1])}"
    return f"{words} Now find the next one."


def _name_others(puzzle: Puzzle, decision: Decision, move: str) -> str:
    """Say as HTML which moves are as good as a best one, and what any other loses."""
    position = puzzle.position.play_line(decision.after)
    names = [name_move(position, other) for other in decision.best if other != move]
    # Words are much longer than notation.
    count = 5 if name_move(position, move) == move else 1
    listed = escape(", ".join(names[:count])) + (f" and {len(names) - count} more" if len(names) > count else "")
    if puzzle.game.spec.scoring == "last-move":
        rest = "Any other move loses the game."
    else:
        one = "Any other move is worse by at least {} point."
        rest = pluralise(decision.value - decision.next_value, one, "Any other move is worse by at least {} points.")
    return f"As good: {listed}. {rest}" if names else rest


def _praise(puzzle: Puzzle, decision: Decision, move: str, praise: str) -> str:
    """Say as HTML why a move is right, after some praise; without any, it is shown."""
    position = puzzle.position.play_line(decision.after)
    start = praise or f"The best move is {escape(name_move(position, move))}."
    words = [f"{start} {_name_others(puzzle, decision, move)}", compare_results(position, decision)]
    return " ".join(
        filter(None, [*words, *(f"The move {escape(fact.text)}." for fact in list_merits(position, move)[:1])])
    )


def _criticise(puzzle: Puzzle, decision: Decision, move: str) -> str:
    """Say as HTML what a wrong move loses, by proof, and what it gives away."""
    position = puzzle.position.play_line(decision.after)
    if puzzle.game.spec.scoring == "last-move":
        loss = "This move loses the game, by proof."
    else:
        one = "This move loses at least {} point, by proof."
        loss = pluralise(decision.value - decision.next_value, one, "This move loses at least {} points, by proof.")
    costs = [f"It {escape(fact.text)}." for fact in list_costs(position, move)[:1]]
    return " ".join(filter(None, [loss, *costs, compare_results(position, decision)]))


def compare_results(position: Position, decision: Decision) -> str:
    """Say how the game ends for the solver after a best move and after any other one, which is where the points come
    from that a wrong move loses; empty in a game without points. The sentence is true of any position that is shown.
    """
    if position.game.spec.scoring == "last-move":
        return ""
    lead = compute_margin(position, position.seat or 0)
    best, other = lead + decision.value, lead + decision.next_value
    won = f"wins by {best}" if best > 0 else f"loses by {-best}" if best < 0 else "draws"
    rest = f"wins by at most {other}" if other > 0 else f"loses by at least {-other}" if other < 0 else "draws at best"
    return f"A best move {won} with best play; any other {rest}."


# Every answer before the solution has it.
@functools.lru_cache(maxsize=256)
def describe_hint(puzzle: Puzzle, decision: Decision) -> str:
    """Return a hint at the best moves of a decision: their theme, what one of them does, without naming it or its
    place, and which results are at stake; "" if nothing is known. Only the first decision has themes.
    """
    of_puzzles = puzzle.game.spec.part(Teaching).puzzle_themes
    sentences = {} if of_puzzles is None or decision.after else of_puzzles.THEMES
    theme = next((sentences[theme] for theme in puzzle.themes if theme in sentences and theme != MIXED), "")
    if not theme and not decision.after:
        return ""
    which = "The best move" if len(decision.best) == 1 else "One of the best moves"
    position = puzzle.position.play_line(decision.after)
    merits = (fact.text for fact in list_merits(position, decision.best[0]))
    deed = next((f"{which} {text}." for text in merits if not _PLACE.search(text)), "")
    return " ".join(filter(None, (theme, deed, compare_results(position, decision))))


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
