"""Chat rules: phrases that every player may use, and free text where the table allows it."""

import hashlib

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.domain.names import clean_line
from fourcorners.web.domain.table import Table

LONGEST_CHAT = 200
FREE_CHAT = "free"
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


def compose_chat_text(table: Table, player: str, phrase: int | None, text: str) -> str:
    """Return the text of a chat line: the phrase with this number, 0 or more, or the free text if `phrase` is None.

    Free text becomes one line of at most `LONGEST_CHAT` characters. Raise IllegalMoveError if the player holds no seat,
    the number is too high, the line would be empty, or the table does not allow free text.
    """
    if not table.player_seats(player):
        raise IllegalMoveError("say", "only players seated at this table can chat", "not-yours")
    if phrase is not None:
        if phrase >= len(PHRASES):
            raise IllegalMoveError("say", f"the phrases are numbered 0 to {len(PHRASES) - 1}", "phrase")
        return PHRASES[phrase]
    if table.row.settings.get("chat") != FREE_CHAT:
        raise IllegalMoveError("say", "chat at this table is limited to the quick phrases", "no-free-chat")
    cleaned = clean_line(text, LONGEST_CHAT)
    if not cleaned:
        raise IllegalMoveError("say", "the message is empty", "empty")
    return cleaned


def derive_mute_key(player: str) -> str:
    """Return the 16 hexadecimal digits by which a browser mutes a player; they do not reveal the player's id."""
    return hashlib.sha256(f"chat {player}".encode()).hexdigest()[:16]
