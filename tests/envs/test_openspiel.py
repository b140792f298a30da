"""OpenSpiel's own tests pass, values equal those of its dots and boxes, and no player sees what is hidden."""

import importlib
import os
import pickle
import random
import re
import subprocess
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import ismcts, mcts, minimax
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

import fourcorners as fc
from fourcorners.core import encoding, extras
from fourcorners.core.errors import GameError, OptionError
from fourcorners.envs import openspiel

ROOT = Path(__file__).parents[2]
GAMES = [
    "fourcorners_dots_and_boxes(cols=2,rows=3)",
    'fourcorners_squarin_off(cols=3,rows=2,players=3,blockers=[1;0;2],values="2")',
    "fourcorners_squarin_off(cols=2,rows=2,players=4,teams=True,edition=classic)",
    "fourcorners_square_off(size=4)",
    "fourcorners_sqez(cols=6,rows=6,players=3)",
    "fourcorners_sqez(cols=4,rows=4,players=8,sides=shared)",
    "fourcorners_squendo",
    "fourcorners_squendo(players=4,take=any)",
]
all_games = pytest.mark.parametrize("text", GAMES)
SQUENDO = pytest.mark.parametrize("players", [2, 3])


def play_randomly(state: Any, rng: random.Random, most: int = 1000) -> Any:
    """Play random actions and draws until the end, or until `most` or more have been played and no draw is missing."""
    while not state.is_terminal() and (state.is_chance_node() or most > 0):
        state.apply_action(rng.choice(state.legal_actions()))
        most -= 1
    return state


def start(text: str, seed: int, most: int) -> Any:
    """Return a state of a game after `most` random actions and draws or a few more."""
    return play_randomly(pyspiel.load_game(text).new_initial_state(), random.Random(seed), most)


def run_suite(suite: type, game: Any, *names: str) -> None:
    """Run the tests of one of OpenSpiel's classes, all or those with these names, for a game."""
    case = type("Case", (suite,), {"game": game, "game_name": game.get_type().short_name})
    loader = unittest.defaultTestLoader
    tests = [case(name) for name in names] if names else loader.loadTestsFromTestCase(case)
    result = unittest.TestResult()
    unittest.TestSuite(tests).run(result)
    assert result.testsRun >= len(names or [1])
    assert not [*result.errors, *result.failures]


def test_every_game_is_registered_with_its_options_and_the_number_of_seats() -> None:
    types = {game_type.short_name: game_type for game_type in pyspiel.registered_games()}
    assert {openspiel.name_game(name) for name in fc.games()} <= set(types)
    boxes, squarin_off = types["fourcorners_dots_and_boxes"], types["fourcorners_squarin_off"]
    assert boxes.parameter_specification == {"cols": 5, "rows": 5}
    assert squarin_off.parameter_specification["edition"] == "2016"
    assert squarin_off.parameter_specification["values"] == ""
    assert (boxes.min_num_players, boxes.max_num_players) == (2, 2)
    assert (squarin_off.min_num_players, squarin_off.max_num_players) == (2, 4)
    assert types["fourcorners_sqez"].max_num_players == 8


@all_games
def test_random_games_pass_the_simulation_of_openspiel(text: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), 1, True, False)


@pytest.mark.ci
@pytest.mark.parametrize("name", fc.games())
def test_many_random_games_with_default_options_pass_the_simulations_of_openspiel(name: str) -> None:
    game = pyspiel.load_game(openspiel.name_game(name))
    pyspiel.random_sim_test(game, 5, True, False)
    games_sim_test.GamesSimTest("sim_game").sim_game(game)


@pytest.mark.parametrize("text", [GAMES[0], GAMES[2], GAMES[4], GAMES[7]])
def test_games_pass_the_python_simulation_of_openspiel_with_copies_and_pickles(text: str) -> None:
    games_sim_test.GamesSimTest("sim_game").sim_game(pyspiel.load_game(text))


