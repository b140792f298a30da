"""Positions with one proven best move or a few, which level 2 does not find: candidates for puzzles."""

import json
import math
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

import fourcorners as fc
from benchmarks.puzzles.sets import MOST_BEST_MOVES, MOST_BEST_SHARE, Board, PuzzleSet, find_set
from fourcorners.core.levels import Level
from fourcorners.solve.solver import SolveBudget, Solver, compute_margin, create_backend
from fourcorners.study.exact_values import ExactValues

_MEMORY = 1 << 24  # bytes, for solving a position
_NODES = 50  # simulations of a move in a game
_RANDOM_MOVES = 0.06  # the share of moves played at random, so that games differ
_POSITIONS = 4  # of a game, at most, are proven
_LINE_LENGTH = 16
TRIES = 8
_TRIES_OF_SEARCH = 3
MOST_SOLVED = 0.5
"""A level solves a puzzle if it finds a best move in this share of its tries; level 2 must not."""
_MOST_SIMULATIONS = 1_500
"""Levels that simulate more are not asked: they find nearly all that the solvers prove."""


@dataclass(frozen=True)
class Candidate:
    """A position with the proven margins, from there to the end, of all legal moves.

    `solved` has for each level that was asked, by its number, the share of its tries in which it found a best move.
    `line` is best play, and `refutation` is best play after the best of the other moves.
    """

    source: str
    options: dict[str, Any]
    position: str
    values: dict[str, int]
    solved: dict[str, float]
    line: list[str]
    refutation: list[str]

    @property
    def best(self) -> list[str]:
        """The best moves, sorted."""
        return list_best_moves(self.values)

    @property
    def value(self) -> int:
        """The value of the best moves."""
        return max(self.values.values())

    @property
    def next_value(self) -> int:
        """The value of the best of all other moves."""
        return max(worth for worth in self.values.values() if worth < self.value)

    def to_json(self) -> str:
        """Return the candidate as one line."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the candidate of such a line."""
        return cls(**json.loads(text))


def list_best_moves(values: dict[str, int]) -> list[str]:
    """Return the moves with the highest value, sorted."""
    return sorted(move for move, worth in values.items() if worth == max(values.values()))


def find_candidate(game_id: str, seed: int) -> Candidate | None:
    """Play a game between two levels and return a candidate from it, or None; all follows from the seed."""
    rng = random.Random(f"{game_id}/{seed}")
    puzzle_set = find_set(fc.game(game_id))
    board = rng.choice(puzzle_set.boards)
    game = fc.game(game_id, **board.options)
    positions, levels = play_game(game, puzzle_set, seed, rng)
    return choose_candidate(positions, board, puzzle_set, f"levels {levels[0]} and {levels[1]}, seed {seed}", rng)


def find_candidate_of_record(game_id: str, path: Path) -> Candidate | None:
    """Return a candidate from a record of a game between two; None for another game, or if there is none.

    Raise RecordError and OSError.
    """
    match = fc.Record.replay(path.read_text(encoding="utf-8"))
    if match.game.id != game_id:
        return None
    puzzle_set = find_set(match.game)
    board = Board(match.game.given_options(), range(2, len(match.positions)))
    rng = random.Random(path.name)
    return choose_candidate(match.positions, board, puzzle_set, f"record {path.stem}", rng)


