"""Checks that a lesson can be played and its claims are true, for tests of games, including those in other packages."""

import re
from collections.abc import Callable, Iterator

from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Position
from fourcorners.solvers.solution import Solution
from fourcorners.solvers.solver import solve
from fourcorners.study.lessons.format import Claim, Lesson, LessonError, Step
from fourcorners.study.lessons.judge import get_position, judge_moves, meets

_TEXT = re.compile(r"[^<>\n]+")
_NUMBER = re.compile(
    r"(?<![\w,-])(?:[0-9]+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![\w,-]*\w)", re.IGNORECASE
)
_SECONDS, _MEMORY = 60.0, 1 << 26
"""The solver's limit: a position that needs more is too large for a lesson."""
_MAX_MOVES = 2000
"""The limit of legal moves in a position, since the page of a lesson gets all of them."""


def check_lesson(lesson: Lesson, *, by_solving: bool = True) -> int:
    """Play a lesson and prove its claims; return the number of claims. Raise LessonError for the first fault.

    Without `by_solving`, claims that need a solver are skipped, since uncompiled solving takes long.
    """
    if not (lesson.title and lesson.summary and 1 <= lesson.minutes <= 15):
        raise LessonError(lesson.name, "it needs a title, a summary, and 1 to 15 minutes")
    for phrase in lesson.rules:
        if not any(phrase in text for step in lesson.steps for text in step.texts):
            raise LessonError(lesson.name, f"no text contains the rule {quote(phrase)}")
    count = 0
    for number, step in enumerate(lesson.steps):
        try:
            _check_step(lesson, number)
            start = get_position(lesson, number)
            for claim in step.claims:
                if by_solving or not claim.needs_solver:
                    _prove(claim, start)
                    count += 1
            if step.best and by_solving:
                _prove_best(step, start)
                count += 1
        except GameError as error:
            raise LessonError(lesson.name, f"step {number + 1}: {error.message}") from None
    return count


def _require(condition: object, message: str) -> None:
    if not condition:
        raise GameError(message)


def _check_step(lesson: Lesson, number: int) -> None:
    """Raise GameError unless a step can be set up and solved as it shows, and has a text about every move."""
    step, start = lesson.steps[number], get_position(lesson, number)
    for text in step.texts:
        _require(_TEXT.fullmatch(text), f"{quote(text)} is not one paragraph of Markdown")
    _check_numbers(lesson, step)
    elements = [element for part in start.view(start.seat).scene() if part for element in part.elements]
    tokens = {name for element in elements for name in (element.token, element.id)}
    _require(set(step.marks) <= tokens, f"{sorted(set(step.marks) - tokens)} are no places of the board")
    _require(len(start.moves()) <= _MAX_MOVES, f"the position has more than {_MAX_MOVES} moves")
    if number and step.goes_on:
        before = lesson.steps[number - 1]
        condition = before.condition
        is_clear = condition is None or len(condition.moves) == 1
        _require(is_clear, "it goes on after a step that accepts several moves, so it needs its own position")
    if not step.has_task:
        return
    _require(not (step.accept is not None and step.collect), "it has two tasks: accept, and collect")
    _require(step.good and step.hint and step.shown_moves, "a task needs the texts good and hint, and a solution")
    _check_solution(lesson, number)
    if step.condition is not None:
        for move in step.condition.moves:
            verdict = judge_moves(lesson, number, (move,))
            _require(verdict.state == "done", f"the accepted move {move} is {verdict.state}: {verdict.feedback}")
    for wrong in step.wrong:
        found = [move for move in wrong.moves or start.moves() if _has_feedback(lesson, number, move, wrong.text)]
        _require(found and (not wrong.moves or len(found) == len(wrong.moves)), f"{quote(wrong.text)} is never said")
    for move in start.moves():
        verdict = judge_moves(lesson, number, (move,))
        _require(verdict.state in {"done", "open"} or verdict.feedback, f"nothing is said about the wrong move {move}")


def _check_solution(lesson: Lesson, number: int) -> None:
    """Raise GameError unless the moves that the page shows solve the task in their order."""
    solution = lesson.steps[number].shown_moves
    for count in range(len(solution)):
        verdict = judge_moves(lesson, number, solution[:count])
        goes_on = (verdict.state, verdict.next_move) == ("open", solution[count])
        _require(goes_on, f"the solution stops at {solution[count]}")
    verdict = judge_moves(lesson, number, solution)
    _require(verdict.state == "done", f"the solution is {verdict.state}: {verdict.feedback}")


def _has_feedback(lesson: Lesson, number: int, move: str, text: str) -> bool:
    """Return whether a move is wrong and has this text."""
    verdict = judge_moves(lesson, number, (move,))
    return (verdict.state, verdict.feedback) == ("wrong", text)


def _check_numbers(lesson: Lesson, step: Step) -> None:
    """Raise GameError unless each number in a text belongs to a claim or rule, and each claim to a text."""
    proven = [*(claim.says for claim in step.claims), *lesson.rules]
    for claim in step.claims:
        _require(any(claim.says in text for text in step.texts), f"no text says {quote(claim.says)}")
    for text in step.texts:
        spans = list(_find_spans(text, proven))
        for found in _NUMBER.finditer(text):
            is_covered = any(start <= found.start() and found.end() <= end for start, end in spans)
            _require(is_covered, f"{quote(found[0])} in {quote(text)} is neither claimed nor one of the rules")


def _find_spans(text: str, phrases: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where the phrases occur in a text."""
    for phrase in phrases:
        for found in re.finditer(re.escape(phrase), text):
            yield found.span()


def _prove(claim: Claim, start: Position) -> None:
    """Raise GameError unless a claim about the step that starts here is true."""
    position = start
    for move in claim.after:
        position = position.play(move)
    seat = (start.seat or 0) if claim.seat is None else claim.seat
    measured: dict[str, Callable[[], object]] = {
        "points": lambda: position.scores[seat] - start.scores[seat],
        "total": lambda: position.scores[seat],
        "choices": lambda: len(position.moves()),
        "margin": lambda: _find_margin(position, seat),
        "wins": lambda: _find_margin(position, seat) > 0,
        "refused": lambda: claim.refused if position.why(claim.refused or "") else None,
    }
    given = [name for name in measured if getattr(claim, name) is not None]
    _require(len(given) == 1, f"the claim {quote(claim.says)} needs exactly one of {', '.join(measured)}")
    expected, found = getattr(claim, given[0]), measured[given[0]]()
    _require(found == expected, f"the claim {quote(claim.says)} is false: {given[0]} is {found}, not {expected}")


def _solve(position: Position) -> Solution:
    """Solve a position; raise SolverLimit if it is too large."""
    return solve(position, seconds=_SECONDS, memory=_MEMORY, threads=1)


def _find_margin(position: Position, seat: int) -> int:
    """Return the final margin of a seat against the other one with best play by both; 1 or -1 if the last move wins."""
    if position.is_over:
        own, other = position.scores[seat], max(p for i, p in enumerate(position.scores) if i != seat)
        return own - other
    margin = _solve(position).final_margin
    return margin if position.seat == seat else -margin


def _prove_best(step: Step, start: Position) -> None:
    """Raise GameError unless the accepted moves are exactly those that a solver finds best."""
    best = set(_solve(start).moves)
    accepted = {move for move in start.moves() if step.condition and meets(step.condition, start, start.play(move))}
    _require(accepted == best, f"the best moves are {sorted(best)}, but it accepts {sorted(accepted)}")
