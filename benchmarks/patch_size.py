"""Bytes of the patches that a move sends to its watchers: `python -m benchmarks.patch_size`; prints JSON.

Each game is played with random moves by two people at a table with a clock. `all fields` is the size if a patch had all
fields of a board, `sent` if it has only those that have changed; `unchanged` is the mean number of fields left out.
"""

import json
import sys
from random import Random
from statistics import fmean
from typing import Any

from msgspec.structs import asdict, fields

import fourcorners as fc
from fourcorners.web.application.table_setup import TableSetup, build_table
from fourcorners.web.domain.actions import apply_command
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.commands import CommandContext, Move, Sit
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.server_messages import Patch, encode
from fourcorners.web.protocol.snapshots import SnapshotCache, UpdateCache
from fourcorners.web.protocol.table_fields import BoardFields

GAMES = ("squarin-off", "dots-and-boxes", "square-off", "squendo", "sqez")
WATCHERS = ("mover", "waiting", "spectator")
START, SECONDS = 2_000_000_000.0, 10.0


def measure_game(name: str, seed: int) -> dict[str, Any]:
    """Play a game and return, for each kind of watcher, the mean sizes of its patches in bytes."""
    game, random = fc.game(name, **fc.game(name).starter), Random(seed)
    setup = TableSetup(game, ["person", "open"], {0: "Ada"}, TimeControl(300, 5), shuffle=False)
    table = Table(build_table(setup, "ada", START))
    apply_command(table, "ben", Sit("sit", 0, 1), CommandContext(START, name="Ben"))
    players: list[str] = [chair.player or "" for chair in table.chairs]
    shown = {player: SnapshotCache(0).find_or_build(table, player, None, START) for player in (*players, "")}
    sizes: dict[str, list[tuple[int, int, int]]] = {watcher: [] for watcher in WATCHERS}
    while table.seat is not None:
        mover, at = players[table.seat], START + SECONDS * table.version
        move = random.choice(table.match.position.moves())
        apply_command(table, mover, Move(f"m{table.version}", table.version, move), CommandContext(at))
        snapshots = SnapshotCache(table.version)
        for player, old in shown.items():
            new = snapshots.find_or_build(table, player, None, at)
            changes = new.picture.find_changes(old.picture)
            whole = encode(Patch(**asdict(new.board), from_version=old.version, **changes))
            sent = UpdateCache().find_or_build(old, new)
            watcher = "spectator" if not player else "mover" if player == mover else "waiting"
            left_out = sum(
                getattr(new.board, field.name) == getattr(old.board, field.name) for field in fields(BoardFields)
            )
            sizes[watcher].append((len(whole), len(sent), left_out))
            shown[player] = new
    kinds = ("all fields", "sent", "unchanged")
    return {
        watcher: dict(zip(kinds, map(round, map(fmean, zip(*of, strict=True))), strict=True))
        for watcher, of in sizes.items()
    }


if __name__ == "__main__":
    json.dump({name: measure_game(name, 1) for name in GAMES}, sys.stdout, indent=1)
