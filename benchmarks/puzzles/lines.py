"""The later decisions of puzzles: the solver's best moves, and the defence that makes the next one hardest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import fourcorners as fc
from benchmarks.puzzles.candidates import MEMORY, MOST_SOLVED, count_solved, find_line, list_best_moves
from benchmarks.puzzles.collection import run_in_order
from benchmarks.puzzles.sets import find_set
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_protocol import SolverBackend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun
from fourcorners.study.puzzles.format import MAX_LATER, Decision, Puzzle

_MOST_DECISIONS = 4
_MOST_BEST = 3
_MOST_BEST_SHARE = 1 / 2
_LEAST_MOVES = 3
"""A later decision has at least `_LEAST_MOVES` moves; at most `_MOST_BEST` of them, and this share, are best."""
_MOST_DEFENCES = 12
"""The number of equally good replies that are tried, in the order of their texts."""
_NODES = 30_000
"""For each decision of the opponent or the solver."""


class _Node(NamedTuple):
    """A decision, and what follows its best moves."""

    decision: Decision
    following: tuple["_Node", ...]

    def list_later(self) -> Iterator[Decision]:
        """Yield the decisions below this one, each before those that follow it."""
        for node in self.following:
            yield node.decision
            yield from node.list_later()


class _Explorer:
    """Looks for the later decisions of one puzzle with one solver's memory."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._seat = puzzle.position.seat or 0
        self._backend: SolverBackend = create_backend(puzzle.game, MEMORY)
        self._easy = puzzle.game.spec.part(ComputerPlay).levels[find_set(puzzle.game).easy_level - 1]
        self._values: dict[str, dict[str, int]] = {}
        self._easy_texts: dict[str, bool] = {}

    def explore(self, position: fc.Position, decision: Decision, depth: int) -> _Node:
        """Return a decision with those that follow it, up to a number of moves to find. What cannot
        be proven within the limits is not asked.
        """
        following = []
        for move in decision.best if depth > 1 else ():
            try:
                found = self._find_next(position.play(move), (*decision.after, move))
            except fc.SolverLimit:
                found = None
            if found is None:
                continue
            node = self.explore(found[0], found[1], depth - 1)
            # What an easy level finds may come between, but a puzzle does not end with it.
            if node.following or not self._is_easy(*found):
                following.append(node)
        return _Node(decision, tuple(following))

    def _find_next(self, position: fc.Position, played: tuple[str, ...]) -> tuple[fc.Position, Decision] | None:
        """Return the solver's next decision after the best defence, if it is worth a question: the one that an easy
        level does not find, with the fewest best moves, and where the most is to lose. Raise SolverLimit.
        """
        found = []
        for reply, after in self._list_defences(position):
            values = self._solve(after)
            best = list_best_moves(values)
            others = [worth for worth in values.values() if worth < values[best[0]]]
            if not others or not self._is_worth_asking(after, best, len(values)):
                continue
            decision = Decision(
                after=(*played, *reply), best=tuple(best), value=values[best[0]], next_value=max(others)
            )
            found.append((len(best), decision.next_value - decision.value, decision.after, after, decision))
        found.sort(key=lambda each: each[:3])
        hardest = (each[3:] for each in found if not self._is_easy(*each[3:]))
        return next(hardest, found[0][3:]) if found else None

    def _list_defences(self, position: fc.Position) -> Iterator[tuple[tuple[str, ...], fc.Position]]:
        """Yield the best moves of the opponent until the solver's turn, none if it is the solver's turn already."""
        waiting: list[tuple[tuple[str, ...], fc.Position]] = [((), position)]
        tried = 0
        while waiting and tried < _MOST_DEFENCES:
            moves, position = waiting.pop()
            if position.seat is None:
                continue
            if position.seat == self._seat:
                tried += 1
                yield moves, position
                continue
            best = list_best_moves(self._solve(position))
            waiting += [((*moves, move), position.play(move)) for move in reversed(best)]

    def _is_worth_asking(self, position: fc.Position, best: Sequence[str], count: int) -> bool:
        """Return whether a position of the solver has few best moves, and whether the solver knows all that decides."""
        if not position.game.spec.can_know_all(position.record, self._seat):
            return False
        return count >= _LEAST_MOVES and len(best) <= min(_MOST_BEST, _MOST_BEST_SHARE * count)

    def _is_easy(self, position: fc.Position, decision: Decision) -> bool:
        """Return whether the easy level finds a decision."""
        text = position.text
        if text not in self._easy_texts:
            # The history would let players go on with an earlier search.
            share = count_solved(position.game.position(text), list(decision.best), self._easy)
            self._easy_texts[text] = share >= MOST_SOLVED
        return self._easy_texts[text]

    def _solve(self, position: fc.Position) -> dict[str, int]:
        """Return the values of all moves; raise SolverLimit."""
        text = position.text
        if text not in self._values:
            solver = SolverRun(self._backend, SolveBudget(nodes=_NODES))
            self._values[text] = dict(solver.solve(position, every_move=True, skip_nimber=True).values)
        return self._values[text]

    def find_main_line(self, puzzle: Puzzle) -> tuple[str, ...]:
        """Return best play along the first best move of each decision, and then to the end; raise SolverLimit."""
        decision = puzzle.list_main_decisions()[-1]
        solver = SolverRun(self._backend, SolveBudget(nodes=20 * _NODES))
        position = puzzle.position.play_line(decision.after)
        return (*decision.after, *find_line(solver, position, decision.best[0]))


def add_later_decisions(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle with all later decisions that are worth asking, and a line that leads along them.

    Of a tree that is too large, the last decisions are left out.
    """
    explorer = _Explorer(puzzle)
    try:
        for depth in range(_MOST_DECISIONS, 0, -1):
            later = tuple(explorer.explore(puzzle.position, puzzle.first, depth).list_later())
            if later and len(later) <= MAX_LATER:
                extended = put_longest_first(replace(puzzle, later=later))
                return replace(extended, line=explorer.find_main_line(extended))
    except fc.SolverLimit:
        pass
    return replace(puzzle, later=())


def put_longest_first(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle whose first best moves are those after which the most moves are still to be found, so that its
    line shows them.
    """

    def order(decision: Decision) -> tuple[str, ...]:
        def count(move: str) -> int:
            following = puzzle.find_next(decision, move)
            return 0 if following is None else puzzle.count_moves(following)[1]

        return tuple(sorted(decision.best, key=lambda move: (-count(move), move)))

    later = tuple(replace(decision, best=order(decision)) for decision in puzzle.later)
    return replace(puzzle, best=order(puzzle.first), later=later)


def extend_puzzles(puzzles: Sequence[Puzzle], jobs: int, enough: int, report: Callable[[int], None]) -> list[Puzzle]:
    """Return puzzles with their later decisions, found by `jobs` processes (0: none but this one).

    Those with the fewest best moves are tried first: their trees are small. Once `enough` have later decisions, the
    rest stay as they are. `report` receives how many are done now and then.
    """
    extended = {puzzle.id: puzzle for puzzle in puzzles}
    found = 0
    ordered = sorted(puzzles, key=lambda puzzle: (len(puzzle.best), puzzle.id))
    for done, puzzle in enumerate(run_in_order(add_later_decisions, ordered, jobs), 1):
        extended[puzzle.id] = puzzle
        found += bool(puzzle.later)
        report(done)
        if found >= enough:
            break
    return list(extended.values())
