"""What is stored about a person: for each relation, how its rows are found, exported and erased.

Export and deletion follow these lists alone. A test fails if a column of the schema is in neither.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.names import DELETED
from fourcorners.web.store import schema
from fourcorners.web.store.schema import (
    analyses,
    chairs,
    challenges,
    chat,
    daily_results,
    events,
    known_devices,
    lesson_progress,
    notifications,
    passkeys,
    players,
    push_subscriptions,
    puzzle_attempts,
    puzzle_ratings,
    puzzle_sets,
    ratings,
    recovery_codes,
    reports,
    results,
    reviews,
    sessions,
    set_results,
    tables,
)

_ERASED_TEXT = "(deleted)"
_IDS_PER_STATEMENT = 500


class Person(NamedTuple):
    """Whose data is meant: the player's id, and the account's folded name, None for a guest."""

    player: str
    account: str | None


class Reference(Enum):
    """How a column of a row that stays refers to the person; a random id takes the place of the player's."""

    ID = auto()
    """The column holds the player's id."""
    KEY = auto()
    """The column holds a JSON object with a value for each of several players' ids."""


@dataclass(frozen=True)
class PersonalRows:
    """The rows of a relation that are about a person.

    `export` is their name in the export; rows without one are there in another form, as part of a game's record or of
    the rows of another entry. `secret` columns are never exported, nor are ids of players. `erased` has the new value
    of each column that is about the person, or a Reference, for rows that stay when the account is deleted because they
    belong to a game or to other people; None: the rows are deleted.
    """

    relation: sa.Table
    find: Callable[[Person], sa.ColumnElement[bool]]
    export: str = ""
    secret: frozenset[str] = frozenset()
    erased: Mapping[str, Any] | None = None


def _said_by(person: Person) -> sa.ColumnElement[bool]:
    """Build the condition that a report is about a line of chat that the person wrote."""
    line = (chat.c.table_id == reports.c.table_id, chat.c.number == reports.c.number)
    return sa.exists().where(*line, chat.c.player == person.player)


def _played_by(person: Person) -> sa.ColumnElement[bool]:
    """Build the condition that an event belongs to a seat that the person holds."""
    seat = (chairs.c.table_id == events.c.table_id, chairs.c.seat == events.c.seat)
    return sa.exists().where(*seat, chairs.c.player == person.player)


def _owns_challenge(person: Person) -> sa.ColumnElement[bool]:
    """Build the condition that a challenge was made for a browser of the person, signed in or not."""
    mine = sa.select(sessions.c.secret).where(sessions.c.player == person.player)
    return sa.or_(challenges.c.session == person.player, challenges.c.session.in_(mine))


def _owns_set(person: Person) -> sa.ColumnElement[bool]:
    """Build the condition that a pupil's result belongs to a set of the person."""
    mine = sa.select(puzzle_sets.c.id).where(puzzle_sets.c.owner == person.player)
    return set_results.c.set_id.in_(mine)


# In this order: rows that are found through others come before those.
PERSONAL_DATA = (
    PersonalRows(reports, _said_by, erased={"about": _ERASED_TEXT}),
    PersonalRows(
        reports,
        lambda person: reports.c.reporter == person.player,
        "reports",
        erased={"reporter": Reference.ID, "text": _ERASED_TEXT},
    ),
    PersonalRows(
        chat,
        lambda person: chat.c.player == person.player,
        "chat",
        erased={"player": Reference.ID, "name": DELETED, "text": _ERASED_TEXT},
    ),
    PersonalRows(
        results,
        lambda person: results.c.table_id.in_(schema.select_seated(person.player)),
        "results",
        erased={"moved": Reference.KEY},
    ),
    # They quote the names of the players, and can be made again. They say nothing that the game does not.
    PersonalRows(reviews, lambda person: reviews.c.table_id.in_(schema.select_seated(person.player))),
    PersonalRows(analyses, lambda person: analyses.c.owner == person.player, "analyses", frozenset({"owner"})),
    # A program chooses the ids of its commands and may write its name into them. They must differ within a seat.
    PersonalRows(
        events,
        _played_by,
        erased={"client_id": sa.literal("deleted ").concat(sa.cast(events.c.version, sa.Text)), "command": ""},
    ),
    PersonalRows(
        chairs,
        lambda person: chairs.c.player == person.player,
        "chairs",
        erased={"player": Reference.ID, "name": DELETED, "plan": None},
    ),
    PersonalRows(tables, lambda person: tables.c.owner == person.player, erased={"owner": Reference.ID}),
    PersonalRows(ratings, lambda person: ratings.c.player == person.player, "ratings"),
    PersonalRows(puzzle_attempts, lambda person: puzzle_attempts.c.player == person.player, "puzzle_attempts"),
    PersonalRows(daily_results, lambda person: daily_results.c.player == person.player, "daily_results"),
    PersonalRows(lesson_progress, lambda person: lesson_progress.c.player == person.player, "lesson_progress"),
    PersonalRows(
        puzzle_ratings,
        lambda person: puzzle_ratings.c.holder == person.player,
        "puzzle_ratings",
        frozenset({"holder"}),
    ),
    # The results of pupils belong to the set, and go with it.
    PersonalRows(set_results, _owns_set, "set_results"),
    PersonalRows(
        puzzle_sets,
        lambda person: puzzle_sets.c.owner == person.player,
        "puzzle_sets",
        frozenset({"owner", "secret"}),
    ),
    PersonalRows(
        known_devices, lambda person: known_devices.c.player == person.player, "devices", frozenset({"device"})
    ),
    PersonalRows(
        recovery_codes, lambda person: recovery_codes.c.player == person.player, "recovery_codes", frozenset({"code"})
    ),
    PersonalRows(passkeys, lambda person: passkeys.c.player == person.player, "passkeys", frozenset({"id", "key"})),
    # Anyone who knows the address and the keys could send something to the browser.
    PersonalRows(
        push_subscriptions,
        lambda person: push_subscriptions.c.player == person.player,
        "push_subscriptions",
        frozenset({"id", "session", "endpoint", "key", "auth"}),
    ),
    PersonalRows(notifications, lambda person: notifications.c.player == person.player, "notifications"),
    # They live for minutes, so there is nothing to export.
    PersonalRows(challenges, _owns_challenge),
    PersonalRows(sessions, lambda person: sessions.c.player == person.player, "sessions", frozenset({"secret"})),
    # The secret that a guest had before it registered: its hash is the id of the player.
    PersonalRows(sessions, lambda person: sessions.c.secret == person.player),
    PersonalRows(
        players, lambda person: players.c.id == person.player, "profile", frozenset({"id", "password", "skeleton"})
    ),
)

