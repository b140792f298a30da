"""Random positions of Square Off for tests."""

import random

import fourcorners as fc


def play_random_positions(count: int) -> list[fc.Position]:
    """Return `count` positions of random games of random length, none of them over, on boards of several sizes.
    Position number i is the same for every count.
    """
    found = []
    for seed in range(count):
        rng = random.Random(seed)
        position = fc.game("square-off", size=rng.choice([4, 6, 8, 8, 10, 14])).start()
        # Every move but the swap takes a cell, so with fewer moves than cells no game is over.
        for _ in range(rng.randrange(int(position.record.side) ** 2)):
            position = position.play(rng.choice(position.moves()))
        found.append(position)
    return found
