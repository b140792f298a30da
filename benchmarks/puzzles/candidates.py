"""Positions with one proven best move or a few, which an easy level does not find: candidates for puzzles."""

import json
import math
import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

import fourcorners as fc
from benchmarks.puzzles.sets import PuzzleSet, find_set
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import change_seed
from fourcorners.players.levels import Level
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, compute_margin
from fourcorners.study.exact_values import ExactValues

MEMORY = 1 << 24  # bytes, for solving a position
_NODES = 50  # simulations of a move in a game
_RANDOM_MOVES = 0.06  # the share of moves played at random, so that games differ
_RANDOM_MIRRORED_MOVES = 0.5
_POSITIONS = 4  # of a game, at most, are proven
_LINE_LENGTH = 16
TRIES = 8
_TRIES_OF_SEARCH = 3
MOST_SOLVED = 0.5
"""A level solves a puzzle if it finds a best move in this share of its tries; the easy level of a set must not."""
_MOST_MARGIN = 10
"""A game that is won by more points with a best move and with any other one is decided by far."""
_MOST_SIMULATIONS = 20_000
"""Levels that simulate more are not asked: they find nearly everything that can be proven, and take seconds."""


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
    played = play_game(game, puzzle_set, seed, rng)
    plies_left = range(1, len(played.positions) + 1) if played.is_mirrored else board.plies_left
    return choose_candidate(played.positions, plies_left, puzzle_set, f"{played.source}, seed {seed}", rng)


def find_candidate_of_record(game_id: str, path: Path) -> Candidate | None:
    """Return a candidate from a record of a game between two; None for another game, or if there is none.

    Raise RecordError and OSError.
    """
    match = fc.Record.replay(path.read_text(encoding="utf-8"))
    if match.game.id != game_id:
        return None
    puzzle_set = find_set(match.game)
    rng = random.Random(path.name)
    return choose_candidate(match.positions, range(1, len(match.positions)), puzzle_set, f"record {path.stem}", rng)


class PlayedGame(NamedTuple):
    """All positions of a game but the last, who played it, and whether it is the beginning of a mirrored game."""

    positions: list[fc.Position]
    source: str
    is_mirrored: bool = False


def play_game(game: fc.Game, puzzle_set: PuzzleSet, seed: int, rng: random.Random) -> PlayedGame:
    """Play a game between two levels, or the beginning of one whose second seat mirrors what the first one does."""
    levels = game.spec.part(ComputerPlay).levels
    numbers = tuple(rng.choice(range(1, len(levels) + 1)[puzzle_set.levels]) for _ in range(game.seats))
    players = [_create_player(levels[number - 1], _NODES, 2 * seed + seat) for seat, number in enumerate(numbers)]
    position, positions = game.start(seed=seed), []
    if rng.random() < puzzle_set.mirrors:
        return PlayedGame(play_mirrored_game(position, players[0], rng), f"level {numbers[0]} mirrored", True)
    while position.seat is not None:
        positions.append(position)
        player = players[position.seat]
        is_random = rng.random() < _RANDOM_MOVES
        position = position.play(rng.choice(position.moves()) if is_random else player.choose_move(position))
        change_seed(player)
    return PlayedGame(positions, f"levels {numbers[0]} and {numbers[-1]}")


