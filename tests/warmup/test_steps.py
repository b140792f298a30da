"""What the steps of compiling cover: everything that people first ask of a game, in its presets, too."""

import pytest

import fourcorners as fc
from fourcorners.core.game import Position
from fourcorners.players.margin_engine import MarginEngine
from fourcorners.solvers import solver
from fourcorners.warmup.steps import STEPS, WEIGHTS, Step, run_step
from tests.warmup.test_warm import run_python

ASK = """
import random, sys
import fourcorners as fc
from numba import config
from fourcorners.warmup.steps import STEPS, Step, run_step

name = sys.argv[1]
game = fc.game(name)
for step in STEPS:
    run_step(Step(game.spec.id, step))
config.DEBUG_CACHE = 1
match, choose = fc.Match(game, seed=1), random.Random(1)
while not match.is_over:
    match.play(choose.choice(match.position.moves()))
plies = match.record().match().position.history
for count in (0, len(plies) // 2, len(plies) - 4):
    position = game.replay(plies[:count], seed=1) if not game.spec.hidden else game.start(seed=1)
    fc.hint(position, seconds=0.3)
    fc.analyse(position, seconds=0.3)
fc.review(match.record(), seconds=2)
"""
"""Runs the steps of a game, then asks for all it offers; Numba prints what it then looks for in its cache."""


def test_every_step_has_a_weight() -> None:
    assert WEIGHTS.keys() == STEPS.keys()


def test_engine_is_compiled_for_the_start_of_a_preset_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dots and Boxes, which the home page begins with, has simpler nodes than Squarin’ Off."""
    compiled: list[str] = []
    really_compile = MarginEngine.compile

    def compile_and_note(engine: MarginEngine, position: Position) -> None:
        compiled.append(position.text)
        really_compile(engine, position)

    monkeypatch.setattr(MarginEngine, "compile", compile_and_note)
    run_step(Step("squarin-off", "proofs"))
    for name in ("squarin-off", "dots-and-boxes"):
        assert fc.game(name).start(seed=0).text in compiled


def test_solver_is_compiled_where_it_has_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near the end a game of Square Off is decided without a search."""
    solved: list[Position] = []
    monkeypatch.setattr(solver, "solve", lambda position, **_: solved.append(position))
    run_step(Step("square-off", "solver"))
    assert len(solved[0].moves()) < 5
    assert solved[1].text == fc.game("square-off").start(seed=0).text


@pytest.mark.parametrize(("game", "seats"), [("sqez", 3), ("square-off", None)])
def test_solver_for_three_is_compiled_where_three_can_play(
    game: str, seats: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved: list[int] = []
    monkeypatch.setattr(solver, "solve", lambda position, **_: solved.append(position.game.seats))
    run_step(Step(game, "parties"))
    assert solved == ([] if seats is None else [seats])


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_hints_analyses_and_reviews_have_nothing_left_to_compile(name: str) -> None:
    """Nor to load, which would have to be compiled if no other test had done so."""
    assert run_python(ASK, name).stdout == ""
