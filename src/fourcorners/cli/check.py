"""`fourcorners check`: replay a record and verify its deck."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument

from fourcorners.cli.common import load_record
from fourcorners.core.commitment import has_commitment


def check(record: Annotated[Path, Argument(help="The file of a record; - reads standard input.")]) -> None:
    """Replay a record, check every move and the deck's commitment, and print the result.

    For an invalid record, print the line, the move and the reason, and exit with status 1.
    """
    parsed = load_record(record)
    title = parsed.game.title
    if parsed.seen_by:
        print(f"{title}: {len(parsed.lines)} events as {parsed.seen_by} saw them; such a record cannot be replayed.")
        if parsed.commitment:
            print(f"The deck, which is revealed at the end, must match the commitment {parsed.commitment}.")
        return
    match = parsed.match()
    plies = len(match.positions) - 1
    print(f"{title}: {plies} moves, all of them legal; {match.result}.")
    if match.commitment:
        print(f"The deck matches the commitment made at the start: {match.commitment}.")
    elif has_commitment(parsed.game):
        print("The record has no commitment, so it does not prove that the deck was fixed at the start.")
