"""`fourcorners import`: turn a link or a move list from elsewhere into a record."""

from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import IO, Annotated, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from typer import Argument

from fourcorners.cli.common import (
    Deck,
    GameOptions,
    RecordOutput,
    fail,
    parse_game,
    read_text,
    replay_quickly,
    write_output,
)
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game_import import import_record
from fourcorners.core.match import Record
from fourcorners.core.move_list import find_link
from fourcorners.core.record_format import MAX_RECORD_LENGTH, STUDY_TITLE, TITLE
from fourcorners.core.site_links import find_table

_SECONDS = 10.0  # for each answer of a site
_SOURCE_HELP = "A file with a move list or record, a link, or - to read standard input."


@replay_quickly
def import_game(
    source: Annotated[str, Argument(help=_SOURCE_HELP)],
    game: Annotated[str | None, Argument(help="The id of the game; not needed for a link or a record.")] = None,
    option: GameOptions = None,
    deck: Deck = None,
    output: RecordOutput = None,
) -> None:
    """Turn a game from elsewhere into a record, checking every move.

    Read a link such as https://trmph.com/dnb/board#5,f7f5g8 or one to a puzzle, a list of moves, or a record. For a
    link to a table, such as https://example.org/play/TABLE, load its record from there. Moves are separated by spaces,
    commas or lines, and may be numbered. For a move that cannot be played, print its place and the reason, and exit
    with status 1; for a usage error with status 2.
    Example: fourcorners import moves.txt GAME -o cols=5 -o rows=5 --output game.txt
    """
    if game is None and option:
        fail("options need a game: give its id after the source", 2)
    chosen = None if game is None else parse_game(game, option)
    # A link has no file name's form, but a file could have a link's.
    is_link = not _is_file(source) and ("#" in source or find_link(source) is not None)
    try:
        text = _load_record(source) if is_link else read_text(Path(source))
        record = (_read_public_link(source) if is_link else None) or import_record(
            text, chosen, deck=None if deck is None else deck.split()
        )
    except OptionError as error:
        fail(error.message, 2)
    except GameError as error:
        fail(f"{source}: {error.message}" if not is_link else error.message)
    write_output(str(record), output)


def _read_public_link(link: str) -> Record | None:
    """Return the position of a puzzle or a lesson, which need no server; None for another link."""
    # Lessons take a twentieth of a second to import, which no other command should cost.
    from fourcorners.study.public_links import read_public_link

    return read_public_link(link)


class _SameHost(HTTPRedirectHandler):
    """Follows redirects to the host that was asked, such as from http to https, and to no other host or scheme."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the request that follows; None for another host, or for FTP."""
        target = urlsplit(newurl)
        is_same = target.scheme in {"http", "https"} and target.hostname == urlsplit(req.full_url).hostname
        return super().redirect_request(req, fp, code, msg, headers, newurl) if is_same else None


def _load_record(source: str) -> str:
    """Return the record of the table that a link leads to, from the API of its site; any other link unchanged."""
    link = find_link(source)
    table = None if link is None else find_table(link)
    if link is None or table is None:
        return source
    site, table_id = table
    if "://" not in site:
        # A server on this computer seldom has a certificate.
        site = f"{'http' if site.partition(':')[0].lower() == 'localhost' else 'https'}://{site}"
    address = f"{site}/api/tables/{table_id}/record"
    text = ""
    try:
        with build_opener(_SameHost).open(address, timeout=_SECONDS) as answer:
            # A character has at most four bytes, so a text that is too long is still too long when it is cut here.
            text = answer.read(4 * MAX_RECORD_LENGTH + 1).decode(errors="replace")
        is_record = text.startswith((TITLE, STUDY_TITLE)) and len(text) <= MAX_RECORD_LENGTH
        reason = "" if is_record else "the answer is not a record"
    except HTTPError as error:
        reason = "the site has no such game" if error.code == HTTPStatus.NOT_FOUND else f"the site answers {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        cause = getattr(error, "reason", error)
        reason = str(getattr(cause, "strerror", None) or cause)
    if reason:
        fail(f"the record of {quote(link.text)} could not be loaded: {reason}")
    return text


def _is_file(source: str) -> bool:
    """Return whether there is a file or folder of this name; not if no file can have it."""
    try:
        return Path(source).exists()
    except (OSError, ValueError):
        return False
