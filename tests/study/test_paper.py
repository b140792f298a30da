"""Documents for paper: what their pages have, what is printed of a game, and that it can be typed back."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import OptionError
from fourcorners.study.entry import enter_moves
from fourcorners.study.paper import (
    MAX_PUZZLES,
    list_moves,
    print_boards,
    print_game,
    print_position,
    print_puzzles,
)
from fourcorners.study.puzzles.format import Decision
from fourcorners.study.puzzles.printed import PaperPuzzle, describe_puzzle


def play_first_moves(name: str, plies: int, **options: Any) -> fc.Match:
    """Return a match between Ada and Ben in which the middle one of the legal moves is always played."""
    match = fc.Match(fc.game(name, **options), ["Ada", "Ben"], seed=5, date="2026-11-23")
    while not match.is_over and len(match.positions) <= plies:
        moves = match.position.moves()
        match.play(moves[len(moves) // 2])
    return match


@pytest.mark.parametrize("name", fc.games())
def test_boards_of_every_game_become_a_pdf(name: str) -> None:
    document = print_boards(fc.game(name), pages=2, per_page=4)
    boards = [page for page in document.pages if page["kind"] == "boards"]
    assert [len(page["items"]) for page in boards] == [4, 4]
    assert document.render().startswith(b"%PDF-")


def test_game_with_pieces_has_all_of_them_to_cut_out() -> None:
    game = fc.game("squendo")
    pages = [page for page in print_boards(game, per_page=1).pages if page["kind"] == "pieces"]
    assert sum(len(page["items"]) for page in pages) == len(game.deck(seed=0))


def test_game_on_paper_has_its_moves_its_result_and_diagrams_of_its_course() -> None:
    match = play_first_moves("square-off", 3, size=4)
    match.resign(match.seat or 0)
    document = print_game(match, diagrams=3)
    listed, drawn = document.pages
    assert dict(listed["facts"])["Result"] == "Ada wins: Ben resigned"
    rows = [row for column in listed["columns"] for row in column]
    assert [row[1].split("  ")[1] for row in rows] == [move for _, move in list_moves(match)]
    assert [item["title"] for item in drawn["items"]] == ["Start", "After 2", "After 3"]


@pytest.mark.parametrize(
    ("name", "options"),
    [("dots-and-boxes", {"cols": 2, "rows": 1}), ("sqez", {"cols": 5, "rows": 5}), ("squendo", {}), ("square-off", {})],
)
def test_printed_game_typed_back_is_the_same_record(name: str, options: dict[str, Any]) -> None:
    match = play_first_moves(name, 9, **options)
    if not match.is_over:
        match.resign(match.seat or 0)
    page = print_game(match, diagrams=0).pages[0]
    facts = dict(page["facts"])
    rows = [row for column in page["columns"] for row in column]
    typed = [row[1].split("  ", 1)[-1] for row in rows]
    deck = facts["Deck"].split() if "Deck" in facts else None
    entry = enter_moves(match.game, typed, match.names, facts["Date"], deck)
    assert entry.wrong is None
    first, second = match.record(), entry.match.record()
    assert (second.lines, second.seats, second.date, second.result, second.deck) == (
        first.lines,
        first.seats,
        first.date,
        first.result,
        first.deck,
    )


def test_running_game_with_hidden_hands_shows_a_spectator_neither_deck_nor_hands() -> None:
    match = play_first_moves("squendo", 4)
    document = print_game(match)
    assert "Deck" not in dict(document.pages[0]["facts"])
    own = print_position(match.position.view(match.position.seat))
    assert set(own.pictures.values()).isdisjoint(document.pictures.values())


def test_printed_position_says_whose_turn_it_is_and_has_its_marks_and_a_long_comment() -> None:
    view = play_first_moves("dots-and-boxes", 3, cols=3, rows=3).position.view()
    comment = "Think again. " * 100
    document = print_position(view, caption=comment, marks=[fc.Mark("arrow", ("a1b1", "c1d1"))])
    (page,) = document.pages
    assert page["text"].startswith("Think again. ") and ". Black 0, White 0. " in page["text"]
    assert page["height"] < print_position(view).pages[0]["height"]
    (picture,) = document.pictures.values()
    assert 'aria-label="arrow a1b1 c1d1"' in picture
    assert len(re.findall(rb"/Type */Page\b", document.render())) == 1
    assert "Graphite 0" not in print_position(fc.game("sqez").start().view()).pages[0]["text"]


def test_puzzles_have_their_solutions_on_the_back_of_their_page() -> None:
    view = fc.game("sqez", cols=4, rows=4).start().view(0)
    puzzles = [PaperPuzzle(view, f"Task {number}", f"Answer {number}", "a line") for number in range(8)]
    pages = print_puzzles(puzzles, "Eight puzzles").pages
    assert [page["kind"] for page in pages] == ["boards", "list", "boards", "list"]
    for front, back in ((pages[0], pages[1]), (pages[2], pages[3])):
        tasks = [item["text"].removeprefix("Task ") for item in front["items"]]
        assert [row[1].removeprefix("Answer ") for row in back["columns"][0]] == tasks


def test_puzzle_says_who_moves_what_to_reach_and_on_the_back_how() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a1a2"])
    puzzle = describe_puzzle(position, ("b1c1", "b2c2"), 2, -2, ("b1c1", "a2b2"))
    assert puzzle.task == "Black to move: win by 2. Black 0, White 0 · free edges: 5."
    assert puzzle.solution == "b1c1 or b2c2: winning by 2. Every other move: losing by at least 2."
    assert puzzle.line == "Best play: b1c1, a2b2"
    ahead = describe_puzzle(position.play("b1b2").play("a2b2"), ("b1c1",), -1, -2)
    assert ahead.task.startswith("White to move: reach a draw.") and not ahead.line
    last = describe_puzzle(fc.game("sqez", cols=4, rows=4).start(), ("a1 c3",), 1, -1)
    assert last.task.startswith("Graphite to move: win.") and last.solution == "a1 c3. Every other move loses."


def test_puzzle_of_several_moves_is_printed_with_all_that_are_to_be_found() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=1).position("1 0,0 ---/|_._._./..-")
    later = Decision(after=("b1c1", "a1b1"), best=("b1b2",), value=3, next_value=-3)
    puzzle = describe_puzzle(position, ("b1c1",), 3, 1, ("b1c1", "a1b1", "b1b2"), [later])
    assert "Find two moves." in puzzle.task
    assert puzzle.solution.endswith("Then, after a1b1: b1b2.")


GAME = fc.game("sqez")
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: print_boards(GAME, pages=21), "1 to 20"),
    (lambda: print_boards(GAME, per_page=5), "1, 2, 3, 4, 6, 8, 9, 12"),
    (lambda: print_boards(GAME, paper="a0"), "a4 or letter"),
    (lambda: print_puzzles([], "None"), f"1 to {MAX_PUZZLES}"),
    (lambda: print_game(fc.Match(GAME), diagrams=61), "0 to 60"),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
def test_numbers_and_papers_that_are_not_allowed_are_refused_with_what_is(
    make: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(OptionError, match=sentence):
        make()


def test_markup_in_names_is_only_text() -> None:
    match = fc.Match(fc.game("sqez", cols=3, rows=3), ['#panic("x")', "*b* $x$ <l>"], date="")
    assert print_game(match, diagrams=0).render().startswith(b"%PDF-")


def test_wrong_move_is_named_by_its_number_and_reason_and_later_moves_stay_for_when_it_is_right() -> None:
    game = fc.game("square-off", size=4)
    entry = enter_moves(game, ["a1", "b2", "a1", "c3"])
    assert entry.wrong is not None
    assert (entry.wrong.number, entry.wrong.move) == (3, "a1")
    assert "a1 is not free" in entry.wrong.reason
    assert len(entry.match.positions) == 3
    assert enter_moves(game, ["a1", "b2", "d1", "c3"]).wrong is None
    after_the_end = enter_moves(game, ["a1", "resign", "b2"])
    assert after_the_end.wrong is not None and after_the_end.wrong.number == 3


def test_game_with_hidden_tiles_needs_its_deck_and_too_many_moves_are_refused() -> None:
    with pytest.raises(OptionError, match="deck"):
        enter_moves(fc.game("squendo"), [])
    with pytest.raises(OptionError, match="2000"):
        enter_moves(fc.game("sqez"), ["a1 c3"] * 2001)


LINES = {
    "squarin-off": ("#c4 c4d4", "a1b1", "#a1 a1a2", "e5f5"),
    "dots-and-boxes": ("b3c3", "c3c4", "a1b1", "a1a2"),
    "square-off": ("a1", "h8", "h8 g8", "d4", "resign"),
    "sqez": ("a1 c3", "d4 f6", "d1 f3"),
}
STYLES = [
    "{number}. {move} ",
    "{number} {move} ",
    "{move} ",
    "{move}; ",
    "{number}. {move}; ",
    "{move},",
    "{number}.{move},",
]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", [*LINES, "squendo"])
def test_line_with_several_moves_is_split_however_they_are_numbered_and_separated(name: str, style: str) -> None:
    match = play_first_moves("squendo", 6) if name == "squendo" else fc.Match(fc.game(name))
    moves = LINES.get(name) or tuple(line.text for line in match.record().lines)
    line = "".join(style.format(number=number, move=move) for number, move in enumerate(moves, 1))
    entry = enter_moves(match.game, [line], deck=match.deck or None, typed=0)
    assert (entry.wrong, entry.moves) == (None, list(moves))


def test_line_is_split_where_it_is_typed_and_after_a_wrong_move_only_where_another_surely_begins() -> None:
    game = fc.game("square-off", size=4)
    entry = enter_moves(game, ["a1", "1. b2 2. a1 c3 3. d4; a3 a4", "d1"], typed=1)
    assert entry.wrong is not None and (entry.wrong.number, entry.wrong.move) == (3, "a1")
    assert entry.moves == ["a1", "b2", "a1 c3", "d4", "a3 a4", "d1"]
    # Once the move is right, the words after it are read as well.
    assert enter_moves(game, ["a1", "b2", "c2 c3", "d4"], typed=2).moves == ["a1", "b2", "c2", "c3", "d4"]
    # What could be one move or two is split only where it is typed.
    assert enter_moves(game, ["a1", "b2", "c2 c3"]).wrong is not None
    assert enter_moves(game, [" ; "], typed=0).moves == []
    with pytest.raises(OptionError, match="2000"):
        enter_moves(game, ["a9;" * 2001], typed=0)


def test_wrong_move_is_said_once_and_blockers_only_where_there_are_some() -> None:
    boxes = enter_moves(fc.game("dots-and-boxes"), ["b3c3 zz d4"], typed=0).wrong
    assert boxes is not None
    assert boxes.clause == "move 2: 'zz d4' is not an edge: a move is an edge such as c4d4"
    blockers = enter_moves(fc.game("squarin-off"), ["zz"]).wrong
    assert blockers is not None and "#c4 c4d4" in blockers.reason


def test_who_is_not_named_is_called_by_the_colour() -> None:
    game = fc.game("square-off", size=4)
    assert enter_moves(game, []).match.names == ("White", "Black")
    assert enter_moves(game, [], ["Ada"]).match.names == ("Ada", "Black")
    assert enter_moves(game, [], ["", "Ben"]).match.names == ("White", "Ben")
    with pytest.raises(OptionError, match="2 names"):
        enter_moves(game, [], ["Ada", "Ben", "Cleo"])
