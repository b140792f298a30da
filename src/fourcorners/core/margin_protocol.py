"""The stubs through which the solvers call what a game knows of its exact play, found by dtype like the rules.

A game whose score is a margin describes, in its `exact.py`, *nodes*: what of a position still matters, with dtype
`NODE`, and a *board*: what stays the same during one solve, and room to work in, with dtype `BOARD`; every thread has a
copy of its own. A node's value is the margin, for the
party to move, of all that is still to be scored from there on. `BOARD` has at least the fields of `BOARD_FIELDS`.
Besides the stubs below it has `enter(options, s) -> (boards, nodes)`: arrays of one board and one node for a position;
called from Python. It raises `SolverLimit` for a position that does not fit. All positions of a game share what is
found, so a key must mean the same on all its boards. It may have `known(options) -> (keys, values)`, rows of two words
and the values of nodes that have them: what players know before they begin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from fourcorners.core.dispatch import STUB, Actions, State, require_function, resolve

BOARD_FIELDS = [
    ("most_links", np.int64),  # no node has more moves than this
    ("most_plies", np.int64),  # no line of play from here has more moves than this
    ("step", np.int64),  # 2 if the value of every node has the parity of its `limits`, otherwise 1
]

Links = NDArray[np.int64]
"""What a move of a node is worth, with the columns GAIN and TURN."""
GAIN, TURN = 0, 1
LINK_COLUMNS = 2
SAME, OTHER = -2, -1
"""What a link is worth to the party to move, W being the child's value for the party that moves there:

- TURN is SAME (the party goes on): GAIN + W
- TURN is OTHER: GAIN - W
- TURN is a number r >= 0: GAIN - |r + W|. The opponent takes what the move gives away, and may choose to hand back a
  part of it so as to move second in what is left. GAIN is r less all that was given away.
"""


def limits(board: State, node: State) -> tuple[int, int]:
    """Return bounds of a node's value that are known without search; equal bounds are its value."""
    return require_function(node, "limits")(board, node)


@overload(limits, **STUB)
def _limits(board: Any, node: Any) -> Any:
    return resolve(node, "limits")


def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two words that together tell a node from all others, up to symmetry: equal keys mean equal values."""
    return require_function(node, "key")(board, node)


@overload(key, **STUB)
def _key(board: Any, node: Any) -> Any:
    return resolve(node, "key")


def moves(board: State, node: State, out: Actions) -> int:
    """Write the codes of a node's moves, the most promising first; return how many, -1 if there is no room.

    Moves that others dominate may be left out. A node whose limits are equal is never asked for its moves.
    """
    return require_function(node, "moves")(board, node, out)


@overload(moves, **STUB)
def _moves(board: Any, node: Any, out: Any) -> Any:
    return resolve(node, "moves")


def follow(board: State, node: State, move: int, child: State, link: NDArray[np.int64]) -> None:
    """Play a move on the child, which is a copy of the node, and write what the link is worth."""
    require_function(node, "follow")(board, node, move, child, link)


@overload(follow, **STUB)
def _follow(board: Any, node: Any, move: Any, child: Any, link: Any) -> Any:
    return resolve(node, "follow")
