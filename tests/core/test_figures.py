"""Figures of rulebooks: what a block may say, what its pictures show, and their words."""

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError
from fourcorners.core.figures import describe_step, draw_step, list_figures, parse_figure

DOTS = fc.game("dots-and-boxes")
SMALL = 'options: {"cols": 2, "rows": 1}\n'


def test_each_play_line_begins_a_step_after_the_moves_before() -> None:
    text = SMALL + "before: a1b1, a2b2\ncaption: Two.\nsay: First.\nplay: a1a2, b1b2\nsay: Second."
    figure = parse_figure(DOTS, text)
    assert [(step.view.history, step.text) for step in figure.steps] == [
        (("a1b1", "a2b2"), "First."),
        (("a1b1", "a2b2", "a1a2", "b1b2"), "Second."),
    ]
    assert figure.caption == "Two."


def test_figure_begins_with_the_given_position() -> None:
    line = DOTS.start().play("a1b1").text
    assert parse_figure(DOTS, f"position: {line}").steps[0].view.text == line


def test_figure_of_hidden_hands_shows_the_hand_of_its_viewer_only() -> None:
    squendo = fc.game("squendo")
    seat, spectator = (parse_figure(squendo, text).steps[0].view for text in ("viewer: 1", "caption: All."))
    assert seat == squendo.start(0).view(1)
    assert spectator == squendo.start(0).view()


def test_marked_and_ghost_places_have_these_classes_and_no_others() -> None:
    figure = parse_figure(DOTS, SMALL + "mark: a1b1\nghost: a1a2\nplay: a1b1")
    for number, expected in enumerate(({"a1b1": "marked", "a1a2": "ghost"}, {})):
        elements = draw_step(figure, number).board.elements
        found = {e.token: name for e in elements for name in ("marked", "ghost") if name in e.classes.split()}
        assert found == expected


def test_all_steps_of_a_figure_have_the_same_view_box() -> None:
    squendo = fc.game("squendo")
    position = squendo.start(0)
    moves = []
    for _ in range(6):
        moves.append(position.moves()[-1])
        position = position.play(moves[-1])
    figure = parse_figure(squendo, "\n".join(f"play: {move}" for move in moves))
    assert len({step.view.scene().board.box for step in figure.steps}) > 1
    assert len({draw_step(figure, number).board.box for number in range(7)}) == 1


def test_description_names_the_board_the_last_move_the_points_and_the_marks() -> None:
    figure = parse_figure(DOTS, SMALL + "before: a1b1, a2b2, a1a2, b1b2\nmark: b1c1")
    words = describe_step(figure, 0)
    assert words == (
        "Board of 2 by 1 boxes, 3 edges free. Last move: White drew b1–b2 and completed one box. "
        "Points: Black 0; White 1. Marked: edge from b1 to c1, free."
    )


@pytest.mark.parametrize(
    "text",
    [
        "colour: red",
        "caption",
        "options: 3",
        'options: {"cols": 99}',
        "caption: a\ncaption: b",
        "before: a1b1, a1b1",
        "play: z9",
        "mark: z9z10",
        "mark: a1b1 a1b1",
        "position: nothing",
        "deck: R2ax",
        "viewer: 7",
        "viewer: x",
        "overlay: Nothing",
    ],
)
def test_wrong_figures_are_refused(text: str) -> None:
    with pytest.raises(GameError):
        parse_figure(DOTS, text)


def test_list_figures_finds_every_block_of_a_rulebook(monkeypatch: pytest.MonkeyPatch) -> None:
    rulebook = "# Title\n\n```figure\ncaption: One.\n```\n\n```\ncode\n```\n\n```figure\ncaption: Two.\n```\n"
    monkeypatch.setattr(type(DOTS), "rulebook", property(lambda _: rulebook))
    assert [figure.caption for figure in list_figures(DOTS)] == ["One.", "Two."]


def test_overlay_is_drawn_and_described_in_the_step_that_names_it_only() -> None:
    figure = parse_figure(DOTS, SMALL + "before: a1b1, a2b2, b1c1, b2c2\noverlay: Chains\nplay: a1a2")
    drawn = [any("overlay" in e.classes for e in draw_step(figure, number).board.elements) for number in (0, 1)]
    assert drawn == [True, False]
    assert "chain of 2 boxes" in describe_step(figure, 0)
    assert "chain" not in describe_step(figure, 1)


def test_pictures_of_figures_are_not_animated() -> None:
    figure = parse_figure(DOTS, SMALL + "play: a1b1")
    assert any("new" in element.classes.split() for element in figure.steps[1].view.scene().board.elements)
    assert not any("new" in element.classes.split() for element in draw_step(figure, 1).board.elements)


def test_pieces_are_drawn_in_rows_instead_of_the_board_and_described() -> None:
    figure = parse_figure(fc.game("squendo"), "pieces: R0o B1x / Y4o")
    board = draw_step(figure, 0).board
    assert [element.markup.count("<use") for element in board.elements] == [2, 2, 2]
    positions = [tuple(map(float, element.markup.split("(")[1].split(")")[0].split())) for element in board.elements]
    (x0, y0), (x1, y1), (x2, y2) = positions
    assert x0 == x2 < x1
    assert y0 == y1 < y2
    assert board.box[2] > x1
    assert board.box[3] > y2
    assert describe_step(figure, 0).startswith(
        "Red circle, all edges white; blue cross, black north; yellow circle, all edges black"
    )


@pytest.mark.parametrize("game", ["squendo", "sqez"])
def test_pieces_that_the_game_cannot_draw_are_refused(game: str) -> None:
    with pytest.raises(GameError, match="no piece named 'R9o'"):
        parse_figure(fc.game(game), "pieces: R9o")


def test_block_of_the_former_kind_is_refused_with_its_line_and_what_to_write_instead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(DOTS), "rulebook", "# Dots\n\nA text.\n\n```record\ngame: dots-and-boxes\n```\n")
    with pytest.raises(GameError, match=r"line 5: .*write ```figure"):
        list_figures(DOTS)
