"""What a puzzle tells of pieces that its picture does not show: all that its solver can know, and no more."""

import pytest

import fourcorners as fc
from fourcorners.builtin.squendo.position_setup import list_stacks, list_tile_names
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.puzzles.knowledge import KnownPieces, describe_known_pieces, list_known_pieces
from fourcorners.study.puzzles.printed import describe_puzzle


def test_each_hand_in_a_puzzle_of_squendo_follows_from_the_view_of_its_solver() -> None:
    puzzles = list_puzzles("squendo")
    assert len(puzzles) == 300
    for puzzle in puzzles:
        position = puzzle.position
        assert position.seat is not None
        s, rival = position.record, 1 - position.seat
        hand = tuple(list_tile_names(s, int(s.hand[rival])))
        known = list_known_pieces(position)
        assert known[0] == KnownPieces(f"{position.seat_names[rival]} holds", hand)
        view = position.view(position.seat)
        assert position.game.spec.can_know_all(view.record, position.seat)
        # The view itself does not contain that hand.
        assert int(view.record.hand[rival]) == 0
        assert len(known) - 1 == sum(stack.under >= 0 for stack in list_stacks(s))


def test_covered_tiles_and_hands_are_told_in_words_also_on_paper() -> None:
    position = fc.game("squendo").position(
        "table 1,-1=R2aor2/G0o -1,0=G2oxr1 0,0=R2oor1 1,0=G3xr3 2,0=R4or0/G2ao 0,1=B0xr0 0,2=R0xr0; "
        "hands B0o,B3o R0o,R4x; pile -; known *,* *,*; turn 1; passed -"
    )
    sentences = [
        "Red holds blue circle, all edges white; blue circle, black north, east and south.",
        "Under 1,-1 lies green circle, all edges white.",
        "Under 2,0 lies green circle, black north and east.",
    ]
    assert describe_known_pieces(position) == sentences
    task = describe_puzzle(position, ("R0o 1,-1 leave:G0o r0",), 1, -1).task
    assert task.endswith(" ".join(sentences))


@pytest.mark.parametrize("seed", range(3))
def test_hands_that_cannot_be_inferred_are_not_told(seed: int) -> None:
    position = fc.game("squendo").start(seed=seed)
    for _ in range(6):
        position = position.play(position.moves()[0])
        assert not any("holds" in place for place, _ in list_known_pieces(position))


def test_games_without_hidden_pieces_have_none() -> None:
    assert list_known_pieces(fc.game("sqez").start()) == []
