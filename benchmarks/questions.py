"""Find the positions of the yardstick: `python -m benchmarks.questions GAME --seed 1 > FILE`.

Games between two levels, in which the weakest level makes some moves, are played to the end. Their positions count
whose moves differ and are all solved within the limit of nodes. They are divided into three strata by the number of
legal moves, and of each as many are drawn. The output has what the seat to move sees of them, with the final margins of
all moves, sorted by their texts.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import fourcorners as fc
from benchmarks.reviews import LEVELS
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.players.engine_match import change_seed

POSITIONS, NODES, STRATA = 200, 200_000, ("early", "middle", "late")
BOARDS: dict[str, dict[str, Any]] = {
    "squarin-off": {"cols": 4, "rows": 4, "blockers": 1},
    "dots-and-boxes": {"cols": 5, "rows": 5},
    "square-off": {"size": 6},
    "squendo": {},
    "sqez": {"cols": 8, "rows": 8},
}
_OPENING = 2  # random plies at the start of each game
_RANDOM_MOVES = 0.2  # the share of moves of the weakest level, so that there are errors of all kinds


class Found(NamedTuple):
    """A position, and the final margin of each move."""

    position: fc.Position
    margins: dict[str, int]


def play_game(game: fc.Game, levels: tuple[int, ...], seed: int) -> Iterator[fc.Position]:
    """Yield the positions of a game, all of which follows from the seed."""
    rng = random.Random(seed)
    players = [fc.Computer(level, nodes=30, seed=3 * seed + number) for number, level in enumerate((*levels, 1))]
    position = game.start(seed=seed)
    while position.seat is not None:
        yield position
        player = players[-1] if rng.random() < _RANDOM_MOVES else players[position.seat]
        is_opening = len(position.plies) < _OPENING
        position = position.play(rng.choice(position.moves()) if is_opening else player.choose_move(position))
        change_seed(player)


def knows_all(position: fc.Position) -> bool:
    """Return whether what is hidden from the seat to move follows from what it knows."""
    states = position.view(position.seat).states.copy()
    if position.game.spec.hidden:
        compiled_api.deal(states, 0, new_rng(1))
    return states.tobytes() == position.states.tobytes()


def find(game: fc.Game, levels: tuple[int, ...], seed: int, nodes: int) -> Iterator[Found]:
    """Yield the positions of a game whose moves are solved with so many nodes, and of which some are not best."""
    solver, failures = fc.Solver(game), 0
    for position in reversed(list(play_game(game, levels, seed))):
        if not knows_all(position):
            return
        try:
            solution = solver.solve(position, nodes=nodes, every_move=True)
        except fc.SolverLimit:
            failures += 1
            if failures > 1:
                return  # earlier positions are harder still
            continue
        lead = solution.final_margin - solution.remaining_margin
        margins = {move: lead + value for move, value in solution.values.items()}
        if len(set(margins.values())) > 1:
            yield Found(position, margins)


def choose(game: fc.Game, levels: tuple[int, ...], seed: int, nodes: int, count: int) -> dict[str, list[Found]]:
    """Return `count` positions by stratum, drawn from at least three times as many, of a quarter as many games."""
    rng = random.Random(seed)
    found: dict[str, Found] = {}
    games = 0
    while len(found) < 3 * count or games < count // 4:
        games += 1
        found |= {each.position.text: each for each in find(game, levels, rng.getrandbits(32), nodes)}
        print(f"{games} games, {len(found)} positions", file=sys.stderr)
    ordered = sorted(found.values(), key=lambda each: (-len(each.margins), each.position.text))
    chosen: dict[str, list[Found]] = {}
    for number, stratum in enumerate(STRATA):
        size = (number + 1) * count // len(STRATA) - number * count // len(STRATA)
        third = ordered[number * len(ordered) // len(STRATA) : (number + 1) * len(ordered) // len(STRATA)]
        chosen[stratum] = rng.sample(third, size)
    return chosen


def main() -> None:
    """Read the command line, find the positions and print them as JSON."""
    parser = argparse.ArgumentParser(description="Find the positions of the yardstick; JSON on stdout.")
    parser.add_argument("game", choices=BOARDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=NODES, help="the most solver nodes for all moves of a position")
    parser.add_argument("--positions", type=int, default=POSITIONS)
    args = parser.parse_args()
    game = fc.game(args.game, **BOARDS[args.game])
    chosen = choose(game, LEVELS[args.game], args.seed, args.nodes, args.positions)
    rows = [
        [stratum, seat, each.position.view(seat).text, [each.margins[move] for move in sorted(each.margins)]]
        for stratum, found in chosen.items()
        for each in found
        for seat in [each.position.seat]
    ]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    print(f'{{"game": "{args.game}", "options": {json.dumps(BOARDS[args.game])}, "questions": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
