r"""Fair shuffles: neither the server nor any player can choose the order of a deck.

The server draws a random *nonce* and publishes its hash, the commitment. Then the seats give random *values*. The order
follows from both: the server fixes the nonce before it knows the values, and the seats give the values before they know
the nonce. In a record, all of them are lines of the header:

commitment: the SHA-256 hash of the line of the nonce, published before any value is given deck: the tiles in drawing
order, separated by one space nonce: 64 digits 0 to 9 and a to f values: for each seat its value, 64 such digits, or -
if it gave none, separated by one space

Text is hashed as UTF-8, hashes are written as 64 digits 0 to 9 and a to f, and every line ends with one line feed.

commitment = SHA-256 of the line "nonce: …" seed = SHA-256 of the lines "nonce: …" and "values: …"

Sort the tiles by name, number them from 0, and write for each the hash of the seed, one space and its number. In the
order of these hashes the tiles are drawn. So the record of the finished game can be verified with `grep`, `sha256sum`
and a few lines of Python; docs/shuffle.md has them.

For three tiles:

>>> nonce, values = "0" * 64, ["1" * 64, None]
>>> hash_text(f"nonce: {nonce}\n") == commit_nonce(nonce)
True
>>> seed = hash_text(f"nonce: {nonce}\nvalues: {'1' * 64} -\n")
>>> [hash_text(f"{seed} {number}")[:4] for number in range(3)]
['44bb', '2329', '3414']
>>> order_tiles(["B2", "A1", "A2"], nonce, values)
('A2', 'B2', 'A1')
"""

import hashlib
import re
import secrets
from collections.abc import Iterable, Sequence

from fourcorners.core.commitment import has_commitment
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game

NO_VALUE = "-"
"""The sign in a record for a seat that gave no value."""
_BYTES = 32
_DIGITS = re.compile(r"[0-9a-f]{64}", re.ASCII)

Values = tuple[str | None, ...]
"""The value of each seat; None for a seat that gave none."""


def hash_text(text: str) -> str:
    """Return the SHA-256 hash of a text, 64 digits 0 to 9 and a to f."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_value(text: object) -> bool:
    """Return whether this is a value, a nonce or a hash: 64 digits 0 to 9 and a to f."""
    return isinstance(text, str) and _DIGITS.fullmatch(text) is not None


def new_value() -> str:
    """Return a random nonce or value."""
    return secrets.token_hex(_BYTES)


def commit_nonce(nonce: str) -> str:
    """Return the commitment to a nonce."""
    return hash_text(f"nonce: {nonce}\n")


def write_values(values: Iterable[str | None]) -> str:
    """Return the text of all seats' values for a record."""
    return " ".join(value or NO_VALUE for value in values)


def read_values(text: str) -> Values:
    """Return the values in a record's text without checking them; `check_values` does that."""
    return tuple(None if word == NO_VALUE else word for word in text.split(" "))


def check_values(game: Game, values: object) -> Values:
    """Return the values of a match's seats as a tuple.

    Raise OptionError unless there is a value or None for each seat, and if the game hides no deck.
    """
    if not has_commitment(game):
        raise OptionError("values", f"{quote(values)} is not allowed; this game needs none, because it hides no deck")
    given = tuple(values) if isinstance(values, Sequence) and not isinstance(values, str) else ()
    if len(given) != game.seats or not all(value is None or is_value(value) for value in given):
        texts = [value for value in given if value is None or isinstance(value, str)]
        found = quote(write_values(texts) if texts and len(texts) == len(given) else values)
        wanted = f"for each of the {game.seats} seats 64 hexadecimal digits (0 to 9, a to f), or none"
        raise OptionError("values", f"{found} is not allowed; it must be {wanted}")
    return tuple(value and str.__str__(value) for value in given)


def check_nonce(nonce: object) -> str:
    """Return a nonce; raise OptionError unless it has the form of one."""
    if not isinstance(nonce, str) or not is_value(nonce):
        wanted = "64 hexadecimal digits (0 to 9, a to f) where seats give values"
        raise OptionError("nonce", f"{quote(nonce)} is not allowed; it must be {wanted}")
    return str.__str__(nonce)


def deal(game: Game, nonce: str, values: Values) -> tuple[str, ...]:
    """Return the deck of a game, in drawing order, that follows from a nonce and values, which are not checked."""
    # Only the set of tiles matters, not the order that this seed gives.
    return game.deck(deck=order_tiles(game.deck(seed=0), nonce, values))


def order_tiles(tiles: Iterable[str], nonce: str, values: Iterable[str | None]) -> tuple[str, ...]:
    """Return tiles, given in any order, in the drawing order that follows from a nonce and values."""
    seed = hash_text(f"nonce: {nonce}\nvalues: {write_values(values)}\n")
    numbered = enumerate(sorted(tiles))
    return tuple(tile for _, tile in sorted(numbered, key=lambda pair: hash_text(f"{seed} {pair[0]}")))
