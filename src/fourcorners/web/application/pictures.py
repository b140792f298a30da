"""Pictures and documents of a table for one player, with only what the player may know."""

from collections.abc import Sequence
from typing import NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Position
from fourcorners.core.plurals import pluralise
from fourcorners.study import stills
from fourcorners.study.cards import draw_card, fits_title
from fourcorners.study.paper import print_game
from fourcorners.study.rendering import ANIMATIONS, Check, render_png
from fourcorners.study.results import describe_result
from fourcorners.study.stills import LIGHT, Animation, Colours, Score
from fourcorners.web.domain.results import describe_headline
from fourcorners.web.domain.rows import WAITING, StoredTable
from fourcorners.web.domain.seats import name_players
from fourcorners.web.domain.table import GUEST, YOU, Table, seat_labels

CPU_SECONDS = 20
"""The limit for one picture. A position takes about one second; a long game in a large picture may be refused."""
MAX_ANIMATION_WIDTH, MAX_FRAMES = 640, 60
DIAGRAMS = 12
MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
}


class PictureOrder(NamedTuple):
    """What to draw: a kind of picture, up to which ply (None: the last), and for which of the player's seats. With
    `last` an animation shows only that many moves, with the score.
    """

    kind: str
    ply: int | None = None
    viewer: int | None = None
    colours: Colours = LIGHT
    width: int = stills.DEFAULT_WIDTH
    pause: int = 800
    last: int | None = None


def draw_table(row: StoredTable, player: str, order: PictureOrder, check: Check) -> bytes:
    """Draw a position, or the game up to there, as a player may know it. Raise OptionError for what is not allowed,
    RenderingError, GameError if the table does not replay, and what `check` raises.

    An animation shows what everyone sees on the board. A picture shows what the page does: in a finished game with
    hidden hands those of the seat to move.
    """
    if order.kind not in stills.KINDS:
        raise OptionError("kind", f"{quote(order.kind)} is not allowed; it must be {' or '.join(stills.KINDS)}")
    stills.check_last(order.kind, order.last)
    table = Table(row, check=check)
    positions = choose_positions(table, order.ply)
    if order.kind in ANIMATIONS:
        animation = Animation(order.kind, min(order.width, MAX_ANIMATION_WIDTH), order.pause, MAX_FRAMES, order.last)
        views = [position.view() for position in positions]
        score = Score(table.names_for(player), has_points=not table.hides_points)
        return stills.render_game(views, animation, order.colours, (), score, cpu_seconds=CPU_SECONDS, check=check)
    position = positions[-1]
    view = position.view(find_viewer(table, player, order.viewer, position))
    return stills.render_still(view, order.kind, order.colours, width=order.width, cpu_seconds=CPU_SECONDS, check=check)


def choose_positions(table: Table, ply: int | None) -> Sequence[Position]:
    """Return the positions up to a ply; raise OptionError if there is no such ply."""
    count = len(table.match.positions) - 1
    if ply is not None and ply > count:
        raise OptionError("ply", f"{ply} is not allowed; the game has {count} plies")
    return table.match.positions[: count + 1 if ply is None else ply + 1]


def find_viewer(table: Table, player: str, wanted_seat: int | None, position: Position) -> int | None:
    """Return the seat whose knowledge a player may see, as the page does (None: a spectator's)."""
    if table.hidden and table.is_revealed and position.seat is not None:
        return position.seat
    return table.choose_perspective(player, wanted_seat).viewer


def draw_table_card(row: StoredTable, words: str, ply: int | None, check: Check) -> bytes:
    """Draw the card of a table, for everyone: `words` (such as "Review") and the board as a spectator knows it, after
    `ply` moves or at the end of the game, whichever comes first.
    """
    table = Table(row, check=check)
    match = table.match
    title = f"{words}: {match.game.title}" if words else match.game.title
    # No line ends within a score.
    text, headline = describe_state(table), find_headline(row).replace(" : ", "\xa0:\xa0")
    if headline and fits_title(headline):
        title, text = headline, f"{title}, {count_moves(table)}."
    positions = match.positions
    card = draw_card(title, text, positions[len(positions) - 1 if ply is None else min(ply, len(positions) - 1)].view())
    return render_png(card, 1200, cpu_seconds=CPU_SECONDS, check=check)


def find_headline(row: StoredTable) -> str:
    """Say to everyone how the game of a table ended, as `describe_headline` does; empty while it runs."""
    try:
        game = catalogue.game(row.game, **row.options)
    except GameError:
        game = None  # this version does not have the game, or does not allow its options
    # Anyone who reads this is someone else.
    names = [GUEST if name == YOU else name for name in seat_labels(row.chairs)]
    return describe_headline(row.result, name_players(names, [chair.kind for chair in row.chairs]), game)


def count_moves(table: Table) -> str:
    """Return how many moves a game has had, in words."""
    return pluralise(len(table.match.positions) - 1, "{} move", "{} moves")


def describe_state(table: Table) -> str:
    """Say to everyone who plays at a table, or played and with what result: "Ada – Ben, 9 moves. Ada wins 5 : 4."."""
    match, moves = table.match, count_moves(table)
    if match.is_over:
        names = name_players(table.names_for(""), table.kinds, match.position.seat_names)
        result = describe_result(match.describe_result(names), names, match.game)
        return f"{' – '.join(names)}, {moves}. {result}."
    state = "finished" if table.is_over else WAITING if table.started is None else "running"
    return f"{match.game.seats} players, {moves}, {state}."


def print_table(row: StoredTable, player: str, name: str, wanted_seat: int | None, paper: str, check: Check) -> bytes:
    """Return the game of a table as PDF, as a player may know it; `name` stands for "You". Raise as `draw_table`."""
    table = Table(row, check=check)
    viewer = None if table.is_revealed else table.choose_perspective(player, wanted_seat).viewer
    names = [name if shown == YOU else shown for shown in table.names_for(player)]
    document = print_game(table.match, viewer, DIAGRAMS, paper, check, names=names)
    return document.render(cpu_seconds=CPU_SECONDS, check=check)
