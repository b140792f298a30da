"""Compare estimates of Dots and Boxes positions with their exact values: `python -m benchmarks.estimates`.

For each number of safe strings it prints how often the winner of Nimstring wins, the part of the counted margin that
this winner gets (by least squares: the figures in `exact/expectation.py`), and the mean absolute error of the estimate.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.core.dispatch import States
from fourcorners.core.jit import kernel
from fourcorners.core.margin_protocol import UNIT, Work, create_work
from fourcorners.games.squarin_off.exact import expectation, joints, margin, nimstring
from fourcorners.games.squarin_off.exact.graph import list_open_boxes
from fourcorners.games.squarin_off.rules import SIDES
from fourcorners.solve.margins import MarginSolver, MarginTask

_MEMORY = 1 << 28
_MAX_NODES = 3_000_000  # positions that take more to solve are left out
_NIMSTRING_PARTS = 1_000_000
_NOISE = 0.1  # the chance of a move that may give boxes away


@kernel
def _rate(boards: States, nodes: States, work: Work, out: NDArray[np.int64]) -> None:
    """Write safe strings, the margin that chains count, the winner of Nimstring, and the estimate to `out`, (4,)."""
    out[0], out[1] = expectation.count_out(boards[0], nodes[0], work.nodes[0])
    single_moves = nimstring.count_single_moves(nodes[0])
    out[2], _ = nimstring.find_winner(boards[0], nodes[0].free, single_moves, work, _NIMSTRING_PARTS)
    out[3] = expectation.estimate(boards[0], nodes[0], work)


def draw_positions(size: int, least: int, most: int, rng: random.Random) -> Iterator[fc.Position]:
    """Yield positions with `least` to `most` free edges, one from each game, for ever; most moves complete no box."""
    start = fc.game("dots-and-boxes", cols=size, rows=size).start()
    while True:
        position, left = start, rng.randint(least, most)
        while len(position.moves()) > left:
            moves = rng.sample(position.moves(), min(6, len(position.moves())))
            following = [position.play(move) for move in moves]
            # A move that lets the opponent complete a box is seen only after the next one, so look one move further.
            safe = [each for each in following if not _can_complete_box(each)]
            position = rng.choice(safe) if safe and rng.random() > _NOISE else following[0]
        if not position.is_over and not _can_complete_box(position):
            yield position


def _can_complete_box(position: fc.Position) -> bool:
    """Return whether the seat to move can complete a box."""
    s = position.record
    return any(int(s.box[box]) & SIDES == 3 for box in list_open_boxes(s))


def collect_rows(count: int, size: int, least: int, most: int, seed: int) -> list[list[int]]:
    """Return `count` rows of what `_rate` says of a position, and its exact value."""
    positions = draw_positions(size, least, most, random.Random(seed))
    solver = MarginSolver(fc.game("dots-and-boxes", cols=size, rows=size), _MEMORY)
    memory = np.zeros(1 << 19, np.uint64)
    rows: list[list[int]] = []
    while len(rows) < count:
        position = next(positions)
        boards, nodes = margin.enter(None, position.record)
        converted = joints.convert_board(boards, nodes)
        if converted is None:
            raise AssertionError("in Dots and Boxes all boxes are worth 1")
        task = MarginTask(solver, *converted)
        while task.nodes < _MAX_NODES and not task.advance(10_000):
            pass
        if task.is_done:
            work, out = create_work(margin.NODE, int(boards["most_plies"][0]), memory), np.zeros(4, np.int64)
            _rate(boards, nodes, work, out)
            rows.append([*map(int, out), task.lower])
    return rows


def summarise(rows: list[list[int]]) -> dict[int, dict[str, float]]:
    """Return the figures by the number of safe strings."""
    groups: dict[int, list[list[int]]] = defaultdict(list)
    for row in rows:
        groups[row[0]].append(row)
    summary = {}
    for safe, group in sorted(groups.items()):
        _, counted, winner, estimate, value = np.array(group, np.float64).T
        known = winner != nimstring.UNDECIDED
        signs = np.where(winner == nimstring.WIN, 1.0, -1.0)
        expected = (signs * np.abs(counted))[known]
        part = float(expected @ value[known]) / max(1.0, float(expected @ expected))
        summary[safe] = {
            "positions": len(group),
            "winner_of_nimstring_wins": round(float(np.mean(value[known] * signs[known] > 0)), 3),
            "part_of_256": round(256 * part),
            "mean_error": round(float(np.mean(np.abs(estimate / UNIT - value))), 2),
        }
    return summary


def main() -> None:
    """Read the command line, compare and print the figures as JSON."""
    parser = argparse.ArgumentParser(description="Compare estimates with exact values; JSON on stdout.")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--size", type=int, default=5, help="columns and rows")
    parser.add_argument("--least", type=int, default=26, help="the least number of free edges")
    parser.add_argument("--most", type=int, default=38, help="the largest number of free edges")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rows = collect_rows(args.positions, args.size, args.least, args.most, args.seed)
    print(json.dumps(summarise(rows), indent=2))


if __name__ == "__main__":
    main()
