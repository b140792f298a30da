"""Train the value network of the strongest Squendo player: `python -m benchmarks.value_network`.

`play FILE` lets the strongest level play against itself with few simulations, and stores the features of each position
(`strategy.features`) and how its game ended. `fit FILE...` fits the network to such files, prints its error on games
that it was not fitted to, and writes `strategy/network_weights.py`. The files are not needed afterwards.

The network is first fitted to the ends of the games. Each later round fits a new one to a mixture of the end and what
the previous network predicted for the positions that followed (temporal differences, Sutton 1988), so that luck with
later draws counts less.
"""

import argparse
import json
import random
import textwrap
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squendo import evaluate
from fourcorners.builtin.squendo.options import MAX_SEATS
from fourcorners.builtin.squendo.strategy import features, value_network
from fourcorners.core import catalogue, compiled_api
from fourcorners.core.arrays import States
from fourcorners.core.jit import kernel
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.search.tree_search import TreeSearch

Floats = NDArray[np.float64]

_TARGET = Path(value_network.__file__).with_name("network_weights.py")
_MOST_RANDOM = 4  # plies at the start
_BLUNDER = 0.05  # the share of later moves that are drawn at random from the best five
_HIDDEN = 16
_ROUNDS = 3
_EPOCHS = 10
_BATCH = 256
_RATE = 3e-3  # the learning rate at the beginning
_DECAY = 1e-3  # of the weights
_LAMBDA = 0.85  # the part of a target that comes from beyond the next position
_MARGIN_SHARE = 0.02  # the weight of the error in points; that of the error in chances is 1
_MOST_POINTS = 6.0  # errors in points are clipped to this
_HELD_OUT = 8  # one game in eight is only for testing


class Games(NamedTuple):
    """Positions of games with the same number of seats, in order: n of them.

    - `inputs`: (n, seats, `features.INPUT_COUNT`); `points`, `final`: (n, seats), now and at the end of the game.
    - `tiles`: (n,), in pile and hands; `game`: (n,), the number of the game as a float.
    """

    inputs: Floats
    points: Floats
    final: Floats
    tiles: Floats
    game: Floats


@kernel
def _compute_features(states: States, inputs: Floats, points: Floats, tiles: Floats) -> None:
    """Write the columns `inputs`, `points` and `tiles` of `Games` for n positions."""
    for i in range(len(states)):
        tiles[i] = features.count_tiles_left(states[i])
        features.compute_features(states[i], inputs[i], points[i])


def play(players: int, games: int, simulations: int, seed: int, seconds: float) -> Games:
    """Play games, but begin none after this many seconds of processor time, and return their positions."""
    game = catalogue.parse_game("squendo", {"players": str(players)})
    weights = list(game.spec.part(ComputerPlay).levels[-1].weights)
    weights[evaluate.BELIEF] = 0.0  # weighing worlds would take longer than so few simulations
    rng = random.Random(seed)
    records: list[States] = []
    final: list[NDArray[np.int64]] = []
    number: list[int] = []
    end = time.process_time() + seconds
    for count in range(games):
        if time.process_time() > end:
            break
        position = game.start(seed=rng.getrandbits(31))
        random_plies = rng.randint(0, _MOST_RANDOM)
        while not position.is_over:
            records.append(np.array(position.states))
            number.append(count)
            if len(position.plies) < random_plies:
                move = rng.choice(position.moves())
            else:
                view = position.view(position.seat)
                search = TreeSearch(view, rng.getrandbits(40), weights)
                search.advance(simulations)
                found = search.rank_actions()
                chosen = rng.choice(found[:5]) if rng.random() < _BLUNDER else found[0]
                move = game.spec.notation.format(view.record, chosen.action)
            position = position.play(move)
        points = np.zeros(MAX_SEATS, np.int64)
        compiled_api.status(position.states, 0, points)
        final += [points[:players]] * (len(records) - len(final))
    states = np.concatenate(records)
    inputs = np.zeros((len(states), MAX_SEATS, features.INPUT_COUNT))
    present, tiles = np.zeros((len(states), MAX_SEATS)), np.zeros(len(states))
    _compute_features(states, inputs, present, tiles)
    return Games(inputs[:, :players], present[:, :players], np.array(final, float), tiles, np.array(number, float))


