"""Played moves in words, and the explanations that they carry, from what each viewer may know."""

import random
import re
from itertools import pairwise
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.narration import Narration, begin_with_move, name_move, narrate, spell_count

TILE = re.compile(r"\b[RBGY](?:0|1|2a|2o|3|4)[ox]\b")


def narrate_last(name: str, moves: list[str], **options: Any) -> Narration:
    """Return the last of some moves in words, as a spectator reads it."""
    before, after = (fc.game(name, **options).replay(moves[:count]) for count in (len(moves) - 1, len(moves)))
    return narrate(before, after, None)


def list_explanation_ids(name: str, moves: list[str], **options: Any) -> list[str]:
    """Return the ids of the explanations of the last of some moves."""
    return [explanation.id for explanation in narrate_last(name, moves, **options).explanations]


@pytest.mark.parametrize(
    ("name", "options", "moves", "words"),
    [
        ("dots-and-boxes", {"cols": 2, "rows": 1}, ["a1b1"], "drew a1–b1"),
        (
            "dots-and-boxes",
            {"cols": 2, "rows": 1},
            ["a1b1", "a2b2", "a1a2", "b1b2"],
            "drew b1–b2 and completed one box",
        ),
        (
            "dots-and-boxes",
            {"cols": 2, "rows": 1},
            ["a1b1", "a2b2", "a1a2", "b1c1", "b2c2", "c1c2", "b1b2"],
            "drew b1–b2 and completed two boxes",
        ),
        ("squarin-off", {}, ["#c4 c4d4"], "put a blocker on c4 and drew c4–d4"),
        (
            "squarin-off",
            {"cols": 2, "rows": 1, "values": ["23"], "blockers": 1},
            ["a1b1", "a2b2", "a1a2", "#b1 b1b2"],
            "put a blocker on b1, drew b1–b2 and completed one box for two points",
        ),
        ("square-off", {}, ["c5"], "placed a white man on c5"),
        ("square-off", {}, ["c5", "swap"], "swapped and took over the white man"),
        (
            "square-off",
            {},
            ["a1", "h1", "b1", "h3", "a2", "h5", "b2"],
            "placed a white man on b2 and completed one square, marking four men",
        ),
        ("square-off", {}, ["a1", "h1", "h1 c3"], "replaced the black man on h1, which moved to c3"),
        ("sqez", {}, ["b2 e5"], "drew the rectangle b2–e5"),
        ("sqez", {"cols": 4, "rows": 4}, ["a1 d4", "b2 d4"][:1], "drew the last rectangle, a1–d4"),
        (
            "sqez",
            {"strict": True, "players": 3},
            ["b2 e5", "b2 e5"],
            "drew b2–e5, which is not a legal rectangle, and is out",
        ),
    ],
)
def test_move_is_described_with_what_it_did(name: str, options: dict[str, Any], moves: list[str], words: str) -> None:
    assert narrate_last(name, moves, **options).words == words


def test_first_swap_blocker_symmetry_square_box_and_crossing_are_explained() -> None:
    assert list_explanation_ids("square-off", ["c5"]) == ["swap-offer"]
    assert list_explanation_ids("square-off", ["c5"], swap=False) == []
    assert list_explanation_ids("square-off", ["c5", "swap"]) == ["swap"]
    assert list_explanation_ids("square-off", ["a1", "h1"]) == ["symmetry"]
    assert list_explanation_ids("square-off", ["a1", "h1"], symmetry="none") == []
    assert list_explanation_ids("square-off", ["a1", "h2", "b1", "h3", "a2", "h5", "b2"]) == ["square"]
    assert list_explanation_ids("squarin-off", ["#c4 c4d4"]) == ["blocker"]
    assert list_explanation_ids("dots-and-boxes", ["a1b1", "a2b2", "a1a2"], cols=2, rows=1) == ["third-side"]
    # The boxes on both sides are completed, or the turn goes on: no box is left to the other side.
    box = ["a1b1", "a2b2", "b1c1", "b2c2", "a1a2", "b1b2"]
    assert list_explanation_ids("dots-and-boxes", box, cols=2, rows=1) == ["box"]
    assert list_explanation_ids("sqez", ["b2 e5"]) == ["rectangle"]
    assert list_explanation_ids("sqez", ["b2 e5", "c3 g7"]) == ["rectangle", "crossing"]


def test_explanation_about_a_blocker_follows_the_edition() -> None:
    texts = [narrate_last("squarin-off", ["#c4 c4d4"], edition=edition) for edition in ("2016", "classic")]
    assert ["ends the turn" in each.explanations[0].sentence for each in texts] == [True, False]


