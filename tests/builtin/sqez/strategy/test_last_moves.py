"""Last moves of Sqez: found, avoided and foreseen as playing on shows; moves that are undone leave no trace."""

import random

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.sqez.notation import format as format_move
from fourcorners.builtin.sqez.notation import parse
from fourcorners.builtin.sqez.strategy import last_moves
from fourcorners.builtin.sqez.strategy.last_moves import NONE, make_move, unmake_move
from fourcorners.core import dispatch
from fourcorners.core.arrays import State
from fourcorners.core.bits import new_rng

OPTIONS: list[dict[str, object]] = [
    {"cols": 5, "rows": 5},
    {"cols": 6, "rows": 4, "sides": "shared"},
    {"cols": 5, "rows": 5, "enclose": "any"},
    {"cols": 4, "rows": 5, "sides": "shared", "enclose": "any"},
]


def copy_record(position: fc.Position) -> State:
    """Return a copy of a position's record, which the test may change."""
    return dispatch.view_record(np.array(position.states))


def list_last_moves(position: fc.Position) -> set[str]:
    """Return the moves that end the game at once."""
    return {move for move in position.moves() if position.play(move).is_over}


@pytest.mark.parametrize("options", OPTIONS)
def test_make_move_draws_the_lines_that_play_draws_and_unmake_move_restores_every_byte(
    options: dict[str, object],
) -> None:
    rng = random.Random(1)
    for _ in range(3):
        position = fc.game("sqez", **options).start()
        while not position.is_over:
            s = copy_record(position)
            for move in position.moves()[:20]:
                before = make_move(s, parse(s, move))
                drawn = position.play(move)
                # The fields of lines and free dots; unlike `play`, `make_move` does not pass the turn.
                assert all((s[name] == drawn.record[name]).all() for name in ("across", "up", "sides", "free"))
                unmake_move(s, parse(s, move), before)
                assert s.tobytes() == position.record.tobytes()
            position = position.play(rng.choice(position.moves()))


@pytest.mark.parametrize("options", OPTIONS)
def test_find_next_legal_visits_every_legal_rectangle_once(options: dict[str, object]) -> None:
    rng = random.Random(2)
    position = fc.game("sqez", **options).start()
    while not position.is_over:
        s, action, found = copy_record(position), NONE, []  # NONE: begin with the first
        while (action := last_moves.find_next_legal(s, action)) != NONE:
            found.append(format_move(s, action))
        assert sorted(found) == position.moves()
        position = position.play(rng.choice(position.moves()))


@pytest.mark.parametrize("options", OPTIONS)
def test_last_and_safe_moves_are_those_that_playing_on_shows(options: dict[str, object]) -> None:
    """In positions of a random game with at most 12 legal moves, a last move ends the game, and after a safe move the
    opponent has no last move. NONE is found exactly if there is no such move. `pick_safe_move` also finds none if there
    are more legal moves than its limit. The record does not change.
    """
    rng, chance = random.Random(3), new_rng(3)
    seen = 0
    position = fc.game("sqez", **options).start()
    while not position.is_over:
        moves = position.moves()
        if len(moves) <= 12:
            s = copy_record(position)
            last, safe = last_moves.pick_last_move(s, chance), last_moves.pick_safe_move(s, 12, chance)
            assert (last_moves.find_last_move(s) != NONE) == bool(list_last_moves(position)) == (last != NONE)
            assert last == NONE or format_move(s, last) in list_last_moves(position)
            safe_moves = {move for move in moves if not list_last_moves(position.play(move))}
            assert (format_move(s, safe) in safe_moves) if safe_moves else safe == NONE
            assert last_moves.pick_safe_move(s, len(moves) - 1, chance) == NONE
            assert s.tobytes() == position.record.tobytes()
            seen += 1
        position = position.play(rng.choice(moves))
    assert seen > 0


def test_the_ending_answer_is_the_last_move_with_the_smallest_code_and_none_if_no_answer_is_one() -> None:
    position = fc.game("sqez", cols=9, rows=3).start()
    s, found = copy_record(position), []
    for move in position.moves():
        after = position.play(move)
        answers = [parse(s, answer) for answer in after.moves()]
        last = [parse(s, answer) for answer in list_last_moves(after)]
        assert last_moves.find_ending_answer(s, parse(s, move)) == min(last, default=NONE)
        found.append((len(last), min(answers, default=NONE) in last))
    assert s.tobytes() == position.record.tobytes()
    # All cases occur: no answer ends the game; several do; the answer with the smallest code of all does not.
    assert min(found)[0] == 0 and max(found)[0] > 1
    assert any(count > 0 and not is_first for count, is_first in found)


def test_a_move_allows_an_end_after_any_answer_exactly_if_it_has_answers_and_each_of_them_leaves_a_last_move() -> None:
    found = []
    for cols, moves in ((9, []), (9, ["d1 f3"]), (3, [])):
        position = fc.game("sqez", cols=cols, rows=3).replay(moves)
        s = copy_record(position)
        for move in position.moves():
            after = position.play(move)
            answered = [bool(list_last_moves(after.play(answer))) for answer in after.moves()]
            expected = len(answered) > 0 and all(answered)
            assert last_moves.can_end_after_any_answer(s, parse(s, move)) == expected
            found.append((expected, len(answered) > 0, any(answered)))
        assert s.tobytes() == position.record.tobytes()
    # All cases occur: all answers leave one, only some do, none does, and there is no answer.
    assert set(found) == {(True, True, True), (False, True, True), (False, True, False), (False, False, False)}
