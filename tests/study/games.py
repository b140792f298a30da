"""Finished games to review."""

import functools
import random
from typing import Any

import fourcorners as fc


def play_random_match(name: str, seed: int, **options: Any) -> fc.Match:
    """Return a match of random moves to the end, always the same for a seed."""
    match = fc.Match(fc.game(name, **options), seed=seed, date="2026-11-23", nonce="")
    return play_at_random(match, seed)


def play_random_ending(start: fc.Position, seed: int) -> fc.Match:
    """Return a match from a position on, with random moves to the end, always the same for a seed."""
    return play_at_random(fc.Match(start.game, date="2026-11-23", start=start), seed)


def play_at_random(match: fc.Match, seed: int) -> fc.Match:
    """Play random moves to the end of a match, which is returned."""
    rng = random.Random(seed)
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


class MaxN:
    """Final margins by plain max^n over positions of three or more seats, each for itself, with the solvers' tie-break:
    of moves equally good for the mover the one that is best for the next seat, then for the one after that.
    """

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._known: dict[bytes, tuple[int, ...]] = {}

    def find_margins(self, position: fc.Position) -> tuple[int, ...]:
        """Return the final margins by seat with best play: a seat's points less those of its best rival."""
        key = position.states.tobytes()
        if key not in self._known:
            self._known[key] = self._search(position)
        return self._known[key]

    def _search(self, position: fc.Position) -> tuple[int, ...]:
        scores, count, seat = position.scores, len(position.scores), position.seat
        if seat is None:
            return tuple(own - max(scores[:number] + scores[number + 1 :]) for number, own in enumerate(scores))
        options = [self.find_margins(position.play(move)) for move in position.moves()]
        return max(options, key=lambda margins: [margins[(seat + later) % count] for later in range(count)])