@pytest.mark.parametrize("text", [GAMES[2], GAMES[3], GAMES[6]])
def test_games_pass_the_interface_tests_of_openspiel(text: str) -> None:
    run_suite(api_test.EnforceAPIOnPartialTreeBase, pyspiel.load_game(text))


def test_whole_tree_of_a_small_game_passes_the_interface_tests_of_openspiel() -> None:
    names = (
        "test_legal_actions_empty",
        "test_current_player_returns_terminal_player_on_terminal_nodes",
        "test_information_state_no_argument_raises_on_terminal_nodes",
        "test_constant_sum",
    )
    game = pyspiel.load_game("fourcorners_dots_and_boxes(cols=1,rows=1)")
    run_suite(api_test.EnforceAPIOnFullTreeBase, game, *names)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("fourcorners_dots_and_boxes(cols=3)", {"cols": 3}),
        ("fourcorners_squarin_off(cols=2,rows=2,blockers=[6;4])", {"cols": 2, "rows": 2, "blockers": [6, 4]}),
        ('fourcorners_squarin_off(values="2",edition="2016")', {"values": "2"}),
        ("fourcorners_squarin_off(cols=2,rows=2,values=12 21)", {"cols": 2, "rows": 2, "values": ["12", "21"]}),
        ("fourcorners_squendo(colours=BGR,lines=True,take=any)", {"colours": "BGR", "lines": True, "take": "any"}),
    ],
)
def test_parameters_are_the_options_and_survive_text_and_pickles(text: str, options: dict[str, Any]) -> None:
    game = pyspiel.load_game(text)
    name = next(name for name in fc.games() if text.startswith(openspiel.name_game(name)))
    assert game.game == fc.game(name, **options)
    assert pyspiel.load_game(str(game)).game == game.game
    assert pickle.loads(pickle.dumps(game)).game == game.game


def test_wrong_parameters_are_told_in_the_words_of_the_options() -> None:
    with pytest.raises(OptionError, match="cols: 99 is not allowed; it must be a whole number from 1 to 20"):
        pyspiel.load_game("fourcorners_dots_and_boxes(cols=99)")
    with pytest.raises(OptionError, match="6 4 2"):
        pyspiel.load_game("fourcorners_squarin_off(blockers=6 4 2)")


@pytest.mark.parametrize("players", range(2, 9))
def test_utilities_are_bounded_by_what_one_winner_and_its_losers_get(players: int) -> None:
    game = pyspiel.load_game(f"fourcorners_sqez(cols=3,rows=3,players={players})")
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1 / (players - 1), 1, 0)
    returns = play_randomly(game.new_initial_state(), random.Random(1)).returns()
    assert (min(returns), max(returns)) == (game.min_utility(), game.max_utility())


@all_games
def test_state_is_that_of_the_environment_and_its_actions_are_moves(text: str) -> None:
    state = start(text, 1, 20 if "squendo" in text else 1)
    seen, seat = state.moment.state, state.current_player()
    assert (seat, state.legal_actions()) == (seen.seat, sorted(seen.actions()))
    moves = [state.action_to_string(seat, action) for action in state.legal_actions()]
    assert sorted(moves) == seen.position.moves()
    assert (np.array(state.observation_tensor(0)) == seen.observe(0, "flat")).all()
    assert state.observation_string(1) == seen.position.view(1).text
    other = next(action for action in range(10**5) if action not in state.legal_actions())
    assert state.action_to_string(seat, other) == seen.encoding.describe(other)
    copy = state.clone()
    action = state.legal_actions()[0]
    state.apply_action(action)
    assert str(copy) != str(state)
    with pytest.raises(ValueError, match="is not legal"):
        copy.apply_action(other)


@all_games
def test_returns_are_the_rewards_of_the_environment_in_double_precision(text: str) -> None:
    state = start(text, 2, 1000)
    assert state.returns() == pytest.approx(state.moment.state.rewards)
    assert sum(state.returns()) == pytest.approx(0, abs=1e-15)


