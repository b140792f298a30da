"""Setting up tables: a new game, a rematch, and a record to study. Pages and API both build a `TableSetup`."""

import asyncio
import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from fourcorners.core.commitment import has_commitment
from fourcorners.core.errors import OptionError
from fourcorners.core.game import Game
from fourcorners.core.match import Match
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.domain.clocks import UNTIMED, TimeControl
from fourcorners.web.domain.rated_rules import ORDERED, check_rated
from fourcorners.web.domain.rows import PAIRING, Chair, StoredTable, StoreError, TableEvent
from fourcorners.web.domain.seats import OPEN, PERSON, Strength, parse_strength, rotate_seats
from fourcorners.web.domain.table import GUEST, LIVE, STUDY, YOU, Table, seat_labels
from fourcorners.web.store import Store

VISIBILITIES = ("link", "public")
CHATS = ("presets", "free")
MAX_SEATS = 8
"""The most seats that any game has."""
_STORED_WITHIN = 30.0


class Sharing(NamedTuple):
    """The settings of a table that matter only if other people can join."""

    visibility: str = VISIBILITIES[0]
    chat: str = CHATS[0]


class TableSetup(NamedTuple):
    """A game to set up: who plays each seat, and under which settings.

    `kinds` has `person`, `open` or a computer for each seat in the order of the request, `names` the name at each seat
    of a person. `shuffle` lets a random seat begin (ruling R1); the order around the table stays, so that partners
    still sit opposite each other. With `hide_points`, no one sees points until the end. A `rated` game counts for the
    ratings of its players. `hash` is that of the value
    that the owner's browser will give for the shuffle; empty if it takes no part, or if nothing is shuffled.
    """

    game: Game
    kinds: Sequence[str]
    names: Mapping[int, str]
    control: TimeControl = UNTIMED
    confirm: bool = False
    sharing: Sharing = Sharing()
    shuffle: bool = True
    hide_points: bool = False
    rated: bool = False
    hash: str = ""


def check_setup(setup: TableSetup) -> None:
    """Raise OptionError if the game cannot hide points, or be rated, although that was chosen."""
    if setup.hide_points and setup.game.spec.presentation.points_clause is None:
        raise OptionError("hide_points", f"the points of {setup.game.title} cannot be counted on the board")
    if setup.rated:
        check_rated(setup.game, setup.kinds, setup.control, draws_seats=setup.shuffle)


def build_table(setup: TableSetup, owner: str, now: float) -> StoredTable:
    """Return the row of a table for a new game, not stored yet. The seats of people belong to `owner` and need names;
    open seats wait for others. `now` is server time in seconds. Raise as `check_setup`, and OptionError if a name is
    not allowed.
    """
    check_setup(setup)
    settings: dict[str, Any] = {"confirm": setup.confirm, "clock": setup.control.to_stored()}
    if OPEN in setup.kinds:
        settings |= setup.sharing._asdict() | {"rated": setup.rated}
    if setup.rated:
        settings["rated"] = True
        if not setup.shuffle:
            settings[ORDERED] = True
    if setup.hide_points:
        settings["hide_points"] = True
    first = random.SystemRandom().randrange(setup.game.seats) if setup.shuffle else 0
    old_seats = rotate_seats(range(setup.game.seats), first)
    chairs = [_build_chair(setup, old, owner)._replace(seat=seat) for seat, old in enumerate(old_seats)]
    match = _start_match(_rotate_colours(setup.game, first), chairs)
    return _build_table_row(match, LIVE, chairs, owner, settings, now, {owner: setup.hash})


def _start_match(game: Game, chairs: Sequence[Chair]) -> Match:
    """Return a new match; its deck, if it hides one, does not count: it is dealt when the game starts."""
    return Match(game, seat_labels(chairs), values=[None] * game.seats if has_commitment(game) else None)


def _rotate_colours(game: Game, first: int) -> Game:
    """Return the game in which the player of seat `first` moves to seat 0, and so on, with the colour it has chosen."""
    colours = game.spec.seat_colours
    return game if colours is None else colours.rotate(game, first)


def _build_chair(setup: TableSetup, seat: int, owner: str) -> Chair:
    """Return the chair of a seat, numbered in the order of the request; open or taken by the owner or a computer."""
    kind = setup.kinds[seat]
    if kind == OPEN:
        return Chair(seat, PERSON, None, "", taken=False)
    if kind == PERSON:
        return Chair(seat, PERSON, owner, setup.names[seat], taken=True)
    return Chair(seat, kind, None, parse_strength(kind, setup.game.spec).name, taken=True)


