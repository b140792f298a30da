"""`fourcorners check`: replay a record, and compare its deck with what was promised."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.common import record_in
from fourcorners.core.commitment import has_commitment


def check(
    record: Annotated[Path, typer.Argument(help="A record's file; - reads the standard input.")],
) -> None:
    """Replay a record, checking every move and the deck's commitment, and say how the game stands.

    A wrong record is answered with the line, the move and the reason, and exit status 1.
    """
    found = record_in(record)
    title = found.game.title
    if found.seen_by:
        print(f"{title}: {len(found.lines)} events as {found.seen_by} saw them; such a record cannot be replayed.")
        if found.commitment:
            print(f"The deck, which is told at the end, must fit the commitment {found.commitment}.")
        return
    match = found.match()
    plies = len(match.positions) - 1
    standing = "running" if match.outcome is None else match.result
    print(f"{title}: {plies} moves, every one of them legal; {standing}.")
    if match.commitment:
        print(f"The deck fits the commitment that was made at the start: {match.commitment}.")
    elif has_commitment(found.game):
        print("The record has no commitment, so it does not show that the deck was fixed at the start.")
