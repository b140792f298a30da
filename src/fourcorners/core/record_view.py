"""Views of records whose fields are attributes in Python, as in compiled code."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_get_field = np.void.__getitem__  # `np.record` wraps it in a function in Python


class RecordView(np.record):  # type: ignore[misc]  # the type stubs seal a parent of it
    """One record of an array, sharing its memory. `np.record` takes three times as long for each field.

    Fields of a read-only record are read once and cached, arrays as copies.
    """

    __getattribute__ = np.void.__getattribute__

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field in the array; raise AttributeError if there is none, or NumPy's error for a value."""
        try:
            self[name] = value
        except (ValueError, IndexError):
            if name in (self.dtype.names or ()):
                raise
            raise AttributeError(f"there is no field {name!r}") from None


class _Field:
    """A field as an attribute of `RecordView`. It has no `__set__`, so a value that a record keeps comes first."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, record: RecordView | None, _: type[RecordView]) -> Any:
        """Return the value of the field, cached for a read-only record; raise AttributeError if there is none."""
        if record is None:
            return self
        try:
            value = _get_field(record, self._name)
        except (ValueError, IndexError):
            raise AttributeError(f"there is no field {self._name!r}") from None
        if isinstance(value, np.void):
            value = value.view(_with_attributes(value.dtype))
        if not record.flags.writeable:
            # Drawing a position reads the same few fields many times, and NumPy takes a microsecond for each. A copy,
            # because an array that shares the record's memory refers to the record, and a record that refers to itself
            # in this way is never freed: NumPy's arrays take no part in garbage collection.
            if isinstance(value, np.ndarray):
                value = value.copy()
                value.flags.writeable = False
            record.__dict__[self._name] = value
        return value


class RecordViews(np.recarray[Any, Any]):
    """An array of records whose fields are attributes, and so are those of its records."""

    def __array_finalize__(self, _: object) -> None:
        """Keep the class of the records, which `np.recarray` would replace by its own."""


def view_record(array: NDArray[Any], index: int = 0) -> Any:
    """Return one record of an array as a RecordView, which shares its memory."""
    return array.view(_with_attributes(array.dtype))[index]


def view_records(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of records as RecordViews, which shares its memory."""
    return array.view(_with_attributes(array.dtype)).view(RecordViews)


@cache
def _with_attributes(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the dtype with RecordViews as records, which have its fields as attributes."""
    for name in dtype.names or ():
        if not hasattr(RecordView, name):
            setattr(RecordView, name, _Field(name))
    return np.dtype((RecordView, dtype))