def test_truncated_game_is_over_and_nobody_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    state = start("fourcorners_squendo", 1, 20)
    left = len(state.get_game().stochastic.chance.list_pile(state.moment.state.position.record))

    monkeypatch.setattr(encoding, "can_index_all", lambda s: bool(s.pile_size >= left))
    play_randomly(state, random.Random(1))
    assert not state.moment.state.position.is_over
    assert state.is_terminal()
    assert (state.current_player(), state.returns()) == (pyspiel.PlayerId.TERMINAL, [0, 0])


def index_edge(state: Any, action: int) -> int:
    """Return the action of OpenSpiel's own game for an edge of ours, such as a1-b1; rows count from the other side."""
    first, second = re.findall("([a-z])([0-9]+)", state.action_to_string(state.current_player(), action))
    column, row = ord(first[0]) - ord("a"), int(first[1]) - 1
    options = state.get_game().game.options
    if first[1] == second[1]:
        return int(row * options.cols + column)
    return int((options.rows + 1) * options.cols + row * (options.cols + 1) + column)


def compare_values(mine: Any, theirs: Any, known: dict[Any, float]) -> float:
    """Return the value of a position of ours for seat 0; fail if OpenSpiel's own game differs anywhere below."""
    assert mine.current_player() == theirs.current_player()
    assert mine.returns() == theirs.returns()
    if mine.is_terminal():
        return float(mine.returns()[0])
    key = (tuple(mine.legal_actions()), mine.moment.state.scores, mine.current_player())
    if key not in known:
        assert {index_edge(mine, action) for action in mine.legal_actions()} == set(theirs.legal_actions())
        values = [
            compare_values(mine.child(action), theirs.child(index_edge(mine, action)), known)
            for action in mine.legal_actions()
        ]
        known[key] = (min if mine.current_player() else max)(values)
    return known[key]


@pytest.mark.parametrize(
    ("cols", "rows", "value"),
    [(1, 1, -1), (1, 2, 0), (2, 1, 0), (1, 3, -1), pytest.param(2, 2, 1, marks=pytest.mark.ci)],
)
def test_values_are_those_of_the_dots_and_boxes_of_openspiel(cols: int, rows: int, value: float) -> None:
    mine = pyspiel.load_game(f"fourcorners_dots_and_boxes(cols={cols},rows={rows})")
    theirs = pyspiel.load_game(f"dots_and_boxes(num_cols={cols},num_rows={rows})")
    assert compare_values(mine.new_initial_state(), theirs.new_initial_state(), {}) == value
    if cols * rows <= 2:
        assert minimax.alpha_beta_search(mine)[0] == minimax.alpha_beta_search(theirs)[0] == value


def test_search_of_openspiel_takes_the_boxes_that_win() -> None:
    game = pyspiel.load_game("fourcorners_dots_and_boxes(cols=1,rows=2)")
    state = play_randomly(game.new_initial_state(), random.Random(3), 3)
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 200, mcts.RandomRolloutEvaluator(random_state=rng), random_state=rng)
    while not state.is_terminal():
        value, _ = minimax.alpha_beta_search(game, state, maximizing_player_id=0)
        state.apply_action(bot.step(state))
        assert minimax.alpha_beta_search(game, state, maximizing_player_id=0)[0] == value


@pytest.mark.parametrize(("count", "moves"), [(4, 2), pytest.param(20, 6, marks=pytest.mark.ci)])
def test_search_of_openspiel_plays_with_hidden_hands(count: int, moves: int) -> None:
    game = pyspiel.load_game("fourcorners_squendo(players=3)")
    state = play_randomly(game.new_initial_state(), random.Random(1), 60)
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(random_state=rng), 2.0, count, random_state=rng)
    for _ in range(moves):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
        play_randomly(state, random.Random(1), 0)
        if state.is_terminal():
            break


