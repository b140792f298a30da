"""Links to this server that are pasted where a record can be: what they lead to, found in its own database.

No link is ever fetched: its path says what to look up.
"""

import re
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, urlencode

from fourcorners.core.errors import GameError
from fourcorners.core.game import Game, Position
from fourcorners.core.match import Record
from fourcorners.core.option_fields import format_value
from fourcorners.study.paper import list_moves
from fourcorners.study.public_links import find_position, split_first_link
from fourcorners.study.rendering import Check
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.shared_analyses import load_shared
from fourcorners.web.application.table_session import load_row
from fourcorners.web.domain.rows import NoTableError, StoredTable
from fourcorners.web.domain.table import LIVE, Table

_TABLE = re.compile(r"/(?:play|api/tables)/([A-Za-z0-9_-]{1,64})(?:/.*)?")
_MOVE = re.compile(r"/play/[^/]+/review/(?:moves/)?([1-9][0-9]{0,3})(?:/.*)?")
_SHARED = re.compile(r"/(?:analysis/shared|embed|api/analyses)/([A-Za-z0-9_-]{1,64})(?:/.*)?")
_NUMBER = re.compile(r"[0-9]{1,4}")
_NO_TABLE = "there is no game at this link: check that it is complete"
_CODE = "link"
_IS_POSITION = "this link leads to a position: open it on the analysis board"
_NO_ANALYSIS = "there is no analysis at this link: check that it is complete"


class SiteLink(NamedTuple):
    """What a link to this server leads to: a table with the number of a move, the id and text of a shared analysis,
    or a position.
    """

    table: StoredTable | None = None
    ply: str = ""
    analysis: str = ""
    text: str = ""
    position: Position | None = None

    @property
    def board_address(self) -> str:
        """Where the analysis board shows it."""
        if self.table is not None:
            return f"/play/{self.table.id}/analysis{f'?ply={self.ply}' if self.ply else ''}"
        if self.position is None:
            return f"/analysis/shared/{self.analysis}"
        options = {name: format_value(value) for name, value in self.position.game.given_options().items()}
        return f"/analysis/{self.position.game.id}?{urlencode({**options, 'position': self.position.text})}"

    @property
    def table_address(self) -> str:
        """Where the table shows it; the analysis board if it leads to no table."""
        if self.table is None:
            return self.board_address
        return f"/play/{self.table.id}{f'?ply={self.ply}' if self.ply else ''}"

    @property
    def is_running(self) -> bool:
        """Whether it leads to a game that is not over."""
        return self.table is not None and self.table.kind == LIVE and not self.table.result

    def list_moves(self, player: str, check: Check) -> tuple[Game, list[str]]:
        """Return the game that it leads to, and its moves as they are typed: those of a table as a player may know
        them, or the main line of an analysis. Raise GameError where these are not all moves since the start.
        """
        if self.table is not None:
            record = Table(self.table, check=check).build_record(player)
        elif self.position is None:
            record = Record.parse(self.text, check)
        else:
            raise GameError(_IS_POSITION, _CODE)
        if record.position:
            raise GameError(_IS_POSITION, _CODE)
        if record.game.spec.hidden:
            raise GameError("this link leads to a game with its own tiles: open it on the analysis board", _CODE)
        if record.lines:
            return record.game, [move for _, move in list_moves(record.match(check))]
        return record.game, list(record.open_tree().main_line())


def find_site_link(context: ServerContext, text: str, host: str) -> SiteLink | None:
    """Return what a text leads to that is a link to this server, which the browser knows by `host`; None for any other
    text, including links to other servers and pages. Blocks. Raise GameError if there is nothing at the link, and
    StoreError.
    """
    parts = split_first_link(text)
    if parts is None or parts.netloc.lower() != host.lower():
        return None
    if (found := _TABLE.fullmatch(parts.path)) is not None:
        return _find_table(context, found[1], parts)
    if (found := _SHARED.fullmatch(parts.path)) is not None:
        try:
            return SiteLink(analysis=found[1], text=load_shared(context, found[1]).text)
        except Refusal:
            raise GameError(_NO_ANALYSIS, _CODE) from None
    position = find_position(parts.path)
    return None if position is None else SiteLink(position=position)


def _find_table(context: ServerContext, table: str, parts: SplitResult) -> SiteLink:
    try:
        row = load_row(context, table)
    except NoTableError:
        raise GameError(_NO_TABLE, _CODE) from None
    move = _MOVE.fullmatch(parts.path)
    ply = move[1] if move is not None else parse_qs(parts.query).get("ply", [""])[-1]
    return SiteLink(table=row, ply=ply if _NUMBER.fullmatch(ply) else "")