def play_squendo(seed: int) -> fc.Match:
    """Return a finished match of random moves."""
    rng = random.Random(seed)
    match = fc.Match(fc.game("squendo"), seed=seed)
    while not match.is_over:
        match.play(rng.choice(match.position.moves()))
    return match


@pytest.mark.compiled
def test_squendo_is_described_to_each_seat_as_it_saw_the_move() -> None:
    """The player who took a tile back reads which; all others read that one was taken."""
    seen, explanations = set(), set()
    for seed in range(5):
        match = play_squendo(seed)
        for (before, after), event in zip(pairwise(match.positions), match.events, strict=True):
            own, other, spectator = (narrate(before, after, viewer) for viewer in (event.seat, 1 - event.seat, None))
            assert other == spectator
            tile, _, rest = event.text.partition(" ")
            if event.text == "pass":
                assert own.words == "passed, as no tile fits"
                continue
            explanations |= {explanation.id for explanation in own.explanations}
            place = rest.split(" ")[0]
            assert place in own.words
            taken = event.text.partition("take:")[2]
            assert (f"took back {_name_colour(taken)} with " in own.words) == bool(taken)
            assert ("took back one tile" in other.words) == bool(taken)
            assert TILE.findall(other.words) == []
            assert ("discarded two tiles" in own.words) == ("leave:" in event.text and not taken)
            assert own.words.startswith(("laid a", "stacked"))
            assert _name_colour(tile) in own.words
            seen |= {word for word in ("laid", "stacked", "took") if word in own.words}
    assert seen == {"laid", "stacked", "took"}
    assert {"stack", "triple"} <= explanations


@pytest.mark.compiled
def test_no_two_moves_of_a_squendo_position_have_the_same_name() -> None:
    forms = set()
    for position in play_squendo(1).positions[:-1]:
        names = [name_move(position, move) for move in position.moves()]
        assert len(set(names)) == len(names)
        assert not any(TILE.search(name) for name in names)
        forms |= set(re.findall(r" on |leaving|taking back|pass|\(black", " ".join(names)))
    assert forms == {" on ", "leaving", "taking back", "(black"}


def test_names_of_moves_are_nouns_in_squendo_and_notation_elsewhere() -> None:
    text = "table 0,0=R0or0/B2oo; hands R0x,R1o,R2ax B4o; pile -; known *,*,* *; turn 0; passed -"
    position = fc.game("squendo").position(text)
    assert name_move(position, "R0x -1,0 r0") == "the red cross with white edges at -1,0"
    assert name_move(position, "R2ax -1,0 r2") == "the red cross with a black corner at -1,0 (black south and west)"
    assert begin_with_move(position, "R1o 0,0 leave:B2oo r0 take:R0o") == (
        "The red circle with one black edge on the red one at 0,0 "
        "(leaving blue, black north and south; taking back red with white edges)"
    )
    assert name_move(position, "R1o 0,0 leave:R1o r1") == (
        "the red circle with one black edge on the red one at 0,0 (leaving red, black east)"
    )
    start = fc.game("dots-and-boxes").start()
    assert (name_move(start, "a1b1"), begin_with_move(start, "a1b1")) == ("a1b1", "a1b1")


def _name_colour(tile: str) -> str:
    return {"R": "red", "B": "blue", "G": "green", "": "none"}[tile[:1]]


def test_squendo_names_filled_and_broken_rectangles_and_a_pass() -> None:
    table = "0,0=R0or0 1,0=R0xr0 0,1=R1or0"
    game = fc.game("squendo")
    start = game.position(f"table {table}; hands R1x B0x; pile -; known * *; turn 0; passed -")
    filled = start.play("R1x 1,1 r0")
    narration = narrate(start, filled, None)
    assert narration.words == "laid a red cross at 1,1, filling one red rectangle"
    assert [explanation.id for explanation in narration.explanations] == ["rectangle"]
    broken = filled.play("B0x 1,0 r0")
    assert narrate(filled, broken, None).words == "stacked blue on red at 1,0, breaking one red rectangle"
    wall = game.position("table 0,0=R4or0 1,0=G4or0; hands R0o,R0x B4o; pile -; known *,* *; turn 0; passed -")
    narration = narrate(wall, wall.play("pass"), None)
    assert narration.words == "passed, as no tile fits"
    assert [explanation.id for explanation in narration.explanations] == ["pass"]


def test_small_counts_are_written_as_words() -> None:
    counts = [
        spell_count(0, "box", "boxes"),
        spell_count(1, "point"),
        spell_count(12, "point"),
        spell_count(13, "point"),
    ]
    assert counts == ["no boxes", "one point", "twelve points", "13 points"]
