"""Messages with a count."""


def pluralise(count: int, one: str, other: str) -> str:
    """Return the message `one` for a count of 1 and `other` for any other, with the count in place of {}.

    >>> pluralise(1, "{} move", "{} moves"), pluralise(1200, "{} move", "{} moves")
    ('1 move', '1,200 moves')
    """
    return (one if count == 1 else other).format(f"{count:,}")
