"""Calibrated choices: what a search says is corrected, moves and proofs are not, and both margins have names."""

from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.core.game import Game, Position
from fourcorners.players.calibration import LEAST_CHANCE, Calibration
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.solvers.solver_run import compute_margin

SAMPLES = [
    ("dots-and-boxes", {"cols": 4, "rows": 4}),
    ("squarin-off", {"cols": 3, "rows": 3, "players": 3, "blockers": 1}),
    ("squarin-off", {"cols": 3, "rows": 3, "players": 4, "teams": True, "blockers": 1}),
    ("square-off", {"size": 6}),
    ("squendo", {"players": 2}),
    ("squendo", {"players": 4}),
    ("sqez", {"cols": 8, "rows": 8}),
    ("sqez", {"cols": 10, "rows": 10, "players": 3}),
]


def play_random_moves(name: str, options: dict[str, int], plies: int) -> Position:
    """Return the position after some random moves of a level that does not look ahead."""
    position = fc.game(name, **options).start(seed=plies)
    for seed in range(plies):
        position = position.play(fc.Computer(level=1, seed=seed).choose_move(position))
    return position


def change_calibration(game: fc.Game, calibration: Calibration) -> Game:
    """Return the same game with another calibration."""
    spec = game.spec.replace_parts(replace(game.spec.part(ComputerPlay), find_calibration=lambda _: calibration))
    changed = Game(spec, game.options.given_options())  # as a preset it would have the preset's part again
    assert changed.spec.part(ComputerPlay).find_calibration(game.start(seed=1).record) == calibration
    return changed


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), SAMPLES)
def test_final_and_remaining_margin_differ_by_the_present_one(name: str, options: dict[str, int]) -> None:
    position = play_random_moves(name, options, 2)
    for level in (1, len(position.game.spec.part(ComputerPlay).levels) - 1):
        choice = fc.Computer.from_level(
            position.game.spec.part(ComputerPlay).levels[level - 1], nodes=40, seed=1
        ).choose(position)
        present = compute_margin(position, position.seat or 0)
        assert choice.remaining_margin == pytest.approx(choice.final_margin - present)
        assert choice.solved or LEAST_CHANCE <= choice.win <= 1.0 - LEAST_CHANCE


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), SAMPLES)
def test_calibration_changes_neither_the_move_nor_what_is_proven(name: str, options: dict[str, int]) -> None:
    position = play_random_moves(name, options, 3)
    other = Calibration(trust=0.1, limit=3.0, turn=-1.0, gain_trust=0.5, turn_gain=3.0)
    changed = change_calibration(position.game, other).position(position.text)
    position = position.game.position(position.text)
    one, two = (fc.Computer(nodes=60, seed=2).choose(each) for each in (position, changed))
    assert (one.move, one.line, one.nodes, one.solved) == (two.move, two.line, two.nodes, two.solved)
    assert one.solved == ((one.win, one.final_margin) == (two.win, two.final_margin))


@pytest.mark.compiled
def test_margin_of_a_game_without_points_follows_from_the_chance() -> None:
    position = fc.game("sqez", cols=12, rows=12).start()
    choice = fc.Computer(nodes=50, seed=1).choose(position)
    assert not choice.solved
    assert choice.final_margin == choice.remaining_margin == pytest.approx(2.0 * choice.win - 1.0)


@pytest.mark.compiled
def test_margins_of_a_proven_choice_are_those_of_the_solution() -> None:
    # Seat 1 has one box already and will have the other.
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"])
    choice, solution = fc.Computer(nodes=100, seed=1).choose(position), fc.solve(position)
    assert choice.solved
    assert (choice.final_margin, choice.remaining_margin) == (2.0, 1.0)
    assert (solution.final_margin, solution.remaining_margin) == (2, 1)
