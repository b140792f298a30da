"""Checks of arguments that several public functions share: each accepts a value or raises OptionError."""

import operator
from typing import Any

import numpy as np

from fourcorners.core.errors import OptionError, quote


def as_int(value: object) -> int | None:
    """Return a whole number as a plain `int`: an `int`, or an object with `__index__`, such as an integer of NumPy.

    Return None for anything else, flags and floats included.
    """
    if type(value) is int:
        return value
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # what has no __index__ raises TypeError
    except Exception:  # noqa: BLE001  # an object of any type may raise anything
        return None


def check_int(name: str, value: object, low: int, high: int, allowed: str = "") -> int:
    """Return a whole number as `as_int` does; raise OptionError unless it is from `low` to `high`.

    `allowed` is a clause for the message.
    """
    number = as_int(value)
    if number is None or not low <= number <= high:
        wanted = allowed or f"a whole number from {low} to {high}"
        raise OptionError(name, f"{quote(value if number is None else number)} is not allowed; it must be {wanted}")
    return number


def check_seed(value: object) -> int | None:
    """Return a seed, any whole number, as `as_int` does, or None; raise OptionError for anything else."""
    seed = as_int(value)
    if seed is None and value is not None:
        raise OptionError("seed", f"{quote(value)} is not allowed; it must be a whole number or None")
    return seed


def check_seconds(value: object, most: float, name: str = "seconds") -> float | None:
    """Return a number of seconds as a plain number, or None; raise OptionError unless it is above 0, at most `most`."""
    if value is None:
        return None
    seconds = as_number(value)
    # Only a finite number can lie between both bounds.
    if seconds is None or not 0 < seconds <= most:
        raise OptionError(name, f"{quote(value)} is not allowed; it must be a number above 0, at most {most:.0f}")
    return seconds


def as_number(value: object) -> float | None:
    """Return a whole number as `as_int` does, or a `float` for a float, of NumPy or not; None for anything else."""
    return float(value) if isinstance(value, float | np.floating) else as_int(value)


def simplify(value: Any) -> Any:
    """Return the value of an option, or a list or tuple of values, with plain numbers and flags in place of NumPy's.

    An array becomes a list; any other value is returned unchanged.
    """
    if isinstance(value, np.ndarray):
        return value.tolist()
    return type(value)(map(_simplify_item, value)) if type(value) in {list, tuple} else _simplify_item(value)


def _simplify_item(value: Any) -> Any:
    """Return a plain number or flag for one of NumPy; any other value unchanged."""
    if isinstance(value, np.bool_):
        return bool(value)
    number = as_int(value)
    return value if number is None else number


def check_flag(name: str, value: object) -> bool:
    """Return True or False, Python's or NumPy's, as a `bool`; raise OptionError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(name, f"{quote(value)} is not allowed; it must be True or False")
    return bool(value)


def check_stop(stop: object) -> None:
    """Raise OptionError unless this is None or an object with the method `is_set`, such as a `threading.Event`."""
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise OptionError("stop", f"{quote(stop)} is not allowed; it must be a threading.Event or None")


def check_callback(name: str, callback: object) -> None:
    """Raise OptionError unless this is None or can be called."""
    if callback is not None and not callable(callback):
        raise OptionError(name, f"{quote(callback)} is not allowed; it must be a function or None")
