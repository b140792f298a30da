"""Figures about the data of a run: lengths, results, branching, and how much of it is proven."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.selfplay.folder import describe_file, read_manifest
from fourcorners.selfplay.tables import count_splits


@dataclass(frozen=True)
class PlyFigures:
    """The positions after one number of moves."""

    ply: int
    positions: int
    branching: float
    """The mean number of legal moves."""
    exact: float | None
    """The share of positions whose value is proven; None without labels."""


@dataclass(frozen=True)
class Statistics:
    """The figures of a run. Shares are from 0 to 1."""

    game: str
    """The id of the game."""
    rows: dict[str, dict[str, int]]
    """The rows of each table by split."""
    plies: tuple[int, float, int]
    """The fewest, mean and most moves of a game."""
    wins: tuple[float, ...]
    """By seat: the share of games that it won, or whose win it shares."""
    shared: float
    """The share of games with several winners that are no team."""
    players: dict[str, float]
    """By player: the mean of its rewards."""
    branching: float
    """The mean number of legal moves."""
    exact: float | None
    """The share of positions whose value is proven; None without labels."""
    by_ply: tuple[PlyFigures, ...]
    """The positions by the number of moves before them, ascending."""


def compute_statistics(folder: Path) -> Statistics:
    """Return the figures of a complete run; raise OSError, and GameError for anything else and for changed files."""
    manifest = read_manifest(folder)
    if manifest is None or not manifest.get("files"):
        raise GameError(f"{folder} has no complete run of `fourcorners selfplay`", "data")
    tables = [name for name in manifest["files"] if name.endswith(".parquet")]
    for name in tables:
        if not (folder / name).exists() or describe_file(folder / name) != manifest["files"][name]:
            raise GameError(f"{folder / name} is not the file that the manifest names", "data")
    games = pq.read_table(folder / "games.parquet", columns=["players", "rewards", "winners", "plies"])
    positions = pq.read_table(folder / "positions.parquet", columns=["ply", "actions", "exact"])
    # Lists of millions of moves take much more memory than their lengths.
    lengths = pc.list_value_length(positions["actions"])
    positions = pa.table({"ply": positions["ply"], "length": lengths, "exact": positions["exact"]})
    rewards = games["rewards"].to_pylist()
    winners = games["winners"].to_pylist()
    plies = games["plies"].to_pylist()
    received: dict[str, list[float]] = {}
    for names, row in zip(games["players"].to_pylist(), rewards, strict=True):
        for name, reward in zip(names, row, strict=True):
            received.setdefault(name, []).append(reward)
    configuration = manifest["configuration"]
    party = catalogue.game(configuration["game"], **configuration["options"]).options.parties[0]
    return Statistics(
        game=configuration["game"],
        rows={name.removesuffix(".parquet"): dict(count_splits(folder / name)) for name in tables},
        plies=(min(plies), sum(plies) / len(plies), max(plies)),
        wins=tuple(sum(seat in row for row in winners) / len(winners) for seat in range(len(rewards[0]))),
        shared=sum(len(row) > len(party) for row in winners) / len(winners),
        players={name: sum(values) / len(values) for name, values in sorted(received.items())},
        branching=pc.mean(positions["length"]).as_py() or 0.0,
        exact=pc.mean(positions["exact"]).as_py(),
        by_ply=tuple(_group_by_ply(positions)),
    )


def _group_by_ply(positions: Any) -> list[PlyFigures]:
    """Return the figures for each number of moves."""
    grouped = positions.group_by("ply").aggregate([("ply", "count"), ("length", "mean"), ("exact", "mean")])
    return [
        PlyFigures(row["ply"], row["ply_count"], row["length_mean"], row["exact_mean"])
        for row in grouped.sort_by("ply").to_pylist()
    ]
