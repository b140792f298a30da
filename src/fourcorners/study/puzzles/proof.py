"""The proof of what puzzles claim, for tests and for authors of games."""

from collections.abc import Iterable

from fourcorners.core.errors import GameError
from fourcorners.solve.solver import SolveBudget, Solver, create_backend
from fourcorners.study.puzzles.format import Puzzle, PuzzleError
from fourcorners.study.puzzles.identity import compute_id

_MEMORY = 1 << 24  # bytes
_NODES = 1_000_000


def check_puzzle(puzzle: Puzzle) -> None:
    """Raise PuzzleError unless position, id, best moves, line and themes of a puzzle fit each other; solve nothing."""
    try:
        position = puzzle.position
        after = position.play_line(puzzle.line)
    except GameError as error:
        raise PuzzleError(puzzle.name, error.message) from None
    moves = position.moves()
    detector = position.game.spec.puzzle_themes
    unknown = set(puzzle.themes) - set(detector.THEMES if detector is not None else ())
    problems = {
        "its line is too long or the game is over": after.ply_count != len(puzzle.line) or position.seat is None,
        f"its id must be {compute_id(position)}": puzzle.id != compute_id(position),
        "a best move is illegal": bool(set(puzzle.best) - set(moves)),
        "all moves are best": set(puzzle.best) == set(moves),
        f"the game has no themes {', '.join(sorted(unknown))}": bool(unknown),
        "its player cannot infer what is hidden": not _can_know(puzzle),
    }
    for problem, is_found in problems.items():
        if is_found:
            raise PuzzleError(puzzle.name, problem)


def _can_know(puzzle: Puzzle) -> bool:
    """Return whether the seat to move knows or can infer the whole position."""
    spec, position = puzzle.game.spec, puzzle.position
    return not spec.hidden or spec.can_infer_hands(position.record, position.seat or 0)


def prove_puzzle(puzzle: Puzzle) -> None:
    """Raise PuzzleError unless a solver finds just these best moves, and both values; SolverLimit if it cannot."""
    solver = Solver(create_backend(puzzle.game, _MEMORY), SolveBudget(nodes=_NODES))
    solution = solver.solve(puzzle.position, every_move=True, skip_nimber=True)
    others = [worth for worth in solution.values.values() if worth < solution.value]
    _compare(puzzle, "best moves", solution.moves, puzzle.best)
    _compare(puzzle, "value", [solution.value], [puzzle.value])
    _compare(puzzle, "next value", [max(others)], [puzzle.next_value])


def _compare(puzzle: Puzzle, what: str, found: Iterable[object], claimed: Iterable[object]) -> None:
    """Raise PuzzleError unless what was found is what the puzzle claims, in any order."""
    if set(found) != set(claimed):
        raise PuzzleError(puzzle.name, f"its {what} must be {', '.join(map(str, found))}")
