"""Drawn records: their steps, words and pictures, and that they tell no more than their viewer may know."""

import json
import re
from xml.etree import ElementTree as ET

import fourcorners as fc
from fourcorners.core.figures import FIGURE_BLOCK, Figure, Step, describe_step, parse_figure
from fourcorners.study.drawn_record import DrawnRecord, draw_figure, draw_match, write_drawn_record

DOTS = fc.game("dots-and-boxes", cols=1, rows=1)
SQUENDO = fc.game("squendo")


def play_box() -> fc.Match:
    """Return a finished game of one box, which the second player has completed."""
    match = fc.Match(DOTS, ["Ada", "Ben"])
    for move in ("a1b1", "a2b2", "a1a2", "b1b2"):
        match.play(move)
    return match


def draw_svg(record: DrawnRecord, number: int) -> ET.Element:
    """Return the picture of a step as the page puts it together; fail if it is not XML."""
    body = "".join(record["parts"][part] for part in record["steps"][number]["parts"])
    return ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{record["head"]}{body}</svg>')


def test_each_move_has_a_place_words_and_the_result_at_the_end() -> None:
    record = draw_match(play_box(), ["Ada", "Ben"])
    assert record["title"] == "Dots and Boxes: Ada – Ben"
    assert [(step["label"], step["words"]) for step in record["steps"]] == [
        ("Start", ""),
        ("Move 1 of 4", "Ada drew a1–b1."),
        ("Move 2 of 4", "Ben drew a2–b2."),
        ("Move 3 of 4", "Ada drew a1–a2."),
        ("Move 4 of 4", "Ben drew b1–b2 and completed one box. Ben wins 1 : 0; all edges are drawn."),
    ]
    assert record["steps"][4]["description"].endswith("Points: Black 0; White 1.")


def test_pictures_share_their_markup_and_have_the_elements_of_the_board() -> None:
    match = play_box()
    record = draw_match(match, match.names)
    assert len(record["parts"]) == len(set(record["parts"])) < sum(len(step["parts"]) for step in record["steps"])
    for number, position in enumerate(match.positions):
        found = [element.get("id") for element in draw_svg(record, number).iter() if "class" in element.attrib]
        scene = position.view().scene()
        expected = [element.id for element in scene.board.elements if element.classes]
        assert [name for name in found if name in expected] == expected


def test_both_themes_have_a_value_for_every_property_that_the_style_uses() -> None:
    for name in fc.games():
        match = fc.Match(fc.game(name))
        record = draw_match(match, match.names, palette="high-contrast")
        values = {theme: set(re.findall(r"--([\w-]+):", text)) for theme, text in record["colours"].items()}
        used = set(re.findall(r"var\(--([\w-]+)\)", record["head"]))
        assert used
        assert used <= values["light"] & values["dark"]


def test_part_of_a_game_ends_at_its_ply_without_a_result() -> None:
    match = play_box()
    record = draw_match(match, match.names, ply=3)
    assert [step["label"] for step in record["steps"]] == ["Start", *(f"Move {n} of 3" for n in (1, 2, 3))]
    assert "wins" not in write_drawn_record(record)


def test_comments_are_words_and_marks_are_drawn_in_the_colours_of_the_theme() -> None:
    tree = fc.GameTree(DOTS.start(), ["a1b1", "a2b2"])
    tree = tree.set_comment(("a1b1",), "A start.").set_marks(("a1b1",), [fc.Mark("circle", ("a1a2",))])
    match = fc.Match(DOTS)
    for move in ("a1b1", "a2b2"):
        match.play(move)
    record = draw_match(match, ["Ada", "Ben"], tree)
    assert record["steps"][1]["words"] == "Ada drew a1–b1. A start."
    marked = [any("var(--mark)" in record["parts"][part] for part in step["parts"]) for step in record["steps"]]
    assert marked == [False, True, False]
    assert all("--mark:#" in values for values in record["colours"].values())


def test_file_of_a_hidden_game_has_nothing_of_a_hand_that_its_viewer_may_not_see() -> None:
    """Two decks differ in one tile of the second player's hand, which no one has laid."""
    deck = list(SQUENDO.deck(0))
    hands = re.search(r"hands (\S+) (\S+);", SQUENDO.start(deck=deck).text)
    assert hands is not None
    here, there = deck.index(hands[2].split(",")[0]), len(deck) - 1
    twin = [*deck]
    twin[here], twin[there] = twin[there], twin[here]
    move = SQUENDO.start(deck=deck).moves()[0]
    matches = [fc.Match(SQUENDO, deck=each, date="", nonce="") for each in (deck, twin)]
    for match in matches:
        match.play(move)
    for seat, is_same in ((None, True), (0, True), (1, False)):
        texts = [write_drawn_record(draw_match(match, ["Ada", "Ben"], seat=seat)) for match in matches]
        assert (texts[0] == texts[1]) == is_same, seat


def test_words_name_a_tile_that_was_taken_back_to_its_player_only() -> None:
    figure = next(block for block in FIGURE_BLOCK.findall(SQUENDO.rulebook) if "take:R0o" in block)
    deck, before, last = (
        re.findall(rf"^{name}: (.*)$", figure, re.MULTILINE)[0] for name in ("deck", "before", "play")
    )
    match = fc.Match(SQUENDO, deck=deck.split(), nonce="")
    for move in (*before.split(", "), last):
        match.play(move)
    for seat, taken in ((None, "one tile"), (1, "one tile"), (0, "red with white edges")):
        assert draw_match(match, ["Ada", "Ben"], seat=seat)["steps"][-1]["words"].endswith(f"took back {taken}.")


def test_figure_has_its_sentences_and_descriptions_and_one_step_has_no_place() -> None:
    figure = parse_figure(DOTS, "say: First.\nmark: a1b1\nplay: a1b1\nsay: Second.")
    record = draw_figure(figure, ["First.", "Second."], "A title")
    assert [(step["label"], step["words"]) for step in record["steps"]] == [
        ("Step 1 of 2", "First."),
        ("Step 2 of 2", "Second."),
    ]
    assert [step["description"] for step in record["steps"]] == [describe_step(figure, number) for number in (0, 1)]
    assert json.loads(write_drawn_record(record)) == record
    single = draw_figure(Figure("", (Step(DOTS.start().view(), "", (), ()),)), [""])
    assert [step["label"] for step in single["steps"]] == [""]
