"""Typed moves: capitals and small letters are the same, and nothing else is guessed."""

from collections.abc import Callable

import pytest

import fourcorners as fc
from fourcorners.cli.terminal import Terminal
from fourcorners.core.typed_moves import read_tokens, read_typed_move
from fourcorners.study.entry import enter_moves
from fourcorners.web.engine.warmup import Warmup
from tests.require import require

DECK = [
    f"{colour}{pattern}{symbol}" for pattern in ("0", "1", "2a", "2o", "3", "4") for symbol in "ox" for colour in "RBG"
]


@pytest.mark.parametrize(
    ("name", "typed", "move"),
    [
        ("dots-and-boxes", "A1B1", "a1b1"),
        ("squarin-off", " #C4   C4D4", "#c4 c4d4"),
        ("square-off", "C5", "c5"),
        ("sqez", "B2 e5", "b2 e5"),
    ],
)
def test_capitals_are_read(name: str, typed: str, move: str) -> None:
    position = fc.game(name).start()
    assert read_typed_move(position, typed) == move
    with pytest.raises(fc.NotationError):
        position.play(typed)


def test_every_move_is_read_in_capitals_and_in_small_letters() -> None:
    position = fc.game("squendo").start(deck=DECK)
    for _ in range(6):
        moves = position.moves()
        for move in moves[:: max(1, len(moves) // 40)]:
            assert {read_typed_move(position, text) for text in (move, move.upper(), move.lower())} == {move}
        position = position.play(moves[len(moves) // 2])


def test_refused_move_is_refused_for_its_own_reason() -> None:
    position = fc.game("dots-and-boxes").start().play("a1b1")
    assert require(position.why(read_typed_move(position, "A1B1"))) == position.why("a1b1")


@pytest.mark.parametrize("typed", ["", "zz", "A1", "B1A1", "1" * 500])
def test_what_is_no_move_stays_as_it_is(typed: str) -> None:
    assert read_typed_move(fc.game("dots-and-boxes").start(), typed) == typed


def test_beginning_of_a_move_is_read_token_by_token() -> None:
    position = fc.game("squarin-off").start()
    assert read_tokens(position, ["#C4", "C4d4"]) == ["#c4", "c4d4"]
    assert read_tokens(position, ["#C4", "X9"]) == ["#c4", "X9"]


@pytest.mark.parametrize("spell", [str, str.upper, str.lower])
def test_line_of_several_moves_is_entered_in_any_case(spell: Callable[[str], str]) -> None:
    sqez = enter_moves(fc.game("sqez"), [spell("b2 e5 F6 h8, c3 D4")], typed=0)
    assert sqez.moves == ["b2 e5", "f6 h8", "c3 d4"]
    position, moves = fc.game("squendo").start(deck=DECK), []
    for _ in range(5):
        moves.append(position.moves()[-1])
        position = position.play(moves[-1])
    squendo = enter_moves(fc.game("squendo"), [spell(" ".join(moves))], deck=DECK, typed=0)
    assert (squendo.wrong, squendo.moves) == (None, moves)


def test_drawn_edge_in_capitals_is_refused_as_drawn() -> None:
    entry = enter_moves(fc.game("dots-and-boxes"), ["a1b1", "A1B1 C1C2"], typed=1)
    assert entry.wrong is not None
    assert entry.wrong.reason == entry.match.position.why("a1b1").sentence  # type: ignore[union-attr]


def test_terminal_takes_moves_and_commands_in_capitals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match = fc.Match(fc.game("square-off", size=4))
    lines = iter(["HELP", "WHY C3", "C3", "c3", "Resign"])
    monkeypatch.setattr("builtins.input", lambda _="": next(lines))
    Terminal(match, {}, Warmup()).run()
    assert [event.text for event in match.events] == ["c3", "!resign"]
    shown = capsys.readouterr().out
    assert "Tab completes" in shown and "This move is legal." in shown and "c3 is not free" in shown