def build_rematch(
    table: Table, player: str, now: float, level: int | None = None, hashes: Mapping[str, str] | None = None
) -> StoredTable:
    """Return the row of a table for the same game, settings and players, set up by `player`, in which the next seat
    begins. With a `level`, from 1, all computers play at it, or at the highest level if there are fewer. `now` is
    server time in seconds, `hashes` has those of the players' values, as in `TableSetup`. The row is not stored yet.
    It is casual if the game could not be rated, as with two computers at one level or at tables of earlier versions.
    """
    chairs = [
        Chair(seat, chair.kind, chair.player, chair.name, taken=True)
        for seat, chair in enumerate(rotate_seats(table.chairs, 1))
    ]
    if level is not None:
        strength = Strength(min(level, len(table.match.game.spec.part(ComputerPlay).levels)))
        chairs = [
            chair if chair.kind == PERSON else chair._replace(kind=strength.kind, name=strength.name)
            for chair in chairs
        ]
    match = _start_match(_rotate_colours(table.match.game, 1), chairs)
    settings = {name: value for name, value in table.row.settings.items() if name != PAIRING}
    kinds = [OPEN if chair.player not in {None, player} else chair.kind for chair in chairs]
    try:
        if table.is_rated:
            check_rated(match.game, kinds, table.clock.control, draws_seats=ORDERED not in settings)
    except OptionError:
        settings["rated"] = False
    return _build_table_row(match, LIVE, chairs, player, settings, now, hashes or {})


def build_study(match: Match, owner: str, now: float, check: Callable[[], None] | None = None) -> StoredTable:
    """Return the row of a table to study a match, such as `Record.replay` returns, set up at server time `now`. `check`
    is that of `Table`.
    """
    # Older records say "You"; anyone who opens one may be someone else.
    names = [GUEST if name == YOU else name for name in match.names]
    chairs = [Chair(seat, PERSON, None, name, taken=True) for seat, name in enumerate(names)]
    return _build_table_row(match, STUDY, chairs, owner, {}, now, {}, check)


def _build_table_row(
    match: Match,
    kind: str,
    chairs: list[Chair],
    owner: str,
    settings: dict[str, Any],
    now: float,
    hashes: Mapping[str, str],
    check: Callable[[], None] | None = None,
) -> StoredTable:
    """Return the row of a new table with a random id and its first events: at each seat the hash of its player's value,
    if `hashes` has one, or, of a record, the values and the events of the match. `check` is that of `Table`.
    """
    given = [(seat, f"@value {value}") for seat, value in enumerate(match.values or ()) if value is not None]
    if match.values is not None:
        known = [(chair.seat, hashes.get(chair.player or "")) for chair in chairs if chair.taken]
        given += [(seat, f"@hash {hash_}") for seat, hash_ in known if hash_]
    is_started = all(chair.taken for chair in chairs) and not (kind == LIVE and given)
    given += [(event.seat, event.text) for event in match.events]
    events = [TableEvent(i, seat, text, f"={i}", now) for i, (seat, text) in enumerate(given, 1)]
    row = StoredTable(
        id=secrets.token_urlsafe(9),
        kind=kind,
        game=match.game.id,
        options=match.game.given_options(),
        # A deck that follows from values is dealt anew from the nonce and the events.
        deck=list(match.deck) if match.values is None else [],
        nonce=match.nonce,
        settings=settings,
        owner=owner,
        date=match.date,
        created=now,
        started=now if is_started else None,
        changed=now,
        version=len(events),
        turn=None,
        deadline=None,
        result="",
        chairs=chairs,
        events=events,
    )
    summary = Table(row, check=check).summarise(now)
    return replace(row, turn=summary.turn, deadline=summary.deadline, result=summary.result)


async def store_table(store: Store, row: StoredTable) -> None:
    """Store a new table; raise StoreError if that fails, or after 30 seconds, although it may still be stored later."""
    try:
        await asyncio.wait_for(store.add_table(row), _STORED_WITHIN)
    except TimeoutError:
        raise StoreError("the game could not be stored in time") from None


def export_record(row: StoredTable, player: str, name: str, check: Callable[[], None] | None = None) -> tuple[str, str]:
    """Return a file's name and its text, the record as a player may know it, who has this `name` in it if it had none;
    raise GameError if it does not replay. `check` is that of `Table`.
    """
    return f"{row.game}-{row.date}-{row.id[:6]}.txt", str(Table(row, check=check).build_record(player, name))
