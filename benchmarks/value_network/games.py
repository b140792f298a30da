"""Games that the strongest level of a game plays against itself with few simulations, in files.

Games are played in units. The file of a unit is renamed into place when it is complete, so a run can be stopped at any
time and continued.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.value_network.fitting import Games
from benchmarks.value_network.subjects import SUBJECTS
from fourcorners.core import catalogue, compiled_api
from fourcorners.core.arrays import States
from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.tree_search import TreeSearch

_GAMES = 32  # of a unit
_MOST_RANDOM = 4  # plies at the start
_BLUNDER = 0.05  # the share of later moves that are drawn at random from the best five


class Unit(NamedTuple):
    """Games of one unit: their first positions, (g,) of the game's dtype, the number of actions of each, (g,), all
    actions one after another, and the seconds of processor time that they took, (1,).
    """

    starts: States
    lengths: NDArray[np.int64]
    actions: NDArray[np.int64]
    seconds: NDArray[np.float64]


def find_unit(folder: Path, number: int) -> Path:
    """Return the path of a unit's file."""
    return folder / f"{number:06}.npz"


def create_game(name: str, number: int) -> Game:
    """Return the game with the options of a unit."""
    boards = SUBJECTS[name].boards
    return catalogue.parse_game(name, dict(boards[number % len(boards)]))


def play_unit(name: str, folder: Path, number: int, simulations: int, seed: int) -> float:
    """Play a unit and write its file; return the seconds of processor time that it took."""
    began = time.process_time()
    game = create_game(name, number)
    weights = list(game.spec.part(ComputerPlay).levels[-1].weights)
    for index, weight in SUBJECTS[name].weights.items():
        weights[index] = weight
    rng = random.Random(f"{seed}/{number}")
    starts, lengths = [], []
    actions: list[int] = []
    for _ in range(_GAMES):
        position = game.start(seed=rng.getrandbits(31))
        starts.append(np.array(position.states))
        first = len(actions)
        random_plies = rng.randint(0, _MOST_RANDOM)
        while not position.is_over:
            if len(position.plies) < random_plies:
                move = rng.choice(position.moves())
                action = game.spec.notation.parse(position.record, move)
            else:
                search = TreeSearch(position.view(position.seat), rng.getrandbits(40), weights)
                search.advance(simulations)
                found = search.rank_actions()
                action = (rng.choice(found[:5]) if rng.random() < _BLUNDER else found[0]).action
                move = game.spec.notation.format(position.record, action)
            actions.append(action)
            position = position.play(move)
        lengths.append(len(actions) - first)
    seconds = time.process_time() - began
    unit = Unit(np.concatenate(starts), np.array(lengths), np.array(actions), np.array([seconds]))
    path = find_unit(folder, number)
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, **unit._asdict())
    unfinished.rename(path)
    return seconds


def read_units(folder: Path) -> Iterator[tuple[int, Unit]]:
    """Yield the number of each complete unit in a folder, and the unit."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as columns:
            yield int(path.stem), Unit(**columns)


def describe_games(name: str, folder: Path) -> list[Games]:
    """Return the positions in a folder's games that the network is asked about, as one set for each number of seats."""
    sets: dict[int, list[Games]] = {}
    count = 0
    for number, unit in read_units(folder):
        games = _describe_unit(name, create_game(name, number), unit)
        sets.setdefault(games.points.shape[1], []).append(games._replace(game=games.game + count))
        count += len(unit.starts)
    return [Games(*(np.concatenate(column) for column in zip(*units, strict=True))) for units in sets.values()]


def _describe_unit(name: str, game: Game, unit: Unit) -> Games:
    """Return the positions of a unit, by playing its games again."""
    subject, seats = SUBJECTS[name], game.options.seats
    states = np.repeat(unit.starts, unit.lengths)
    final = np.zeros((len(states), seats))
    points = np.zeros(subject.seats, np.int64)
    index = 0
    for start, length in zip(unit.starts, unit.lengths, strict=True):
        now = start.reshape(1).copy()
        for ply in range(index, index + length):
            states[ply] = now[0]
            compiled_api.play(now, 0, int(unit.actions[ply]))
        compiled_api.status(now, 0, points)
        final[index : index + length] = points[:seats]
        index += length
    inputs = np.zeros((len(states), subject.seats, subject.features))
    present, part = np.zeros((len(states), subject.seats)), np.zeros(len(states))
    subject.describe(states, inputs, present, part)
    used = part >= 0.0
    number = np.repeat(np.arange(len(unit.starts)), unit.lengths)
    return Games(inputs[used, :seats].astype(np.float32), present[used, :seats], final[used], part[used], number[used])