def play_game(
    game: fc.Game, puzzle_set: PuzzleSet, seed: int, rng: random.Random
) -> tuple[list[fc.Position], tuple[int, ...]]:
    """Return all positions of a game between two levels but the last, and the numbers of the levels."""
    levels = game.spec.levels
    numbers = tuple(rng.choice(range(1, len(levels) + 1)[puzzle_set.levels]) for _ in range(game.seats))
    players = [_create_player(levels[number - 1], _NODES, 2 * seed + seat) for seat, number in enumerate(numbers)]
    position, positions = game.start(seed=seed), []
    places = len(position.moves())
    mirrored_plies = rng.randrange(places // 3, places) if rng.random() < puzzle_set.mirrors else 0
    while position.seat is not None:
        positions.append(position)
        moves = position.moves()
        is_mirrored = len(positions) <= mirrored_plies
        image = _mirror_last_move(position) if is_mirrored else ""
        if image in moves:
            move = image
        elif rng.random() < _RANDOM_MOVES:
            move = rng.choice(moves)
        else:
            move = players[position.seat].choose_move(position)
            if is_mirrored and " " in move:
                # To go on mirroring, nobody may answer the symmetry with a move that breaks it.
                move = rng.choice([each for each in moves if " " not in each])
        position = position.play(move)
    return positions, numbers


def _mirror_last_move(position: fc.Position) -> str:
    """Return the last move, if it was the first seat's and named one place, in the mirror that swaps left and right."""
    move = position.history[-1] if position.history else ""
    if position.seat != 1 or " " in move or not move[:1].isalpha() or not move[1:].isdigit():
        return ""
    size = position.game.options.size if hasattr(position.game.options, "size") else 0
    return f"{chr(ord('a') + size - 1 - (ord(move[0]) - ord('a')))}{move[1:]}"


def _create_player(level: Level, nodes: int, seed: int) -> fc.Computer:
    return fc.Computer.from_level(level, nodes=min(level.nodes, nodes) or None, seed=seed)


def choose_candidate(
    positions: list[fc.Position], board: Board, puzzle_set: PuzzleSet, source: str, rng: random.Random
) -> Candidate | None:
    """Return the first candidate among the positions of a game, tried in random order; None if there is none."""
    plies = [len(positions) - left for left in board.plies_left if left < len(positions)]
    suitable = (ply for ply in rng.sample(plies, len(plies)) if _is_suitable(positions[ply], puzzle_set))
    for _, ply in zip(range(_POSITIONS), suitable, strict=False):
        found = _examine(positions[ply], puzzle_set, f"{source}, ply {ply}", rng)
        if found is not None:
            return found
    return None


def _is_suitable(position: fc.Position, puzzle_set: PuzzleSet) -> bool:
    """Return whether a position is small enough to be proven, and its seat knows all that decides."""
    spec, record = position.game.spec, position.record
    if position.seat is None or position.game.seats != 2:
        return False
    if spec.hidden and not spec.can_infer_hands(record, position.seat):
        return False
    cost = math.inf if spec.estimate_cost is None else spec.estimate_cost(record)
    return (
        cost <= puzzle_set.most_cost and puzzle_set.least_moves <= len(position.moves()) <= puzzle_set.most_moves
    )


def _examine(
    position: fc.Position, puzzle_set: PuzzleSet, source: str, rng: random.Random
) -> Candidate | None:
    """Prove all moves of a position, and ask the levels; return None if it is no puzzle or cannot be proven."""
    # The history would let players go on with an earlier search.
    position = position.game.position(position.text)
    if not _has_few_best_moves(position, puzzle_set):
        return None
    backend = create_backend(position.game, _MEMORY)
    try:
        solution = Solver(backend, SolveBudget(nodes=puzzle_set.most_nodes)).solve(position, every_move=True)
        values = dict(solution.values)
        best, next_value = list_best_moves(values), max(worth for worth in values.values() if worth < solution.value)
        if not _is_decisive(position, solution.value, next_value, puzzle_set.least_gap):
            return None
        solved = ask_levels(position, best)
        if _is_easy(solved) and rng.random() > puzzle_set.easy_share:
            return None
        solver = Solver(backend, SolveBudget(nodes=4 * puzzle_set.most_nodes))
        second = min(move for move, worth in values.items() if worth == next_value)
        line, refutation = (find_line(solver, position, move) for move in (best[0], second))
    except fc.SolverLimit:
        return None
    return Candidate(source, position.game.given_options(), position.text, values, solved, line, refutation)


def _has_few_best_moves(position: fc.Position, puzzle_set: PuzzleSet) -> bool:
    """Return whether a position has few best moves, as far as can be proven quickly, and level 2 finds them rarely."""
    most = int(min(MOST_BEST_MOVES, MOST_BEST_SHARE * len(position.moves())))
    budget = SolveBudget(nodes=puzzle_set.most_nodes)
    best = ExactValues(position.game).find_best_moves(position, budget, limit=most + 1)
    return 0 < len(best) <= most and count_solved(position, best, position.game.spec.levels[1]) < MOST_SOLVED


def _is_easy(solved: dict[str, float]) -> bool:
    """Return whether all levels above level 2 find a best move in half of their tries."""
    return all(share >= MOST_SOLVED for number, share in solved.items() if int(number) > 2)


def _is_decisive(position: fc.Position, value: int, next_value: int, least_gap: int) -> bool:
    """Return whether the best moves are better by the gap and change who wins, or are better by twice the gap."""
    margin, gap = compute_margin(position, position.seat or 0), value - next_value
    if position.game.spec.scoring == "last-move":
        return gap >= least_gap
    results = {np.sign(margin + value), np.sign(margin + next_value)}
    return gap >= least_gap and (len(results) > 1 or gap >= 2 * least_gap)


def ask_levels(position: fc.Position, best: list[str]) -> dict[str, float]:
    """Return how often each level that does not think long finds a best move, by its number."""
    return {
        str(number): count_solved(position, best, level)
        for number, level in enumerate(position.game.spec.levels, 1)
        if level.nodes <= _MOST_SIMULATIONS and not level.solves
    }


def count_solved(position: fc.Position, best: list[str], level: Level) -> float:
    """Return the share of its tries, one for each seed from 0 on, in which a level finds a best move."""
    tries = _TRIES_OF_SEARCH if level.nodes else TRIES
    players = (fc.Computer.from_level(level, nodes=level.nodes or None, seed=seed) for seed in range(tries))
    return sum(player.choose_move(position) in best for player in players) / tries


def find_line(solver: Solver, position: fc.Position, move: str) -> list[str]:
    """Return a move and best play after it, up to a number of plies; raise SolverLimit."""
    line: list[str] = []
    while True:
        line.append(move)
        position = position.play(move)
        if position.seat is None or len(line) == _LINE_LENGTH:
            return line
        move, _ = solver.find_best_move(position, position.moves())


