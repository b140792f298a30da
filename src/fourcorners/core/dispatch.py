"""The stubs through which generic code calls a game's rules, interpreted or compiled.

A stub finds the game by the record's exact dtype: when called for Python code, when compiling for compiled code.
So one search or batch step serves every game. `bind` tells the stubs which games there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from numba import types
from numba.extending import overload
from numba.np import numpy_support
from numpy.typing import NDArray

from fourcorners.core import jit, record_view
from fourcorners.core.bits import Rng

State: TypeAlias = Any
"""One record of a game's dtype; its fields are attributes."""
States: TypeAlias = NDArray[np.void]
Actions: TypeAlias = NDArray[np.int64]
Points: TypeAlias = NDArray[np.int64]
Priors: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = NDArray[np.float64]
"""What a player knows of a game beyond its rules, as numbers whose meaning is the game's; none: nothing."""
Estimates: TypeAlias = NDArray[np.float64]


@runtime_checkable
class Rules(Protocol):
    """What a game's `rules.py` must define. All but `start` can be compiled and trust their arguments.

    A game with hidden information also defines `hide(s, seat)` and `deal(s, rng)`; one in which a move that is
    not legal is taken and has its consequence defines `accepts_illegal(s, action)`.
    """

    DTYPE: np.dtype[np.void]
    MAX_SEATS: int
    MAX_PLIES: int

    def start(self, s: State, options: Any, deck: tuple[str, ...]) -> None: ...
    def bound(self, s: State) -> int: ...
    def legal(self, s: State, out: Actions) -> int: ...
    def play(self, s: State, action: int) -> None: ...
    def pick(self, s: State, rng: Rng) -> int: ...
    def to_move(self, s: State) -> int: ...
    def is_over(self, s: State) -> bool: ...
    def points(self, s: State, out: Points) -> None: ...


_by_dtype: dict[np.dtype[np.void], tuple[Any, ...]] = {}
_by_type: dict[Any, tuple[Any, ...]] = {}


def bind(games: Iterable[tuple[Any, ...]]) -> None:
    """Tell the stubs which games there are: their rules, and the modules of what else they know of themselves, or None.

    A module of exact play may have a dtype of its own, `NODE`; the stubs find it by that, too.
    Binding the same modules again changes nothing.
    """
    for rules, *knowledge in games:
        _bind_dtype(rules.DTYPE, (rules, *knowledge))
        for module in knowledge:
            node = getattr(module, "NODE", None)
            if node is not None:
                _bind_dtype(node, (module,))
        jit.add_sources([Path(cast("Any", rules).__file__).parent])


def _bind_dtype(dtype: np.dtype[np.void], modules: tuple[Any, ...]) -> None:
    bound_already = _by_dtype.get(dtype, modules)[0]
    if bound_already is not modules[0]:
        message = f"{modules[0]} and {bound_already} have the same dtype; give one of them a field of another name"
        raise TypeError(message)
    check_dtype(dtype)
    _by_dtype[dtype] = modules
    _by_type[numpy_support.from_dtype(dtype)] = modules


def check_dtype(dtype: np.dtype[np.void]) -> None:
    """Raise TypeError for padding, which compiled code would not copy, and for names that records hide."""
    fields: Mapping[str, Any] = dtype.fields or {}
    if sum(field[0].itemsize for field in fields.values()) != dtype.itemsize:
        message = f"{dtype} has implicit padding; name every pad field"
        raise TypeError(message)
    shadowed = [name for name in fields if hasattr(record_view.RecordView, name)]
    if shadowed:
        message = f"a record's own attributes hide the fields {shadowed}; give them other names"
        raise TypeError(message)


def view_record(states: States, index: int = 0) -> State:
    """Return one record of an array for interpreted code: its fields are attributes, its memory is the array's."""
    return record_view.view_record(states, index)


def find_function(s: State, name: str) -> Callable[..., Any] | None:
    """Find a function of the game whose record this is, for interpreted code; None if the game leaves it out."""
    return _find(_by_dtype[s.dtype], name)


def require_function(s: State, name: str) -> Any:
    """Find a function that the game must have, for interpreted code; raise TypeError if it leaves it out."""
    found = find_function(s, name)
    if found is None:
        message = f"the game of this record has no function {name}"
        raise TypeError(message)
    return found


def _rules_of(s: State) -> Any:
    return _by_dtype[s.dtype][0]


def _find(modules: tuple[Any, ...], name: str) -> Callable[..., Any] | None:
    """Find a function in a game's modules, or what stands for it where a game leaves it out."""
    for module in modules:
        if hasattr(module, name):
            found: Callable[..., Any] = getattr(module, name)
            return found
    return _DEFAULTS.get(name)


def resolve(s: Any, name: str) -> Callable[..., Any] | None:
    """Find the function of a game while compiling; None makes Numba name the stub in its error."""
    modules = _by_type.get(s) if isinstance(s, types.Record) else None
    found = None if modules is None else _find(modules, name)
    # What is `jitable_wraparound` in Python is the plain function in compiled code.
    return getattr(found, "__wrapped__", found)


# A game without hidden information hides and deals nothing.
def _hide_nothing(s: State, seat: int) -> None:
    pass


def _deal_nothing(s: State, rng: Rng) -> None:
    pass


