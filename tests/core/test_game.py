"""Positions and views as values: copies, pickles, completion of moves and pictures."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref

import pytest

import fourcorners as fc


def play_five_moves(name: str) -> fc.Position:
    """Return the position after five moves from seed 5, each the last of the sorted legal moves."""
    position = fc.game(name).start(seed=5)
    for _ in range(5):
        position = position.play(position.moves()[-1])
    return position


@pytest.mark.parametrize("name", fc.games())
def test_copies_and_pickles_of_games_positions_and_views_are_equal_complete_and_read_only(name: str) -> None:
    position = play_five_moves(name)
    for thing in (position.game, position, position.view(), position.view(1)):
        pickles = [pickle.loads(pickle.dumps(thing, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        for copied in (copy.copy(thing), copy.deepcopy(thing), *pickles):
            assert copied == thing
            assert repr(copied) == repr(thing)
            if not (isinstance(thing, fc.Game) or isinstance(copied, fc.Game)):
                assert (copied.plies, copied.moves()) == (thing.plies, thing.moves())
                with pytest.raises(ValueError, match="read-only"):
                    copied.states[0] = copied.states[0].copy()
                with pytest.raises(ValueError, match="read-only"):
                    copied.record[copied.states.dtype.names[0]] = 0
    assert pickle.loads(pickle.dumps(position.view(1))).viewer == 1


@pytest.mark.parametrize("name", fc.games())
def test_position_that_was_drawn_is_freed(name: str) -> None:
    position = play_five_moves(name)
    drawn = fc.game(name).position(position.text)
    kept = [drawn.view(seat) for seat in (None, 0, 1)]
    for view in kept:
        view.svg()
        view.facts()
        view.overlay()
        str(view)
    records = [weakref.ref(each.states) for each in (drawn, *kept)]
    del drawn, kept, view
    gc.collect()
    assert [record() for record in records] == [None] * len(records)


def test_position_unpickled_in_another_process_has_the_same_moves() -> None:
    position = play_five_moves("square-off")
    program = "import pickle, sys; print(*pickle.load(sys.stdin.buffer).moves())"
    answer = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(position), capture_output=True, check=True
    )
    assert answer.stdout.decode().split() == position.moves()


def test_view_does_not_contain_moves_hidden_from_its_viewer() -> None:
    lines = "table 0,0=R4or0/R0o; hands R1o,B0o,B1o,B2ao B2oo,B3o,G0o,G1o; pile R0x; known *,*,*,* *,*,*,*; "
    position = fc.game("squendo").position(f"{lines}turn 0; passed -").play("R1o 0,0 leave:R4o r0 take:R0o")
    secret = b"take:R0o"
    assert secret in pickle.dumps(position)
    assert secret in pickle.dumps(position.view(0))
    for viewer in (1, None):
        view = position.view(viewer)
        assert secret not in pickle.dumps(view)
        assert view.history == ("R1o 0,0 leave:R4o r0 take:?",)
        # Others see the move without the tile that was taken back.
        assert view.plies == ((0, "R1o 0,0 leave:R4o r0 take:?"),)


@pytest.mark.parametrize("name", fc.games())
def test_complete_lists_exactly_the_tokens_that_continue_a_legal_move_sorted(name: str) -> None:
    position = play_five_moves(name)
    moves = [move.split(" ") for move in position.moves()]
    beginnings = {tuple(move[:n]) for move in moves for n in range(len(move) + 1)}
    for beginning in beginnings:
        n = len(beginning)
        following = {move[n] for move in moves if tuple(move[:n]) == beginning and len(move) > n}
        assert position.complete(beginning) == sorted(following)
    # Lists that begin no move: with a space inside a token, of empty tokens, or far too long.
    for tokens in (["a1 "], ["a1 b2"], [""], ["", ""], ["x"] * 1000):
        assert position.complete(tokens) == []


def test_svg_of_a_position_is_that_of_a_view_and_takes_positional_arguments() -> None:
    position = play_five_moves("squendo")
    assert position.svg(1, "dark") == position.view(1).svg("dark") == position.svg(seat=1, theme="dark")
    assert position.svg() == position._repr_svg_()  # which notebooks call