def play_mirrored_game(position: fc.Position, player: fc.Computer, rng: random.Random) -> list[fc.Position]:
    """Return the positions of the beginning of a game whose second seat repeats each move in the same mirror.

    Moves must be cells of a square board. Half of the first seat's moves are random, and all are single cells.
    """
    places = position.moves()
    size = math.isqrt(len(places))
    flips = rng.choice([(True, False), (False, True), (True, True)])
    positions = [position]
    for _ in range(rng.randrange(len(places) // 4, len(places) // 2)):
        move = player.choose_move(position)
        change_seed(player)
        if move not in places or rng.random() < _RANDOM_MIRRORED_MOVES:
            move = rng.choice([each for each in position.moves() if each in places])
        position = position.play(move)
        positions.append(position)
        image = mirror_cell(move, size, flips)
        if image not in position.moves():
            break
        position = position.play(image)
        positions.append(position)
    return positions


def mirror_cell(cell: str, size: int, flips: tuple[bool, bool]) -> str:
    """Return the image of a cell such as "b3" of a board if left and right, or top and bottom, are exchanged."""
    column, row = ord(cell[0]) - ord("a"), int(cell[1:]) - 1
    column, row = (size - 1 - n if flip else n for n, flip in zip((column, row), flips, strict=True))
    return f"{chr(ord('a') + column)}{row + 1}"


def _create_player(level: Level, nodes: int, seed: int) -> fc.Computer:
    return fc.Computer.from_level(level, nodes=min(level.nodes, nodes) or None, seed=seed)


def choose_candidate(
    positions: list[fc.Position], plies_left: Iterable[int], puzzle_set: PuzzleSet, source: str, rng: random.Random
) -> Candidate | None:
    """Return the first candidate among the positions of a game, tried in random order; None if there is none.

    `plies_left` says how far from the end of the list a position may be: 1 is the last one.
    """
    plies = [len(positions) - left for left in plies_left if left <= len(positions)]
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
    if not spec.can_know_all(record, position.seat):
        return False
    estimate_cost = spec.part(ExactPlay).estimate_cost
    cost = math.inf if estimate_cost is None else estimate_cost(record)
    return cost <= puzzle_set.most_cost and puzzle_set.least_moves <= len(position.moves()) <= puzzle_set.most_moves


def _examine(position: fc.Position, puzzle_set: PuzzleSet, source: str, rng: random.Random) -> Candidate | None:
    """Prove all moves of a position, and ask the levels; return None if it is no puzzle or cannot be proven."""
    # The history would let players go on with an earlier search.
    position = position.game.position(position.text)
    if not _has_few_best_moves(position, puzzle_set):
        return None
    backend = create_backend(position.game, MEMORY)
    try:
        solver = SolverRun(backend, SolveBudget(nodes=puzzle_set.most_nodes))
        solution = solver.solve(position, every_move=True, skip_nimber=True)
        values = dict(solution.values)
        best, next_value = (
            list_best_moves(values),
            max(worth for worth in values.values() if worth < solution.remaining_margin),
        )
        if not is_decisive(position, solution.remaining_margin, next_value, puzzle_set):
            return None
        solved = ask_levels(position, best)
        if _is_easy(solved, puzzle_set.easy_level) and rng.random() > puzzle_set.easy_share:
            return None
        solver = SolverRun(backend, SolveBudget(nodes=4 * puzzle_set.most_nodes))
        second = min(move for move, worth in values.items() if worth == next_value)
        line, refutation = (find_line(solver, position, move) for move in (best[0], second))
    except fc.SolverLimit:
        return None
    return Candidate(source, position.game.given_options(), position.text, values, solved, line, refutation)


def _has_few_best_moves(position: fc.Position, puzzle_set: PuzzleSet) -> bool:
    """Return whether a position has few best moves, as far as can be proven quickly, and the easy level finds them
    rarely.
    """
    most = int(min(puzzle_set.most_best, puzzle_set.most_best_share * len(position.moves())))
    budget = SolveBudget(nodes=puzzle_set.most_nodes)
    best = ExactValues(position.game).find_best_moves(position, budget, limit=most + 1)
    easy = position.game.spec.part(ComputerPlay).levels[puzzle_set.easy_level - 1]
    return 0 < len(best) <= most and count_solved(position, best, easy) < MOST_SOLVED


def _is_easy(solved: dict[str, float], easy_level: int) -> bool:
    """Return whether all levels above the easy one, by its number, find a best move in half of their tries."""
    return all(share >= MOST_SOLVED for number, share in solved.items() if int(number) > easy_level)


def is_decisive(position: fc.Position, value: int, next_value: int, puzzle_set: PuzzleSet) -> bool:
    """Return whether the best moves are better by the least gap and change who wins, or are better by the clear gap in
    a game that is not decided by far.
    """
    lead, gap = compute_margin(position, position.seat or 0), value - next_value
    best, other = lead + value, lead + next_value
    if position.game.spec.scoring == "last-move" or np.sign(best) != np.sign(other):
        return gap >= puzzle_set.least_gap
    return gap >= puzzle_set.clear_gap and min(abs(best), abs(other)) <= _MOST_MARGIN


def ask_levels(position: fc.Position, best: list[str]) -> dict[str, float]:
    """Return how often each level that does not think long finds a best move, by its number."""
    return {
        str(number): count_solved(position, best, level)
        for number, level in enumerate(position.game.spec.part(ComputerPlay).levels, 1)
        if level.nodes <= _MOST_SIMULATIONS
    }


def count_solved(position: fc.Position, best: list[str], level: Level) -> float:
    """Return the share of its tries, one for each seed from 0 on, in which a level finds a best move."""
    tries = _TRIES_OF_SEARCH if level.nodes else TRIES
    players = (fc.Computer.from_level(level, nodes=level.nodes or None, seed=seed) for seed in range(tries))
    return sum(player.choose_move(position) in best for player in players) / tries


def find_line(solver: SolverRun, position: fc.Position, move: str) -> list[str]:
    """Return a move and best play after it, up to a number of plies; raise SolverLimit."""
    line: list[str] = []
    while True:
        line.append(move)
        position = position.play(move)
        if position.seat is None or len(line) == _LINE_LENGTH:
            return line
        move, _ = solver.find_best_move(position, position.moves())
