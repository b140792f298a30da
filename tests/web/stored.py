"""Tables, events and players for tests of the store."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import sqlalchemy as sa

from fourcorners.web.domain.ratings import rate_parties
from fourcorners.web.domain.rows import Chair, Summary, TableEvent
from fourcorners.web.store import Store, StoredTable, rate_game, schema
from fourcorners.web.store.write_result import WriteResult

PLAYERS = [hashlib.sha256(bytes([number])).hexdigest() for number in range(8)]
GUEST, OTHER, NEW, NEWER, THIRD = PLAYERS[:5]
"""Hashes of secrets: those of two guests, and those of three sessions."""


def build_table(table_id: str = "t", **fields: Any) -> StoredTable:
    """Build, without storing it, a running game between a person, `owner`, who is to move, and a computer.

    `fields` replace fields of the `StoredTable`; without `chairs`, the person's chair follows `owner`.
    """
    defaults: dict[str, Any] = {
        "id": table_id,
        "kind": "live",
        "game": "sqez",
        "options": {"cols": 5},
        "deck": [],
        "nonce": "",
        "settings": {"confirm": True},
        "owner": "o",
        "date": "2026-11-21",
        "created": 1.0,
        "started": 1.0,
        "changed": 1.0,
        "version": 0,
        "turn": 0,
        "deadline": None,
        "result": "",
        "chairs": build_chairs(fields.get("owner", "o"), None),
    }
    return StoredTable(**{**defaults, **fields})


def build_chairs(*players: str | None) -> list[Chair]:
    """Build one taken chair for each player, in order, with a name that is not ASCII; None stands for a computer."""
    return [
        Chair(seat, "computer:3" if player is None else "person", player, f"ß{seat}", taken=True)
        for seat, player in enumerate(players)
    ]


def build_event(version: int, client_id: str | None = None, seat: int = 0) -> TableEvent:
    """Build the event of a version, with its own client id unless one is given."""
    return TableEvent(version, seat, f"move {version}", f"c{version}" if client_id is None else client_id, 2.0, 0.25)


def build_summary(version: int, **fields: Any) -> Summary:
    """Build a table's summary after the event of a version: a computer is to move at seat 1; `fields` replace some."""
    defaults: dict[str, Any] = {
        "changed": 1.0 + version,
        "version": version,
        "turn": 1,
        "deadline": None,
        "result": "",
        "started": 1.0,
        "computer": True,
    }
    return Summary(**{**defaults, **fields})


def append_event(store: Store, table_id: str, version: int, **fields: Any) -> WriteResult[None]:
    """Queue the event of a version, of seat 0, for storing; the result is that of `Store.append_event`.

    `fields` override the defaults of the table's summary.
    """
    return store.append_event(table_id, build_event(version), build_summary(version, **fields))


PASSWORD_HASH = "hash of a password"
"""That of stored accounts."""


def register_stored_account(store: Store, guest: str = GUEST, name: str = "Anna", secret: str = NEW) -> str:
    """Turn a guest into an account with a session of this secret hash; return its player id, which is the guest's.

    Raise ConflictError if the player already has an account or the name is taken.
    """
    store.register_account(guest, name, PASSWORD_HASH, 5.0, guest, secret)
    return guest


def rate_stored_game(
    store: Store, table_id: str, *players: str, ranks: tuple[int, ...] = (0, 1), game: str = "sqez"
) -> None:
    """Rate a game that ended at time 7 with these ranks (0 is the best), one for each player, and wait for the commit.

    Every player is its own party. A game that is rated already stays as it is. Raise StoreError.
    """
    work: Callable[[sa.Connection], Any] = partial(
        rate_game,
        table_id=table_id,
        game=game,
        seats=len(players),
        at=7.0,
        parties=[[player] for player in players],
        ranks=ranks,
        rate=rate_parties,
    )
    store.write_now(table_id, work)


def find_player(store: Store, secret_hash: str) -> str:
    """Return the player of a secret, given its hash, as the server does: the session's, or else a guest, the hash."""
    session = store.read_session(secret_hash)
    return secret_hash if session is None else session.player


def to_full_width(text: str) -> str:
    """Return printable ASCII text without spaces in full-width characters, which NFKC turns back into ASCII."""
    # U+FF01 to U+FF5E are U+0021 to U+007E in the same order.
    return "".join(chr(ord(character) + 0xFEE0) for character in text)


def dump_database(store: Store) -> str:
    """Return all rows of all tables as text, one line for each row with its values as a tuple."""
    with store.read() as connection:
        return "\n".join(
            str(tuple(row))
            for relation in schema.metadata.sorted_tables
            for row in connection.execute(relation.select())
        )
