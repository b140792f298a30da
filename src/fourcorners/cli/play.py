"""`fourcorners play`: a game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.common import OPTIONS_HELP, busy, fail, game_of
from fourcorners.cli.terminal import USUAL_LEVEL, Terminal
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Game
from fourcorners.core.match import Match, Record


def play(
    game: Annotated[str, typer.Argument(help="The id of a game; an unknown one is answered with all that there are.")],
    option: Annotated[list[str] | None, typer.Option("-o", "--option", help=OPTIONS_HELP)] = None,
    computer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT[:LEVEL]", help="A seat that the computer plays, such as 1 or 0:5; usually all seats but 0."
        ),
    ] = None,
    people: Annotated[bool, typer.Option("--people", help="People play all seats, in turns at this screen.")] = False,
    seed: Annotated[int | None, typer.Option(help="What shuffles the tiles of games that have some.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write the game to this file when it ends or is left.")] = None,
) -> None:
    """Play a game in the terminal.

    Type a move, or part of one and the Tab key. Besides: ? lists what may come next (? and a beginning: what may follow
    it), why MOVE says why a move is refused, undo, resign, quit, and help for all of these.
    """
    chosen = game_of(game, option or [])
    levels = _levels(computer, people, chosen)
    names = [f"Computer {seat}" if seat in levels else f"Player {seat}" for seat in range(chosen.seats)]
    try:
        with busy("making the rules ready"):
            match = Match(chosen, names, seed=seed)
            match.position.moves()
    except GameError as error:
        fail(error.message, 2)
    try:
        Terminal(match, levels).run()
    except (EOFError, KeyboardInterrupt):
        print("\nThe game was left.")
    if record is not None:
        text = str(Record.of(match))
        try:
            record.write_text(text, encoding="utf-8")
        except OSError as error:
            print(text)
            fail(f"{record} cannot be written ({error.strerror or error}): the record stands above instead")
        print(f"The record is in {record}.")


def _levels(asked: list[str] | None, people: bool, game: Game) -> dict[int, int]:
    """Return the computers' levels by seat."""
    seats, most = game.seats, len(game.spec.levels)
    if people and asked:
        fail("--people and --computer exclude each other", 2)
    if people:
        return {}
    if not asked:
        return dict.fromkeys(range(1, seats), USUAL_LEVEL)
    levels = {}
    for text in asked:
        seat, _, level = text.partition(":")
        if seat not in map(str, range(seats)) or (level or str(USUAL_LEVEL)) not in map(str, range(1, most + 1)):
            allowed = f"a seat from 0 to {seats - 1}, then perhaps a colon and a level from 1 to {most}"
            fail(f"--computer {quote(text)} is not allowed; it may be {allowed}", 2)
        levels[int(seat)] = int(level or USUAL_LEVEL)
    return levels
