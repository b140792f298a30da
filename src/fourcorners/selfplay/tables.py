"""The tables of the data: their columns, and Parquet files whose bytes depend on nothing but the rows."""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = Mapping[str, Any]
_UNITS_OF_GROUP = 64  # the units whose rows form one group of a table

_SEATS = pa.list_(pa.int32())
_INDICES = pa.list_(pa.int64())
_PLAYED = (
    ("game", pa.int64(), "the number of the game"),
    ("ply", pa.int32(), "the number of moves before this position"),
    ("seat", pa.int32(), "the seat to move"),
    ("text", pa.string(), "the position as a line of text"),
    ("key", pa.uint64(), "the same for all positions that are equivalent under the symmetries of the game"),
    ("actions", _INDICES, "the index of each legal move, in the order of the rules; -1 if it has none"),
    ("played", pa.int64(), "the index of the move played; -1 if it has none"),
    ("visits", _INDICES, "the simulations of each legal move; null if no simulations chose the move"),
    ("win", pa.float64(), "the share of the win that the player expected, from 0 to 1"),
    ("margin", pa.float64(), "the final margin over the best rival that the player expected"),
)
_SPLIT = ("split", pa.string(), "train, validation, test, or none")
TABLES: Mapping[str, tuple[tuple[str, pa.DataType, str], ...]] = {
    "games": (
        ("game", pa.int64(), "the number of the game, from 0"),
        ("seed", pa.string(), "the seed of the run and the number of the game"),
        ("players", pa.list_(pa.string()), "the player of each seat"),
        ("options", pa.string(), "the options of the game as JSON"),
        ("opening", pa.int32(), "the number of random moves at the beginning"),
        ("moves", pa.list_(pa.string()), "all moves as text"),
        ("scores", _SEATS, "the points by seat"),
        ("rewards", pa.list_(pa.float32()), "by seat: the losers pay, and the winners share it; the sum is 0"),
        ("winners", _SEATS, "the seats that won or share the win"),
        ("plies", pa.int32(), "the number of moves"),
        ("split", pa.string(), "train, validation or test"),
    ),
    "positions": (
        *_PLAYED,
        ("value", pa.int64(), "label: the margin from here to the end with best play, for the seat to move"),
        ("lower", pa.int64(), "label: the proven lower bound of the value; null if there is none"),
        ("upper", pa.int64(), "label: the proven upper bound of the value; null if there is none"),
        ("exact", pa.bool_(), "label: whether the value is proven; otherwise it is null"),
        ("values", _INDICES, "label: the value of each legal move for its seat; null where it is not proven"),
        ("rewards", pa.list_(pa.float32()), "the rewards of the game by seat"),
        _SPLIT,
    ),
    "views": (*_PLAYED, _SPLIT),
}
"""The columns of each table: name, type and meaning."""


def make_schema(table: str, *, without: str = "") -> pa.Schema:
    """Return the schema of a table, perhaps without one of its columns."""
    return pa.schema([(name, kind) for name, kind, _ in TABLES[table] if name != without])


def format_rows(table: str, rows: Iterable[Row]) -> bytes:
    """Return rows of a unit as a Parquet file, without their splits."""
    buffer = io.BytesIO()
    schema = make_schema(table, without="split")
    with _open_writer(buffer, schema) as writer:
        writer.write_table(pa.Table.from_pylist(list(rows), schema))
    return buffer.getvalue()


def read_columns(path: Path, *names: str) -> dict[str, Any]:
    """Return columns of a Parquet file as NumPy arrays, of objects for lists and texts."""
    table = pq.read_table(path, columns=list(names))
    return {name: table[name].to_numpy() for name in names}


def count_splits(path: Path) -> Counter[str]:
    """Return the number of rows of each split in a Parquet file."""
    return Counter(pq.read_table(path, columns=["split"])["split"].to_pylist())


def join_units(paths: Iterable[Path], splits: Iterable[list[str]], table: str, target: Path) -> None:
    """Write the rows of units, with their splits, as one Parquet file."""
    schema = make_schema(table)
    with target.open("wb") as file, _open_writer(file, schema) as writer:
        for group in _group(zip(paths, splits, strict=True)):
            joined = [pq.read_table(path).append_column("split", pa.array(split, pa.string())) for path, split in group]
            writer.write_table(pa.concat_tables(joined).cast(schema).combine_chunks())


def _group(units: Iterator[tuple[Path, list[str]]]) -> Iterator[list[tuple[Path, list[str]]]]:
    """Yield lists of units, as many as form one group of rows."""
    group: list[tuple[Path, list[str]]] = []
    for unit in units:
        group.append(unit)
        if len(group) == _UNITS_OF_GROUP:
            yield group
            group = []
    if group:
        yield group


def _open_writer(file: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer whose settings are all given, so that other defaults change no byte."""
    return pq.ParquetWriter(
        file,
        schema,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        use_dictionary=True,
        write_statistics=True,
        data_page_size=1 << 20,
        store_schema=True,
    )
