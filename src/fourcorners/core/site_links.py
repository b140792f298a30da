"""Links to a server of Fourcorners: a position is read from the link itself; for a table, the error explains the
import.
"""

import contextlib
import re
from urllib.parse import SplitResult, parse_qs, urlsplit

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, quote
from fourcorners.core.match import Match
from fourcorners.core.move_list import MoveListError, Word

_TABLE = re.compile(r"/play/([A-Za-z0-9_-]{1,64})(?:/.*)?")
_ANALYSIS = re.compile(r"/analysis/([a-z0-9-]{1,64})/?")
_SHARED = re.compile(r"/(?:analysis/shared|embed)/[A-Za-z0-9_-]{1,64}/?")


def read_site_link(link: Word) -> Match:
    """Return a match that begins with the position in a link to an analysis board, such as
    `https://example.org/analysis/GAME?cols=5&position=…`.

    No page is loaded: for any other link, and for an invalid position, raise MoveListError, which says how to get the
    record.
    """
    parts = split_link(link)
    if parts is None:
        raise _refuse(link, "it cannot be read as a link")
    table, board = find_table(link), _ANALYSIS.fullmatch(parts.path)
    if table is not None:
        address = "{}/play/{}/record".format(*table)
        raise _refuse(link, f"it leads to a table: save its record from {address} and import that file")
    if _SHARED.fullmatch(parts.path):
        raise _refuse(link, "it leads to an analysis: open it, choose “Download record” and import that file")
    if board is None or board[1] not in catalogue.games():
        raise _refuse(link, "it leads to a page: copy the moves from there and import those")
    # Some positions end with full stops, so apparent punctuation may belong to the link.
    for length in range(len(link.ending), 0, -1):
        with contextlib.suppress(GameError):
            return _open_board(board[1], parts.query + link.ending[:length], link)
    try:
        return _open_board(board[1], parts.query, link)
    except MoveListError:
        raise
    except GameError as error:
        raise MoveListError(link, 0, error.message) from None


def find_table(link: Word) -> tuple[str, str] | None:
    """Return the site and the id in a link to a table, such as "https://example.org" and "4fQ"; None for others."""
    parts = split_link(link)
    table = None if parts is None else _TABLE.fullmatch(parts.path)
    return None if table is None else (link.text[: link.text.index(f"/play/{table[1]}")], table[1])


def split_link(link: Word) -> SplitResult | None:
    """Split a link, which may have no scheme; return None if it cannot be read."""
    try:
        return urlsplit(link.text if "://" in link.text else f"//{link.text}")
    except ValueError:
        return None


def _open_board(game_id: str, query: str, link: Word) -> Match:
    """Return a match that begins with the position in the query of a link; raise GameError."""
    given = {name: values[-1] for name, values in parse_qs(query).items()}
    names = {field.name for field in catalogue.game(game_id).spec.options.fields()}
    game = catalogue.parse_game(game_id, {name: text for name, text in given.items() if name in names})
    if "position" not in given:
        raise _refuse(link, "it names no position: open it, choose “Download record” and import that file")
    return Match(game, date="", start=game.position(given["position"]))


def _refuse(link: Word, reason: str) -> MoveListError:
    """Return the error for a link that would have to be loaded."""
    return MoveListError(link, 0, f"nothing is loaded from {quote(link.text)}; {reason}")
