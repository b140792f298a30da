"""Chat: phrases that everybody may say, and free text where a table allows it."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Sequence

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.client_messages import LONGEST_CHAT, Say
from fourcorners.web.store import ChatLine

PHRASES = (
    "Hello!",
    "Good luck!",
    "Have fun!",
    "Nice move!",
    "Oops.",
    "Thinking …",
    "Take your time.",
    "Well played!",
    "Thank you!",
    "Again?",
    "I have to go.",
    "Goodbye!",
)
FREE = "free"


def said(table: Table, player: str, message: Say) -> str:
    """Return what a player says; raise IllegalMoveError if that may not be said here."""
    if not table.held(player):
        raise IllegalMoveError("say", "only those who sit at this table talk here", "not-yours")
    if message.phrase is not None:
        if message.phrase >= len(PHRASES):
            raise IllegalMoveError("say", f"there are the phrases 0 to {len(PHRASES) - 1}", "phrase")
        return PHRASES[message.phrase]
    text = one_line(message.text)
    if table.saved.settings.get("chat") != FREE:
        raise IllegalMoveError("say", "this table talks in the phrases offered only", "no-free-chat")
    if not text:
        raise IllegalMoveError("say", "there is nothing in it", "empty")
    return text


def told(table: Table, player: str, lines: Sequence[ChatLine]) -> str:
    """Write the message that tells a browser what was said; who said it is named by the seat."""
    seats = {chair.player: chair.seat for chair in table.chairs if chair.player is not None}
    shown = [
        {
            "number": line.number,
            "name": line.name,
            "seat": seats.get(line.player),
            "text": line.text,
            "mine": line.player == player,
            "who": known_by(line.player),
            "at": line.at,
        }
        for line in lines
    ]
    return json.dumps({"type": "chat", "lines": shown}, ensure_ascii=False)


def known_by(player: str) -> str:
    """Return by what a browser knows whom it does not want to hear; it tells nothing else of them."""
    return hashlib.sha256(f"chat {player}".encode()).hexdigest()[:16]


def one_line(text: str) -> str:
    """Return a text as it can be shown on one line, cut to the longest allowed."""
    shown = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text)
    return " ".join(shown.split())[:LONGEST_CHAT]
