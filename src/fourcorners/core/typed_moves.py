"""Typed moves: case does not matter where only one move can be meant."""

from collections.abc import Sequence

from fourcorners.core.base_position import BasePosition
from fourcorners.core.errors import NotationError


def read_tokens(position: BasePosition, tokens: Sequence[str]) -> list[str]:
    """Return tokens in the spelling of the offered moves while they begin one, and the rest unchanged."""
    read: list[str] = []
    for token in tokens:
        following = position.complete(read)
        alike = [token] if token in following else [each for each in following if each.lower() == token.lower()]
        if len(alike) != 1:
            break
        read += alike
    return [*read, *tokens[len(read) :]]


def read_typed_move(position: BasePosition, text: str) -> str:
    """Return the move that a text means, with single spaces; the text unchanged if it means none.

    `play` accepts only a move's standard spelling. A move that is not offered is read in lower case if possible, so
    that its refusal gives another reason than its spelling.
    """
    read = " ".join(read_tokens(position, text.split()))
    return read if _is_move(position, read) or not _is_move(position, read.lower()) else read.lower()


def _is_move(position: BasePosition, text: str) -> bool:
    """Return whether a text can be read as a move, legal or not."""
    try:
        position.game.spec.notation.parse(position.record, text)
    except NotationError:
        return False
    return True
