"""`fourcorners show`: show the board of a record, as text or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.common import fail, load_record
from fourcorners.core.errors import GameError


def show(
    record: Annotated[Path, typer.Argument(help="The file of a record; - reads standard input.")],
    ply: Annotated[
        int | None, typer.Option(min=0, help="Show the board after this many moves; by default, after all.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture to this file instead of text.")] = None,
    theme: Annotated[str, typer.Option(help="The picture's theme: light, dark or print.")] = "light",
    seat: Annotated[
        int | None, typer.Option(min=0, help="Show what this seat sees; by default, the seat to move.")
    ] = None,
) -> None:
    """Show the board of a record after some or all of its moves.

    Example: fourcorners show game.txt --ply 10 --svg board.svg
    """
    parsed = load_record(record)
    try:
        match = parsed.match()
        count = len(match.positions) - 1
        if ply is not None and ply > count:
            fail(f"the record has {count} moves: --ply may be 0 to {count}, not {ply}", 2)
        position = match.positions[count if ply is None else ply]
        viewer = position.seat if seat is None else seat
        if svg is None:
            print(position.view(viewer))
            _print_state(parsed.game.title, position.scores, count if ply is None else ply, match.result)
            return
        picture = position.svg(viewer, theme=theme)
    except GameError as error:
        fail(error.message, 2)
    try:
        svg.write_text(picture, encoding="utf-8")
    except OSError as error:
        fail(f"{svg} cannot be written: {error.strerror or error}")


def _print_state(title: str, scores: tuple[int, ...], ply: int, result: str) -> None:
    """Print the points after some plies, and the result of the whole match."""
    points = " ".join(f"seat {seat}: {value}" for seat, value in enumerate(scores))
    print(f"\n{title}, after {ply} moves. Points: {points}. Result: {result}.")
