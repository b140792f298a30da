"""Move lists and links from elsewhere become records, and what is wrong in them is named with its place."""

from urllib.parse import urlencode

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


@pytest.mark.parametrize("text", ["*", "1. 2. 3.", "!", "1-0", "> ..."])
def test_list_without_moves_is_refused(text: str) -> None:
    with pytest.raises(fc.OptionError, match="has no moves"):
        fc.import_record(text, fc.game("square-off"))


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


DOTS = fc.game("dots-and-boxes")
LINK = "https://trmph.com/dnb/board#5,g6h7g8"


@pytest.mark.parametrize(
    "text",
    [
        "1.g6! 2.h7?! 3.g8??",
        "1.g6 ! 2.h7 3.g8",
        "1 g6\n2 h7\n3 g8",
        "1\tg6\n2\th7\n3\tg8",
        "g6\th7\tg8",
        "1.g6 2.h7 3.g8 *",
        "1.g6 2.h7 3.g8 1-0",
        "1.g6 2.h7 3.g8\n0–1\n",
        "1.g6 2.h7 3.g8 1/2-1/2",
        "1.g6 2.h7 3.g8 13-12",
        "1.g6 2.h7 3.g8 9-8-8",
        "(1) g6 (2) h7 (3) g8.",
        "1. g6 … h7 2. g8",
        "1. g6 1... h7 2. g8 ...",
        "> 1.g6 2.h7\n> 3.g8\n",
        ">> 1.g6\n> > 2.h7\r\n>3.g8",
        "\ufeff1.g6 2.h7\u200b 3.g8",
        "1.g6\xa02.h7\xa03.g8",
        LINK,
        f"{LINK}.",
        f"{LINK},",
        f"<{LINK}>",
        f"({LINK}).",
        f"“{LINK}”!",
        f"Here is our game: {LINK}\n\nAda",
        f"On 21 November 2026 at 10:00 Ben wrote:\n> See {LINK}.\n",
        f"> {LINK}",
    ],
)
def test_what_is_clear_is_read(text: str) -> None:
    assert list_moves(text, DOTS) == ["d3d4", "d4e4", "d4d5"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sqez", "1 b2 d4! 2 a1 e5?? *"),
        ("square-off", "1\ta1\n2\tb4 !?\n 1-0"),
        ("squarin-off", "> 1. #c4 c4d4!\n> 2. e2f2 1/2-1/2"),
    ],
)
def test_what_is_clear_is_read_in_every_notation(name: str, text: str) -> None:
    assert len(list_moves(text, fc.game(name))) == 2


@pytest.mark.parametrize(
    ("name", "text", "word", "reason"),
    [
        ("dots-and-boxes", "1.g6 2.gg", "gg", "'gg' is not a point, which is a letter and a number"),
        ("dots-and-boxes", "1.g6 2.h7 undo 3.g8", "undo", "'undo' is not a point"),
        ("dots-and-boxes", "1.g6 2.g6 3.gg", "gg", "'gg' is not a point"),
        ("dots-and-boxes", "1.g6 2.h7x 3.gg", "h7x", "'h7x' is not a point"),
        ("dots-and-boxes", "1.g6 2.b5-c5", "b5-c5", "'b5-c5' is not a point"),
        ("dots-and-boxes", "1.g6 2.h7 1-0 3.g8", "1-0", "'1-0' is not a point"),
        ("dots-and-boxes", "1. e3-f3 2. e4-f4\n\nPosition after 2nd move\n", "Position", "two neighbouring dots"),
        ("dots-and-boxes", "1. e3-f3 2. g6", "g6", "'g6' is not an edge, which is two neighbouring dots"),
        ("dots-and-boxes", "1. e3f3 2. fish", "fish", "'fish' is not an edge"),
        ("squarin-off", "1. #c4 fish", "fish", "'fish' is not an edge"),
        ("sqez", "1. b2 fish 2. a1 e5", "fish", "is not a move"),
        ("sqez", "1. b2 d4 2. fish e5", "fish", "'fish' is not a move"),
        ("square-off", "1. a1 2. fish", "fish", "'fish' is not a move"),
        ("dots-and-boxes", f"1.g6 2.h7 {LINK}", LINK.partition(",")[0], "is not a point"),
    ],
)
def test_first_word_that_is_no_move_is_named(name: str, text: str, word: str, reason: str) -> None:
    with pytest.raises(fc.MoveListError) as caught:
        fc.import_record(text, fc.game(name))
    error = caught.value
    assert error.move == word
    assert reason in error.reason
    rows = text.split("\n")
    assert rows[error.line - 1][error.column - 1 :].startswith(word)


