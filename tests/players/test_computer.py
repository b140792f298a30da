"""The computer opponent: what it accepts, what it answers, and that it beats chance."""

from __future__ import annotations

import math
import random
import threading
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.levels import MAX_LEVELS, Level
from fourcorners.players.computer import Computer
from fourcorners.players.exact_player import ExactPlayer

GAMES = ["squarin-off", "square-off", "squendo", "sqez"]


WRONG: dict[str, list[object]] = {
    "level": [0, MAX_LEVELS + 1, -1, 1.0, "3", True, 10**30],
    "seconds": [0, -1, math.nan, math.inf, 1e9, 10**400, "1", True],
    "nodes": [0, -5, 1.5, "9", True, 10**12],
    "seed": [1.5, "7", True, []],
    "threads": [0, -1, 9, 1.0, "2", True, None],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_budget_is_an_option_error_that_names_it(name: str, value: object) -> None:
    with pytest.raises(fc.OptionError, match=rf"^{name}: .* is not allowed; it may be ") as caught:
        fc.Computer(**{name: value})  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.option == name


@pytest.mark.parametrize("nonsense", [None, 7, "a1", [], object()])
def test_what_is_no_position_is_refused(nonsense: object) -> None:
    with pytest.raises(fc.GameError, match="chooses in a Position or a View, not"):
        fc.Computer(nodes=5).choose(nonsense)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.compiled
def test_a_finished_game_has_no_choice() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2", "a2b2"])
    with pytest.raises(fc.GameError, match="the game is over"):
        fc.Computer(nodes=5).choose(position)


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_only_the_view_of_the_seat_to_move_will_do(name: str) -> None:
    position = fc.game(name).start(seed=1)
    computer = fc.Computer(nodes=30, seed=1)
    for viewer in (None, 1):
        with pytest.raises(fc.GameError, match="seat 0 is to move") as caught:
            computer.choose(position.view(viewer))
        assert caught.value.code == "not-your-turn"
    one, two = computer.choose(position), computer.choose(position.view(0))
    assert one == two


@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_a_choice_is_a_legal_move_and_its_line_can_be_played(name: str) -> None:
    position = fc.game(name).start(seed=3)
    before = position.text
    choice = fc.Computer(nodes=400, seed=2).choose(position)
    assert choice.move in position.moves()
    assert choice.line[0] == choice.move
    assert choice.nodes >= 400 or choice.solved
    assert 0 <= choice.win <= 1
    assert position.text == before
    for move in choice.line if not position.game.spec.hidden else choice.line[:1]:
        position = position.play(move)


@pytest.mark.compiled
def test_a_strict_game_is_played_by_legal_moves_only() -> None:
    position = fc.game("sqez", strict=True, cols=5, rows=5).start()
    while not position.is_over:
        choice = fc.Computer(nodes=20, seed=1).choose(position)
        assert choice.move in position.moves()
        position = position.play(choice.move)


@pytest.mark.compiled
def test_the_only_move_is_played_at_once() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    choice = fc.Computer(seconds=3600).choose(position)
    assert (choice.move, choice.value, choice.win) == ("a2b2", 1.0, 1.0)
    assert choice.nodes <= 30


@pytest.mark.compiled
def test_it_takes_what_is_there_to_take() -> None:
    # Boxes with three sides: taking them all and the last one, too, wins 4 to 0.
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1c1", "b2c2"])
    choice = fc.Computer(nodes=500, seed=1).choose(position)
    assert choice.move == "b1b2"
    assert (choice.value, choice.win) == (2.0, 1.0)


@pytest.mark.compiled
def test_a_search_that_is_stopped_before_it_begins_still_answers() -> None:
    stop = threading.Event()
    stop.set()
    position = fc.game("square-off").start()
    choice = fc.Computer(seconds=3600).choose(position, stop=stop)
    assert choice.nodes == 1
    assert choice.move in position.moves()


@pytest.mark.compiled
def test_the_same_seed_gives_the_same_choice_and_none_a_fresh_one() -> None:
    position = fc.game("square-off").start()
    seeded = {fc.Computer(nodes=50, seed=4).choose(position).move for _ in range(5)}
    fresh = {fc.Computer(nodes=50).choose(position).move for _ in range(12)}
    assert len(seeded) == 1
    assert len(fresh) > 1


@pytest.mark.parametrize("name", fc.games())
def test_every_game_has_levels_that_know_more_and_more(name: str) -> None:
    levels = fc.game(name).spec.levels
    assert 6 <= len(levels) <= MAX_LEVELS
    assert len({level.name for level in levels}) == len(levels)
    assert all(level.blind for level in levels[:-1])
    assert levels[-1].blind == ""
    assert levels[-1].solves
    nodes = [level.nodes for level in levels]
    assert nodes == sorted(nodes)
    assert max(level.seconds for level in levels) == levels[-1].seconds <= 3


def test_level_5_is_the_usual_one() -> None:
    assert fc.Computer().level == 5


@pytest.mark.compiled
def test_a_level_that_the_game_does_not_have_is_refused_when_it_is_to_choose() -> None:
    position = fc.game("sqez", cols=4, rows=4).start()
    most = len(position.game.spec.levels)
    assert most < MAX_LEVELS
    with pytest.raises(fc.OptionError, match=rf"^level: {most + 1} is not allowed; sqez has the levels 1 to {most}$"):
        fc.Computer(most + 1).choose(position)


@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_every_level_plays_and_does_the_same_again_with_the_same_seed(name: str) -> None:
    position = fc.game(name).start(seed=2)
    for level in range(1, len(position.game.spec.levels) + 1):
        one, two = (fc.Computer(level, nodes=40, seed=9).choose(position) for _ in range(2))
        assert one == two
        assert one.move in position.moves()
        assert 0 <= one.win <= 1


LOOKS_AHEAD = Level("plain", "", 1000, 1.0)
SOLVES = LOOKS_AHEAD._replace(solves=True)


@pytest.mark.compiled
def test_what_is_searched_is_kept_for_the_next_move_unless_there_is_a_seed() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    for seed, kept in [(None, True), (1, False)]:
        computer = Computer.from_level(LOOKS_AHEAD, nodes=2000, seed=seed)
        line = computer.choose(position).line
        after = position.play(line[0]).play(line[1])
        fresh = Computer.from_level(LOOKS_AHEAD, nodes=1).choose(after)
        again = Computer.from_level(LOOKS_AHEAD, nodes=1, seed=seed) if seed else computer
        again.nodes = 1
        choice = again.choose(after)
        assert choice.nodes == fresh.nodes == 1
        # One simulation knows one move; what is kept knows a line.
        assert (len(choice.line) > 1) == kept


@pytest.mark.compiled
def test_the_solvers_take_over_and_prove_the_choice() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=2).start()
    choice = Computer.from_level(SOLVES, nodes=20_000, seed=1).choose(position)
    assert choice.solved
    assert choice.value == -2
    assert choice.win == 0
    assert choice.move in fc.solve(position).moves
    assert not Computer.from_level(LOOKS_AHEAD, nodes=200, seed=1).choose(position).solved


