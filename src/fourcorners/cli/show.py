"""`fourcorners show`: show the board of a record, as text or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from fourcorners.cli.common import fail, get_position, load_record
from fourcorners.core.errors import GameError


def show(
    record: Annotated[Path, Argument(help="The file of a record; - reads standard input.")],
    ply: Annotated[
        int | None, Option(min=0, help="Show the board after this many moves; by default, after all.")
    ] = None,
    svg: Annotated[Path | None, Option(help="Write a picture to this file instead of text.")] = None,
    theme: Annotated[str, Option(help="The picture's theme: light, dark or print.")] = "light",
    seat: Annotated[int | None, Option(min=0, help="Show what this seat sees; by default, the seat to move.")] = None,
) -> None:
    """Show the board of a record after some or all of its moves.

    Example: fourcorners show game.txt --ply 10 --svg board.svg
    """
    parsed = load_record(record)
    try:
        match = parsed.match()
        ply, position = get_position(match.positions, ply)
        viewer = position.seat if seat is None else seat
        if svg is None:
            print(position.view(viewer))
            points = " ".join(f"seat {seat}: {value}" for seat, value in enumerate(position.scores))
            print(f"\n{parsed.game.title}, after {ply} moves. Points: {points}. Result: {match.result}.")
            return
        picture = position.svg(viewer, theme=theme)
    except GameError as error:
        fail(error.message, 2)
    try:
        svg.write_text(picture, encoding="utf-8")
    except OSError as error:
        fail(f"{svg} cannot be written: {error.strerror or error}")
