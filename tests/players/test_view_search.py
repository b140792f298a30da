"""The tree search for programs."""

from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.tree_search import TreeSearch

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("dots-and-boxes", {"cols": 2, "rows": 2}),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "teams": True}),
    ("square-off", {"size": 4}),
    ("sqez", {"cols": 6, "rows": 5, "players": 3}),
    ("squendo", {"players": 2}),
]
DOTS = fc.game("dots-and-boxes", cols=2, rows=2)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_search_finds_what_the_tree_search_finds_and_values_add_up(name: str, options: dict[str, Any]) -> None:
    position = fc.game(name, **options).start(seed=2)
    view = position.view(0)
    search = fc.Search(position, seed=3).run(simulations=12)
    inner = TreeSearch(view, 3, view.game.spec.part(ComputerPlay).levels[-1].weights)
    inner.advance(12)
    expected = inner.rank_actions()
    form = view.game.spec.notation.format
    assert [move.move for move in search.moves] == [form(view.record, stats.action) for stats in expected]
    assert [move.visits for move in search.moves] == [stats.visits for stats in expected]
    assert (search.simulations, search.view) == (12, view)
    parties = view.game.options.parties
    for wins in (search.wins, *(move.wins for move in search.moves)):
        assert sum(wins[party[0]] for party in parties) == pytest.approx(1.0)
        assert all(wins[seat] == wins[party[0]] for party in parties for seat in party)
    assert search.policy.keys() == set(position.moves())
    assert sum(search.policy.values()) == pytest.approx(1.0)
    assert max(search.policy, key=lambda move: search.policy[move]) == search.moves[0].move


def test_margins_are_by_seat_at_the_end_of_the_game() -> None:
    position = DOTS.replay(["a1b1", "a2b2", "a1a2"])  # seat 1 can take a box
    search = fc.Search(position, seed=1).run(simulations=400)
    assert search.moves[0].final_margins[0] == -search.moves[0].final_margins[1]
    last = DOTS.replay(["a1b1", "b1c1", "a2b2", "b2c2", "a3b3", "b3c3", "a1a2", "b1b2", "c1c2", "a2a3", "b2b3"])
    search = fc.Search(last).run(simulations=5)
    assert (search.is_solved, search.moves[0].solved, search.line()) == (True, True, ("c2c3",))
    assert last.play("c2c3").scores == (2, 2)
    assert (search.final_margins, search.wins) == ((0.0, 0.0), (0.5, 0.5))


def test_search_goes_on_after_moves_and_begins_anew_elsewhere() -> None:
    start = DOTS.start()
    search = fc.Search(start, seed=1)
    assert (search.moves, search.line(), search.wins) == ((), (), (0.0, 0.0))
    search.run(simulations=200)
    line = search.line(3)
    assert len(line) == 3
    later = start.play(line[0]).play(line[1])
    assert search.follow(later)
    assert search.line(1) == line[2:]
    assert search.simulations == 0
    assert not search.follow(start)
    assert search.run(simulations=200).line(3) == line
    table = fc.game("squendo").start(seed=1)
    search = fc.Search(table, seed=1).run(simulations=3)
    assert len(search.line()) == 1
    assert not search.follow(table.play(table.moves()[0]))


def test_search_reads_no_more_than_the_view() -> None:
    table = fc.game("squendo").start(seed=4)
    results = []
    for deal in range(3):
        states = table.view(0).states.copy()
        compiled_api.deal(states, 0, new_rng(deal))
        other = fc.Position(table.game, states, ())
        assert other.view(0) == table.view(0)
        results.append(fc.Search(other, seed=1).run(simulations=6).moves)
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "threads: 0 is not allowed; it must be a whole number from 1 to 8"),
        ({"seed": "x"}, "seed: 'x' is not allowed"),
        ({"knowledge": 1}, "knowledge: 1 is not allowed; it must be True or False"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.OptionError, match=message):
        fc.Search(DOTS.start(), **options)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "simulations: a limit is needed: simulations, seconds or stop"),
        ({"simulations": 0}, "simulations: 0 is not allowed; it must be a whole number from 1 to 1000000000"),
        ({"seconds": -1}, "seconds: -1 is not allowed"),
        ({"stop": 3}, "stop: 3 is not allowed"),
    ],
)
def test_wrong_limits_are_refused(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.OptionError, match=message):
        fc.Search(DOTS.start()).run(**limits)


def test_search_without_knowledge_plays_at_random() -> None:
    start = fc.game("square-off", size=4).start()
    plain = fc.Search(start, seed=1, knowledge=False).run(simulations=20)
    inner = TreeSearch(start.view(0), 1)
    inner.advance(20)
    assert [move.visits for move in plain.moves] == [stats.visits for stats in inner.rank_actions()]
    assert plain.moves != fc.Search(start, seed=1).run(simulations=20).moves
