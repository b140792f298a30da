"""The computer's levels for Squarin' Off: each level but the last is blind to something that the next one sees."""

from fourcorners.core.levels import Level

_NO_HANDOUTS = (1.0, 1.0, 0.0, 0.0, 1.0)
LEVELS = (
    Level("newcomer", "does not see what it gives away", 0, 1.0, (0.0, 0.0, 0.0, 0.0, 0.0)),
    Level("careful", "does not see which chain is the cheapest", 0, 1.0, (1.0, 0.0, 0.0, 0.0, 0.0)),
    Level("thrifty", "takes everything it can and never gives a few boxes back to keep control", 0, 1.0, _NO_HANDOUTS),
    Level("sly", "does not count who will run out of safe moves first", 0, 1.0, (1.0, 1.0, 1.0, 0.0, 1.0)),
    Level("counting", "counts only the last few safe moves", 60, 1.0, (1.0, 1.0, 1.0, 1.0, 1.0)),
    Level("strong", "does not solve the endgame exactly", 2_000, 1.5, (1.0, 1.0, 1.0, 1.0, 1.0)),
    Level("strongest", "", 10_000_000, 3.0, (1.0, 1.0, 1.0, 1.0, 1.0), solves=True),
)
"""The weights are those of `evaluate.py`: SAFE_EDGES, CHEAPEST_CHAIN, HANDOUTS, COUNTING, BLOCKERS."""

BASELINES = {"greedy": Level("greedy", "draws safe edges at random", 0, 1.0, (1.0, 1.0, 1.0, 0.0, 1.0))}
"""A player that knows chains: random safe moves, then the cheapest chain, and handouts to keep control."""
