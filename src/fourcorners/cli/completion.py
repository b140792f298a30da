"""Tab completes moves that are typed in a terminal, where there is a readline."""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from types import ModuleType

from fourcorners.core.base_position import BasePosition
from fourcorners.core.typed_moves import read_tokens

readline: ModuleType | None = None
with contextlib.suppress(ImportError):  # not available on every system; without it, Tab does not complete
    readline = importlib.import_module("readline")


def clear_history() -> None:
    """Forget what was typed, so that the arrow keys do not bring it back."""
    if readline is not None:
        readline.clear_history()


@contextlib.contextmanager
def complete_moves(find_position: Callable[[], BasePosition], commands: tuple[str, ...] = ()) -> Iterator[None]:
    """Let Tab complete the tokens of moves within a with statement, in the position that `find_position` returns then;
    afterwards restore the old completer. `commands` are words that may precede the tokens.
    """
    if readline is None:
        yield
        return
    line = readline

    def complete(text: str, number: int) -> str | None:
        """Return the completion with this number (from 0) of a token, None after the last, as readline expects."""
        tokens = line.get_line_buffer()[: line.get_begidx()].split()
        if tokens and tokens[0] in commands:
            del tokens[0]
        position = find_position()
        following = position.complete(read_tokens(position, tokens))
        found = [token for token in following if token.lower().startswith(text.lower())]
        return f"{found[number]} " if number < len(found) else None

    completer, delimiters = line.get_completer(), line.get_completer_delims()
    line.set_completer(complete)
    line.set_completer_delims(" ")
    line.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        line.set_completer(completer)
        line.set_completer_delims(delimiters)
