"""`fourcorners show` and `fourcorners check`: look at a record, or verify it."""

from pathlib import Path
from typing import Annotated

from typer import Option

from fourcorners.cli.common import (
    NOT_OVER,
    RecordFile,
    fail,
    get_position,
    load_game,
    name_players,
    replay_quickly,
    require_extra,
    show_status,
    write_file,
)
from fourcorners.core.commitment import has_commitment
from fourcorners.core.errors import GameError
from fourcorners.core.match import Match, Record
from fourcorners.core.plurals import pluralise
from fourcorners.core.scene import check_colours
from fourcorners.core.shuffle import Values
from fourcorners.study.drawn_record import draw_match, write_drawn_record
from fourcorners.study.rendering import ANIMATIONS, MAX_FRAMES, RenderingError
from fourcorners.study.results import describe_result
from fourcorners.study.stills import (
    DEFAULT_WIDTH,
    DRAWN_RECORD,
    Animation,
    Colours,
    Score,
    check_last,
    find_kind,
    list_marks,
    render_game,
    render_still,
)


@replay_quickly
def show(
    record: RecordFile,
    ply: Annotated[
        int | None, Option(min=0, help="Show the board after this many moves; by default, after the last.")
    ] = None,
    picture: Annotated[
        Path | None,
        Option(
            help="Write a picture to this file: .svg or .png; .gif or .webp for an animation; .json for a board on a"
            " web page."
        ),
    ] = None,
    svg: Annotated[Path | None, Option(help="Write an SVG picture to this file, whatever its name.")] = None,
    theme: Annotated[
        str, Option(help="The picture’s theme: light, dark or print; .json has light and dark.")
    ] = "light",
    palette: Annotated[str, Option(help="The picture’s palette, such as high-contrast.")] = "",
    look: Annotated[str, Option(help="The material of the board, in games that offer a choice.")] = "",
    width: Annotated[int, Option(help="The width of a .png, .gif or .webp in pixels.")] = DEFAULT_WIDTH,
    pause: Annotated[int, Option(min=20, max=10_000, help="Milliseconds for each move of an animation.")] = 800,
    last: Annotated[
        int | None, Option(min=1, max=MAX_FRAMES - 1, help="Animate only this many moves, with the score below.")
    ] = None,
    seat: Annotated[int | None, Option(min=0, help="Show what this seat sees; by default, the seat to move.")] = None,
) -> None:
    """Show the board of a record after some or all of its moves, with the marks and arrows noted there.

    An animation shows the game up to that move, as everyone saw it or, with --seat, as one seat did. So does a .json
    file, with every move in words, for the element fourcorners-board on a web page (docs/pictures.md).
    Exit status: 1 if a file cannot be used or the record is invalid, 2 usage error, or a record of what one seat saw.
    Examples: fourcorners show game.txt --ply 10 --picture board.png
    fourcorners show game.txt --last 10 --picture end.gif
    """
    try:
        kind = "" if picture is None else find_kind(picture.name)
        if kind not in {"", "svg", DRAWN_RECORD}:
            require_extra("pictures", f"a .{kind} picture needs")
        parsed, replayed = load_game(record)
        match = replayed or parsed.match()
        ply, position = get_position(match.positions, ply)
        viewer = position.seat if seat is None else seat
        if svg is None and picture is None:
            print(position.view(viewer))
            names = name_players(position, match.names)
            scores = zip(names, position.scores, strict=True)
            points = ", ".join(f"{name}: {pluralise(value, '{} point', '{} points')}" for name, value in scores)
            place = pluralise(ply, "after {} move", "after {} moves")
            sentences = [f"{parsed.game.title}, {place}", points, _describe_result(match)]
            if parsed.game.spec.scoring != "points":
                del sentences[1]  # where the last move wins there are none
            print(f"\n{'. '.join(sentences)}.")
            return
        colours = Colours(theme, palette, look)
        check_colours(parsed.game.spec.drawing.STYLE, *colours)
        for path, form in ((svg, "svg"), (picture, kind)):
            if path is None:
                continue
            check_last(form, last)
            with show_status(f"drawing {path}"):
                if form in ANIMATIONS:
                    views = [position.view(seat) for position in match.positions[: ply + 1]]
                    marks = [list_marks(parsed.tree, number) for number in range(ply + 1)]
                    drawn = render_game(
                        views, Animation(form, width, pause, MAX_FRAMES, last), colours, marks, Score(match.names)
                    )
                elif form == DRAWN_RECORD:
                    names = name_players(position, match.names)
                    made = draw_match(match, names, parsed.tree, ply, seat, palette=palette, look=look)
                    drawn = write_drawn_record(made).encode()
                else:
                    drawn = render_still(position.view(viewer), form, colours, list_marks(parsed.tree, ply), width)
            write_file(path, drawn)
    except RenderingError as error:
        fail(error.message)
    except GameError as error:
        fail(error.message, 2)


@replay_quickly
def check(record: RecordFile) -> None:
    """Replay a record, check every move and the deck's commitment, and print the result.

    For an invalid record, print the line, the move and the reason, and exit with status 1. A record as one seat or a
    spectator saw a running game with hidden information cannot be replayed: only its commitment is printed.
    """
    parsed, replayed = load_game(record)
    title = parsed.game.title
    if parsed.seen_by:
        events = pluralise(len(parsed.lines), "{} event", "{} events")
        print(f"{title}: {events} as {_name_viewer(parsed)} saw the game; such a record cannot be replayed.")
        if parsed.commitment:
            secret = "deck" if parsed.values is None else "nonce"
            print(f"The {secret}, which is revealed at the end, must match the commitment {parsed.commitment}.")
        return
    match = replayed or parsed.match()
    plies = len(match.positions) - 1
    print(f"{title}: {pluralise(plies, '{} move', '{} moves')}, all legal. {_describe_result(match)}.")
    if parsed.tree is not None:
        count = parsed.tree.variation_moves
        further = "The record has comments or variations, with {} more move, which is legal."
        print(pluralise(count, further, "The record has comments or variations, with {} more moves, all legal."))
    if match.values is not None:
        print(f"The nonce matches the commitment made at the start: {match.commitment}.")
        players = _list_players_with_values(match, match.values)
        print(f"The deck follows from the nonce and the values of the players: {players}.")
    elif match.commitment:
        print(f"The deck matches the commitment made at the start: {match.commitment}.")
    elif has_commitment(parsed.game):
        print("The record has no commitment, so it does not prove that the deck was fixed at the start.")


def _name_viewer(record: Record) -> str:
    """Return whose view of a running game a record has."""
    seat = record.seen_by.removeprefix("seat ")
    return name_players(record.game, record.seats)[int(seat)] if seat.isdecimal() else "a spectator"


def _list_players_with_values(match: Match, values: Values) -> str:
    """Return the names of the players who gave a value for the shuffle, or "none"."""
    names = name_players(match.position, match.names)
    return ", ".join(name for name, value in zip(names, values, strict=True) if value is not None) or "none"


def _describe_result(match: Match) -> str:
    """Return the result in words, "Ada wins 5 : 3; all edges are drawn", or that the game is not over."""
    if not match.is_over:
        return NOT_OVER
    names = name_players(match.position, match.names)
    return describe_result(match.describe_result(names), names, match.game, has_reason=True)
