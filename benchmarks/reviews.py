"""How long reviews take: a standard game of each kind, between two levels, prints JSON.

    python -m benchmarks.reviews [--seconds 60] [GAME ...]

The time is what a review counts: without compilation, which `fourcorners warm` does ahead of time.
"""

import argparse
import json
import time
from collections import Counter
from typing import Any

import fourcorners as fc
from fourcorners.players.engine_match import change_seed

LEVELS = {
    "squarin-off": (11, 9),
    "dots-and-boxes": (11, 9),
    "square-off": (6, 4),
    "squendo": (4, 3),
    "sqez": (3, 2),
}
"""The levels that play the games: strong enough for sensible games, weak enough for errors."""
GAMES = tuple(LEVELS)


def play_game(name: str, seed: int) -> fc.Match:
    """Return a game of the standard options between two levels, always the same for a seed."""
    levels = LEVELS[name]
    match = fc.Match(fc.game(name), [f"level {level}" for level in levels], seed=seed, date="2026-11-23", nonce="")
    players = [fc.Computer(level, nodes=30, seed=2 * seed + seat) for seat, level in enumerate(levels)]
    while match.seat is not None:
        player = players[match.seat]
        match.play(player.choose_move(match.position))
        change_seed(player)
    return match


def measure_review(name: str, seconds: float, seed: int) -> dict[str, Any]:
    """Review a game and return its figures."""
    match = play_game(name, seed)
    start = time.perf_counter()
    first: list[float] = []
    first_reason: list[float] = []

    def note_first(review: fc.Review) -> None:
        if not first and any(move.label for move in review.moves):
            first.append(review.seconds)
        if not first_reason and any(move.statements and move.best_moves for move in review.errors):
            first_reason.append(review.seconds)

    review = fc.review(match, seconds, progress=note_first)
    labels = Counter(str(move.label) for move in review.moves)
    return {
        "game": name,
        "plies": len(review.moves),
        "seconds": review.seconds,
        "first_result_seconds": first[0] if first else None,
        "first_explained_error_seconds": first_reason[0] if first_reason else None,
        "wall_seconds": round(time.perf_counter() - start, 1),
        "complete": review.is_complete,
        "exact": sum(move.loss is not None and move.loss.exact for move in review.moves),
        "labels": dict(labels.most_common()),
        "statements": sum(len(move.statements) for move in review.moves),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(GAMES)}; by default, all of them")
    parser.add_argument("--seconds", type=float, default=60.0, help="the time of each review")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the games")
    arguments = parser.parse_args()
    for name in arguments.games or GAMES:
        print(json.dumps(measure_review(name, arguments.seconds, arguments.seed)), flush=True)


if __name__ == "__main__":
    main()
