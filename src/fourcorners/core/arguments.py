"""Checks of arguments that several public functions share: each accepts a value or raises OptionError."""

import numpy as np

from fourcorners.core.errors import OptionError, quote


def check_flag(name: str, value: object) -> bool:
    """Return True or False as a `bool`, also one of NumPy; raise OptionError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(name, f"{quote(value)} is not allowed; it must be True or False")
    return bool(value)


def check_stop(stop: object) -> None:
    """Raise OptionError unless this is None or an object with the method `is_set`, as a `threading.Event` has."""
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise OptionError("stop", f"{quote(stop)} is not allowed; it must be a threading.Event or None")


def check_callback(name: str, callback: object) -> None:
    """Raise OptionError unless this is None or can be called."""
    if callback is not None and not callable(callback):
        raise OptionError(name, f"{quote(callback)} is not allowed; it must be a function or None")