@pytest.mark.compiled
def test_a_solver_without_nodes_enough_leaves_it_to_the_search() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    choice = Computer.from_level(SOLVES, nodes=300, seed=1).choose(position)
    assert not choice.solved
    assert choice.nodes == 300


@pytest.mark.compiled
def test_a_lost_sum_game_is_played_on_by_the_search() -> None:
    position = fc.game("sqez", cols=5, rows=5).start()
    choice = Computer.from_level(SOLVES, nodes=300, seed=1).choose(position)
    assert choice.value < 0
    assert choice.nodes > 0
    assert choice.move in position.moves()


def wins_against_chance(name: str, games: int) -> float:
    """Let 200 simulations a move play against random moves, the seats in turn; a shared win counts half."""
    won = 0.0
    for number in range(games):
        rng = random.Random(number)
        position = fc.game(name).start(seed=number)
        while not position.is_over:
            if position.seat == number % 2:
                position = position.play(fc.Computer(nodes=200, seed=number).choose(position).move)
            else:
                position = position.play(rng.choice(position.moves()))
        assert position.outcome is not None
        if number % 2 in position.outcome.winners:
            won += 1 / len(position.outcome.winners)
    return won


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "games", "least"), [("squarin-off", 2, 2), ("square-off", 8, 8), ("squendo", 6, 6), ("sqez", 30, 27)]
)
def test_it_beats_chance(name: str, games: int, least: int) -> None:
    assert wins_against_chance(name, games) >= least


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_it_beats_chance_in_95_of_100_games(name: str) -> None:
    assert wins_against_chance(name, 100) >= 95


