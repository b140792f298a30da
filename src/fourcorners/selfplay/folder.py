"""The folder of a run of self-play: units that are complete, then the tables and a manifest."""

import hashlib
import json
import random
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.errors import GameError, OptionError
from fourcorners.selfplay.card import build_croissant, build_readme
from fourcorners.selfplay.configuration import Configuration, describe_versions
from fourcorners.selfplay.tables import TABLES, count_splits, join_units, read_columns

FORMAT = 1
MANIFEST = "manifest.json"
_UNITS = "units"
_SHARES = (("test", 0.1), ("validation", 0.2))
"""The splits but the first one, with the upper ends of their shares of all games."""


class RunFolder:
    """The folder of one run: it can be left at any time, and opened again to go on.

    `units` has a folder for each complete unit. After the last one the tables are joined, the manifest gets their
    hashes, and the units go.
    """

    def __init__(self, path: Path, configuration: Configuration) -> None:
        """Open a folder, or make it if it is missing; raise OSError.

        Raise OptionError if it is the folder of another run, or has other files but no run.
        """
        self.path, self.configuration = path, configuration
        self._terms: dict[str, Any] = {
            "format": FORMAT,
            "configuration": configuration.to_json(),
            "versions": describe_versions(),
        }
        path.mkdir(parents=True, exist_ok=True)
        manifest = read_manifest(path)
        if manifest is None:
            # A run that was killed at once leaves a part of its manifest.
            if any(other.suffix != ".part" for other in path.iterdir()):
                raise OptionError("out", f"{path} has other files: name another folder")
            self._write_manifest({})
        elif {key: manifest.get(key) for key in self._terms} != self._terms:
            message = f"{path} is the folder of a run with another configuration or other versions: name another folder"
            raise OptionError("out", message)
        elif manifest.get("files"):
            shutil.rmtree(path / _UNITS, ignore_errors=True)

    @property
    def is_complete(self) -> bool:
        """Whether the tables are there."""
        manifest = read_manifest(self.path)
        return manifest is not None and bool(manifest.get("files"))

    def list_missing(self) -> list[int]:
        """List the numbers of the units that are not complete."""
        return [unit for unit in range(self.configuration.units) if not self._find_unit(unit).exists()]

    def add_unit(self, unit: int, files: dict[str, bytes]) -> None:
        """Write the files of a unit, all or nothing; do nothing if it is there already. Raise OSError."""
        target = self._find_unit(unit)
        part = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
        part.mkdir(parents=True)
        for table, content in files.items():
            (part / f"{table}.parquet").write_bytes(content)
        try:
            part.rename(target)
        except OSError:
            shutil.rmtree(part)
            if not target.exists():
                raise

    def finish(self) -> None:
        """Join all units to the tables, and write the manifest with their hashes; raise OSError."""
        units = [self._find_unit(unit) for unit in range(self.configuration.units)]
        tables = [table for table in TABLES if (units[0] / f"{table}.parquet").exists()]
        games = np.concatenate([self._split_games(unit) for unit in range(len(units))])
        files = {}
        for table in tables:
            paths = [unit / f"{table}.parquet" for unit in units]
            part = self.path / f".{table}.parquet.part"
            join_units(paths, _split_rows(paths, games, table), table, part)
            part.replace(self.path / f"{table}.parquet")
            files[f"{table}.parquet"] = describe_file(self.path / f"{table}.parquet")
        counts = {table: dict(count_splits(self.path / f"{table}.parquet")) for table in tables}
        croissant = build_croissant(self.configuration, files)
        for name, text in (
            ("croissant.json", json.dumps(croissant, indent=2) + "\n"),
            ("README.md", build_readme(self.configuration, self._terms["versions"], counts)),
        ):
            (self.path / name).write_bytes(text.encode())
            files[name] = describe_file(self.path / name)
        self._write_manifest(files)
        shutil.rmtree(self.path / _UNITS)

    def _find_unit(self, unit: int) -> Path:
        """Return the folder of a unit, which exists if it is complete."""
        return self.path / _UNITS / f"{unit:06}"

    def _split_games(self, unit: int) -> NDArray[np.object_]:
        """Return the split of each game of a unit."""
        splits = []
        for number in self.configuration.list_games(unit):
            share = random.Random(f"{self.configuration.seed}/{number}/split").random()
            splits.append(next((name for name, end in _SHARES if share < end), "train"))
        return np.array(splits, object)

    def _write_manifest(self, files: dict[str, Any]) -> None:
        """Write the manifest, all or nothing; without files, the run is not complete."""
        part = self.path / f".{MANIFEST}.part"
        part.write_text(json.dumps({**self._terms, "files": files}, indent=2) + "\n", encoding="utf-8")
        part.replace(self.path / MANIFEST)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a folder, None if it has none; raise OSError, and GameError if it is damaged."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict):
        raise GameError(f"{path} is damaged: it is not the manifest of a run", "manifest")
    return manifest


def describe_file(path: Path) -> dict[str, Any]:
    """Return the length in bytes and the SHA-256 hash of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def _split_rows(paths: list[Path], games: NDArray[np.object_], table: str) -> Iterator[list[str]]:
    """Yield the split of each row of units: that of its game, or "none" for a position that another split has.

    No position of the test games is equivalent to one of the training or validation games, and none of the validation
    games to one of the training games.
    """
    if table == "games":
        for path in paths:
            yield games[read_columns(path, "game")["game"]].tolist()
        return
    seen: dict[str, NDArray[np.uint64]] = {}
    for split, earlier in (("train", ()), ("validation", ("train",))):
        keys = [np.zeros(0, np.uint64)]
        for path in paths:
            columns = read_columns(path, "game", "key")
            keys.append(columns["key"][games[columns["game"]] == split])
        seen[split] = np.unique(np.concatenate([*keys, *(seen[name] for name in earlier)]))
    for path in paths:
        columns = read_columns(path, "game", "key")
        splits = games[columns["game"]]
        for split, others in (("validation", "train"), ("test", "validation")):
            splits[(splits == split) & np.isin(columns["key"], seen[others])] = "none"
        yield splits.tolist()
