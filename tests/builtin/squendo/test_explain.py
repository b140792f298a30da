"""Squendo in words: the reasons for refusals, and the labels of tokens."""

import random

import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import explain, notation
from fourcorners.builtin.squendo.options import TILES
from tests.require import require

DECK = ["R2ax", "R0o", "R1o", "R2ao", "B1o", "B2ax", "B0o", "B4x"]
DECK += [tile for tile in TILES[:36] if tile not in DECK]
LINE = ["R2ax 0,0 r0", "B1o 1,0 r3", "R0o 0,-1 r0", "B2ax 1,-1 r1", "R1o 0,-1 r2"]
WALL = "table 0,0=R4or0 1,0=G4or0; hands R0o,R0x B4o; pile -; known *,* *; turn 0; passed -"


def replay(plies: int) -> fc.Position:
    """Return the position after the first `plies` moves of LINE, with the deck DECK."""
    return fc.game("squendo").replay(LINE[:plies], deck=DECK)


@pytest.mark.parametrize(
    ("plies", "move", "code", "says"),
    [
        (
            0,
            "pass",
            "must-play",
            "you can lay four tiles, such as the red circle with white edges, so you cannot pass (R18)",
        ),
        (0, "Y0o 0,0 r0", "not-in-play", "the yellow tiles are not in play with 2 players"),
        (0, "B0o 0,0 r0", "not-in-hand", "the blue circle with white edges is not in your hand"),
        (0, "R0o 1,0 r0", "first-tile", "the first tile goes to 0,0"),
        (0, "R0o 0,0 r1", "same-turn", "the red circle with white edges looks the same with r0: write r0"),
        (0, "R2ax 0,0 leave:R2ax r0", "no-triple", "does not make a stack of three at 0,0"),
        (1, "B1o 3,3 r0", "apart", "3,3 is not next to any tile"),
        (1, "B1o 0,0 r0", "symbol", "the blue tile has a circle and the red tile at 0,0 has a cross"),
        (1, "B0o 1,0 r0", "edges", "at 1,0, however you turn it: the west edge must be black"),
        (
            1,
            "B1o 1,0 r0",
            "edges",
            "with r0, the west edge of the blue tile is white, but the edge of the red tile at 0,0 is black",
        ),
        (
            5,
            "B0o 0,-1 r0",
            "leave-needed",
            "choose which tile to leave, blue with white edges, red with one black edge or red with white edges",
        ),
        (
            5,
            "B0o 0,-1 leave:R2ax r0",
            "not-in-stack",
            "the red cross with a black corner is not in the stack at 0,-1: choose blue with white edges, red with one",
        ),
        (
            5,
            "B0o 0,-1 leave:R1o r1",
            "edges",
            "with r1, the east edge of the red tile is black, but the edge of the blue tile at 1,-1 is white",
        ),
        (5, "B0o 0,-1 leave:R0o r2", "same-turn", "the red circle with white edges looks the same with r0"),
        (5, "B0o 0,-1 leave:R0o r0 take:B4x", "not-in-stack", "the blue cross with black edges is not in the stack"),
        (5, "B0o 0,-1 leave:B0o r0 take:B0o", "take-left", "the blue circle with white edges stays on the table"),
        (5, "B0o 0,-1 leave:B0o r0 take:R0o", "take-colour", "the red circle with white edges is not yours"),
    ],
)
def test_each_refusal_names_what_is_wrong(plies: int, move: str, code: str, says: str) -> None:
    reason = require(replay(plies).why(move))
    assert reason.code == code
    assert says in reason.sentence


def test_a_pass_is_refused_with_the_only_tile_that_can_be_laid() -> None:
    reason = require(fc.game("squendo").position(WALL.replace("R0o,R0x", "R0o,R4x")).why("pass"))
    assert reason.sentence == "you can lay the red cross with black edges, so you cannot pass (R18)"


def test_the_refusal_of_a_tile_that_does_not_fit_names_the_edges_it_needs() -> None:
    reason = require(fc.game("squendo").position(WALL).why("R0o 1,0 r0"))
    assert (
        reason.sentence
        == "the red circle with white edges does not fit at 1,0, however you turn it: the west edge must be black"
    )


@pytest.mark.parametrize(
    ("plies", "tokens", "code"),
    [
        (0, ["pass"], "must-play"),
        (0, ["1,1"], "tile-first"),
        (0, ["B0o"], "not-in-hand"),
        (1, ["Y4x"], "not-in-play"),
        (1, ["B0o", "1,0"], "edges"),
        (1, ["B0o", "5,5"], "apart"),
        (1, ["B1o", "0,0"], "symbol"),
        (1, ["B1o", "1,0", "leave:B1o"], "no-triple"),
        (5, ["B0o", "0,-1", "leave:R2ax"], "not-in-stack"),
        (1, ["nonsense"], "unreadable"),
        (1, ["B0o", "nonsense"], "unreadable"),
        (1, ["B0o", "0,-1", "nonsense", "more"], "unreadable"),
    ],
)
def test_choosing_unplayable_tokens_gives_a_reason(plies: int, tokens: list[str], code: str) -> None:
    assert require(replay(plies).why(" ".join(tokens))).code == code


