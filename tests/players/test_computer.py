"""The computer opponent: its arguments, its choices, and that it beats random moves."""

import math
import random
import threading
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.players.levels import MAX_LEVELS, Level
from fourcorners.solvers.exact_play import ExactPlay

GAMES = ["squarin-off", "square-off", "squendo", "sqez"]


WRONG: dict[str, list[object]] = {
    "level": [0, MAX_LEVELS + 1, -1, 1.0, "3", True, 10**30],
    "seconds": [0, -1, math.nan, math.inf, 1e9, 10**400, "1", True],
    "nodes": [0, -5, 1.5, "9", True, 10**12],
    "seed": [1.5, "7", True, []],
    "threads": [0, -1, 9, 1.0, "2", True, None],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_invalid_argument_raises_an_option_error_that_names_it(name: str, value: object) -> None:
    with pytest.raises(fc.OptionError, match=rf"^{name}: .* is not allowed; it must be ") as caught:
        fc.Computer(**{name: value})  # type: ignore[arg-type]  # deliberately wrong
    assert caught.value.option == name


@pytest.mark.parametrize("nonsense", [None, 7, "a1", [], object()])
def test_choose_rejects_anything_but_a_position_or_view(nonsense: object) -> None:
    with pytest.raises(fc.GameError, match="chooses a move in a Position or a View, not"):
        fc.Computer(nodes=5).choose(nonsense)  # type: ignore[arg-type]  # deliberately wrong


@pytest.mark.compiled
def test_choose_rejects_a_finished_game() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2", "a2b2"])
    with pytest.raises(fc.GameError, match="the game is over"):
        fc.Computer(nodes=5).choose(position)


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_choose_accepts_only_the_view_of_the_seat_to_move_and_does_as_for_the_position(name: str) -> None:
    position = fc.game(name).start(seed=1)
    computer = fc.Computer(nodes=30, seed=1)
    for viewer in (None, 1):
        with pytest.raises(fc.GameError, match="seat 0 is to move") as caught:
            computer.choose(position.view(viewer))
        assert caught.value.code == "not-your-turn"
    assert computer.choose(position) == computer.choose(position.view(0))


@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_choice_is_a_legal_move_whose_line_can_be_played_and_the_position_does_not_change(name: str) -> None:
    position = fc.game(name).start(seed=3)
    before = position.text
    choice = fc.Computer(nodes=400, seed=2).choose(position)
    assert choice.move in position.moves()
    assert choice.line[0] == choice.move
    assert choice.nodes >= 400 or choice.solved  # a proof may need fewer
    assert 0 <= choice.win <= 1
    assert position.text == before
    for move in choice.line:
        position = position.play(move)  # raises if it is illegal


@pytest.mark.compiled
def test_computer_plays_only_legal_moves_in_strict_sqez() -> None:
    position = fc.game("sqez", strict=True, cols=5, rows=5).start()
    while not position.is_over:
        choice = fc.Computer(nodes=20, seed=1).choose(position)
        assert choice.move in position.moves()
        position = position.play(choice.move)


@pytest.mark.compiled
def test_forced_move_is_chosen_after_few_simulations_with_its_margin_and_chance() -> None:
    position = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2"])
    choice = fc.Computer(seconds=3600).choose(position)
    assert (choice.move, choice.final_margin, choice.win) == ("a2b2", 1.0, 1.0)
    # A forced move is only evaluated, by at most 30 simulations, instead of searched for an hour.
    assert choice.nodes <= 30


@pytest.mark.compiled
def test_computer_completes_two_boxes_with_one_line() -> None:
    # Taking both boxes wins 2 to 0.
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1c1", "b2c2"])
    choice = fc.Computer(nodes=500, seed=1).choose(position)
    assert choice.move == "b1b2"
    assert (choice.final_margin, choice.win) == (2.0, 1.0)


@pytest.mark.compiled
def test_search_stopped_before_it_starts_returns_a_move_after_one_simulation() -> None:
    stop = threading.Event()
    stop.set()
    position = fc.game("square-off").start()
    choice = fc.Computer(seconds=3600).choose(position, stop=stop)
    assert choice.nodes == 1
    assert choice.move in position.moves()


@pytest.mark.compiled
def test_same_seed_gives_the_same_move_and_no_seed_a_random_one() -> None:
    position = fc.game("square-off").start()
    seeded = {fc.Computer(nodes=50, seed=4).choose(position).move for _ in range(5)}
    fresh = {fc.Computer(nodes=50).choose(position).move for _ in range(12)}
    assert len(seeded) == 1
    assert len(fresh) > 1  # of twelve choices among 64 cells


@pytest.mark.parametrize("name", fc.games())
def test_levels_of_every_game_have_names_of_their_own_and_ascending_effort(name: str) -> None:
    """All but the last say what they overlook; the last one uses the solvers and takes longest, at most 3 seconds."""
    levels = fc.game(name).spec.part(ComputerPlay).levels
    assert 6 <= len(levels) <= MAX_LEVELS
    assert len({level.name for level in levels}) == len(levels)
    assert all(level.blind for level in levels[:-1])
    assert levels[-1].blind == ""
    assert levels[-1].solves
    nodes = [level.nodes for level in levels]
    assert nodes == sorted(nodes)
    assert max(level.seconds for level in levels) == levels[-1].seconds <= 3


def test_default_level_is_5() -> None:
    assert fc.Computer().level == 5


@pytest.mark.compiled
def test_choose_rejects_a_level_that_the_game_does_not_have() -> None:
    position = fc.game("sqez", cols=4, rows=4).start()
    count = len(position.game.spec.part(ComputerPlay).levels)
    assert count < MAX_LEVELS
    with pytest.raises(fc.OptionError, match=rf"^level: {count + 1} is not allowed; sqez has the levels 1 to {count}$"):
        fc.Computer(count + 1).choose(position)


@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_every_level_chooses_a_legal_move_and_repeats_it_with_the_same_seed(name: str) -> None:
    position = fc.game(name).start(seed=2)
    for level in range(1, len(position.game.spec.part(ComputerPlay).levels) + 1):
        first, second = (fc.Computer(level, nodes=40, seed=9).choose(position) for _ in range(2))
        assert first == second
        assert first.move == fc.Computer(level, nodes=40, seed=9).choose_move(position)
        assert first.move in position.moves()
        assert 0 <= first.win <= 1


@pytest.mark.parametrize("name", fc.games())
def test_a_level_that_does_not_look_ahead_simulates_games_only_if_the_evaluation_is_asked_for(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SearchError(Exception):
        """Raised where a search would begin."""

    def refuse(*_: object) -> None:
        raise SearchError

    position = fc.game(name).start(seed=2)
    assert position.game.spec.part(ComputerPlay).levels[0].nodes == 0
    monkeypatch.setattr("fourcorners.players.computer.RootParallelSearch", refuse)
    assert fc.Computer(1, seed=9).choose_move(position) in position.moves()
    with pytest.raises(SearchError):
        fc.Computer(1, seed=9).choose(position)


# Two levels that differ only in whether they use the solvers.
LOOKS_AHEAD = Level("plain", "", 1000, 1.0)
SOLVES = LOOKS_AHEAD._replace(solves=1.0)


@pytest.mark.compiled
def test_search_tree_is_reused_for_the_next_move_unless_seeded() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    for seed, is_reused in [(None, True), (1, False)]:
        computer = Computer.from_level(LOOKS_AHEAD, nodes=2000, seed=seed)
        line = computer.choose(position).line
        after = position.play(line[0]).play(line[1])
        computer.nodes = 1  # so that the length of the line shows whether the tree is new
        choice = computer.choose(after)
        assert choice.nodes == 1
        # A single simulation in a new tree has a line of one move; a reused tree has a longer one.
        assert len(Computer.from_level(LOOKS_AHEAD, nodes=1).choose(after).line) == 1
        assert (len(choice.line) > 1) == is_reused


@pytest.mark.compiled
def test_choice_is_proven_only_at_a_level_that_solves() -> None:
    # 3 x 2 boxes are lost by 2 for the first seat.
    position = fc.game("dots-and-boxes", cols=3, rows=2).start()
    choice = Computer.from_level(SOLVES, nodes=20_000, seed=1).choose(position)
    assert choice.solved
    assert choice.final_margin == -2
    assert choice.win == 0
    assert choice.move in fc.solve(position).moves
    assert not Computer.from_level(LOOKS_AHEAD, nodes=200, seed=1).choose(position).solved


@pytest.mark.compiled
def test_search_chooses_without_proof_if_solving_would_take_too_many_nodes() -> None:
    position = fc.game("dots-and-boxes", cols=4, rows=4).start()
    choice = Computer.from_level(SOLVES, nodes=300, seed=1).choose(position)
    assert not choice.solved
    assert choice.nodes == 300  # simulations; nodes of the solvers count only after a proof


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", fc.games())
def test_few_nodes_are_a_limit_also_for_proofs_and_several_trees(name: str, threads: int) -> None:
    rng = random.Random(1)
    start = fc.game(name).start(seed=2)
    positions = [start]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    for position in (start, *positions[-6:-1]):
        for nodes in (1, 2, 10):
            choice = fc.Computer(nodes=nodes, seed=1, threads=threads).choose(position)
            assert 1 <= choice.nodes <= nodes


@pytest.mark.compiled
def test_lost_impartial_position_still_gets_a_legal_move() -> None:
    # The empty field of 5 x 5 dots is lost for the first seat.
    position = fc.game("sqez", cols=5, rows=5).start()
    choice = Computer.from_level(SOLVES, nodes=300, seed=1).choose(position)
    assert choice.final_margin < 0
    assert choice.nodes > 0  # it thinks about the move although every move loses
    assert choice.move in position.moves()


def count_wins_against_random_moves(name: str, games: int) -> float:
    """Return how many of `games` games a computer with 200 simulations for each move wins against random moves.

    It has seats 0 and 1 in turn; a shared win counts as its share. Seeds fix all moves and decks.
    """
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
    ("name", "games", "min_wins"),
    [
        *[("squarin-off", 1, 1), ("square-off", 4, 4), ("squendo", 4, 4), ("sqez", 15, 13)],
        *(pytest.param(*each, marks=pytest.mark.ci) for each in (("squarin-off", 2, 2), ("square-off", 8, 8))),
        *(pytest.param(*each, marks=pytest.mark.ci) for each in (("squendo", 6, 6), ("sqez", 30, 27))),
    ],
)
def test_computer_wins_nearly_all_games_against_random_moves(name: str, games: int, min_wins: int) -> None:
    assert count_wins_against_random_moves(name, games) >= min_wins


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_computer_wins_95_of_100_games_against_random_moves(name: str) -> None:
    assert count_wins_against_random_moves(name, 100) >= 95


@pytest.mark.compiled
def test_search_tree_is_not_reused_between_unrelated_set_up_positions() -> None:
    """A position that was set up has no history, which is thus the beginning of every other history."""
    game = fc.game("sqez", cols=7, rows=7, strict=True)
    computer = Computer.from_level(LOOKS_AHEAD, nodes=20)
    computer.choose(game.position("1 - 2:a-e 5:a-e a:2-5 e:2-5"))
    other = game.position(game.start().text).play("d2 g4").play("c1 f5")
    # In a reused tree the moves of the earlier position would be chosen, and could be illegal here.
    assert computer.choose(other).move in other.moves()


@pytest.mark.compiled
def test_computer_chooses_legal_moves_in_one_game_after_another() -> None:
    # Stopped at once after the first choice, since only what the computer keeps matters here, not how well it plays.
    computer, stop = Computer(nodes=20), threading.Event()
    computer.choose(fc.game("sqez", cols=5, rows=5).start())
    stop.set()
    for name in GAMES:
        position = fc.game(name).start(seed=1)
        assert computer.choose(position, stop).move in position.moves()


# Interpreted, counting the rectangles of the largest fields of Sqez would take four seconds.
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.compiled] if name == "sqez" else []) for name in fc.games()]
)
def test_estimated_cost_is_high_on_the_largest_boards(name: str) -> None:
    largest: dict[str, list[dict[str, Any]]] = {
        "squarin-off": [{"cols": 20, "rows": 20, "players": players} for players in (2, 3, 4)],
        "dots-and-boxes": [{"cols": 20, "rows": 20}],
        "square-off": [{"size": 16}],
        "squendo": [{"players": players} for players in (2, 3, 4)],
        "sqez": [{"cols": 20, "rows": 20, "players": 8}, {"cols": 20, "rows": 20, "sides": "shared"}],
    }
    for options in largest[name]:
        position = fc.game(name, **options).start(seed=1)
        estimate_cost = position.game.spec.part(ExactPlay).estimate_cost
        assert estimate_cost is not None
        assert estimate_cost(position.record) > 1e9  # nodes: far more than the solvers may search for a move


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_proven_move_and_value_with_one_or_two_threads_agree_with_solve(threads: int) -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).replay(["b2c2", "a1b1", "c3c4"])
    proof = ExactPlayer(position.game, threads).prove(position.view(position.seat), None, None, None, [])
    solution = fc.solve(position)
    assert proof is not None
    assert proof.move in solution.moves
    assert proof.value == solution.remaining_margin


@pytest.mark.compiled
def test_proven_chance_of_winning_is_the_share_among_the_winners() -> None:
    """With three seats, so that a win can be shared by three; the end is played out from where two moves are left."""
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
        # Two moves were left at most, so the second one is forced.
        winners = end.outcome.winners if end.outcome else ()
        shares.append(1 / len(winners) if position.seat in winners else 0.0)
        assert choice.win == pytest.approx(shares[-1])
    assert {1 / 3, 1.0} <= set(shares)  # both shared and whole wins occurred


@pytest.mark.compiled
def test_choice_has_the_simulations_of_each_move_only_where_these_chose_it() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).start()
    searched = Computer.from_level(Level("plain", "", 60, 1.0), nodes=60, seed=1).choose(position)
    visits = dict(searched.visits)
    assert sum(visits.values()) == searched.nodes == 60
    assert set(visits) <= set(position.moves())
    assert visits[searched.move] == max(visits.values())
    proven = fc.Computer(nodes=2000, seed=1).choose(fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2"]))
    assert proven.solved
    assert proven.visits == ()
