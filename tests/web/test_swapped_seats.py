"""Square Off after a swap: every sentence names the colour that a seat has then, not the one that it began with."""

import re

import fourcorners as fc
from fourcorners.core.figures import describe_step, parse_figure
from fourcorners.core.game import Position
from fourcorners.core.seat_names import distinguish_names
from fourcorners.study.paper import print_game, print_position
from fourcorners.study.pictures import describe_move
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.puzzles.printed import describe_puzzle
from fourcorners.web.application.analysis_board import PositionCache, describe_line
from fourcorners.web.application.entries import answer_entry
from fourcorners.web.application.exercises import list_events
from fourcorners.web.pages.puzzles import describe_task

GAME = fc.game("square-off", size=4)
OPENING = ("b2", "swap", "c3")
_EVENT = re.compile(r"(White|Black) placed a (white|black) man on")


def list_positions(moves: tuple[str, ...]) -> list[Position]:
    """Return the positions from the start on."""
    positions = [GAME.start()]
    for move in moves:
        positions.append(positions[-1].play(move))
    return positions


def test_seats_exchange_their_names_with_the_swap() -> None:
    names = [position.seat_names for position in list_positions(OPENING)]
    assert names == [("White", "Black")] * 2 + [("Black", "White")] * 2
    assert distinguish_names(names[-1], ["Ada", "Ada"]) == ("Ada (Black)", "Ada (White)")


def test_events_say_what_each_colour_did() -> None:
    assert list_events(list_positions((*OPENING, "d4")), 0) == [
        "White placed a white man on b2.",
        "Black swapped and took over the white man.",
        "Black placed a black man on c3.",
        "White placed a white man on d4.",
    ]


def test_events_can_name_players_who_keep_their_names() -> None:
    assert list_events(list_positions((*OPENING, "d4"))[1:], 0, ("Ada", "Ben")) == [
        "Ben swapped and took over the white man.",
        "Ada placed a black man on c3.",
        "Ben placed a white man on d4.",
    ]


def test_analysis_board_calls_the_last_mover_by_the_name_before_the_move() -> None:
    cache = PositionCache()
    answers = [describe_line(cache.find_line(GAME, "", OPENING[:count])) for count in range(4)]
    assert [answer.mover for answer in answers] == ["", "White", "Black", "Black"]
    assert [list(answer.picture.seat_names) for answer in answers[1:3]] == [["White", "Black"], ["Black", "White"]]


def test_every_puzzle_calls_the_seat_to_move_by_the_men_that_it_places() -> None:
    swapped = 0
    for puzzle in list_puzzles("square-off"):
        position = puzzle.position
        swapped += int(position.record.swapped)
        colour = ("White", "Black")[int(position.record.placed) & 1]
        told = [describe_task(puzzle), describe_puzzle(position, puzzle.best, puzzle.value, puzzle.next_value).task]
        assert all(task.startswith(f"{colour} to move") for task in told)
        move = next(move for move in position.moves() if " " not in move)
        (event,) = list_events([position, position.play(move)], position.seat)
        found = _EVENT.match(event)
        assert found is not None
        assert found[1].lower() == found[2] == colour.lower()
        assert f"Last move: {colour} placed" in describe_move(position, move)
    assert swapped > 0


def test_paper_figures_and_entry_name_the_colours_after_the_swap() -> None:
    position = list_positions(OPENING)[-1]
    (page,) = print_position(position.view()).pages
    assert "White to move. Black 0, White 0." in str(page)
    match = fc.Match(GAME, ("Ada", "Bo"))
    for move in OPENING:
        match.play(move)
    told = str(print_game(match).pages)
    assert "Ada (Black) – Bo (White)" in told
    assert [cell in told for cell in ("W  b2", "B  swap", "B  c3")] == [True] * 3
    figure = parse_figure(GAME, f"before: {', '.join(OPENING)}\n")
    assert "Last move: Black placed a black man on c3." in describe_step(figure, 0)
    entry = answer_entry("square-off", {"size": 4}, OPENING, None, None, "", None)
    assert entry.words == "Black placed a black man on c3"
    assert list(entry.picture.seat_names) == ["Black", "White"]
