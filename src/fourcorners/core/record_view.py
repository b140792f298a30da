"""Records whose fields are attributes in Python, as they are in compiled code."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RecordView(np.record):  # type: ignore[misc]  # the type stubs seal a parent of it
    """One record of an array, whose memory it shares; numpy's own finds each field three times as slowly."""

    __getattribute__ = np.void.__getattribute__

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except (ValueError, IndexError):
            message = f"there is no field {name!r}"
            raise AttributeError(message) from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except (ValueError, IndexError):
            if name in (self.dtype.names or ()):
                raise
            message = f"there is no field {name!r}"
            raise AttributeError(message) from None


class RecordViews(np.recarray[Any, Any]):
    """An array of records whose fields, and those of its records, are attributes."""

    def __array_finalize__(self, _: object) -> None:
        """Keep the class of the records, for which numpy would put its own."""


def view_record(array: NDArray[Any], index: int = 0) -> Any:
    """Return one record of an array."""
    return array.view(_with_attributes(array.dtype))[index]


def view_records(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of records as one whose fields, and those of its records, are attributes."""
    return array.view(_with_attributes(array.dtype)).view(RecordViews)


@cache
def _with_attributes(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    return np.dtype((RecordView, dtype))
