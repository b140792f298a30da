r"""A commitment: the deck of a game with hidden tiles is promised at the start and told at the end.

At the start everybody is told the SHA-256 of a short text, the *opening*, of which the deck and a random nonce are not
yet told; at the end both are, and everybody can see that the deck has not been changed. The opening is UTF-8, each of
its lines ends with one line feed, and there is nothing else in it:

    game: the game's id
    options: those that are not the usual ones, as a JSON object as in the record; no such line if there are none
    deck: the tiles in drawing order, with one space between two
    nonce: 32 digits 0 to 9 and a to f

These are lines of the record of the finished game, in their order there, so it takes no program of ours to check one:

    grep -E '^(game|options|deck|nonce): ' game.txt | sha256sum

Without the nonce, whoever sees most of the tiles could try which order of the others has that hash.

A game "pairs" of four tiles would have this one:

>>> nonce = "000102030405060708090a0b0c0d0e0f"
>>> text = 'game: pairs\noptions: {"players": 3}\ndeck: A2 B1 A1 B2\nnonce: ' + nonce + '\n'
>>> hashlib.sha256(text.encode()).hexdigest()
'201f1e6efd51154b99f9884e3c2adab23b7d61f7c497b5a6692f3fd7431ebdd0'

and one that is there has:

>>> game = next(game for game in map(catalogue.game, catalogue.games()) if has_commitment(game))
>>> deck = game.deck(seed=1)
>>> text = opening(game.id, game.given_options(), deck, nonce)
>>> commit(game.id, game.given_options(), deck, nonce) == hashlib.sha256(text.encode()).hexdigest()
True
>>> [line.split(": ")[0] for line in text.splitlines()]
['game', 'deck', 'nonce']
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.spec import no_deck

_NONCE_BYTES = 16
_NONCE = re.compile(r"[0-9a-f]{32}", re.ASCII)
_COMMITMENT = re.compile(r"[0-9a-f]{64}", re.ASCII)


def new_nonce() -> str:
    """Draw a nonce."""
    return secrets.token_hex(_NONCE_BYTES)


def has_commitment(game: Game) -> bool:
    """Tell whether a game has a deck that is not told before its end."""
    return game.spec.hidden and game.spec.shuffle is not no_deck


def check_nonce(game: Game, nonce: object) -> None:
    """Raise OptionError unless this is a nonce and the game has one."""
    if not has_commitment(game):
        raise OptionError("nonce", f"{quote(nonce)} is not allowed; this game has none, as it hides no deck")
    if not isinstance(nonce, str) or _NONCE.fullmatch(nonce) is None:
        raise OptionError("nonce", f"{quote(nonce)} is not allowed; it may be 32 digits 0 to 9 and a to f")


def resolve_nonce(game: Game, nonce: str | None) -> str:
    """Return a given nonce, or for None a new one if the game has one; an empty one, for no commitment, is allowed."""
    if nonce is None:
        return new_nonce() if has_commitment(game) else ""
    text = str.__str__(nonce) if isinstance(nonce, str) else None
    if text != "":
        check_nonce(game, text or nonce)
    return text or ""


def write_opening(game_id: str, options: Mapping[str, Any], deck: Sequence[str], nonce: str) -> str:
    """Write what is hashed; raise OptionError for a wrong option, deck or nonce, or a game that hides no deck."""
    game = catalogue.game(game_id, **options)
    check_nonce(game, nonce)
    # The options as the game itself lists them: in its order, and without those that are as usual.
    given = game.given_options()
    lines = [f"game: {game.id}", *([f"options: {json.dumps(given)}"] if given else [])]
    lines += [f"deck: {' '.join(game.deck(deck=deck))}", f"nonce: {nonce}", ""]
    return "\n".join(lines)


def commit(game_id: str, options: Mapping[str, Any], deck: Sequence[str], nonce: str) -> str:
    """Return the commitment, 64 digits 0 to 9 and a to f; raise OptionError as `opening` does."""
    return hashlib.sha256(write_opening(game_id, options, deck, nonce).encode()).hexdigest()


def verify(commitment: str, game_id: str, options: Mapping[str, Any], deck: Sequence[str], nonce: str) -> bool:
    """Tell whether a deck and a nonce are those that were committed to; raise OptionError as `opening` does."""
    return commitment == commit(game_id, options, deck, nonce)


def is_commitment(text: str) -> bool:
    """Tell whether a text has the form of a commitment."""
    return _COMMITMENT.fullmatch(text) is not None
