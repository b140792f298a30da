r"""Commitments to decks: the server commits to a hidden deck at the start and reveals it at the end.

At the start everyone receives the SHA-256 hash of a short text, the *opening*, which contains the deck and a random
nonce. At the end both are revealed, so that everyone can verify that the deck has not been changed. The opening is
UTF-8 text; each of its lines ends with one line feed, and it has exactly these lines:

    game: the game's id
    options: the options other than the defaults, as a JSON object as in the record; no line if there are none
    deck: the tiles in drawing order, separated by one space
    nonce: 32 digits 0 to 9 and a to f

The record of the finished game has the same lines in the same order, so anyone can verify it without our programs:

    grep -E '^(game|options|deck|nonce): ' game.txt | sha256sum

Without the nonce, a player who sees most of the tiles could try which order of the others has that hash.

For a game "pairs" with four tiles:

>>> nonce = "000102030405060708090a0b0c0d0e0f"
>>> text = 'game: pairs\noptions: {"players": 3}\ndeck: A2 B1 A1 B2\nnonce: ' + nonce + '\n'
>>> hashlib.sha256(text.encode()).hexdigest()
'201f1e6efd51154b99f9884e3c2adab23b7d61f7c497b5a6692f3fd7431ebdd0'

For a game of the catalogue:

>>> game = next(game for game in map(catalogue.game, catalogue.games()) if has_commitment(game))
>>> deck = game.deck(seed=1)
>>> text = write_opening(game.id, game.given_options(), deck, nonce)
>>> commit(game.id, game.given_options(), deck, nonce) == hashlib.sha256(text.encode()).hexdigest()
True
>>> [line.split(": ")[0] for line in text.splitlines()]
['game', 'deck', 'nonce']
"""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game

_NONCE_BYTES = 16
_NONCE = re.compile(r"[0-9a-f]{32}", re.ASCII)
_COMMITMENT = re.compile(r"[0-9a-f]{64}", re.ASCII)


def new_nonce() -> str:
    """Return a random nonce, 32 digits 0 to 9 and a to f."""
    return secrets.token_hex(_NONCE_BYTES)


def has_commitment(game: Game) -> bool:
    """Return whether a game hides a deck until its end; only such games have commitments."""
    return game.spec.hidden and game.spec.deck is not None


def check_nonce(game: Game, nonce: object) -> None:
    """Raise OptionError unless this is a nonce, 32 digits 0 to 9 and a to f, and the game hides a deck."""
    if not has_commitment(game):
        raise OptionError("nonce", f"{quote(nonce)} is not allowed; this game needs none, because it hides no deck")
    if not isinstance(nonce, str) or _NONCE.fullmatch(nonce) is None:
        raise OptionError("nonce", f"{quote(nonce)} is not allowed; it must be 32 hexadecimal digits (0 to 9, a to f)")


def resolve_nonce(game: Game, nonce: str | None) -> str:
    """Return the given nonce (empty for no commitment) or, for None, a new one if the game hides a deck, else "".

    Raise OptionError for an invalid nonce, or for a nonce if the game hides no deck.
    """
    if nonce is None:
        return new_nonce() if has_commitment(game) else ""
    text = str.__str__(nonce) if isinstance(nonce, str) else None
    if text != "":
        check_nonce(game, text or nonce)
    return text or ""


def write_opening(game_id: str, options: Mapping[str, Any], deck: Sequence[str], nonce: str) -> str:
    """Return the opening, the text that is hashed, in the format that the module describes.

    `deck` has the tiles in drawing order. Raise OptionError if the id, an option, the deck or the nonce is invalid, or
    if the game hides no deck.
    """
    game = catalogue.game(game_id, **options)
    check_nonce(game, nonce)
    # As the game itself lists its options: in its order and without defaults.
    given = game.given_options()
    lines = [f"game: {game.id}", *([f"options: {json.dumps(given)}"] if given else [])]
    lines += [f"deck: {' '.join(game.deck(deck=deck))}", f"nonce: {nonce}", ""]
    return "\n".join(lines)


def commit(game_id: str, options: Mapping[str, Any], deck: Sequence[str], nonce: str) -> str:
    """Return the commitment, 64 digits 0 to 9 and a to f; raise OptionError as `write_opening` does."""
    return hashlib.sha256(write_opening(game_id, options, deck, nonce).encode()).hexdigest()


def verify(commitment: str, game_id: str, options: Mapping[str, Any], deck: Sequence[str], nonce: str) -> bool:
    """Return whether a commitment is to this game, deck and nonce; raise OptionError as `write_opening` does."""
    return commitment == commit(game_id, options, deck, nonce)


def is_commitment(text: str) -> bool:
    """Return whether a text has the form of a commitment: 64 digits 0 to 9 and a to f."""
    return _COMMITMENT.fullmatch(text) is not None
