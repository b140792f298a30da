"""The stubs through which generic code calls a game's rules, interpreted or compiled.

A stub finds the game by the record's exact dtype: at call time in Python, at compile time in compiled code. So one
search or batch step serves every game. `register_games` registers them.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import types
from numba.np import numpy_support

from fourcorners.core import compiler, kernel_cache, record_view
from fourcorners.core.arrays import Actions, Estimates, Points, Priors, Rng, State, States, Weights

F = TypeVar("F", bound=Callable[..., Any])

EXPLORATION = 0.4
"""The default weight of exploration in a search, unless the game defines `explore`."""


_by_dtype: dict[np.dtype[np.void], tuple[Any, ...]] = {}
_by_type: dict[Any, tuple[Any, ...]] = {}


def register_games(games: Iterable[tuple[Any, ...]]) -> None:
    """Register games with the stubs: for each its rules module, then its other modules.

    A stub takes a function from the first of these modules that defines it. The stubs also find a module by its dtype
    `NODE`, if it has one. Registering a game again replaces its other modules. Raise TypeError if two games have the
    same dtype, or for a dtype that compiled code cannot handle; the games before that one stay registered.
    """
    for rules, *knowledge in games:
        _bind_dtype(rules.DTYPE, (rules, *knowledge))
        for module in knowledge:
            node = getattr(module, "NODE", None)
            if node is not None:
                _bind_dtype(node, (module,))
        kernel_cache.add_sources([Path(cast("Any", rules).__file__).parent])


def _bind_dtype(dtype: np.dtype[np.void], modules: tuple[Any, ...]) -> None:
    """Let the stubs find modules by a dtype; raise TypeError if it belongs to another game or cannot be compiled."""
    owner = _by_dtype.get(dtype, modules)[0]
    if owner is not modules[0]:
        raise TypeError(f"{modules[0]} and {owner} have the same dtype; give one of them a field of another name")
    check_dtype(dtype)
    _by_dtype[dtype] = modules
    _by_type[numpy_support.from_dtype(dtype)] = modules


def register_variant(dtype: np.dtype[np.void], full: np.dtype[np.void]) -> None:
    """Let the stubs serve records of a dtype with fields of the same names as `full`, the dtype of a registered game.

    Raise TypeError as `register_games` does.
    """
    if dtype not in _by_dtype:
        _bind_dtype(dtype, _by_dtype[full])


def check_dtype(dtype: np.dtype[np.void]) -> None:
    """Raise TypeError for implicit padding, which compiled code does not copy, and for fields that records hide."""
    fields: Mapping[str, Any] = dtype.fields or {}
    if sum(field[0].itemsize for field in fields.values()) != dtype.itemsize:
        raise TypeError(f"{dtype} has implicit padding; name every pad field")
    shadowed = [name for name in fields if hasattr(np.record, name)]
    if shadowed:
        raise TypeError(f"a record's own attributes hide the fields {shadowed}; give them other names")


def view_record(states: States, index: int = 0) -> State:
    """Return one record of an array for interpreted code, sharing its memory; its fields are attributes."""
    return record_view.view_record(states, index)


def find_function(s: State, name: str) -> Callable[..., Any] | None:
    """Return a function of the record's game, or its default; None without either, KeyError for an unknown dtype."""
    return _find_in_modules(_by_dtype[s.dtype], name)


def require_function(s: State, name: str) -> Any:
    """Return a function as `find_function` does, for interpreted code, or a constant; raise TypeError if it is None."""
    found = find_function(s, name)
    if found is None:
        raise TypeError(f"the game of this record has no function {name}")
    return found


def _find_in_modules(modules: tuple[Any, ...], name: str) -> Callable[..., Any] | None:
    """Return a function from the first of a game's modules that defines it, or its default, or None."""
    return next((getattr(module, name) for module in modules if hasattr(module, name)), _DEFAULTS.get(name))


def resolve_function(s: Any, name: str) -> Callable[..., Any] | None:
    """Return the function that compiled code calls for a Numba type: the game's, else the default, else None."""
    modules = _by_type.get(s) if isinstance(s, types.Record) else None
    found = None if modules is None else _find_in_modules(modules, name)
    # A `jitable_wraparound` function is a wrapper in Python; compiled code needs the function inside.
    return getattr(found, "__wrapped__", found)


# Defaults for optional functions.
def _leave_unchanged(s: State, seat_or_rng: int | Rng) -> None:
    pass


def _accept_no_illegal(s: State, action: int) -> bool:
    return False


def _play_anything(s: State, action: int) -> bool:
    return True


def _pick_randomly(s: State, weights: Weights, rng: Rng) -> int:
    return pick(s, rng)


