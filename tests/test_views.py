"""Views survive a round trip through their text, so that a program can play from what it receives."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.search.knowledge import SearchKnowledge
from tests.hostile import Hostile
from tests.views import check_round_trips, create_random_game, play_random_moves

ROOT = Path(__file__).parents[1]
MAX_PLIES = {"squarin-off": 60, "dots-and-boxes": 60, "square-off": 40, "squendo": 70, "sqez": 15}
CRAM = """
import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners_cram import SPEC
from tests.views import check_round_trips

catalogue.set_loader(lambda: [SPEC])
assert fc.games() == ["cram"]
for seed in range(20):
    check_round_trips(fc.game("cram", cols=1 + seed % 6, rows=4), seed, seed % 8)
print(check_round_trips(fc.game("cram"), 1, 2) > 0)
"""


@pytest.mark.parametrize("name", fc.games())
@pytest.mark.compiled
@given(seed=st.integers(0, 10**6), part=st.floats(0, 1))
def test_view_survives_a_round_trip_through_its_text(name: str, seed: int, part: float) -> None:
    check_round_trips(create_random_game(name, seed), seed, int(part * MAX_PLIES[name]))


def test_view_of_an_external_game_survives_a_round_trip_through_its_text() -> None:
    paths = os.pathsep.join([str(Path(fc.__file__).parents[1]), str(ROOT), str(ROOT / "tests" / "cram")])
    env = {**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", CRAM], env=env, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "True\n"), run.stderr


@pytest.mark.parametrize("name", fc.games())
@pytest.mark.compiled
def test_computer_and_hint_choose_the_same_in_a_parsed_view_and_without_a_seed_a_legal_move(name: str) -> None:
    for seed in range(4):
        position = play_random_moves(fc.game(name), seed, seed * MAX_PLIES[name] // 20)
        assert position.seat is not None
        view = position.view(position.seat)
        parsed = position.game.view(view.text, position.seat)
        choice = fc.Computer(nodes=60, seed=seed).choose(parsed)
        if view.game.spec.part(SearchKnowledge).weigh_worlds is not None:
            # The moves so far tell a computer what others may hold, and a parsed view has none.
            view = position.game.view(view.text, position.seat)
        assert choice == fc.Computer(nodes=60, seed=seed).choose(view)
        assert choice.move in position.moves()
        assert fc.hint(parsed, nodes=60, seed=seed) == fc.hint(view, nodes=60, seed=seed)
        # Without a seed a computer reuses its search tree, for which a parsed view lacks the history.
        computer = fc.Computer(nodes=60)
        assert computer.choose(parsed).move in position.moves()
        after = position.play(choice.move)
        if after.seat is not None:
            later = after.game.view(after.view(after.seat).text, after.seat)
            assert computer.choose(later).move in after.moves()


@pytest.mark.parametrize("name", fc.games())
def test_invalid_text_and_seats_of_views_are_rejected_with_short_messages(name: str) -> None:
    game = fc.game(name)
    text = game.start(seed=1).view(0).text
    assert game.view(text, 0).text == text
    wrong: tuple[Any, ...] = ("", "?", f"{text} ", text[:-1], text.upper() + "x", "x" * 10**6, None, 7, Hostile())
    for thing in wrong:
        with pytest.raises(fc.NotationError) as caught:
            game.view(thing, 0)
        assert len(str(caught.value)) < 400
    for seat in (game.seats, -1, True, "0", 0.0):
        with pytest.raises(fc.OptionError, match=r"^seat: "):
            game.view(text, seat)  # type: ignore[arg-type]


def test_position_text_is_a_valid_view_if_nothing_is_hidden() -> None:
    for name in ("squarin-off", "square-off", "sqez"):
        position = play_random_moves(fc.game(name), 1, 3)
        assert position.text == position.view(1).text
        assert position.game.view(position.text).viewer is None  # a spectator's
