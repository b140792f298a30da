"""Exact play derived from the rules alone, for games without a module `exact`: a node is a whole record.

For two parties, of one seat or more. A game may help with functions in any of its modules, each optional:

- `forget(s)` blanks in place what affects neither the moves still to come nor what they score, such as points already
  scored. Positions that differ in nothing else are then searched once.
- `reach(s)` returns by how much the difference of two parties' points can still change, at most.
- `extent(s) -> (links, plies)` returns the largest `bound` of any later position, and the most plies of a game. Without
  it the start's `bound` is assumed, and where a later one is larger, `moves` returns -1.

Illegal actions that the game accepts, such as a forfeit, are not tried here: like resigning, they are left to matches.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Points, State, States
from fourcorners.core.errors import SolverLimit
from fourcorners.core.hashing import hash_record
from fourcorners.core.jit import jitable
from fourcorners.core.spec import Spec
from fourcorners.solvers.margin_protocol import BOARD_FIELDS, GAIN, OTHER, SAME, TURN

if TYPE_CHECKING:
    from fourcorners.core.options import Options  # pydantic takes long to import

# An upper bound of the change of the difference of two parties' points, unless `reach` gives another.
WIDE = 1 << 20

BOARD: np.dtype[np.void] = np.dtype(
    [
        *BOARD_FIELDS,
        ("first", np.int64),  # a seat of either party: partners have the same points
        ("second", np.int64),
        ("in_second", np.int64),  # the seats of the second party, as a mask
        ("most_seats", np.int64),
    ]
)


def _forget_nothing(s: State) -> None:
    pass


def _reach_unknown(s: State) -> int:
    return WIDE


@dispatch.stub(default=_forget_nothing)
def forget(s: State) -> None:
    """Blank in place what no longer matters; do nothing if the game does not define this."""
    (dispatch.find_function(s, "forget") or _forget_nothing)(s)


@dispatch.stub(default=_reach_unknown)
def reach(s: State) -> int:
    """Return the most by which the difference of two parties' points can still change; WIDE if the game gives none."""
    return int((dispatch.find_function(s, "reach") or _reach_unknown)(s))


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return bounds of a node's value: 0 when the game is over, else plus and minus its reach."""
    if node.party_to_move < 0:
        return 0, 0
    most = reach(node)
    return -most, most


@jitable
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return a hash of the whole node, valid across all boards of a game."""
    return hash_record(node)


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the legal actions of a node; return their number, -1 if `out` might be too short."""
    return -1 if dispatch.bound(node) > len(out) else dispatch.legal(node, out)


@jitable
def follow(board: State, node: State, move: int, child: State, link: Actions) -> None:
    """Play an action on `child`, a copy of `node`; write the mover's gain and SAME or OTHER into `link`, (2,)."""
    points = np.zeros(board.most_seats, np.int64)
    party = np.int64(node.party_to_move)
    before = _lead(board, node, points, party)
    dispatch.play(child, move)
    link[GAIN] = _lead(board, child, points, party) - before
    settle(board, child)
    link[TURN] = SAME if np.int64(child.party_to_move) == party else OTHER


@jitable
def _lead(board: State, s: State, points: Points, party: int) -> int:
    """Return the lead of a party (0 or 1) in points in a record or node; overwrite `points`, (most_seats,)."""
    dispatch.points(s, points)
    lead = points[np.int64(board.first)] - points[np.int64(board.second)]
    return -lead if party == 1 else lead


@jitable
def settle(board: State, node: State) -> None:
    """Set a node's party to move from its record, and forget what no longer matters, in place."""
    is_over = dispatch.is_over(node)
    node.party_to_move = -1 if is_over else (np.int64(board.in_second) >> dispatch.to_move(node)) & 1
    forget(node)


class DefaultExact:
    """The Python part of one game's exact play by its rules; the stubs find the rest by `NODE`."""

    def __init__(self, spec: Spec) -> None:
        """Define `NODE`, the dtype of nodes: the fields of a record, and the party to move (0 or 1; -1: game over)."""
        self._rules = spec.rules
        fields: Any = spec.rules.DTYPE.fields
        of_record = ((name, fields[name][0]) for name in fields)
        self.NODE: np.dtype[np.void] = np.dtype([*of_record, ("party_to_move", np.int64)])

    def enter(self, options: Options, s: State) -> tuple[States, States]:
        """Return arrays of one board and one node for a record; raise SolverLimit unless there are two parties."""
        parties = options.parties
        if len(parties) != 2:
            message = f"margins are for two sides; here {len(parties)} sides play against each other"
            raise SolverLimit(message, -WIDE, WIDE)
        boards = np.zeros(1, BOARD)
        extent = dispatch.find_function(s, "extent")
        links, plies = extent(s) if extent is not None else (dispatch.bound(s), self._rules.MAX_PLIES)
        mask = sum(1 << seat for seat in parties[1])
        boards[0] = (links, plies, 1, 0, parties[0][0], parties[1][0], mask, self._rules.MAX_SEATS)
        nodes = np.zeros(1, self.NODE)
        for name in self._rules.DTYPE.names or ():
            nodes[name][0] = s[name]
        settle(dispatch.view_record(boards), dispatch.view_record(nodes))
        return boards, nodes


_created: dict[np.dtype[np.void], DefaultExact] = {}


def get_default_exact(spec: Spec) -> DefaultExact:
    """Return a game's exact play by its rules; create it on the first call, and register its nodes with the stubs."""
    dtype = spec.rules.DTYPE
    if dtype not in _created:
        created = DefaultExact(spec)
        # A node has all fields of a record, so the rules also work on nodes: let the stubs find them by that dtype.
        rules = {name: getattr(spec.rules, name) for name in dir(spec.rules)}
        exact = {"DTYPE": created.NODE, "limits": limits, "key": key, "moves": moves, "follow": follow}
        dispatch.register_games([(SimpleNamespace(**(rules | exact)), *spec.list_modules())])
        _created[dtype] = created
    return _created[dtype]