def _accept_no_illegal(s: State, action: int) -> bool:
    return False


def _prefer_nothing(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    for i in range(n):
        out[i] = 0.0


def _foresee_nothing(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    return False


_DEFAULTS: dict[str, Callable[..., Any]] = {
    "hide": _hide_nothing,
    "deal": _deal_nothing,
    "accepts_illegal": _accept_no_illegal,
    "prior": _prefer_nothing,
    "foresee": _foresee_nothing,
}
STUB = {"strict": False, "jit_options": jit.FLAGS}


def bound(s: State) -> int:
    """Return a number that the count of legal actions does not exceed."""
    return int(_rules_of(s).bound(s))


@overload(bound, **STUB)
def _bound(s: Any) -> Any:
    return resolve(s, "bound")


def legal(s: State, out: Actions) -> int:
    """Write the codes of the legal actions into `out`, of length at least `bound(s)`; return how many."""
    return int(_rules_of(s).legal(s, out))


@overload(legal, **STUB)
def _legal(s: Any, out: Any) -> Any:
    return resolve(s, "legal")


def play(s: State, action: int) -> None:
    """Play an action in place; it is trusted to be legal."""
    _rules_of(s).play(s, action)


@overload(play, **STUB)
def _play(s: Any, action: Any) -> Any:
    return resolve(s, "play")


def pick(s: State, rng: Rng) -> int:
    """Return one legal action uniformly at random; the position must not be over."""
    return int(_rules_of(s).pick(s, rng))


@overload(pick, **STUB)
def _pick(s: Any, rng: Any) -> Any:
    return resolve(s, "pick")


def to_move(s: State) -> int:
    """Return the seat to move; the same seat may move again."""
    return int(_rules_of(s).to_move(s))


@overload(to_move, **STUB)
def _to_move(s: Any) -> Any:
    return resolve(s, "to_move")


def is_over(s: State) -> bool:
    """Tell whether the game is over."""
    return bool(_rules_of(s).is_over(s))


@overload(is_over, **STUB)
def _is_over(s: Any) -> Any:
    return resolve(s, "is_over")


def points(s: State, out: Points | Estimates) -> None:
    """Write the points of every seat, as they stand, into `out`, of length at least the game's MAX_SEATS."""
    _rules_of(s).points(s, out)


@overload(points, **STUB)
def _points(s: Any, out: Any) -> Any:
    return resolve(s, "points")


def hide(s: State, seat: int) -> None:
    """Blank in place all that the seat may not know; -1 is a spectator."""
    getattr(_rules_of(s), "hide", _hide_nothing)(s, seat)


@overload(hide, **STUB)
def _hide(s: Any, seat: Any) -> Any:
    return resolve(s, "hide")


def deal(s: State, rng: Rng) -> None:
    """Fill the blanks of a hidden record with a world that fits all that is known."""
    getattr(_rules_of(s), "deal", _deal_nothing)(s, rng)


@overload(deal, **STUB)
def _deal(s: Any, rng: Any) -> Any:
    return resolve(s, "deal")


def accepts_illegal(s: State, action: int) -> bool:
    """Tell whether an action that is not legal is nevertheless taken, with its consequence."""
    return bool(getattr(_rules_of(s), "accepts_illegal", _accept_no_illegal)(s, action))


@overload(accepts_illegal, **STUB)
def _accepts_illegal(s: Any, action: Any) -> Any:
    return resolve(s, "accepts_illegal")


def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Write for each of n legal actions how promising it looks before any search, 0 for no opinion.

    One unit counts as much as being tried seldom does: see the search.
    """
    require_function(s, "prior")(s, actions, n, weights, out)


@overload(prior, **STUB)
def _prior(s: Any, actions: Any, n: Any, weights: Any, out: Any) -> Any:
    return resolve(s, "prior")


def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the action of a player who knows so much and does not look ahead; a random one if the game knows none."""
    found = find_function(s, "rollout")
    return int(_rules_of(s).pick(s, rng) if found is None else found(s, weights, rng))


@overload(rollout, **STUB)
def _rollout(s: Any, weights: Any, rng: Any) -> Any:
    found = resolve(s, "rollout")
    if found is None:
        return lambda s, weights, rng: pick(s, rng)  # noqa: ARG005  # the names of the stub's parameters
    return found


def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Tell whether the game sees how a running game will probably end, and write the points of every seat then.

    Where it does, no playout goes on.
    """
    return bool(require_function(s, "foresee")(s, weights, rng, out))


@overload(foresee, **STUB)
def _foresee(s: Any, weights: Any, rng: Any, out: Any) -> Any:
    return resolve(s, "foresee")


def evaluate(s: State, weights: Weights, out: Estimates) -> None:
    """Write the points that every seat is expected to have at the end, as they stand if the game does not say."""
    found = find_function(s, "evaluate")
    if found is None:
        _rules_of(s).points(s, out)
    else:
        found(s, weights, out)


@overload(evaluate, **STUB)
def _evaluate(s: Any, weights: Any, out: Any) -> Any:
    found = resolve(s, "evaluate")
    if found is None:
        return lambda s, weights, out: points(s, out)  # noqa: ARG005  # the names of the stub's parameters
    return found
