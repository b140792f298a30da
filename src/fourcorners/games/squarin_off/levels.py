"""How well the computer plays Squarin' Off: each level below the last is blind to something that the next one sees."""

from __future__ import annotations

from fourcorners.core.levels import Level

LEVELS = (
    Level("newcomer", "does not see what it gives away", 0, 1.0, (0.0, 0.0, 0.0, 0.0, 0.0)),
    Level("careful", "does not see which chain is the shortest", 0, 1.0, (1.0, 0.0, 0.0, 0.0, 0.0)),
    Level("thrifty", "takes all it can and never hands anything out", 0, 1.0, (1.0, 1.0, 0.0, 0.0, 1.0)),
    Level("sly", "does not count who will run out of safe moves", 0, 1.0, (1.0, 1.0, 1.0, 0.0, 1.0)),
    Level("counting", "counts the last few safe moves only", 60, 1.0, (1.0, 1.0, 1.0, 1.0, 1.0)),
    Level("strong", "does not work out the end exactly", 2_000, 1.5, (1.0, 1.0, 1.0, 1.0, 1.0)),
    Level("strongest", "", 10_000_000, 3.0, (1.0, 1.0, 1.0, 1.0, 1.0), solves=True),
)
"""The weights are those of `evaluate.py`: SAFE, CHEAP, HANDS, COUNTS, CUTS."""

BASELINES = {
    "greedy": Level("greedy", "draws safe edges at random", 0, 1.0, (1.0, 1.0, 1.0, 0.0, 1.0)),
}
"""Aware of chains: safe moves at random, then the cheapest chain, all taken but what is handed out to keep control."""