@pytest.mark.compiled
def test_positions_that_were_set_up_have_nothing_to_do_with_one_another() -> None:
    game = fc.game("sqez", cols=7, rows=7, strict=True)
    computer = Computer.from_level(LOOKS_AHEAD, nodes=20)
    computer.choose(game.position("1 - 2:a-e 5:a-e a:2-5 e:2-5"))
    other = game.position(game.start().text).play("d2 g4").play("c1 f5")
    assert computer.choose(other).move in other.moves()


@pytest.mark.compiled
def test_a_computer_that_goes_from_one_game_to_another_leaves_what_it_has_proven_behind() -> None:
    computer, stop = Computer(nodes=20), threading.Event()
    computer.choose(fc.game("sqez", cols=5, rows=5).start())
    stop.set()
    for name in GAMES:
        position = fc.game(name).start(seed=1)
        assert computer.choose(position, stop).move in position.moves()


@pytest.mark.parametrize("name", fc.games())
def test_what_solving_takes_is_told_on_the_largest_boards(name: str) -> None:
    largest: dict[str, list[dict[str, Any]]] = {
        "squarin-off": [{"cols": 20, "rows": 20, "players": players} for players in (2, 3, 4)],
        "dots-and-boxes": [{"cols": 20, "rows": 20}],
        "square-off": [{"size": 16}],
        "squendo": [{"players": players} for players in (2, 3, 4)],
        "sqez": [{"cols": 20, "rows": 20, "players": 8}, {"cols": 20, "rows": 20, "sides": "shared"}],
    }
    for options in largest[name]:
        position = fc.game(name, **options).start(seed=1)
        estimate_cost = position.game.spec.estimate_cost
        assert estimate_cost is not None
        assert estimate_cost(position.record) > 1e9


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_proofs_are_the_same_with_two_threads(threads: int) -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).replay(["b2c2", "a1b1", "c3c4"])
    proof = ExactPlayer(position.game, threads).prove(position.view(position.seat), None, None, None, [])
    solution = fc.solve(position)
    assert proof is not None
    assert proof.move in solution.moves
    assert proof.value == solution.value


@pytest.mark.compiled
def test_a_proven_tie_of_three_is_a_third_of_the_win() -> None:
    game = fc.game("squarin-off", players=3, cols=3, rows=1, blockers=0)
    rng = random.Random(2)
    shares: list[float] = []
    while len(shares) < 12:
        position = game.start()
        while len(position.moves()) > 2:
            position = position.play(rng.choice(position.moves()))
        choice = Computer.from_level(SOLVES, nodes=50, seed=1).choose(position)
        assert choice.solved
        end = position.play(choice.move)
        if not end.is_over:
            end = end.play(end.moves()[0])
        winners = end.outcome.winners if end.outcome else ()
        shares.append(1 / len(winners) if position.seat in winners else 0.0)
        assert choice.win == pytest.approx(shares[-1])
    assert {1 / 3, 1.0} <= set(shares)
