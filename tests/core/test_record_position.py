"""Records that begin with a given position instead of the start of the game."""

import pytest

import fourcorners as fc
from fourcorners.core.errors import RecordError
from fourcorners.core.game_tree import GameTree

GAME = fc.game("dots-and-boxes", cols=2, rows=2)
POSITION = GAME.start().play_line(["a1b1", "a2b2"]).text


def test_a_tree_from_any_position_is_written_and_read_again() -> None:
    start = GAME.position(POSITION)
    tree = GameTree(start).add_move((), "b1c1").set_comment(("b1c1",), "Quiet.").add_move((), "a1a2")
    record = fc.Record(GAME, position=POSITION).with_tree(tree)
    text = str(record)
    assert text.startswith("fourcorners record 2\n") and f"position: {POSITION}\n" in text
    assert fc.Record.parse(text) == record
    assert fc.Record.parse(text).open_tree() == tree


def test_a_match_from_a_position_makes_such_a_record() -> None:
    match = fc.Match(GAME, start=GAME.position(POSITION))
    match.play("b1c1")
    record = fc.Record.parse(str(match.record()))
    assert record.position == POSITION
    assert record.match().position == match.position


def test_hands_and_pile_are_part_of_the_position_so_there_is_no_deck() -> None:
    game = fc.game("squendo")
    start = game.start(seed=1)
    record = fc.Record.parse(str(fc.Record(game, position=start.text)))
    assert record.match().positions[0] == start and not record.deck


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("record 2", "record 1", "begins with 'fourcorners record 2'"),
        (POSITION, "0 0,0 nonsense", "this is not a position"),
        ("\n\n", "\nnonce: 00\n\n", "has no deck, nonce"),
    ],
)
def test_what_cannot_be_is_refused(old: str, new: str, reason: str) -> None:
    text = str(fc.Record(GAME, position=POSITION))
    with pytest.raises(RecordError, match=reason):
        fc.Record.parse(text.replace(old, new, 1))


def test_a_position_and_a_seed_contradict_each_other() -> None:
    with pytest.raises(fc.OptionError, match="has no deck, seed"):
        fc.Match(GAME, seed=0, start=GAME.position(POSITION))