def test_word_within_a_move_of_several_words_is_named() -> None:
    game = fc.game("squendo")
    with pytest.raises(fc.MoveListError) as caught:
        fc.import_record("R4o 0,0 fish", game, deck=game.deck(seed=1))
    assert (caught.value.move, caught.value.column) == ("fish", 9)


def test_result_at_the_end_must_be_that_of_a_game_that_is_over() -> None:
    small = fc.game("dots-and-boxes", cols=1, rows=1)
    moves = "1. b1 2. a2 3. c2 4. b3"
    for result in ("*", "0-1"):
        assert fc.import_record(f"{moves} {result}", small).result.startswith("seat 1 wins 0-1")
    for result in ("1-0", "1/2-1/2", "3-2"):
        with pytest.raises(fc.MoveListError) as caught:
            fc.import_record(f"{moves} {result}", small)
        assert caught.value.move == result
        assert f"the result is given as '{result}', but it is 'seat 1 wins 0-1" in caught.value.message


def test_record_is_found_in_a_mail() -> None:
    record = fc.Match(fc.game("square-off", size=4), date="2026-11-21").record()
    mail = "Hello Ben,\n\n" + str(record)
    assert fc.import_record(mail) == record
    assert fc.import_record("".join(f"> {row}\n" for row in mail.split("\n"))) == record
    with pytest.raises(fc.RecordError) as caught:
        fc.import_record(mail + "Ada\n")
    assert caught.value.line == mail.count("\n") + 1


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("https://example.org/play/4fQ_x-9", "save its record from https://example.org/play/4fQ_x-9/record and import"),
        ("http://localhost:8000/play/4fQ/review/3", "from http://localhost:8000/play/4fQ/record"),
        ("example.org/play/4fQ?ply=3", "from example.org/play/4fQ/record"),
        ("localhost:8000/play/4fQ_", "from localhost:8000/play/4fQ_/record"),
        ("https://example.org/analysis/shared/4fQ", "leads to an analysis: open it"),
        ("https://example.org/embed/4fQ", "leads to an analysis: open it"),
        ("https://example.org/analysis/sqez?cols=5", "names no position: open it"),
        ("https://example.org/analysis/sqez?cols=99&position=x", "cols: 99 is not allowed"),
        ("https://example.org/analysis/sqez?position=fish", "'fish'"),
        ("https://littlegolem.net/jsp/game/game.jsp?gid=1", "leads to a page: copy the moves from there"),
        ("https://[::1/play/x", "cannot be read as a link"),
        ("https://trmph.com/dnb/board", "after # there must be a number of boxes"),
        ("https://trmph.com/dnb", "after # there must be a number of boxes"),
        ("https://trmph.com/dnb/board#", "after # there must be a number of boxes"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "<{}>.", "See {}, Ben.", "> {}", "**{}**"])
def test_link_that_has_no_game_says_how_to_get_it(link: str, sentence: str, around: str) -> None:
    for game in (None, DOTS):
        with pytest.raises(fc.MoveListError) as caught:
            fc.import_record(around.format(link), game)
        assert sentence in caught.value.message


@pytest.mark.parametrize("rest", [{"ply": 3}, {}])  # some positions end with full stops
@pytest.mark.parametrize("name", ["sqez", "dots-and-boxes", "square-off", "squarin-off"])
def test_position_in_a_link_to_an_analysis_board_is_read(name: str, rest: dict[str, int]) -> None:
    game = fc.game(name, blockers=0) if name == "squarin-off" else fc.game(name)
    position = game.start().play(game.start().moves()[0])
    link = f"https://example.org/analysis/{name}?{urlencode(game.given_options() | {'position': position.text} | rest)}"
    for text in (link, f"<{link}>.", f"See {link}, Ben.", f"See {link}."):
        record = fc.import_record(text)
        assert (record.game, record.position, record.lines) == (game, position.text, ())
        assert fc.Record.parse(str(record)) == record


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("sqez", "1. B2 E5 2. f6 H8", ["b2 e5", "f6 h8"]),
        ("square-off", "C4 d4, E5 RESIGN", ["c4", "d4", "e5", "!resign"]),
        ("squarin-off", "A1B1 #C4 C4D4", ["a1b1", "#c4 c4d4"]),
    ],
)
def test_moves_in_capitals_are_read(name: str, text: str, moves: list[str]) -> None:
    assert [line.text for line in fc.import_record(text, fc.game(name)).lines] == moves
    with pytest.raises(fc.MoveListError) as caught:
        fc.import_record(f"{text} FISH", fc.game(name))
    assert caught.value.move == "FISH"


def test_link_to_a_game_other_than_the_given_one_is_refused() -> None:
    with pytest.raises(fc.OptionError, match="sqez is not allowed; the text is of dots-and-boxes"):
        fc.import_record("https://trmph.com/dnb/board#5,f7f5g8", fc.game("sqez"))
