"""The levels of Sqez, each with its own blind spot, and baselines to measure against."""

from fourcorners.players.levels import Level

_ANSWERS = 500.0
"""The greatest number of legal rectangles at which a level that sees replies examines them."""
_FEW_ANSWERS = 15.0
"""The same for a level that sees answers only near the end."""

LEVELS = (
    Level("beginner", "overlooks moves that end the game", weights=(0.0, 0.0)),
    Level("learner", "looks at the reply only when few rectangles are left", weights=(1.0, _FEW_ANSWERS)),
    Level("careful", "does not look beyond the next reply", weights=(1.0, _ANSWERS), slow=True),
    Level("player", "simulates only seventy games", nodes=70),
    Level("planner", "never splits the field into regions, so it sees the end late", nodes=300),
    Level("thinker", "splits the field into regions at two moves in five", nodes=500, solves=0.4),
    Level("expert", "does not split the field while there are many regions", nodes=500, solves=1.0),
    Level("strongest", "", nodes=10_000_000, seconds=3.0, solves=1.0),
)
BASELINES = {
    "child": Level("child", "overlooks every other move that ends the game", weights=(0.5, 0.0)),
    "random": LEVELS[0],
    "greedy": Level("greedy", "does not look at the reply, which may be the last move", weights=(1.0, 0.0)),
    "search": LEVELS[-1]._replace(name="search", solves=0.0),
}
"""The child has just learned the rules: it sees every other move that would end the game, and else draws anything."""
