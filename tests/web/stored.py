"""Tables and events to store, as the store's tests need them."""

from typing import Any

from fourcorners.web.store import Chair, StoredTable, Summary, TableEvent


def saved(table_id: str = "t", **more: Any) -> StoredTable:
    """A running game of a person and a computer, of which the person is to move."""
    usual: dict[str, Any] = {
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
        "chairs": chairs(more.get("owner", "o"), None),
    }
    return StoredTable(**{**usual, **more})


def chairs(*players: str | None) -> list[Chair]:
    """A chair for each: a person's, or a computer's for None."""
    return [
        Chair(seat, "computer:3" if player is None else "person", player, f"ß{seat}", taken=True)
        for seat, player in enumerate(players)
    ]


def event(version: int, client_id: str | None = None, seat: int = 0) -> TableEvent:
    return TableEvent(version, seat, f"move {version}", f"c{version}" if client_id is None else client_id, 2.0, 0.25)


def summary(version: int, **more: Any) -> Summary:
    usual: dict[str, Any] = {
        "changed": 1.0 + version,
        "version": version,
        "turn": 1,
        "deadline": None,
        "result": "",
        "started": 1.0,
        "computer": True,
    }
    return Summary(**{**usual, **more})


def wide(text: str) -> str:
    """Write a text with the wide letters that some keyboards have."""
    return "".join(chr(ord(sign) + 0xFEE0) for sign in text)
