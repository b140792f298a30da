"""All writes that the tests make could be sent to another process."""

import io
from functools import partial
from typing import Any

import pytest

from fourcorners.web.store.remote_writer import _pickle, _StatementUnpickler
from fourcorners.web.store.write_result import WriteResult
from fourcorners.web.store.writer import PendingWrite, Writer


@pytest.fixture(autouse=True)
def _writes_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every write that the store itself makes pickled and read again before it is queued."""
    put = Writer._put

    def pickle_and_put(self: Writer, write: PendingWrite) -> WriteResult[Any]:
        work = write.work
        if write.write_many is None and not _has_test_code(work):
            work = _StatementUnpickler(io.BytesIO(_pickle(write)[3])).load()
        return put(self, write._replace(work=work))

    monkeypatch.setattr(Writer, "_put", pickle_and_put)


def _has_test_code(work: Any) -> bool:
    """Return whether a function, or one of its arguments, is a test's own, which cannot be sent."""
    functions = [work]
    if isinstance(work, partial):
        functions = [work.func, *work.args, *work.keywords.values()]
        functions += [value.func for value in functions if isinstance(value, partial)]
    return any(str(getattr(function, "__module__", "")).startswith("tests") for function in functions)
