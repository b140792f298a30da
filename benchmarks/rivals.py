"""A match against OpenSpiel's MCTSBot on dots and boxes with equal time per move: `python -m benchmarks.rivals`."""

import argparse
import json
import random
from collections.abc import Callable

import fourcorners as fc
from fourcorners.players.engine_match import Score, elo_difference

_EXPLORATION = 2.0
_MEMORY_MB = 2000
_MAX_SIMULATIONS = 10**8


class OpenSpielPlayer:
    """OpenSpiel's MCTSBot, which searches for a fixed time per move."""

    def __init__(self, size: int, seconds: float, seed: int) -> None:
        """Load the game for `size` boxes a side, with `seconds` per move; raise ImportError without OpenSpiel."""
        import pyspiel  # noqa: PLC0415  # not on every system

        self._spiel = pyspiel
        self.game = pyspiel.load_game(f"dots_and_boxes(num_rows={size},num_cols={size})")
        self._names = list_edge_names(size, size)
        self._seconds, self._seed = seconds, seed

    def choose(self, position: fc.Position) -> str:
        """Return the bot's move, as our text, in a position that has been played from the start; block for the time.

        The position must not be over. Every call is a new search.
        """
        state = self.game.new_initial_state()
        for move in position.history:
            state.apply_action(self._names.index(move))
        spiel = self._spiel
        evaluator = spiel.RandomRolloutEvaluator(1, self._seed)
        policy = spiel.ChildSelectionPolicy.UCT
        limits = (_MAX_SIMULATIONS, _MEMORY_MB, True, self._seed, False, policy, self._seconds)
        action = int(spiel.MCTSBot(self.game, evaluator, _EXPLORATION, *limits).step(state))
        return self._names[action]


def list_edge_names(cols: int, rows: int) -> list[str]:
    """Return our moves in the order of OpenSpiel's actions, for a board of `cols` x `rows` boxes.

    These are the horizontal edges row by row from the top, each row from the left, then the vertical ones likewise.
    """

    def name_dot(column: int, row_from_top: int) -> str:
        """Return our name of a dot; both numbers count from 0."""
        return f"{'abcdefghijklmnopqrstu'[column]}{rows + 1 - row_from_top}"

    horizontal = [name_dot(x, y) + name_dot(x + 1, y) for y in range(rows + 1) for x in range(cols)]
    vertical = [name_dot(x, y + 1) + name_dot(x, y) for y in range(rows) for x in range(cols + 1)]
    return horizontal + vertical


def play_match(size: int, seconds: float, games: int, report: Callable[[Score], None]) -> Score:
    """Play pairs of games from random openings of two moves, with the seats exchanged; return our score.

    `games`, at least 2, is rounded down to pairs, and `seconds` is the time per move of both players. `report` gets the
    score so far after each pair.
    """
    shares: list[float] = []
    game = fc.game("dots-and-boxes", cols=size, rows=size)
    for opening in range(games // 2):
        rng = random.Random(opening)
        start = game.start()
        for _ in range(2):
            start = start.play(rng.choice(start.moves()))
        share = 0.0
        for ours in (0, 1):
            position, us, them = start, fc.Computer(seconds=seconds), OpenSpielPlayer(size, seconds, opening + 1)
            while position.seat is not None:
                move = us.choose(position).move if position.seat == ours else them.choose(position)
                position = position.play(move)
            winners = position.outcome.winners if position.outcome else ()
            share += (ours in winners) / max(1, len(winners))
        shares.append(share / 2)
        report(Score(tuple(shares), 2 * len(shares)))
    return Score(tuple(shares), 2 * len(shares))


def main() -> None:
    """Read the command line, play the match and print the score as JSON, after a line of progress for each pair."""
    parser = argparse.ArgumentParser(description="Play OpenSpiel's MCTSBot; JSON on stdout.")
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds per move, for both players")
    parser.add_argument("--games", type=int, default=200)
    args = parser.parse_args()

    def print_score(score: Score) -> None:
        """Print the number of games and our share of the points so far."""
        print(f"{score.games} games: {score.mean:.1%}", flush=True)

    score = play_match(args.size, args.seconds, args.games, print_score)
    low, high = score.interval
    found = {"games": score.games, "share": score.mean, "low": low, "high": high, "elo": elo_difference(score.mean)}
    print(json.dumps({"size": args.size, "seconds": args.seconds, **found}, indent=2))


if __name__ == "__main__":
    main()