class Network(NamedTuple):
    """The parameters of `value_network.predict`, for inputs from which `mean` is subtracted and which are then divided
    by `scale`, both (INPUT_COUNT,).

    `first` is (INPUT_COUNT, hidden), `bias` (hidden,), `second` (hidden,), `direct` (INPUT_COUNT,) and `spread` (2,):
    the logarithm of the spread in points with half of the tiles left, and its growth from no tiles left to all.
    """

    mean: Floats
    scale: Floats
    first: Floats
    bias: Floats
    second: Floats
    direct: Floats
    spread: Floats

    def predict(self, inputs: Floats, points: Floats, tiles: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return the scaled inputs, the hidden values, the expected points, the spread, and the chances of winning."""
        scaled = (inputs - self.mean) / self.scale
        hidden = np.maximum(scaled @ self.first + self.bias, 0.0)
        part = tiles[:, None] / value_network.TILES
        expected = points + part * (hidden @ self.second + scaled @ self.direct)
        spread = np.exp(self.spread[0] + self.spread[1] * (part - 0.5))
        odds = expected / spread
        odds = np.exp(odds - odds.max(1, keepdims=True))
        return scaled, hidden, expected, spread, odds / odds.sum(1, keepdims=True)


def _create_network(sets: list[Games], rng: np.random.Generator) -> Network:
    """Return a network with small random parameters that normalises the inputs of these games."""
    rows = np.concatenate([games.inputs.reshape(-1, features.INPUT_COUNT) for games in sets])
    first = rng.standard_normal((features.INPUT_COUNT, _HIDDEN)) / np.sqrt(features.INPUT_COUNT)
    second = 0.1 * rng.standard_normal(_HIDDEN)
    direct = np.zeros(features.INPUT_COUNT)
    return Network(rows.mean(0), rows.std(0) + 0.05, first, np.zeros(_HIDDEN), second, direct, np.array([1.0, 0.3]))


def _compute_gradients(network: Network, games: Games, chances: Floats) -> dict[str, Floats]:
    """Return the gradient of the error by each parameter, in positions whose target `chances` are (n, seats)."""
    scaled, hidden, expected, spread, found = network.predict(games.inputs, games.points, games.tiles)
    count = len(chances)
    part = games.tiles[:, None] / value_network.TILES
    by_odds = (found - chances) / count
    off = expected - expected.mean(1, keepdims=True) - games.final + games.final.mean(1, keepdims=True)
    by_points = by_odds / spread + _MARGIN_SHARE / count * np.clip(off, -_MOST_POINTS, _MOST_POINTS)
    by_output = by_points * part
    by_hidden = by_output[..., None] * network.second * (hidden > 0.0)
    by_spread = -(by_odds * expected / spread).sum(1)
    return {
        "first": np.einsum("nsi,nsh->ih", scaled, by_hidden, optimize=True) + _DECAY * network.first,
        "bias": by_hidden.sum((0, 1)),
        "second": (hidden * by_output[..., None]).sum((0, 1)) + _DECAY * network.second,
        "direct": (scaled * by_output[..., None]).sum((0, 1)) + _DECAY * network.direct,
        "spread": np.array([by_spread.sum(), (by_spread * (part[:, 0] - 0.5)).sum()]),
    }


def _train(sets: list[tuple[Games, Floats]], epochs: int, rng: np.random.Generator) -> Network:
    """Return a new network, trained with Adam on games with the target chances of their seats."""
    network = _create_network([games for games, _ in sets], rng)
    means = {name: np.zeros_like(value) for name, value in network._asdict().items()}
    squares = {name: np.zeros_like(value) for name, value in network._asdict().items()}
    step = 0
    for epoch in range(epochs):
        batches = [
            (which, batch)
            for which, (games, _) in enumerate(sets)
            for batch in np.array_split(rng.permutation(len(games.game)), max(1, len(games.game) // _BATCH))
        ]
        rng.shuffle(batches)
        rate = _RATE * (0.5 + 0.5 * np.cos(np.pi * epoch / epochs) + 0.01)
        for which, batch in batches:
            games, chances = sets[which]
            gradients = _compute_gradients(network, Games(*(column[batch] for column in games)), chances[batch])
            step += 1
            updated: dict[str, Any] = {}
            for name, gradient in gradients.items():
                means[name] = 0.9 * means[name] + 0.1 * gradient
                squares[name] = 0.999 * squares[name] + 0.001 * gradient * gradient
                size = np.sqrt(squares[name] / (1.0 - 0.999**step)) + 1e-8
                updated[name] = getattr(network, name) - rate * means[name] / (1.0 - 0.9**step) / size
            network = network._replace(**updated)
    return network


def _compute_win_shares(final: Floats) -> Floats:
    """Return the share of the win of every seat, (n, seats), by the points at the end."""
    winners = final == final.max(1, keepdims=True)
    return np.asarray(winners / winners.sum(1, keepdims=True))


def _mix_targets(network: Network, games: Games) -> tuple[Games, Floats]:
    """Return games and chances as targets, each mixed from the end and what a network predicts for later positions."""
    _, _, expected, _, found = network.predict(games.inputs, games.points, games.tiles)
    final, chances = games.final.copy(), _compute_win_shares(games.final)
    for i in range(len(final) - 2, -1, -1):
        if games.game[i] == games.game[i + 1]:
            final[i] = _LAMBDA * final[i + 1] + (1.0 - _LAMBDA) * expected[i + 1]
            chances[i] = _LAMBDA * chances[i + 1] + (1.0 - _LAMBDA) * found[i + 1]
    return games._replace(final=final), chances


def _split(games: Games, *, fits: bool) -> Games:
    """Return the games to fit to, or the others."""
    chosen = (games.game % _HELD_OUT != _HELD_OUT - 1) == fits
    return Games(*(column[chosen] for column in games))


def fit(sets: list[Games], seed: int) -> tuple[Network, list[dict[str, Any]]]:
    """Return the network, and for each round and set its mean error (cross-entropy, in nats) on games that it was not
    fitted to, by the number of tiles left.
    """
    rng = np.random.default_rng(seed)
    training = [_split(games, fits=True) for games in sets]
    targets = [(games, _compute_win_shares(games.final)) for games in training]
    report = []
    network = _create_network(training, rng)
    for number in range(_ROUNDS + 1):
        network = _train(targets, _EPOCHS * (1 + (number == _ROUNDS)), rng)
        targets = [_mix_targets(network, games) for games in training]
        for games in (_split(games, fits=False) for games in sets):
            found = network.predict(games.inputs, games.points, games.tiles)[4]
            error = -(_compute_win_shares(games.final) * np.log(found + 1e-9)).sum(1)
            phases = {
                f"from {8 * phase:.0f} tiles": round(float(error[games.tiles // 8 == phase].mean()), 4)
                for phase in np.unique(games.tiles // 8)
            }
            report.append({"round": number, "seats": games.points.shape[1], "error": phases})
    return network, report


def _format_numbers(numbers: Floats) -> str:
    """Return numbers as a Python string literal of several lines."""
    return textwrap.fill(" ".join(f"{number:.4g}" for number in numbers.ravel()), 110).join(['"""\n', '\n"""'])


def write(network: Network) -> None:
    """Write a network as a Python module, with the normalisation of the inputs folded into its parameters."""
    first = np.column_stack([network.first, network.direct]) / network.scale[:, None]
    bias = np.append(network.bias, 0.0) - network.mean @ first
    low = float(np.exp(network.spread[0] - 0.5 * network.spread[1]))
    _TARGET.write_text(
        '"""The parameters of `value_network`, fitted by `python -m benchmarks.value_network`."""\n\n'
        "import numpy as np\n\n\n"
        "def _read(numbers: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:\n"
        '    """Return the numbers of a text as an array with one dimension."""\n'
        "    return np.array(numbers.split(), float)\n\n\n"
        f"OUTPUT = _read({_format_numbers(network.second)})\n"
        f"INPUT = _read({_format_numbers(np.vstack([first, bias]))}).reshape(-1, len(OUTPUT) + 1)\n"
        f"SPREAD, SPREAD_GROWTH = {low:.4g}, {float(network.spread[1]):.4g}\n"
    )


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.value_network", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play", help="play games and store their positions")
    player.add_argument("file", type=Path)
    player.add_argument("--players", type=int, default=2, help="the number of seats")
    player.add_argument("--games", type=int, default=2_000)
    player.add_argument("--simulations", type=int, default=200, help="for each move")
    player.add_argument("--seed", type=int, default=1)
    player.add_argument(
        "--seconds", type=float, default=float("inf"), help="begin no game after this many seconds of processor time"
    )
    fitter = commands.add_parser("fit", help="fit the network to games")
    fitter.add_argument("files", type=Path, nargs="+")
    fitter.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.command == "play":
        games = play(args.players, args.games, args.simulations, args.seed, args.seconds)
        np.savez_compressed(args.file, **{name: column.astype(np.int16) for name, column in games._asdict().items()})
        print(json.dumps({"games": int(games.game[-1]) + 1, "positions": len(games.game)}))
        return
    sets = []
    for path in args.files:
        with np.load(path) as columns:
            sets.append(Games(*(columns[name].astype(float) for name in Games._fields)))
    network, report = fit(sets, args.seed)
    for line in report:
        print(json.dumps(line))
    write(network)


if __name__ == "__main__":
    main()