IMPERSONAL = {
    "tables": "id kind game options deck settings date created changed turn result nonce started version deadline "
    "computer public lease_by lease_until waiting_until position",
    "chairs": "table_id seat kind taken",
    "events": "table_id version seat text at credit",
    "chat": "table_id number at",
    "reports": "id table_id number at done",
    "results": "table_id game seats at",
    "push_keys": "id private created",
    "beats": "process at",
    "outages": "began ended",
}
"""By relation the columns that say nothing about a person: they describe a game, which stays, or the server. Results
and events name seats, never people.
"""


def export_rows(connection: sa.Connection, person: Person) -> dict[str, list[dict[str, Any]]]:
    """Return the rows about a person as JSON values, by the name of each entry: what has a Reference.KEY becomes the
    person's own value, None if there is none. Raise SQLAlchemy's errors.
    """
    exported: dict[str, list[dict[str, Any]]] = {}
    for entry in PERSONAL_DATA:
        if entry.export:
            columns = [column for column in entry.relation.c if _is_exported(entry, column.name)]
            query = sa.select(*columns).where(entry.find(person)).order_by(*entry.relation.primary_key)
            rows = [dict(row) for row in connection.execute(query).mappings()]
            keyed = [name for name, new in (entry.erased or {}).items() if new is Reference.KEY]
            exported[entry.export] = [row | {name: row[name].get(person.player) for name in keyed} for row in rows]
    return exported


def _is_exported(entry: PersonalRows, column: str) -> bool:
    is_id = column == "player" or (entry.erased or {}).get(column) is Reference.ID
    return not is_id and column not in entry.secret


def erase_person(connection: sa.Connection, person: Person, anonymous: str) -> list[str]:
    """Erase all that is stored about a person, in the caller's transaction; `anonymous` is the id of a player in what
    stays. Tables at which no one else has a chair are deleted.

    Return the ids of the tables where the person had a chair or which the person set up. Raise SQLAlchemy's errors.
    """
    known = list(connection.scalars(sa.select(tables.c.id).where(schema.belongs_to(person.player))))
    _delete_tables(connection, _list_own_tables(connection, person))
    for entry in PERSONAL_DATA:
        if entry.erased is None:
            connection.execute(entry.relation.delete().where(entry.find(person)))
            continue
        values = {name: anonymous if new is Reference.ID else new for name, new in entry.erased.items()}
        keyed = [name for name, new in values.items() if new is Reference.KEY]
        for name in keyed:
            del values[name]
            replace_key(connection, entry.relation.c[name], entry.find(person), person.player, anonymous)
        if values:
            connection.execute(entry.relation.update().where(entry.find(person)).values(values))
    return known


def replace_key(
    connection: sa.Connection, column: sa.Column[Any], condition: sa.ColumnElement[bool], player: str, new_player: str
) -> None:
    """Replace a player's key in the JSON objects of a column, in the rows that meet a condition, unless the new one is
    there as well.
    """
    relation = column.table
    for *key, value in connection.execute(sa.select(*relation.primary_key, column).where(condition)).all():
        if player in value and new_player not in value:
            renamed = {new_player if name == player else name: item for name, item in value.items()}
            this = [same == given for same, given in zip(relation.primary_key, key, strict=True)]
            connection.execute(sa.update(relation).where(*this).values({column.name: renamed}))


def _list_own_tables(connection: sa.Connection, person: Person) -> list[str]:
    """List the tables of the person at which no one else has a chair: records to study, and games with computers."""
    other = sa.exists().where(
        chairs.c.table_id == tables.c.id, chairs.c.player.is_not(None), chairs.c.player != person.player
    )
    return list(connection.scalars(sa.select(tables.c.id).where(schema.belongs_to(person.player), ~other)))


def _delete_tables(connection: sa.Connection, ids: list[str]) -> None:
    """Delete tables with all that hangs on them, in parts, because databases limit the number of parameters."""
    for first in range(0, len(ids), _IDS_PER_STATEMENT):
        part = ids[first : first + _IDS_PER_STATEMENT]
        # Reports stay. They quote lines of the chat, whose writers cannot be found once the lines are deleted.
        quotes = reports.update().where(reports.c.table_id.in_(part), reports.c.number.is_not(None))
        connection.execute(quotes.values(about=_ERASED_TEXT))
        for relation in (reviews, chat, notifications, chairs, events):
            connection.execute(relation.delete().where(relation.c.table_id.in_(part)))
        connection.execute(tables.delete().where(tables.c.id.in_(part)))
