"""Moves and positions of Squendo as text: round trips, malformed text, and impossible positions and views."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.builtin.squendo import notation
from fourcorners.builtin.squendo.options import TILES
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import NotationError

WALL = "table 0,0=R4or0 1,0=G4or0; hands R0o,R0x B4o; pile -; known *,* *; turn 0; passed -"


def play_random_moves(seed: int, plies: int, players: int = 2) -> fc.Position:
    """Return the position after `plies` random moves, or at the end of the game if that comes earlier.
    The deck and the moves depend on the seed alone.
    """
    rng = random.Random(seed)
    position = fc.game("squendo", players=players).start(seed=seed)
    for _ in range(plies):
        if not position.is_over:
            position = position.play(rng.choice(position.moves()))
    return position


@given(
    tile=st.sampled_from(TILES),
    place=st.tuples(st.integers(-47, 47), st.integers(-47, 47)),
    turn=st.integers(0, 3),
    leave=st.sampled_from(("", *TILES)),
    take=st.sampled_from(("", *TILES)),
)
def test_any_move_text_is_the_same_after_parsing_and_formatting(
    tile: str, place: tuple[int, int], turn: int, leave: str, take: str
) -> None:
    # Whether the move is legal in this position does not matter.
    s = fc.game("squendo").start(seed=1).record
    left = f"leave:{leave} r{turn}" if leave else f"r{turn}"
    text = f"{tile} {place[0]},{place[1]} {left}" + (f" take:{take}" if leave and take else "")
    assert notation.format(s, notation.parse(s, text)) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unreadable"),
        ("R2ax", "incomplete"),
        ("R2ax 1,-2", "incomplete"),
        ("R2ax 1,-2 leave:B1x", "incomplete"),
        ("R2ax 1,-2 leave:B1x r3 take:?", "hidden"),
        ("R2ax 48,0 r0", "off-board"),
        ("R2ax 0,-48 r0", "off-board"),
        ("R2ax 999999,0 r0", "off-board"),
        ("R2ax 1,-2 r1 take:B1x", "unreadable"),
        ("R2AX 0,0 r0", "unreadable"),
        ("r2ax 0,0 r0", "unreadable"),
        ("R2ax +1,0 r0", "unreadable"),
        ("R2ax 01,0 r0", "unreadable"),
        ("R2ax -0,0 r0", "unreadable"),
        ("R2ax 0, 0 r0", "unreadable"),
        ("R2ax  0,0 r0", "unreadable"),
        ("R2ax 0,0 r0 ", "unreadable"),
        ("R2ax 0,0 r0\n", "unreadable"),
        ("R2ax 0,0 r4", "unreadable"),
        ("R2ax ٣,0 r0", "unreadable"),
        ("R2x 0,0 r0", "unreadable"),
        ("O2ax 0,0 r0", "unreadable"),
        ("Pass", "unreadable"),
        ("pass ", "unreadable"),
        ("R2ax 0,0 r0 leave:B1x", "unreadable"),
    ],
)
def test_text_that_is_no_canonical_move_is_refused_with_a_code_and_briefly(text: str, code: str) -> None:
    with pytest.raises(NotationError) as caught:
        notation.parse(fc.game("squendo").start(seed=1).record, text)
    assert caught.value.code == code
    assert len(str(caught.value)) < 250


def test_masking_a_move_hides_only_the_tile_taken_back() -> None:
    assert notation.mask_move("R2ax 1,-2 leave:B1x r3 take:R0x") == "R2ax 1,-2 leave:B1x r3 take:?"
    assert notation.mask_move("R2ax 1,-2 leave:B1x r3") == "R2ax 1,-2 leave:B1x r3"
    assert notation.mask_move("pass") == "pass"


def test_has_drawn_tells_a_placement_that_refills_the_hand_from_a_pass() -> None:
    start = fc.game("squendo").start(seed=2)
    assert notation.has_drawn(start.record, start.play(start.moves()[0]).record)
    last = fc.game("squendo").position(WALL)
    assert not notation.has_drawn(last.record, last.play("pass").record)


def test_the_text_of_a_view_has_question_marks_and_cannot_be_set_up() -> None:
    view = play_random_moves(3, 5).view(0)
    assert "?,?,?,?" in view.text
    with pytest.raises(NotationError, match="hidden"):
        fc.game("squendo").position(view.text)


START = fc.game("squendo").start(seed=4).text
# In PAIR seat 0 took back R1o or R2ao; in NARROW it has passed, so that what it may hold is known in part.
PAIR = "table 0,0=R0or0; hands R0x,R1o B4o; pile -; known R1o+R2ao,* *; turn 0; passed -"
NARROW = "table 0,0=R4or0 1,0=G4or0; hands R0o B0o,B4o; pile -; known {} *,*; turn 1; passed 0"


def test_special_positions_can_be_set_up_and_keep_their_text() -> None:
    game = fc.game("squendo")
    equal_slots = WALL.replace("known *,*", "known ~3,~3")
    for text in (START, WALL, PAIR, NARROW.format("~1001"), NARROW.format("~1"), equal_slots):
        assert game.position(text).text == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it must have the form"),
        (WALL + " ", "not the number of a seat"),
        (WALL.replace("turn 0", "turn 4"), "not the number of a seat"),
        (WALL.replace("turn 0", "turn 2"), "it holds no tiles"),
        (WALL.replace("turn 0", "turn 00"), "not the number of a seat"),
        (WALL.replace("R0o,R0x", "R0o,R0o"), "occurs twice"),
        (WALL.replace("R0o,R0x", "R0o,R4o"), "occurs twice"),
        (WALL.replace("R0o,R0x", "R0x,R0o"), "canonical form"),
        (WALL.replace("R0o,R0x", "R0o,Y0x"), "not in play"),
        (WALL.replace("R0o,R0x", "R0o,R0z"), "not a tile"),
        (WALL.replace("R0o,R0x", "R0o,R0x,R1o,R1x,R3o").replace("*,* *", "*,*,*,*,* *"), "more than 4"),
        (WALL.replace("known *,* *", "known * *"), "the known part lists"),
        (WALL.replace("known *,* *", "known *,*"), "2 hands"),
        (WALL.replace("hands R0o,R0x B4o", "hands R0o,R0x B4o -"), "2 hands"),
        (WALL.replace("pile -", "pile B0o"), "fewer than 4"),
        (WALL.replace("1,0=G4or0", "1,0=G4or1"), "does not fit"),
        (WALL.replace("1,0=G4or0", "1,0=G0or0"), "does not fit"),
        (WALL.replace("1,0=G4or0", "2,0=G4or0"), "not connected"),
        (WALL.replace("1,0=G4or0", "0,0=G4or0"), "the same place"),
        (WALL.replace("1,0=G4or0", "48,0=G4or0"), "off the table"),
        (WALL.replace("1,0=G4or0", "1,0=G4or0/B0x"), "a different symbol"),
        (WALL.replace("1,0=G4or0", "1,0=G4or0/B4o"), "occurs twice"),
        (WALL.replace("0,0=R4or0 ", ""), "first tile"),
        (WALL.replace("1,0=G4or0", "1,0=G4o"), "not a stack"),
        (WALL.replace("passed -", "passed 1"), "cannot have passed"),
        (WALL.replace("passed -", "passed 0"), "seat 0 cannot have passed"),
        (WALL.replace("passed -", "passed 2"), "only a seat that holds"),
        (WALL.replace("known *,*", "known *,G1o"), "must be in its hand"),
        (WALL.replace("known *,*", "known *,R0x+R1x"), "canonical form"),
        (WALL.replace("known *,*", "known R0x+R1o,*"), "same symbol"),
        (WALL.replace("known *,*", "known R0x+G0x,*"), "tiles of its colour"),
        (WALL.replace("known *,*", "known R0x+R0x,*"), "canonical form"),
        (WALL.replace("known *,*", "known *,~8"), "laid before"),
        (WALL.replace("known *,*", "known ~1,~2"), "drawn earlier"),
        (WALL.replace("known *,*", "known ~1,~1"), "contradicts what is known"),
        (WALL.replace("known *,*", "known *,!"), "does not describe"),
        (WALL.replace("known *,*", "known *,~zz"), "does not describe"),
        (WALL.replace("known *,*", "known *,~ffffffffffff"), "laid before"),
        (START.replace("turn 0", "turn 1"), "lays the first"),
        (START.replace("table -", "table 0,0=R4or0"), "occurs twice"),
        ("table -; hands R0o B0o; pile -; known * *; turn 0; passed -", "fewer than 4"),
        (NARROW.format("*"), "cannot have passed"),
        (NARROW.format("~1").replace("turn 1", "turn 0"), "just before"),
        (NARROW.format("~1").replace("passed 0", "passed 0,0"), "canonical form"),
    ],
)
def test_malformed_not_canonical_or_impossible_positions_are_refused(text: str, says: str) -> None:
    with pytest.raises(NotationError) as caught:
        fc.game("squendo").position(text)
    assert says in str(caught.value)


SEEN = play_random_moves(3, 5).view(0).text
# All tiles but three have been laid, and most of them discarded.
TAKEN = fc.game("squendo").position(PAIR).view(1).text


def test_views_of_special_positions_round_trip() -> None:
    game = fc.game("squendo")
    for text in (START, WALL, PAIR, NARROW.format("~1001"), NARROW.format("~1")):
        for viewer in (None, 0, 1):
            view = game.position(text).view(viewer)
            again = game.view(view.text, viewer)
            assert again == view
            assert again.text == view.text


def test_a_view_lists_the_tiles_that_left_the_table_and_a_position_does_not() -> None:
    view = fc.game("squendo").position(PAIR).view(1)
    lifted = set(view.text.split("; lifted ")[1].split(","))
    # R0o lies on the table, R0x was drawn by seat 0 and B4o by seat 1; all the others have left the table.
    assert lifted == set(TILES[:36]) - {"R0o", "R0x", "B4o"}
    assert "lifted" not in fc.game("squendo").position(PAIR).text


def test_a_view_without_hidden_parts_is_written_like_a_position() -> None:
    last = "table 0,0=R4or0 1,0=G4or0; hands R0o,R0x -; pile -; known *,* -; turn 0; passed -"
    game = fc.game("squendo")
    assert game.position(last).view(0).text == last
    assert game.view(last, 0) == game.position(last).view(0)
    assert "?,?" in game.position(last).view(1).text  # seat 1 does not see the hand of seat 0


@pytest.mark.parametrize(
    ("text", "viewer", "says"),
    [
        (SEEN, 1, "the hand of seat 0 is visible, but seat 1 may not see it"),
        (SEEN, None, "the hand of seat 0 is visible, but a spectator may not see it"),
        (SEEN.replace("R0x,R4x,B4o,G2ao", "?,?,?,?"), 0, "the hand of seat 0 is hidden, but seat 0 sees it"),
        (SEEN.replace("R0x,R4x,B4o,G2ao", "R0x,R4x,B4o,?"), 0, "the hand of seat 0 is hidden, but seat 0 sees it"),
        (SEEN.replace("?,?,?,?; pile", "B0o,?,?,?; pile"), 0, "the hand of seat 1 is visible, but seat 0 may not"),
        (SEEN.replace("pile ?", "pile B0o"), 0, "the pile is visible"),
        (WALL, 0, "contains more than seat 0 may know"),
        (WALL, None, "contains more than a spectator may know"),
        (SEEN.partition("; lifted")[0], 0, "must end with '; lifted"),
        (SEEN.replace("lifted -", "lifted"), 0, "it must have the form"),
        (SEEN.replace("lifted -", "lifted ?"), 0, "not a tile"),
        (SEEN.replace("lifted -", "lifted B0o"), 0, "hides 27 tiles that were never laid, but there are 26"),
        (SEEN.replace("lifted -", "lifted B1o"), 0, "canonical form"),
        (SEEN.replace("lifted -", "lifted Y0o"), 0, "canonical form"),
        (SEEN.replace("lifted -", "lifted R0x"), 0, "canonical form"),
        (SEEN.replace("R0x,R4x,B4o,G2ao", "R0x,R4x,B4o,B1o"), 0, "hides 27 tiles that were never laid"),
        (SEEN.replace("?,?,?,?; pile", "?,?,?; pile"), 0, "the known part lists"),
        (SEEN.replace("pile ?,", "pile "), 0, "hides 26 tiles that were never laid, but there are 27"),
        (SEEN.replace("known *,", "known "), 0, "the known part lists"),
        (SEEN.replace("known *,*,*,* *,*,*,*", "known *,*,*,* ~1,~1,*,*"), 0, "no tiles fit"),
        (SEEN.replace("known *,*,*,* *,*,*,*", "known *,*,*,* B1o,*,*,*"), 0, "hides 26 tiles"),
        (SEEN.replace("known *,*,*,*", "known ~1,*,*,*"), 0, "contradicts what is known about it"),
        (TAKEN.replace("known R1o+R2ao", "known R1o+R1x"), 1, "same symbol"),
        (TAKEN.replace("known R1o+R2ao", "known R1o+B1o"), 1, "tiles of its colour"),
        (TAKEN.replace("lifted R1o,", "lifted "), 1, "hides 1 tiles that were never laid, but there are 2"),
        (TAKEN.replace("known R1o+R2ao,* *", "known R1o+R2ao,R2ao+R3o *"), 1, "but there are 1"),
    ],
)
def test_malformed_not_canonical_or_impossible_views_are_refused_briefly(
    text: str, viewer: int | None, says: str
) -> None:
    with pytest.raises(NotationError) as caught:
        fc.game("squendo").view(text, viewer)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.compiled
@given(
    seed=st.integers(0, 500), at=st.floats(0, 0.999), new=st.sampled_from([*"0123rRBGYox-,;=/~*+ ?", "", "R0o", "4o"])
)
def test_a_corrupted_view_is_either_refused_or_consistent(seed: int, at: float, new: str) -> None:
    position = play_random_moves(seed, seed % 50, 2 + seed % 3)
    viewer = position.seat
    text = position.view(viewer).text
    i = int(at * len(text))
    changed = text[:i] + new + text[i + 1 :]
    try:
        found = position.game.view(changed, viewer)
    except NotationError:
        return
    assert found.text == changed
    # A consistent view can be completed to a possible world, which is a valid position with the same view.
    states = found.states.copy()
    compiled_api.deal(states, 0, new_rng(seed))
    world = fc.Position(found.game, states, ())
    assert world.game.position(world.text) == world
    assert world.view(viewer) == found