@SQUENDO
def test_chance_deals_and_draws_every_tile_of_the_pile_with_the_same_probability(players: int) -> None:
    game = pyspiel.load_game(f"fourcorners_squendo(players={players})")
    state, rng = game.new_initial_state(), random.Random(players)
    left, moves = set(range(36)), []
    while not state.is_terminal():
        if state.is_chance_node():
            assert state.chance_outcomes() == [(tile, 1 / len(left)) for tile in sorted(left)]
            tile = rng.choice(sorted(left))
            assert state.action_to_string(tile) == f"draw {game.stochastic.tiles[tile]}"
            left.remove(tile)
            state.apply_action(tile)
        else:
            action = rng.choice(state.legal_actions())
            moves.append(state.action_to_string(action))
            state.apply_action(action)
    drawn = [item.action for item in state.full_history() if item.player == pyspiel.PlayerId.CHANCE]
    assert len(drawn) > 4 * players
    deck = game.stochastic.name_tiles([*drawn, *sorted(left)])
    position = fc.game("squendo", players=players).replay(moves, deck=deck)
    assert (position.is_over, position.scores) == (True, state.moment.state.scores)
    assert position.record.hand.tolist() == state.moment.state.position.record.hand.tolist()


def apply_text(state: Any, move: str) -> Any:
    """Play a move given as text; draw nothing."""
    player = state.current_player()
    (action,) = [action for action in state.legal_actions() if state.action_to_string(player, action) == move]
    state.apply_action(action)
    return state


def deal(*tiles: int) -> Any:
    """Return the state after the deal of these eight tiles to two players."""
    state = pyspiel.load_game("fourcorners_squendo(take=any)").new_initial_state()
    for tile in tiles:
        state.apply_action(tile)
    return state


def know(state: Any, player: int) -> tuple[Any, ...]:
    """Return all that OpenSpiel tells a player."""
    return (
        state.information_state_string(player),
        tuple(state.information_state_tensor(player)),
        state.observation_string(player),
        tuple(state.observation_tensor(player)),
    )


def test_player_cannot_tell_worlds_apart_that_differ_in_hidden_tiles() -> None:
    # Seat 1 holds other tiles, but lays the same one; then both seats draw, seat 1 another tile.
    worlds = [deal(0, 1, 2, 3, 12, *others) for others in ((13, 14, 15), (20, 21, 30))]
    for world, hidden in zip(worlds, (24, 25), strict=True):
        apply_text(world, "R0o 0,0 r0").apply_action(5)
        move = next(move for move in map(world.action_to_string, world.legal_actions()) if move.startswith("B0o"))
        apply_text(world, move).apply_action(hidden)
    assert know(worlds[0], 0) == know(worlds[1], 0)
    for mine, other in zip(know(worlds[0], 1), know(worlds[1], 1), strict=True):
        assert mine != other
    assert "draws R2ax" in worlds[0].information_state_string(0)
    assert "draws" not in worlds[0].information_state_string(0).splitlines()[-1]


def test_player_recalls_when_it_drew_a_tile() -> None:
    # The same tiles and moves, but seat 0 draws 4 and 5 in another order.
    worlds = [deal(0, 1, 2, 3, 12, 13, 14, 15) for _ in range(2)]
    for world, (first, second) in zip(worlds, ((4, 5), (5, 4)), strict=True):
        apply_text(world, "R0o 0,0 r0").apply_action(first)
        apply_text(world, "B0o 1,0 r0").apply_action(24)
        apply_text(world, "R0x 0,1 r0").apply_action(second)
    assert worlds[0].moment.state == worlds[1].moment.state
    mine, other = (know(world, 0) for world in worlds)
    assert mine[2:] == other[2:]
    assert mine[0] != other[0]
    assert mine[1] != other[1]
    assert know(worlds[0], 1) == know(worlds[1], 1)


def test_others_do_not_see_which_tile_is_taken_back() -> None:
    state, found = start("fourcorners_squendo(players=3,take=any)", 3, 60), 0
    game, rng = state.get_game(), random.Random(3)
    while not state.is_terminal():
        position, seat = state.moment.state.position, state.current_player()
        groups: dict[int, list[int]] = {}
        for action in state.legal_actions():
            code = game.encoding.find_action(position.states, action)
            groups.setdefault(game.stochastic.chance.mask_action(position.record, code), []).append(action)
        texts = {position.game.spec.mask_move(state.action_to_string(seat, group[0])) for group in groups.values()}
        assert len(texts) == len(groups)
        for group in groups.values():
            children = [state.child(action) for action in group]
            for player in range(3) if len(group) > 1 else ():
                seen = {know(child, player) for child in children}
                assert len(seen) == (len(group) if player == seat else 1)
                found += 1
        state.apply_action(rng.choice(state.legal_actions()))
        play_randomly(state, rng, 0)
        if found > 10:
            break
    assert found > 10


