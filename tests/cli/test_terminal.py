"""A match in a terminal, with typed input that the test answers prompt by prompt."""

from types import SimpleNamespace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.cli import completion, terminal
from fourcorners.web.engine.warmup import Warmup

pytestmark = pytest.mark.compiled


def test_completion_and_history_offer_nothing_until_the_next_player_with_a_hidden_hand_is_at_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor is anything left in the history, which the arrow keys bring back."""
    match = fc.Match(fc.game("squendo"), seed=3)
    screen = terminal.Terminal(match, {}, Warmup())
    completions: list[tuple[str, str | None]] = []
    history: list[str] = []
    completers: list[Any] = []

    def answer(prompt: str = "") -> str:
        """Add a prompt and the first completion of an empty line to the list; answer with Enter or the first move.

        Only a move is added to the history, which must be empty when Enter is asked for.
        """
        completions.append((prompt.partition(" (")[0], completers[-1]("", 0)))
        if prompt.startswith("Press Enter"):
            assert history == []
            return ""
        history.append(match.position.moves()[0])
        return history[-1]

    readline = SimpleNamespace(
        get_line_buffer=lambda: "",
        get_begidx=lambda: 0,
        clear_history=history.clear,
        get_completer=lambda: None,
        set_completer=completers.append,
        get_completer_delims=lambda: "",
        set_completer_delims=lambda _: None,
        parse_and_bind=lambda _: None,
    )
    monkeypatch.setattr(completion, "readline", readline)
    monkeypatch.setattr("builtins.input", answer)
    with completion.complete_moves(lambda: screen._view):
        for seat in (0, 1):
            screen._play_typed_move(seat)
    assert completers[-1] is None
    # The hands are R2ax R4x B1o B4o and R3x B0x B2ao G2ax; completions are sorted.
    assert completions == [
        ("Press Enter when seat 0", None),
        ("seat 0", "B1o "),
        ("Press Enter when seat 1", None),
        ("seat 1", "B0x "),
    ]
