"""Random play in the environments of other libraries: loops of one thread, each of which returns the steps it made."""

import os
import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.peers import search_with_openspiel

Loop = Callable[[], int]
CPP, MASKS = "OpenSpiel's C++ rollouts", "OpenSpiel's Python loop with masks"
TENSORS = f"{MASKS} and tensors"
TICTACTOE = "PettingZoo's tictactoe"
PGX, ENVPOOL = {"pgx's hex": "hex", "pgx's connect_four": "connect_four"}, "EnvPool's Minesweeper"
NEAREST = (*PGX, ENVPOOL)
"""Boards of pgx and EnvPool that are like ours: none has lines between dots, and EnvPool has none for two seats."""
_ROLLOUTS = 1000  # every call has the same seed, and a processor would learn to predict a few games


def build_openspiel_loops(count: int) -> dict[str, Loop]:
    """Return loops over whole games of dots and boxes, 5 x 5; raise ImportError without OpenSpiel."""
    spiel: Any = import_module("pyspiel")
    game = spiel.load_game("dots_and_boxes(num_rows=5,num_cols=5)")
    start, rng = game.new_initial_state(), random.Random(1)

    def roll_out() -> int:
        # A search of one simulation only evaluates the start: the only way to run playouts without leaving C++.
        search_with_openspiel(game, start, _ROLLOUTS, 1)
        return _ROLLOUTS * int(game.max_game_length())

    def play(*, has_tensors: bool) -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.legal_actions_mask()
            if has_tensors:
                state.observation_tensor()
            # To choose from the mask would take longer.
            state.apply_action(rng.choice(state.legal_actions()))
        return int(state.move_number())

    return {CPP: roll_out, MASKS: lambda: play(has_tensors=False), TENSORS: lambda: play(has_tensors=True)}


def build_pgx_loops(count: int) -> dict[str, Loop]:
    """Return loops over `count` games, which start again when they end; raise ImportError without pgx."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    pgx: Any = import_module("pgx")
    jax: Any = import_module("jax")
    split = jax.random.split

    def build(board: str) -> Loop:
        env = pgx.make(board)
        step = jax.vmap(import_module("pgx.experimental").auto_reset(env.step, env.init))

        def advance(state: Any, key: Any) -> tuple[Any, Any]:
            key, choosing, playing = split(key, 3)
            # Quicker than `jax.random.categorical`.
            ranks = jax.numpy.cumsum(state.legal_action_mask, axis=1)
            actions = jax.numpy.argmax(ranks > jax.random.uniform(choosing, (count, 1)) * ranks[:, -1:], axis=1)
            return step(state, actions, split(playing, count)), key

        compiled = jax.jit(advance)
        now = jax.jit(jax.vmap(env.init))(split(jax.random.PRNGKey(1), count)), jax.random.PRNGKey(2)

        def run() -> int:
            nonlocal now
            for _ in range(4):
                now = compiled(*now)
            jax.block_until_ready(now)
            return 4 * count

        return run

    return {name: build(board) for name, board in PGX.items()}


def build_envpool_loops(count: int) -> dict[str, Loop]:
    """Return a loop over `count` games, which start again when they end; raise ImportError without EnvPool."""
    env: Any = import_module("envpool").make(
        "Minesweeper-v0", env_type="gymnasium", num_envs=count, num_threads=1, seed=1
    )
    rng = np.random.default_rng(1)
    mask = env.reset()[0]["action_mask"]

    def run() -> int:
        nonlocal mask
        ranks = mask.reshape(count, -1).cumsum(axis=1, dtype=np.int16)
        cells = np.argmax(ranks > rng.random((count, 1)) * ranks[:, -1:], axis=1)
        actions = np.stack(np.divmod(cells, mask.shape[2]), axis=1)
        mask = env.step(actions.astype(np.int32))[0]["action_mask"]
        return count

    return {ENVPOOL: run}


def build_pettingzoo_loops(count: int) -> dict[str, Loop]:
    """Return a loop over whole games; raise ImportError without PettingZoo and pygame, which its games need."""
    env = import_module("pettingzoo.classic.tictactoe_v3").env()
    return {TICTACTOE: lambda: play_aec(env)}


def play_aec(env: Any) -> int:
    """Play a random game as PettingZoo's documentation does; return the number of steps, those after the end too."""
    env.reset()
    steps = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        masked = observation if isinstance(observation, dict) else info
        is_over = terminated or truncated
        env.step(None if is_over else env.action_space(agent).sample(masked["action_mask"]))
        steps += 1
    return steps


BUILDERS = {
    "OpenSpiel": build_openspiel_loops,
    "pgx": build_pgx_loops,
    "EnvPool": build_envpool_loops,
    "PettingZoo with pygame": build_pettingzoo_loops,
}
"""For each library the function that builds its loops for a number of games."""


def build_loops(count: int, report: Callable[[str], None]) -> dict[str, Loop]:
    """Return all loops, for `count` games; `report` is told which libraries are not installed, and so left out."""
    loops: dict[str, Loop] = {}
    for library, build in BUILDERS.items():
        try:
            loops |= build(count)
        except ImportError:
            report(f"envs: {library} is not installed, so there is no comparison with it")
    return loops
