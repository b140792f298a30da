"""Move lists and links from elsewhere become records, and what is wrong in them is named with its place."""

import pytest

import fourcorners as fc
from fourcorners.core import game_import
from fourcorners.core.move_list import Word, split_words


def list_moves(text: str, game: fc.Game | None = None) -> list[str]:
    """Return the events of the record that a text is imported as."""
    record = fc.import_record(text, game)
    assert fc.Record.parse(str(record)) == record
    return [line.text for line in record.lines]


@pytest.mark.parametrize(
    "text", ["b2 d4 a1 e5", "1. b2 d4 2. a1 e5", "1) b2 d4, 2) a1 e5", "1 b2 d4\n2 a1 e5\n", " 1.b2 d4;\r\n2...a1 e5"]
)
def test_moves_are_separated_by_spaces_commas_or_lines_and_may_be_numbered(text: str) -> None:
    assert list_moves(text, fc.game("sqez")) == ["b2 d4", "a1 e5"]


def test_words_have_their_line_and_column() -> None:
    assert list(split_words("1. a1 b1\n 2.c4d4, 0,-3")) == [
        Word("a1", 1, 4),
        Word("b1", 1, 7, is_first=False),
        Word("c4d4", 2, 4),
        Word("0,-3", 2, 10),
    ]


@pytest.mark.parametrize("name", fc.games())
def test_list_of_the_moves_of_any_game_is_read_back(name: str) -> None:
    match = fc.Match(fc.game(name), seed=3)
    for _ in range(6):
        match.play(match.position.moves()[-1])
    moves = [event.text for event in match.events]
    separators = (" ", "\n", ", ")
    for separator in separators:
        text = separator.join(f"{number}. {move}" for number, move in enumerate(moves, 1))
        record = fc.import_record(text, match.game, deck=match.deck if match.game.spec.hidden else None)
        assert [line.text for line in record.lines] == moves


def test_words_that_could_be_one_move_or_two_are_read_as_what_is_legal() -> None:
    game = fc.game("square-off")
    first, second, third = (match := fc.Match(game)).position.moves()[:3]
    assert list_moves(f"{first} {second} {third}", game) == [first, second, third]
    assert match.position.why(f"{first} {second}") is not None


def test_resignation_at_the_end_is_an_event() -> None:
    assert list_moves("b2 d4 resign", fc.game("sqez")) == ["b2 d4", "!resign"]


def test_record_is_imported_as_it_is_but_only_as_its_own_game() -> None:
    record = fc.Match(fc.game("square-off", size=4), date="2026-11-21").record()
    assert fc.import_record(str(record)) == record
    assert fc.import_record(str(record), fc.game("square-off")) == record
    with pytest.raises(fc.OptionError, match="the text is of"):
        fc.import_record(str(record), fc.game("sqez"))
    with pytest.raises(fc.OptionError, match="the text is of"):
        fc.import_record(str(record), fc.game("square-off", size=6))
    # A preset named without options stands for any board, and so does the game that it belongs to.
    record = fc.Match(fc.game("dots-and-boxes", cols=2, rows=2), date="2026-11-21").record()
    assert fc.import_record(str(record), fc.game("dots-and-boxes")) == record
    assert fc.import_record(str(record), fc.game("squarin-off")) == record


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("b2 d4\n3. b3 d5", (2, 4, 2), "'b3 d5' cannot be played"),
        ("b2 d4, fish", (1, 8, 2), "'fish'"),
        ("b2 d4 a1", (1, 7, 2), "'a1'"),
        ("b2 d4 resign a1 e5", (1, 14, 2), "the game is over"),
    ],
)
def test_wrong_move_is_named_with_line_column_and_number(text: str, place: tuple[int, int, int], reason: str) -> None:
    with pytest.raises(fc.MoveListError) as caught:
        fc.import_record(text, fc.game("sqez"))
    error = caught.value
    assert (error.line, error.column, error.number) == place
    assert reason in error.reason
    assert str(error).startswith(f"line {place[0]}, column {place[1]}, move {place[2]}: ")


def test_list_without_game_or_deck_is_refused() -> None:
    with pytest.raises(fc.OptionError, match="'b2 d4' names no game: choose one, or give a link such as"):
        fc.import_record("b2 d4")
    with pytest.raises(fc.OptionError, match=r"^deck: a game of Squendo can be imported only with its deck$"):
        fc.import_record("R4o 0,0 r0", fc.game("squendo"))


def test_length_of_a_list_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_import, "MAX_EVENTS", 1)
    with pytest.raises(fc.MoveListError, match="at most 1 moves"):
        fc.import_record("b2 d4 a1 e5", fc.game("sqez"))


def test_text_that_is_too_long_for_a_list_is_refused_at_once() -> None:
    with pytest.raises(fc.OptionError, match="a link or move list has at most 100000 characters"):
        fc.import_record("1 " * 60_000, fc.game("sqez"))


@pytest.mark.parametrize("kind", ["list", "record"])
def test_the_check_is_called_before_each_move_and_ends_the_import(kind: str) -> None:
    game = fc.game("dots-and-boxes", cols=3, rows=3)
    moves = ["a1b1", "b2c2", "c3d3"]
    match = fc.Match(game)
    for move in moves:
        match.play(move)
    text = " ".join(moves) if kind == "list" else str(match.record())
    calls: list[None] = []
    fc.import_record(text, game, check=lambda: calls.append(None))
    assert len(calls) == len(moves)

    def stop() -> None:
        """End the import."""
        raise TimeoutError

    with pytest.raises(TimeoutError):
        fc.import_record(text, game, check=stop)
