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
        time.spend(view, allotted[-1])
    # Of 60 edges, each of the two seats draws about 15 before 30 are left.
    assert sorted(allotted[:14]) == allotted[:14]
    assert 2.0 * allotted[0] < allotted[13] < 8.0 * allotted[0]
    assert sorted(allotted[16:], reverse=True) == allotted[16:]
    assert 5.0 < sum(allotted[:14]) < sum(allotted) <= 10.0
    # Proofs that take no time leave more to each of the moves that need it.
    other = GameTime(10.0)
    for view in views[:20]:
        assert other.allot(view, level, prover, seed=1) >= allotted[0]
        other.spend(view, 0.0)
    assert other.allot(views[20], level, prover, seed=1) > 2.0


def test_a_history_that_does_not_go_on_begins_a_game_and_the_same_one_is_the_same_move() -> None:
    game = fc.game("dots-and-boxes", cols=4, rows=4)
    level, prover = game.spec.part(ComputerPlay).levels[-1], _Prover(game)
    time, start = GameTime(6.0), game.start()

    def allot(position: fc.Position, spent: float) -> float:
        """Return the seconds for a move, of which some are spent."""
        view = position.view(position.seat)
        found = time.allot(view, level, prover, seed=1)
        time.spend(view, spent)
        return found

    first = allot(start, 5.0)
    later = start.play("a1b1").play("a2b2")
    assert allot(later, 0.0) < first / 2
    assert allot(later, 0.0) == allot(later, 0.0) < allot(later.play("d1e1").play("d2e2"), 0.0)
    # The other seat still has all its time.
    assert allot(start.play("a1b1"), 0.0) > first / 2
    other = start.play("c1d1").play("a2b2")
    assert allot(other, 7.0) == pytest.approx(first, rel=0.2)
    # Even without any time left, a move gets a little.
    assert 0.0 < allot(other.play("d1e1").play("d2e2"), 0.0) < 0.01
    # Without history, each position begins a game.
    bare = game.position(other.text)
    assert allot(bare, 5.0) == allot(bare, 5.0) == pytest.approx(first, rel=0.2)


@pytest.mark.parametrize("game", [fc.game("squendo"), fc.game("sqez", cols=5, rows=4, players=3)])
def test_hidden_hands_and_more_seats_have_a_time_for_the_game(game: fc.Game) -> None:
    level, time = game.spec.part(ComputerPlay).levels[-1], GameTime(3.0)
    prover = ExactPlayer(game)
    total = 0.0
    for view in play_game(game):
        seconds = time.allot(view, level, prover, seed=1)
        time.spend(view, seconds)
        total += seconds
    assert 0.7 < total <= 3.0


def test_computer_keeps_to_what_a_move_is_allotted_and_deducts_what_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    allotted, spent, budgets = [], [], []
    allot, choose = GameTime.allot, fc.Computer._choose

    def note_allotment(time: GameTime, *args: Any, **keywords: Any) -> float:
        allotted.append(allot(time, *args, **keywords))
        return allotted[-1]

    def note_budget(computer: fc.Computer, view: View, level: Any, nodes: int, seconds: float, *rest: Any) -> Any:
        budgets.append(seconds)
        return choose(computer, view, level, nodes, seconds, *rest)

    monkeypatch.setattr(GameTime, "allot", note_allotment)
    monkeypatch.setattr(GameTime, "spend", lambda _, view, seconds: spent.append((view.seat, seconds)))
    monkeypatch.setattr(fc.Computer, "_choose", note_budget)
    position = fc.game("dots-and-boxes", cols=5, rows=5).start()
    computer = fc.Computer(seconds_per_game=50.0, nodes=3)
    for _ in range(2):
        position = position.play(computer.choose(position).move)

    def fail(_: object) -> None:
        raise RuntimeError("stop here")

    with pytest.raises(RuntimeError, match="stop here"):
        computer.choose(position, progress=fail)
    assert budgets == allotted
    assert [seat for seat, _ in spent] == [0, 1, 0]
    assert all(seconds > 0.0 for _, seconds in spent)


def test_wrong_times_for_a_game_are_refused() -> None:
    for wrong in ({"seconds_per_game": 0}, {"seconds_per_game": "1"}, {"seconds_per_game": 1, "seconds": 1}):
        with pytest.raises(fc.OptionError, match=r"^seconds_per_game: "):
            fc.Computer(**wrong)