def make_sampler(seed: int) -> Callable[[], float]:
    """Return a function that returns random numbers from 0 up to 1."""
    return random.Random(seed).random


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("fourcorners_squendo(take=any)", 20),
        ("fourcorners_squendo(take=any)", 110),
        ("fourcorners_squendo(players=4)", 45),
        pytest.param("fourcorners_squendo(players=4)", 130, marks=pytest.mark.ci),
    ],
)
def test_imagined_worlds_look_the_same_to_the_player_and_depend_on_nothing_hidden(text: str, most: int) -> None:
    state = start(text, most, most)
    for player in range(state.num_players()):
        worlds = [state.resample_from_infostate(player, make_sampler(seed)) for seed in range(2)]
        for world in worlds:
            assert know(world, player) == know(state, player)
            assert world.current_player() == state.current_player()
            if player == state.current_player():
                assert world.legal_actions() == state.legal_actions()
            # What is imagined is the same in another world that the player cannot tell apart.
            again = world.resample_from_infostate(player, make_sampler(9))
            assert again.history() == state.resample_from_infostate(player, make_sampler(9)).history()
        assert state.is_terminal() or len({str(world) for world in [state, *worlds]}) > 1


def test_observers_exist_for_what_a_player_or_a_spectator_sees() -> None:
    state = start("fourcorners_squendo", 1, 30)
    game, kind, private = state.get_game(), pyspiel.IIGObservationType, pyspiel.PrivateInfoType
    hand = make_observation(game, kind(public_info=False, perfect_recall=False))
    names = game.stochastic.name_tiles(game.stochastic.list_hand(state.moment, 1))
    assert hand.string_from(state, 1) == " ".join(names)
    table = make_observation(game, kind(perfect_recall=False, private_info=private.NONE))
    assert table.string_from(state, 1) == state.moment.state.position.view().text
    assert make_observation(game, kind(perfect_recall=False, private_info=private.ALL_PLAYERS)) is None
    history = make_observation(game, kind(perfect_recall=True))
    history.set_from(state, 1)
    assert history.tensor.tolist() == state.information_state_tensor(1)
    assert history.dict["dealt"].sum() == 4
    assert (history.dict["moves"].sum(axis=1) > 0).sum() == len(state.moment.events)


EXTERNAL = """
import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners_cram import SPEC

catalogue.set_loader(lambda: [SPEC])
import pyspiel
from fourcorners.envs import openspiel

print([game.default_loadable for game in pyspiel.registered_games() if game.short_name == "fourcorners_cram"])
try:
    pyspiel.load_game("fourcorners_cram(cols=3)")
except fc.GameError as error:
    print(error)
"""


def test_external_game_without_an_encoding_is_registered_but_refused() -> None:
    paths = os.pathsep.join([str(Path(fc.__file__).parents[1]), str(ROOT), str(ROOT / "tests" / "cram")])
    env = {**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", EXTERNAL], env=env, capture_output=True, text=True, check=False)
    refusal = "Cram has no encoding, so OpenSpiel cannot number its actions"
    assert (run.returncode, run.stdout) == (0, f"[False]\n{refusal}\n"), run.stderr


def test_missing_package_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r'openspiel needs the extra "envs": pip install "fourcorners\[envs\]"'):
        importlib.reload(openspiel)
    monkeypatch.setattr(extras, "MODULES", {"envs": ()})
    with pytest.raises(GameError, match="openspiel needs open-spiel, which has no wheels for this platform"):
        importlib.reload(openspiel)
