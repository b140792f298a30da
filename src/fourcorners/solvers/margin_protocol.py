"""The stubs through which the solvers call a game's exact play by dtype, where the score is a margin.

Such a game has a module `exact` with *nodes* of dtype `NODE`, the part of a position that still matters, and *boards*
of dtype `BOARD`, the part that stays the same during one solve, with at least the fields of `BOARD_FIELDS`. Every
thread has a copy of the board and may work in it. The value of a node is the margin of all points still to be scored,
for the party to move.

Besides the stubs below, the module has OPTIONS (see `ExactPlay.exact`) and `enter(options, s) -> (boards, nodes)`,
which Python calls: arrays of one board and one node for a position. It raises `SolverLimit` if the position is too
large. All positions of a game share one table, so a key must mean the same on all its boards.

A module that also has `fill_board` and `fill_node` lets compiled code enter many records at once, as labels do.

A module that also has `estimate` and `count_plies_to_estimates` lets computers search to a limited depth. It then also
has `find_action(s, boards, nodes, move) -> int`, which Python calls: an action that makes a move of the node that
`enter` returned for the record `s`. (A game's `simple_exact` has neither `enter` nor `find_action`.)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.dispatch import require_function, stub

UNIT = 16
"""The units of an estimate that make one point."""

WORK_WORDS = 9
"""The rows of `Work.words`."""
NEVER = -1
"""The answer of `count_plies_to_estimates` if no estimate is meaningful."""
MOST_EFFORT = 32
"""The maximum effort of an estimate, in nodes."""

BOARD_FIELDS = [
    ("most_links", np.int64),  # no node has more moves than this
    ("most_plies", np.int64),  # no line of play from here has more moves than this
    ("step", np.int64),  # 2 if the value of every node has the parity of its `limits`, otherwise 1
    ("is_lazy", np.int64),  # 1: nodes are so cheap that a child is searched before the others are looked up
]

Links = NDArray[np.int64]
"""(n, 2): the worth of each move of a node, with the columns GAIN and TURN."""
GAIN, TURN = 0, 1
LINK_COLUMNS = 2
SAME, OTHER = -2, -1
"""The worth of a link to the party to move, where W is the child's value for the party that moves there:

- TURN is SAME (the same party moves again): GAIN + W.
- TURN is OTHER: GAIN - W.
- TURN is a number r >= 0: GAIN - |r + W|. The opponent takes what the move gives away, and may hand back a part of it
  so as to move second in the rest. GAIN is r minus all that was given away.
"""


class Work(NamedTuple):
    """Work space of `estimate` and `count_plies_to_estimates`.

    - `nodes`: (P,) of the game's NODE, with P at least `most_plies` + 2; they mean nothing between calls.
    - `words`: (WORK_WORDS, P) uint64, likewise.
    - `memory`: (2**k,) uint64, zeros at first: what the game remembers of earlier calls, on any board.
    - `effort`: (1,) int64, to which `estimate` adds how long it takes, in nodes: at most MOST_EFFORT.
    """

    nodes: States
    words: NDArray[np.uint64]
    memory: NDArray[np.uint64]
    effort: NDArray[np.int64]


def create_work(dtype: np.dtype[np.void], most_plies: int, memory: NDArray[np.uint64]) -> Work:
    """Return work space for nodes of a dtype on boards with `most_plies`, with the given memory."""
    words = np.zeros((WORK_WORDS, most_plies + 2), np.uint64)
    return Work(np.zeros(most_plies + 2, dtype), words, memory, np.zeros(1, np.int64))


@stub()
def fill_board(s: State, board: State) -> bool:
    """Write the board of a record over any other; return False, with a board that means nothing, if `enter` is needed.

    The game must not be over.
    """
    return bool(require_function(s, "fill_board")(s, board))


@stub()
def fill_node(s: State, board: State, node: State) -> None:
    """Write the node of a record over any other. `fill_board` made the board for this record, or for one before it.

    The game must not be over. With the board of a record, that of `enter` gives the node the same value and key.
    """
    require_function(s, "fill_node")(s, board, node)


@stub(record=1)
def limits(board: State, node: State) -> tuple[int, int]:
    """Return a node's static lower and upper bound; if they are equal, they are its value."""
    return require_function(node, "limits")(board, node)


@stub(record=1)
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that identify a node up to symmetry and on all boards: equal keys mean equal values."""
    return require_function(node, "key")(board, node)


@stub(record=1)
def moves(board: State, node: State, out: Actions) -> int:
    """Write the codes of a node's moves into `out`, the most promising first; return their number, -1 if it is too
    short.

    A code means something only to `follow` and `find_action`. Dominated moves may be left out. The solvers never call
    this for a node whose limits are equal.
    """
    return require_function(node, "moves")(board, node, out)


@stub(record=1)
def follow(board: State, node: State, move: int, child: State, link: NDArray[np.int64]) -> None:
    """Play a move on `child`, which is a copy of `node`, and write the move's worth into `link`, (2,)."""
    require_function(node, "follow")(board, node, move, child, link)


@stub(record=1)
def estimate(board: State, node: State, work: Work) -> int:
    """Return the expected value, UNIT to a point, of a node whose limits differ."""
    return int(require_function(node, "estimate")(board, node, work))


@stub(record=1)
def count_plies_to_estimates(board: State, node: State, work: Work) -> int:
    """Return the approximate number of plies from a node to meaningful estimates: 0 for at once, or NEVER."""
    return int(require_function(node, "count_plies_to_estimates")(board, node, work))
