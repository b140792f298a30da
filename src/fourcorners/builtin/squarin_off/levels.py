"""The computer's levels for Squarin' Off and for Dots and Boxes: each level but the last misses something that the next
one sees.
"""

from functools import partial

from fourcorners.builtin.squarin_off import evaluate
from fourcorners.players.levels import Level, make_weights

_make_weights = partial(make_weights, evaluate)
_CHILD = _make_weights(oversights=0.4)
_CAREFUL = _make_weights(safe_edges=1.0, cheapest_chain=0.05)
_FRUGAL = _make_weights(safe_edges=1.0, cheapest_chain=0.45)
_THRIFTY = _make_weights(safe_edges=1.0, cheapest_chain=0.84)
_FORGETFUL = _make_weights(safe_edges=1.0, cheapest_chain=1.0, handouts=0.38)
_SHREWD = _make_weights(safe_edges=1.0, cheapest_chain=1.0, handouts=0.77, blockers=0.4)
_SLY = _make_weights(safe_edges=1.0, cheapest_chain=1.0, handouts=1.0, blockers=1.0)
_ALL = _make_weights(safe_edges=1.0, cheapest_chain=1.0, handouts=1.0, blockers=1.0, counting=1.0)

_SHARED = (
    Level("newcomer", "overlooks half of the boxes that it could take", weights=_make_weights(oversights=0.5)),
    Level("dreamer", "overlooks two in five of the boxes that it could take", weights=_make_weights(oversights=0.395)),
    Level("dabbler", "overlooks three in ten of the boxes that it could take", weights=_make_weights(oversights=0.3)),
    Level("learner", "overlooks one in five of the boxes that it could take", weights=_make_weights(oversights=0.215)),
    Level("finder", "overlooks one in eight of the boxes that it could take", weights=_make_weights(oversights=0.13)),
    Level(
        "taker", "overlooks one in sixteen of the boxes that it could take", weights=_make_weights(oversights=0.0625)
    ),
    Level("collector", "does not see what it gives away", weights=_make_weights()),
    Level("wary", "checks what it gives away only on every fourth move", weights=_make_weights(safe_edges=0.24)),
    Level("cautious", "checks what it gives away only on every other move", weights=_make_weights(safe_edges=0.5)),
    Level("prudent", "forgets every fourth time to check what it gives away", weights=_make_weights(safe_edges=0.76)),
    Level("careful", "hardly ever sees which chain is the cheapest", weights=_CAREFUL),
    Level("frugal", "overlooks the cheapest chain on every other move", weights=_FRUGAL),
    Level("thrifty", "takes everything it can and never gives a few boxes back to keep control", weights=_THRIFTY),
    Level("forgetful", "mostly forgets to give a few boxes back to keep control", weights=_FORGETFUL),
    Level("shrewd", "now and then forgets to give a few boxes back to keep control", weights=_SHREWD),
    Level("sly", "does not count who will run out of safe moves first", weights=_SLY),
    Level("counting", "counts only the last few safe moves", nodes=20, weights=_ALL),
)
_WEIGHING = Level("weighing", "simulates fewer than a hundred games", nodes=75, weights=_ALL)
_PLANNER = Level("planner", "does not see sacrifices", nodes=150, weights=_ALL)
_SCHEMER = Level("schemer", "hardly ever sees sacrifices", nodes=290, weights=_ALL)
_STRATEGIST = Level("strategist", "simulates too few games to weigh all sacrifices", nodes=420, weights=_ALL)
_STRONG = Level("strong", "does not solve the endgame exactly", nodes=600, weights=_ALL)
_FINISHER = Level(
    "finisher", "simulates few games until it can solve the rest", nodes=1_000, weights=_ALL, solves=1.0, estimates=0.0
)
_MASTER = Level(
    "master",
    "estimates the value of chains only by simulation",
    nodes=4_000,
    seconds=1.5,
    weights=_ALL,
    solves=1.0,
    estimates=0.0,
)
_EXPERT = Level(
    "expert",
    "mostly estimates the value of chains only by simulation",
    nodes=8_000,
    seconds=1.5,
    weights=_ALL,
    solves=1.0,
    estimates=0.4,
)
_STRONGEST = Level("strongest", "", nodes=10_000_000, seconds=3.0, weights=_ALL, solves=1.0)
# A level's knowledge decides games on 10 x 10 boxes more surely than on 5 x 5.
LEVELS = (
    *_SHARED,
    _WEIGHING._replace(nodes=60),
    _PLANNER._replace(nodes=130),
    _SCHEMER._replace(nodes=210),
    Level("tactician", "sees few sacrifices", nodes=300, weights=_ALL),
    _STRATEGIST,
    _STRONG,
    _FINISHER,
    _MASTER._replace(blind="simulates too few games to see which boxes can be given up", nodes=2_200),
    _EXPERT._replace(blind="simulates too few games to foresee what all chains will be worth", estimates=0.0),
    _STRONGEST,
)
DOTS_AND_BOXES_LEVELS = (
    *_SHARED,
    Level("reckoning", "counts little more than the last safe moves", nodes=40, weights=_ALL),
    _WEIGHING,
    _PLANNER,
    _SCHEMER,
    _STRATEGIST._replace(nodes=560),
    _STRONG._replace(nodes=1_000),
    Level(
        "closer",
        "solves the endgame exactly only on two moves in three",
        nodes=1_100,
        weights=_ALL,
        solves=0.65,
        estimates=0.0,
    ),
    _FINISHER._replace(nodes=1_200),
    _MASTER,
    _EXPERT,
    _STRONGEST,
)

BASELINES = {
    "child": Level("child", "overlooks four in ten of the boxes that it could take", weights=_CHILD),
    "greedy": Level("greedy", "draws safe edges at random", weights=_SLY),
}
"""The child has just learned the rules: at six of ten moves it sees the boxes that it can take, else it draws any edge.
Greedy knows chains: it makes random safe moves, then opens the cheapest chain, and hands boxes out to keep control.
"""
