"""Names: what may be shown of one, what an account's may look like, and when two of them are the same."""

from __future__ import annotations

import unicodedata

from fourcorners.core.match import MAX_NAME_LENGTH

SHORTEST, LONGEST = 3, 30
DELETED = "deleted player"
"""Shown where somebody played who is no more; the space keeps it from being an account's name."""
_JOINTS = "_-."
_RESERVED = {
    "admin",
    "administrator",
    "anonymous",
    "computer",
    "fourcorners",
    "guest",
    "moderator",
    "nobody",
    "operator",
    "system",
}
# These are written together in one text; of all others a name keeps to one alphabet.
_TOGETHER = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "HANGUL": "CJK", "BOPOMOFO": "CJK"}


class BadNameError(ValueError):
    """A name that no account may have; the message is a sentence."""


def clean_name(text: str) -> str:
    """Return a name as it can be shown on one line, cut to the longest allowed."""
    shown = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text[: 10 * MAX_NAME_LENGTH])
    return " ".join(shown.split())[:MAX_NAME_LENGTH]


def check_account_name(text: str) -> str:
    """Return an account's name as it is shown; raise BadNameError if it is none.

    Letters and digits of one alphabet, so that a name cannot be written with look-alikes of another one.
    """
    name = unicodedata.normalize("NFKC", text[: 10 * LONGEST].strip())
    if not SHORTEST <= len(name) <= LONGEST or len(fold_name(name)) > LONGEST:
        raise BadNameError(f"A name has {SHORTEST} to {LONGEST} characters.")
    alphabets, marks = set(), 0
    for sign in name:
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind in {"Mn", "Mc"} else 0
        if kind.startswith("L"):
            alphabet = unicodedata.name(sign, "").partition(" ")[0]
            alphabets.add(_TOGETHER.get(alphabet, alphabet))
        elif not (kind == "Nd" or sign in _JOINTS or 0 < marks <= 2):
            raise BadNameError("A name has letters, digits and the signs _ - . only.")
    if unicodedata.category(name[0])[0] not in "LN" or name[-1] in _JOINTS:
        raise BadNameError("A name begins and ends with a letter or a digit.")
    if len(alphabets) > 1:
        raise BadNameError("A name keeps to the letters of one alphabet.")
    if fold_name(name) in _RESERVED:
        raise BadNameError("This name is kept for the program itself.")
    return name


def fold_name(name: str) -> str:
    """Return what is equal for names that are the same but for case and ways of writing."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
