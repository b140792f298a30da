"""A match against OpenSpiel's MCTSBot on dots and boxes at the same time a move: `python -m benchmarks.rivals`."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable

import fourcorners as fc
from fourcorners.players.engine_match import Score, elo_difference

_EXPLORATION = 2.0
_MEMORY_MB = 2000
_MOST_SIMULATIONS = 10**8


class Theirs:
    """OpenSpiel's bot, which is stopped by the clock."""

    def __init__(self, size: int, seconds: float, seed: int) -> None:
        import pyspiel  # noqa: PLC0415  # not on every system

        self._spiel = pyspiel
        self.game = pyspiel.load_game(f"dots_and_boxes(num_rows={size},num_cols={size})")
        self._names = edge_names(size, size)
        self._seconds, self._seed = seconds, seed

    def choose(self, position: fc.Position) -> str:
        """Return the bot's move."""
        state = self.game.new_initial_state()
        for move in position.history:
            state.apply_action(self._names.index(move))
        spiel = self._spiel
        evaluator = spiel.RandomRolloutEvaluator(1, self._seed)
        policy = spiel.ChildSelectionPolicy.UCT
        limits = (_MOST_SIMULATIONS, _MEMORY_MB, True, self._seed, False, policy, self._seconds)
        action = int(spiel.MCTSBot(self.game, evaluator, _EXPLORATION, *limits).step(state))
        return self._names[action]


def edge_names(cols: int, rows: int) -> list[str]:
    """Name the edges in OpenSpiel's order: rows of dots from the top, then upright edges row by row from the top."""

    def dot(column: int, row_from_top: int) -> str:
        return f"{'abcdefghijklmnopqrstu'[column]}{rows + 1 - row_from_top}"

    lying = [dot(x, y) + dot(x + 1, y) for y in range(rows + 1) for x in range(cols)]
    upright = [dot(x, y + 1) + dot(x, y) for y in range(rows) for x in range(cols + 1)]
    return lying + upright


def play(size: int, seconds: float, games: int, tell: Callable[[Score], None]) -> Score:
    """Play pairs of games from the same random opening of two moves, seats in turn; return our score."""
    shares: list[float] = []
    game = fc.game("dots-and-boxes", cols=size, rows=size)
    for opening in range(games // 2):
        rng = random.Random(opening)
        start = game.start()
        for _ in range(2):
            start = start.play(rng.choice(start.moves()))
        share = 0.0
        for ours in (0, 1):
            position, us, them = start, fc.Computer(seconds=seconds), Theirs(size, seconds, opening + 1)
            while position.seat is not None:
                move = us.choose(position).move if position.seat == ours else them.choose(position)
                position = position.play(move)
            winners = position.outcome.winners if position.outcome else ()
            share += (ours in winners) / max(1, len(winners))
        shares.append(share / 2)
        tell(Score(tuple(shares), 2 * len(shares)))
    return Score(tuple(shares), 2 * len(shares))


def main() -> None:
    """Read the command line, play, print."""
    parser = argparse.ArgumentParser(description="Play OpenSpiel's MCTSBot; JSON on stdout.")
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds per move, for both players")
    parser.add_argument("--games", type=int, default=200)
    given = parser.parse_args()

    def tell(score: Score) -> None:
        print(f"{score.games} games: {score.mean:.1%}", flush=True)

    score = play(given.size, given.seconds, given.games, tell)
    low, high = score.interval
    found = {"games": score.games, "share": score.mean, "low": low, "high": high, "elo": elo_difference(score.mean)}
    print(json.dumps({"size": given.size, "seconds": given.seconds, **found}, indent=2))


if __name__ == "__main__":
    main()