def _prefer_nothing(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    for i in range(n):
        out[i] = 0.0


def _explore_as_usual(s: State, weights: Weights) -> float:
    return EXPLORATION


def _foresee_nothing(s: State, weights: Weights, rng: Rng, out: Estimates) -> float:
    return -1.0


def _deal_by_chance(s: State, beliefs: Estimates, rng: Rng) -> None:
    deal(s, rng)


_DEFAULTS: dict[str, Callable[..., Any]] = {
    "hide": _leave_unchanged,
    "deal": _leave_unchanged,
    "deal_likely": _deal_by_chance,
    "accepts_illegal": _accept_no_illegal,
    "can_play": _play_anything,
    "prior": _prefer_nothing,
    "rollout": _pick_randomly,
    "explore": _explore_as_usual,
    "foresee": _foresee_nothing,
}
STUB = {"strict": False, "jit_options": compiler.FLAGS}  # Numba's options for the overload of a stub


def stub(record: int = 0, default: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Make a decorator of stubs: compiled code calls the function of the same name of a game, or `default`.

    The type of the argument with the index `record` determines which game. Interpreted code runs the decorated function
    itself, which has to find the game's function.
    """

    def decorate(function: F) -> F:
        compiler.redirect(
            function, lambda *arguments: resolve_function(arguments[record], function.__name__) or default
        )
        return function

    return decorate


@stub()
def bound(s: State) -> int:
    """Return an upper bound of the number of legal actions."""
    return int(require_function(s, "bound")(s))


@stub()
def legal(s: State, out: Actions) -> int:
    """Write the legal actions of a running game into `out`, of length at least `bound(s)`; return their number."""
    return int(require_function(s, "legal")(s, out))


@stub()
def play(s: State, action: int) -> None:
    """Play a legal action in place. An illegal one is not checked and may crash the process."""
    require_function(s, "play")(s, action)


@stub()
def pick(s: State, rng: Rng) -> int:
    """Return one legal action uniformly at random, and advance `rng`; the game must not be over."""
    return int(require_function(s, "pick")(s, rng))


@stub()
def to_move(s: State) -> int:
    """Return the seat to move, which may be the one that moved last; meaningless if the game is over."""
    return int(require_function(s, "to_move")(s))


@stub()
def is_over(s: State) -> bool:
    """Return whether the game is over."""
    return bool(require_function(s, "is_over")(s))


@stub()
def points(s: State, out: Points | Estimates) -> None:
    """Write the present points of every seat into `out`, of length at least the game's MAX_SEATS."""
    require_function(s, "points")(s, out)


@stub()
def hide(s: State, seat: int) -> None:
    """Blank in place everything that a seat, or -1 for a spectator, may not know."""
    require_function(s, "hide")(s, seat)


@stub()
def deal(s: State, rng: Rng) -> None:
    """Fill the blanks of a hidden record in place with a random world that fits all known facts; advance `rng`."""
    require_function(s, "deal")(s, rng)


@stub()
def deal_likely(s: State, beliefs: Estimates, rng: Rng) -> None:
    """Deal as `deal` does, but prefer worlds that fit `beliefs`, an array (n, m) whose meaning the game defines."""
    require_function(s, "deal_likely")(s, beliefs, rng)


@stub()
def accepts_illegal(s: State, action: int) -> bool:
    """Return whether the game accepts this action, which must be illegal, with a consequence such as losing."""
    return bool(require_function(s, "accepts_illegal")(s, action))


@stub()
def can_play(s: State, action: int) -> bool:
    """Return whether an action is legal here; it must be legal in some other world after the same moves.

    A search that deals a world for each simulation asks this about every action that it has tried, so it must be quick.
    """
    return bool(require_function(s, "can_play")(s, action))


@stub()
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Write the priors of the first n `actions`, their promise before any search, into `out`, at least n long.

    The actions are legal. 0 means no opinion, which is the default. A prior of 1 adds `mcts.BIAS` to the score of an
    unvisited action.
    """
    require_function(s, "prior")(s, actions, n, weights, out)


@stub()
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the legal action of a player with this knowledge that does not look ahead; by default a random one."""
    return int(require_function(s, "rollout")(s, weights, rng))


@stub()
def foresee(s: State, weights: Weights, rng: Rng, out: Estimates) -> float:
    """Return -1 to continue a playout, or stop it by writing points into `out`, at least MAX_SEATS long.

    The points are the final ones if they can be foreseen, or else an estimate. The record and `out` may be overwritten
    in any case.

    Together with points, 0 means that the most points win. A result above 0 is the spread T of an estimate, a softmax
    temperature: every party wins with a chance proportional to exp(points / T).
    """
    return float(require_function(s, "foresee")(s, weights, rng, out))


@stub()
def explore(s: State, weights: Weights) -> float:
    """Return the weight of exploration in a search, in units of the reward (0 to 1); by default EXPLORATION.

    The less the rewards of simulations vary, the less exploration is needed.
    """
    return float(require_function(s, "explore")(s, weights))