def test_a_tile_that_fits_nowhere_is_refused() -> None:
    assert require(fc.game("squendo").position(WALL).why("R0o")).code == "nowhere"


def test_a_tile_that_cannot_be_left_is_refused() -> None:
    # On three sides of 0,0 all is black, so R0o, which is white, cannot stay there.
    position = fc.game("squendo").position(
        "table 0,-1=G4xr0 -1,0=B4xr0 0,0=B4or0/R0o 1,0=R4xr0; hands R4o B0o; pile -; known * *; turn 0; passed -"
    )
    # R4o is laid on the two; B4o and R4o are black all around.
    assert position.complete(["R4o", "0,0"]) == ["leave:B4o", "leave:R4o"]
    misfit = ("edges", "the red circle with white edges does not fit at 0,0, however you turn it")
    reason = require(position.why("R4o 0,0 leave:R0o"))
    assert (reason.code, reason.sentence) == misfit
    # Turned, it looks the same, but that is not why.
    turned = require(position.why("R4o 0,0 leave:R0o r1"))
    assert (turned.code, turned.sentence) == misfit


def test_a_rotation_that_does_not_fit_is_not_said_to_look_the_same_as_another() -> None:
    # R2oo is black to the north and south, so it fits at 2,0 with r1 only; r2 looks as r0 and r3 as r1.
    position = fc.game("squendo").position(WALL.replace("R0o,R0x", "R0x,R2oo"))
    refused, same = position.why("R2oo 2,0 r2"), position.why("R2oo 2,0 r3")
    assert refused is not None
    assert same is not None
    edge = "with r2, the west edge of the red tile is white, but the edge of the green tile at 1,0 is black"
    assert (refused.code, refused.sentence) == ("edges", edge)
    looks = "the red circle with two opposite black edges looks the same with r1: write r1"
    assert (same.code, same.sentence) == ("same-turn", looks)


def test_every_refusal_of_a_random_move_has_a_short_sentence_and_common_codes_occur() -> None:
    rng = random.Random(8)
    position = fc.game("squendo", players=3).start(seed=8)
    codes = set()
    while not position.is_over:
        legal = set(position.moves())
        # The tiles in the hand of the seat to move, from the text of the position.
        own = position.text.split("hands ")[1].split(";")[0].split(" ")[position.seat or 0].split(",")
        for _ in range(60):
            tile = rng.choice([*own, rng.choice(TILES)])
            place = f"{rng.randint(-3, 3)},{rng.randint(-3, 3)}"
            left = rng.choice(("", "", f"leave:{rng.choice(TILES)} "))
            text = f"{tile} {place} {left}r{rng.randint(0, 3)}" + (f" take:{rng.choice(TILES)}" if left else "")
            if text not in legal:
                reason = explain.explain_illegal_action(position.record, notation.parse(position.record, text))
                codes.add(reason.code)
                assert 10 < len(reason.sentence) < 200
                # Tiles are named as players see them, never by their codes.
                assert not any(tile in reason.sentence for tile in TILES)
        position = position.play(rng.choice(sorted(legal)))
    assert codes >= {"not-in-play", "not-in-hand", "apart", "symbol", "edges", "same-turn", "no-triple"}


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("R2ax", "red cross, black north and east"),
        ("Y0o", "yellow circle, all edges white"),
        ("G4o", "green circle, all edges black"),
        ("B3x", "blue cross, black north, east and south"),
        ("1,-2", "column 1, row -2"),
        ("r0", "not turned"),
        ("r3", "three quarter turns clockwise"),
        ("leave:B1x", "leave blue with one black edge"),
        ("take:R0x", "take back red with white edges"),
        ("take:?", "take back one of the two others, unseen"),
        ("pass", "pass"),
    ],
)
def test_tokens_have_labels(token: str, name: str) -> None:
    assert explain.label(token) == name


@pytest.mark.parametrize(
    ("move", "effect"),
    [
        ("B0o 0,-1 leave:B0o r0", "discards red with one black edge and red with white edges"),
        ("B0o 0,-1 leave:R1o r2", "discards blue with white edges and red with white edges"),
        ("B0o 0,-1 leave:R0o r0 take:B0o", "discards red with one black edge"),
        ("B0o -1,0 r0", ""),
    ],
)
def test_the_tiles_that_a_move_discards_are_named_before_it_is_played(move: str, effect: str) -> None:
    position = replay(5)
    assert move in position.moves()
    assert explain.describe_effect(position.record, move) == effect


def test_every_discarded_tile_is_named_and_the_next_choices_have_prompts() -> None:
    position = replay(5)
    for move in position.moves():
        discarded = [word for word in ("leave:", "take:") if word in move]
        named = explain.describe_effect(position.record, move).count(" and ") + 1 if discarded else 0
        assert named == (3 - len(discarded) if discarded else 0)
    words = {token.partition(":")[0] for move in position.moves() for token in move.split(" ") if ":" in token}
    assert words == set(explain.PROMPTS)
