"""Compare estimates of Dots and Boxes positions with their exact values: `python -m benchmarks.estimates`.

For each number of safe strings it prints how often the winner of Nimstring wins, the part of the counted margin that
this winner gets, and the mean absolute error of the estimate; for all of them together, what coins in long chains, long
chains and the move add. These are the figures in `exact/expectation.py`, fitted by least squares.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact import expectation, joints, margin, nimstring
from fourcorners.builtin.squarin_off.exact.graph import list_open_boxes
from fourcorners.builtin.squarin_off.exact.joint_graph import CHAIN, LONGEST_SHORT, SIZE
from fourcorners.builtin.squarin_off.rules import SIDES
from fourcorners.core.arrays import State, States
from fourcorners.core.dispatch import view_record
from fourcorners.core.jit import kernel
from fourcorners.solvers.margin_protocol import UNIT, Work, create_work
from fourcorners.solvers.margins import MarginSolver, MarginTask

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


class Row(NamedTuple):
    """What the engine knows of a position, and its exact value; all but the chains for the seat to move."""

    safe: int
    counted: int
    winner: int
    estimate: int
    long_chains: int
    long_coins: int
    value: int


def collect_rows(count: int, size: int, least: int, most: int, seed: int) -> list[Row]:
    """Return `count` rows from positions drawn with this seed."""
    positions = draw_positions(size, least, most, random.Random(seed))
    solver = MarginSolver(fc.game("dots-and-boxes", cols=size, rows=size), _MEMORY)
    memory = np.zeros(1 << 19, np.uint64)
    rows: list[Row] = []
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
            lengths = list_long_chains(view_record(converted[1]))
            safe, counted, winner, estimate = map(int, out)
            rows.append(Row(safe, counted, winner, estimate, len(lengths), sum(lengths), task.lower))
    return rows


def list_long_chains(node: State) -> list[int]:
    """Return the lengths of the long chains of a node of joints, those between joints included."""
    paths = [int(node.length[path]) for path in range(SIZE) if int(node.open) >> path & 1]
    chains = [length for length in range(SIZE) for _ in range(int(node.counts[CHAIN, length]))]
    return [length for length in paths + chains if length > LONGEST_SHORT]


def fit(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the shares by the number of safe strings, in 256ths, what a coin and a long chain add, in UNIT / 2, and
    what the move is worth, in UNIT: for rows whose winner of Nimstring is known, with few enough safe strings.
    """
    used = [row for row in rows if row.winner != nimstring.UNDECIDED and row.safe <= expectation.MOST_SAFE]
    signs = np.array([1 if row.winner == nimstring.WIN else -1 for row in used])
    shares = np.zeros((len(used), expectation.MOST_SAFE + 1))
    shares[np.arange(len(used)), [row.safe for row in used]] = [abs(row.counted) for row in used]
    chains = [[row.long_coins, row.long_chains] for row in used]
    rest = np.column_stack([np.reshape(chains, (-1, 2)), signs])
    values = signs * [row.value for row in used]
    *parts, coin, chain, tempo = np.linalg.lstsq(np.hstack([shares, rest]), values, rcond=None)[0]
    return {
        "parts_of_256": [round(256 * part) for part in parts],
        "long_coin": round(2 * UNIT * coin),
        "long_chain": round(2 * UNIT * chain),
        "tempo": round(UNIT * tempo),
    }


def summarise(rows: Sequence[Row]) -> dict[int, dict[str, float]]:
    """Return the figures by the number of safe strings."""
    groups: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.safe].append(row)
    summary = {}
    for safe, group in sorted(groups.items()):
        known = [row for row in group if row.winner != nimstring.UNDECIDED]
        wins = [row.value > 0 if row.winner == nimstring.WIN else row.value < 0 for row in known]
        summary[safe] = {
            "positions": len(group),
            "winner_of_nimstring_wins": round(float(np.mean(wins)), 3),
            "mean_error": round(float(np.mean([abs(row.estimate / UNIT - row.value) for row in group])), 2),
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
    print(json.dumps({"fit": fit(rows), "by_safe_strings": summarise(rows)}, indent=2))


if __name__ == "__main__":
    main()
