"""Names of players: cleaning, the rules for account names, and the comparison of names."""

import unicodedata

from fourcorners.core.match import MAX_NAME_LENGTH
from fourcorners.core.skeletons import skeletonise

MIN_LENGTH, MAX_LENGTH = 3, 30
DELETED = "deleted player"
"""Replaces the name of a deleted account; its space keeps it from being a valid account name."""
_PUNCTUATION = "_-."
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
# Texts mix these scripts; a name uses one alphabet otherwise.
_SCRIPT_GROUPS = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "HANGUL": "CJK", "BOPOMOFO": "CJK"}


class BadNameError(ValueError):
    """A name that no account may have; the message is a sentence for people."""


def clean_name(text: str) -> str:
    """Return a name on one line without control characters, cut to the longest allowed; it may be empty."""
    # Cut before cleaning too, so that a huge text costs little.
    return clean_line(text[: 10 * MAX_NAME_LENGTH], MAX_NAME_LENGTH)


def clean_line(text: str, limit: int) -> str:
    """Return a stripped text with runs of white space, control and format characters as one space, cut to `limit`."""
    printable = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text)
    return " ".join(printable.split())[:limit]


def check_account_name(text: str) -> str:
    """Return the account name in NFKC without white space at its ends; raise BadNameError if it is not allowed. It has
    digits, _ - . inside, and the letters of one alphabet, so that look-alikes of another one cannot imitate it.
    """
    # Cut first, so that a huge text costs little.
    name = unicodedata.normalize("NFKC", text[: 10 * MAX_LENGTH].strip())
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH or len(fold_name(name)) > MAX_LENGTH:
        raise BadNameError(f"A name must have {MIN_LENGTH} to {MAX_LENGTH} characters.")
    alphabets, marks = set(), 0
    for sign in name:
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind in {"Mn", "Mc"} else 0
        if kind.startswith("L"):
            alphabet = unicodedata.name(sign, "").partition(" ")[0]
            alphabets.add(_SCRIPT_GROUPS.get(alphabet, alphabet))
        # More than two combining marks on a letter could cover the lines above and below.
        elif not (kind == "Nd" or sign in _PUNCTUATION or 0 < marks <= 2):
            raise BadNameError("A name can contain only letters, digits and the characters _ - .")
    if unicodedata.category(name[0])[0] not in "LN" or name[-1] in _PUNCTUATION:
        raise BadNameError("A name must begin and end with a letter or a digit.")
    if len(alphabets) > 1:
        raise BadNameError("A name must use the letters of a single alphabet.")
    # "adrnin" looks like "admin".
    if {fold_name(name), skeletonise(name)} & {*_RESERVED, *map(skeletonise, _RESERVED)}:
        raise BadNameError("This name is reserved.")
    return name


def fold_name(name: str) -> str:
    """Return a key, perhaps longer than the name, that is equal for names that differ only in case or Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
