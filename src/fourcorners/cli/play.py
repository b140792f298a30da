"""`fourcorners play`: play a game in the terminal."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from typer import Option

from fourcorners.cli.common import SEED_HELP, GameId, GameOptions, fail, parse_game, write_typed
from fourcorners.cli.terminal import DEFAULT_LEVEL, Terminal
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Game
from fourcorners.core.match import Match, Record
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.results import YOU
from fourcorners.web.engine.warmup import Warmup


def play(
    game: GameId,
    option: GameOptions = None,
    computer: Annotated[
        list[str] | None,
        Option(
            metavar="SEAT[:LEVEL]",
            help="A seat for the computer, such as 1, or 0:5 for level 5 at seat 0. Default: all but 0.",
        ),
    ] = None,
    people: Annotated[bool, Option("--people", help="People play all seats, taking turns at this screen.")] = False,
    seed: Annotated[int | None, Option(help=SEED_HELP)] = None,
    record: Annotated[
        Path | None, Option(help="Write the record to this file when the game ends or you leave it.")
    ] = None,
) -> None:
    """Play a game in the terminal.

    Type a move, or part of one and press Tab. Other commands: ? lists the possible next tokens (? TOKENS: what can
    follow these tokens), why MOVE explains why a move is refused, undo takes a move back, hint suggests one, resign and
    quit end the game, and help lists all commands. Exit status: 0 game ended, 1 record not written, 2 usage error.
    """
    chosen = parse_game(game, option)
    levels = _parse_levels(computer, people, chosen)
    is_alone = len(levels) == chosen.seats - 1
    names = [
        f"Computer {levels[seat]}" if seat in levels else YOU if is_alone else f"Player {seat + 1}"
        for seat in range(chosen.seats)
    ]
    try:
        match = Match(chosen, names, seed=seed)
    except GameError as error:
        fail(error.message, 2)
    # Until the rules are compiled, they run in Python, so the first move does not wait.
    warmup = Warmup([chosen.spec.id])
    warmup.start()
    problem: Exception | None = None
    try:
        Terminal(match, levels, warmup).run()
    except (EOFError, KeyboardInterrupt):
        print("\nYou left the game.")
    except (OSError, UnicodeDecodeError) as error:
        problem = error  # raised again once the record is safe
    finally:
        warmup.close()
    if record is not None:
        write_typed(str(_name_person(Record.of(match))), record)
    if problem is not None:
        raise problem


def _name_person(record: Record) -> Record:
    """Return the record with a name in place of “You”, since others read it, too."""
    if YOU not in record.seats:
        return record
    name = f"Player {record.seats.index(YOU) + 1}"
    seats = tuple(name if seat == YOU else seat for seat in record.seats)
    return replace(record, seats=seats, result=record.result.replace(f": {YOU} ", f": {name} "))


def _parse_levels(computers: list[str] | None, people: bool, game: Game) -> dict[int, int]:
    """Return the computers' levels by seat; empty with `people`, all seats but 0 at DEFAULT_LEVEL without `computers`.
    `computers` are texts SEAT[:LEVEL]. Exit with status 2 if one is wrong, or if there are any and `people` is True.
    """
    seats, max_level = game.seats, len(game.spec.part(ComputerPlay).levels)
    if people and computers:
        fail("use either --people or --computer, not both", 2)
    if people:
        return {}
    if not computers:
        return dict.fromkeys(range(1, seats), DEFAULT_LEVEL)
    levels = {}
    for text in computers:
        seat, _, level = text.partition(":")
        if seat not in map(str, range(seats)) or (level or str(DEFAULT_LEVEL)) not in map(str, range(1, max_level + 1)):
            allowed = f"a seat from 0 to {seats - 1}, optionally followed by a colon and a level from 1 to {max_level}"
            fail(f"--computer {quote(text)} is not allowed; it must be {allowed}", 2)
        levels[int(seat)] = int(level or DEFAULT_LEVEL)
    return levels
