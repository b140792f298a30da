"""Positions and views as values: copied, sent elsewhere, completed token by token, drawn in a theme."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

import fourcorners as fc


def played(name: str) -> fc.Position:
    position = fc.game(name).start(seed=5)
    for _ in range(5):
        position = position.play(position.moves()[-1])
    return position


@pytest.mark.parametrize("name", fc.games())
def test_games_positions_and_views_can_be_copied_and_sent(name: str) -> None:
    position = played(name)
    for thing in (position.game, position, position.view(), position.view(1)):
        for again in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
            assert again == thing
            assert repr(again) == repr(thing)
    again = pickle.loads(pickle.dumps(position))
    assert again.history == position.history
    assert again.moves() == position.moves()
    assert not again.states.flags.writeable
    assert pickle.loads(pickle.dumps(position.view(1))).viewer == 1


def test_another_process_can_play_on() -> None:
    position = played("square-off")
    program = "import pickle, sys; print(*pickle.load(sys.stdin.buffer).moves())"
    sent = pickle.dumps(position)
    answer = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True)
    assert answer.stdout.decode().split() == position.moves()


def test_a_view_holds_no_move_that_its_viewer_may_not_know() -> None:
    lines = "table 0,0=R4or0/R0o; hands R1o,B0o,B1o,B2ao B2oo,B3o,G0o,G1o; pile R0x; known *,*,*,* *,*,*,*; "
    position = fc.game("squendo").position(f"{lines}turn 0; passed -").play("R1o 0,0 leave:R4o r0 take:R0o")
    secret = b"take:R0o"
    assert secret in pickle.dumps(position)
    assert secret in pickle.dumps(position.view(0))
    for viewer in (1, None):
        view = position.view(viewer)
        assert secret not in pickle.dumps(view)
        assert view.history == ("R1o 0,0 leave:R4o r0 take:?",)
        assert view.plies == ((0, "R1o 0,0 leave:R4o r0 take:?"),)


@pytest.mark.parametrize("name", fc.games())
def test_completing_is_the_moves_split_into_tokens(name: str) -> None:
    position = played(name)
    moves = [move.split(" ") for move in position.moves()]
    beginnings = {tuple(move[:n]) for move in moves for n in range(len(move) + 1)}
    for beginning in beginnings:
        n = len(beginning)
        following = {move[n] for move in moves if tuple(move[:n]) == beginning and len(move) > n}
        assert position.complete(beginning) == sorted(following)
    for tokens in (["a1 "], ["a1 b2"], [""], ["", ""], ["x"] * 1000):
        assert position.complete(tokens) == []


def test_a_picture_takes_its_seat_and_theme_in_order() -> None:
    position = played("squendo")
    assert position.svg(1, "dark") == position.view(1).svg("dark") == position.svg(seat=1, theme="dark")
    assert position.svg() == position._repr_svg_()
