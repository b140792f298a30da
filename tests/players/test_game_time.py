"""The time for a game goes to the moves that cannot be proven yet, and is never more than there is."""

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.game import View
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.players.game_time import GameTime


class _Prover(ExactPlayer):
    """An exact player that can prove positions once few edges are left."""

    def can_afford(self, record: Any, seconds: float) -> bool:
        """Return whether at most 30 edges are left, whatever the time."""
        return int(record.edges_left) <= 30


def play_game(game: fc.Game) -> list[View]:
    """Return the views of seat 0 at its moves in a game of the easiest level."""
    computer, position, views = fc.Computer(1, seed=1), game.start(seed=1), []
    while position.seat is not None:
        if position.seat == 0:
            views.append(position.view(0))
        position = position.play(computer.choose_move(position))
    return views


def test_time_grows_until_proofs_begin_and_is_never_used_up() -> None:
    game = fc.game("dots-and-boxes", cols=5, rows=5)
    level, prover = game.spec.part(ComputerPlay).levels[-1], _Prover(game)
    time, views = GameTime(10.0), play_game(game)
    allotted = []
    for view in views:
        allotted.append(time.allot(view, level, prover, seed=1))
        time.spend(allotted[-1])
    # Of 60 edges, each of the two seats draws about 15 before 30 are left.
    assert sorted(allotted[:14]) == allotted[:14]
    assert 2.0 * allotted[0] < allotted[13] < 8.0 * allotted[0]
    assert sorted(allotted[16:], reverse=True) == allotted[16:]
    assert 5.0 < sum(allotted[:14]) < sum(allotted) <= 10.0
    # Proofs that take no time leave more to each of the moves that need it.
    other = GameTime(10.0)
    for view in views[:20]:
        other.spend(0.0)
        assert other.allot(view, level, prover, seed=1) >= allotted[0]
    assert other.allot(views[20], level, prover, seed=1) > 2.0


def test_a_history_that_does_not_go_on_begins_a_game() -> None:
    game = fc.game("dots-and-boxes", cols=4, rows=4)
    level, prover = game.spec.part(ComputerPlay).levels[-1], _Prover(game)
    time, start = GameTime(6.0), game.start()
    first = time.allot(start.view(0), level, prover, seed=1)
    time.spend(5.0)
    later = start.play("a1b1").play("a2b2")
    assert time.allot(later.view(0), level, prover, seed=1) < first / 2
    assert time.allot(start.play("c1d1").play("a2b2").view(0), level, prover, seed=1) == pytest.approx(first, rel=0.2)
    time.spend(7.0)
    # Even without any time left, a move gets a little.
    assert time.allot(start.play("c1d1").play("a2b2").view(0), level, prover, seed=1) > 0.0


@pytest.mark.parametrize("game", [fc.game("squendo"), fc.game("sqez", cols=5, rows=4, players=3)])
def test_hidden_hands_and_more_seats_have_a_time_for_the_game(game: fc.Game) -> None:
    level, time = game.spec.part(ComputerPlay).levels[-1], GameTime(3.0)
    prover = ExactPlayer(game)
    total = 0.0
    for view in play_game(game):
        seconds = time.allot(view, level, prover, seed=1)
        time.spend(seconds)
        total += seconds
    assert 0.7 < total <= 3.0


def test_computer_plays_with_a_time_for_the_game_alone() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    computers = [fc.Computer(seconds_per_game=0.5) for _ in range(2)]
    position = game.start()
    while position.seat is not None:
        position = position.play(computers[position.seat].choose(position).move)
    assert position.outcome is not None
    for wrong in ({"seconds_per_game": 0}, {"seconds_per_game": "1"}, {"seconds_per_game": 1, "seconds": 1}):
        with pytest.raises(fc.OptionError, match=r"^seconds_per_game: "):
            fc.Computer(**wrong)
