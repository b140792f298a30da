"""Counts and lists in sentences."""

from collections.abc import Sequence


def pluralise(count: int, one: str, other: str) -> str:
    """Return the message `one` for a count of 1 and `other` for any other, with the count in place of {}.

    >>> pluralise(1, "{} move", "{} moves"), pluralise(1200, "{} move", "{} moves")
    ('1 move', '1,200 moves')
    """
    return (one if count == 1 else other).format(f"{count:,}")


def list_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as a sentence does, with the word `last` before the last one.

    >>> list_words(["Ada", "Ben", "Cy"]), list_words(["red", "blue"], "or"), list_words(["Ada"])
    ('Ada, Ben and Cy', 'red or blue', 'Ada')
    """
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)
