"""Records whose fields are attributes."""

import pickle

import numpy as np
import pytest

from fourcorners.core.record_view import view_record, view_records

DTYPE = np.dtype([("count", np.int64), ("cells", np.uint8, 3), ("inner", [("depth", np.int8)])])


def test_fields_are_read_and_written_as_attributes() -> None:
    states = np.zeros(2, DTYPE)
    record = view_record(states, 1)
    record.count = 5
    record.cells[2] = 7
    record.inner.depth = 3
    assert states[1].tolist()[0] == record.count == 5
    assert states["cells"][1].tolist() == [0, 0, 7]
    assert view_records(states)[1].inner.depth == 3
    assert view_record(np.zeros(1, np.dtype([("other", np.int8)]))).other == 0
    with pytest.raises(AttributeError, match="other"):
        _ = record.other
    with pytest.raises(AttributeError, match="other"):
        record.other = 1


def test_read_only_record_keeps_copies_of_its_arrays_and_can_be_pickled() -> None:
    states = np.array([(5, (1, 2, 3), (4,))], DTYPE)
    states.setflags(write=False)
    record = view_record(states)
    assert record.cells is record.cells
    with pytest.raises(ValueError, match="read-only"):
        record.cells[0] = 1
    assert pickle.loads(pickle.dumps(record)).cells.tolist() == [1, 2, 3]
