"""Proofs of the claims of puzzles, for tests and for authors of games."""

from collections.abc import Iterable

from fourcorners.core.errors import GameError
from fourcorners.core.game import Position
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, compute_margin
from fourcorners.study.puzzles.format import Decision, Puzzle, PuzzleError
from fourcorners.study.puzzles.identity import compute_id
from fourcorners.study.teaching import Teaching

_MEMORY = 1 << 24  # bytes
_NODES = 1_000_000


def check_puzzle(puzzle: Puzzle) -> None:
    """Raise PuzzleError unless a puzzle's position, id, best moves, line and themes agree; do not solve it."""
    try:
        position = puzzle.position
        after = position.play_line(puzzle.line)
    except GameError as error:
        raise PuzzleError(puzzle.name, error.message) from None
    detector = position.game.spec.part(Teaching).puzzle_themes
    unknown = set(puzzle.themes) - set(detector.THEMES if detector is not None else ())
    problems = {
        "its line is too long or the game is over": after.ply_count != len(puzzle.line) or position.seat is None,
        f"its id must be {compute_id(position)}": puzzle.id != compute_id(position),
        f"the game has no themes {', '.join(sorted(unknown))}": bool(unknown),
    }
    for problem, is_found in problems.items():
        if is_found:
            raise PuzzleError(puzzle.name, problem)
    for decision in (puzzle.first, *puzzle.later):
        _check_decision(puzzle, decision)
    _check_line(puzzle)


def _check_decision(puzzle: Puzzle, decision: Decision) -> None:
    """Raise PuzzleError unless a decision is the solver's and follows a best move and the opponent's moves."""
    name, start = _name_decision(decision), puzzle.position
    try:
        positions = [start]
        for move in decision.after:
            positions.append(positions[-1].play(move))
    except GameError as error:
        raise PuzzleError(puzzle.name, f"{name}{error.message}") from None
    position, moves = positions[-1], positions[-1].moves()
    parent = _find_parent(puzzle, decision)
    own = [] if parent is None else [each.seat for each in positions[len(parent.after) : -1]]
    problems = {
        "the solver is not to move": position.seat is None or position.seat != start.seat,
        "it does not follow a best move and the opponent’s moves": bool(decision.after)
        and (parent is None or start.seat in own[1:]),
        "another one follows the same best move": parent is not None
        and puzzle.find_next(parent, decision.after[len(parent.after)]) is not decision,
        "a best move is illegal": bool(set(decision.best) - set(moves)),
        "all moves are best": set(decision.best) == set(moves),
        "its player cannot infer what is hidden": not _can_know(position),
    }
    for problem, is_found in problems.items():
        if is_found:
            raise PuzzleError(puzzle.name, f"{name}{problem}")


def _name_decision(decision: Decision) -> str:
    """Return the beginning of a clause about a decision; empty for the first one."""
    return f"the decision after {', '.join(decision.after)}: " if decision.after else ""


def _find_parent(puzzle: Puzzle, decision: Decision) -> Decision | None:
    """Return the decision whose best move leads to a given one; None if there is none."""
    before = (
        other
        for other in (puzzle.first, *puzzle.later)
        if len(other.after) < len(decision.after)
        and decision.after[: len(other.after)] == other.after
        and decision.after[len(other.after)] in other.best
    )
    return max(before, key=lambda other: len(other.after), default=None)


def _check_line(puzzle: Puzzle) -> None:
    """Raise PuzzleError unless the line follows the decisions after the first best moves."""
    for decision in puzzle.list_main_decisions():
        played = (*decision.after, decision.best[0])
        if puzzle.line[: len(played)] != played:
            raise PuzzleError(puzzle.name, f"its line must begin with {', '.join(played)}")


def _can_know(position: Position) -> bool:
    """Return whether the seat to move knows or can infer the whole position."""
    return position.game.spec.can_know_all(position.record, position.seat or 0)


def prove_puzzle(puzzle: Puzzle) -> None:
    """Prove a puzzle with a solver; raise PuzzleError if a claim is false, SolverLimit if the solver reaches a limit.

    In each decision the solver must find exactly these best moves and both values, and the opponent's moves between
    decisions must be the best defence.
    """
    solver = SolverRun(create_backend(puzzle.game, _MEMORY), SolveBudget(nodes=_NODES))
    start, seat = puzzle.position, puzzle.position.seat or 0
    for decision in (puzzle.first, *puzzle.later):
        position, name = start.play_line(decision.after), _name_decision(decision)
        solution = solver.solve(position, every_move=True, skip_nimber=True)
        others = [worth for worth in solution.values.values() if worth < solution.remaining_margin]
        _compare(puzzle, f"{name}its best moves", solution.moves, decision.best)
        _compare(puzzle, f"{name}its value", [solution.remaining_margin], [decision.value])
        _compare(puzzle, f"{name}its next value", [max(others)], [decision.next_value])
        # Best moves keep the value, and weak replies would raise it.
        gain = compute_margin(position, seat) - compute_margin(start, seat)
        _compare(puzzle, f"{name}the value of the puzzle", [gain + solution.remaining_margin], [puzzle.value])


def _compare(puzzle: Puzzle, what: str, found: Iterable[object], claimed: Iterable[object]) -> None:
    """Raise PuzzleError unless the puzzle claims exactly the values found, in any order."""
    if set(found) != set(claimed):
        raise PuzzleError(puzzle.name, f"{what} must be {', '.join(map(str, found))}")
