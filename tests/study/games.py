"""Finished games to review."""

import functools
import random
from typing import Any

import fourcorners as fc


def play_random_match(name: str, seed: int, **options: Any) -> fc.Match:
    """Return a match of random moves to the end, always the same for a seed."""
    rng, match = random.Random(seed), fc.Match(fc.game(name, **options), seed=seed, date="2026-11-23", nonce="")
    while not match.is_over:
        match.play(rng.choice(match.position.moves()))
    return match


@functools.lru_cache(maxsize=1)
def review_small_game() -> fc.Review:
    """Review a random game of two boxes, all of it by proof; kept, because many tests look at it."""
    return fc.review(play_random_match("dots-and-boxes", 5, cols=2, rows=1), nodes=5, seed=1)


class Minimax:
    """Final margins by plain minimax over positions of two seats, to compare the solvers with."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._known: dict[bytes, int] = {}

    def find_margin(self, position: fc.Position) -> int:
        """Return the final margin of seat 0 with best play: in a game without points, 1 or -1."""
        key = position.states.tobytes()
        if key not in self._known:
            self._known[key] = self._search(position)
        return self._known[key]

    def _search(self, position: fc.Position) -> int:
        if position.is_over:
            return position.scores[0] - position.scores[1]
        margins = [self.find_margin(position.play(move)) for move in position.moves()]
        return max(margins) if position.seat == 0 else min(margins)
