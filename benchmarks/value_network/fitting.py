"""Fit a value network to games.

The network is first fitted to the ends of the games. Each later round fits a new one to a mixture of the end and what
the previous network predicted for the positions that followed (temporal differences, Sutton 1988), so that luck in
later moves counts less.
"""

import textwrap
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BATCH = 256
_RATE = 3e-3  # the learning rate at the beginning
_LAMBDA = 0.85  # the part of a target that comes from beyond the next position
_MARGIN_SHARE = 0.02  # the weight of the error in points; that of the error in chances is 1
_MOST_POINTS = 6.0  # errors in points are clipped to this
_PHASES = 8  # of a game, in reports
_HELD_OUT = 8  # one game in eight is only for testing
_SLICE = 10_000  # positions that are predicted at once
_SAMPLE = 100_000  # positions from which the inputs are normalised


class Settings(NamedTuple):
    """The number of hidden units, of rounds after the first, of epochs in a round (twice as many in the last one), and
    the decay of the weights.
    """

    hidden: int
    rounds: int
    epochs: int
    decay: float


class Games(NamedTuple):
    """Positions of games with the same number of seats, in order: n of them with m features.

    - `inputs`: (n, seats, m); `points`, `final`: (n, seats), now and at the end of the game.
    - `part`: (n,), the part of the game that is left; `game`: (n,), the number of the game.
    """

    inputs: NDArray[np.float32]
    points: Floats
    final: Floats
    part: Floats
    game: NDArray[np.int64]

    def select(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Return some of the positions, given by their indices or by a mask."""
        columns: dict[str, Any] = {name: column[chosen] for name, column in self._asdict().items()}
        return self._replace(**columns)


class Network(NamedTuple):
    """The parameters of a network for m features, from which `mean` is subtracted and which are then divided by
    `scale`, both (m,).

    `first` is (m, hidden), `bias` (hidden,), `second` (hidden,), `direct` (m,) and `spread` (2,): the logarithm of the
    spread in points with half of the game left, and its growth from none of it to all.
    """

    mean: Floats
    scale: Floats
    first: Floats
    bias: Floats
    second: Floats
    direct: Floats
    spread: Floats

    def predict(self, inputs: NDArray[np.floating], points: Floats, part: Floats) -> tuple[Floats, ...]:
        """Return the scaled inputs, the hidden values, the expected points, the spread, and the chances of winning."""
        scaled = (inputs - self.mean) / self.scale
        hidden = np.maximum(scaled @ self.first + self.bias, 0.0)
        part = part[:, None]
        expected = points + part * (hidden @ self.second + scaled @ self.direct)
        spread = np.exp(self.spread[0] + self.spread[1] * (part - 0.5))
        odds = expected / spread
        odds = np.exp(odds - odds.max(1, keepdims=True))
        return scaled, hidden, expected, spread, odds / odds.sum(1, keepdims=True)

    def predict_all(self, games: Games) -> tuple[Floats, Floats]:
        """Return the expected points and the chances of winning, slice by slice, because the inputs are large."""
        expected, chances = np.zeros_like(games.points), np.zeros_like(games.points)
        for first in range(0, len(games.part), _SLICE):
            here = slice(first, first + _SLICE)
            _, _, expected[here], _, chances[here] = self.predict(
                games.inputs[here], games.points[here], games.part[here]
            )
        return expected, chances


def _create_network(sets: list[Games], hidden: int, rng: np.random.Generator) -> Network:
    """Return a network with small random parameters that normalises the inputs of these games."""
    count = sets[0].inputs.shape[-1]
    sample = [games.inputs[rng.permutation(len(games.game))[: _SAMPLE // len(sets)]] for games in sets]
    rows = np.concatenate([inputs.reshape(-1, count) for inputs in sample]).astype(float)
    first = rng.standard_normal((count, hidden)) / np.sqrt(count)
    second = 0.1 * rng.standard_normal(hidden)
    direct = np.zeros(count)
    return Network(rows.mean(0), rows.std(0) + 0.05, first, np.zeros(hidden), second, direct, np.array([1.0, 0.3]))


def _compute_gradients(network: Network, games: Games, chances: Floats, decay: float) -> dict[str, Floats]:
    """Return the gradient of the error by each parameter, in positions whose target `chances` are (n, seats)."""
    scaled, hidden, expected, spread, found = network.predict(games.inputs, games.points, games.part)
    count = len(chances)
    part = games.part[:, None]
    by_odds = (found - chances) / count
    off = expected - expected.mean(1, keepdims=True) - games.final + games.final.mean(1, keepdims=True)
    by_points = by_odds / spread + _MARGIN_SHARE / count * np.clip(off, -_MOST_POINTS, _MOST_POINTS)
    by_output = by_points * part
    by_hidden = by_output[..., None] * network.second * (hidden > 0.0)
    by_spread = -(by_odds * expected / spread).sum(1)
    return {
        "first": np.einsum("nsi,nsh->ih", scaled, by_hidden, optimize=True) + decay * network.first,
        "bias": by_hidden.sum((0, 1)),
        "second": (hidden * by_output[..., None]).sum((0, 1)) + decay * network.second,
        "direct": (scaled * by_output[..., None]).sum((0, 1)) + decay * network.direct,
        "spread": np.array([by_spread.sum(), (by_spread * (part[:, 0] - 0.5)).sum()]),
    }


def _train(sets: list[tuple[Games, Floats]], settings: Settings, epochs: int, rng: np.random.Generator) -> Network:
    """Return a new network, trained with Adam on games with the target chances of their seats."""
    network = _create_network([games for games, _ in sets], settings.hidden, rng)
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
            gradients = _compute_gradients(network, games.select(batch), chances[batch], settings.decay)
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
    expected, found = network.predict_all(games)
    final, chances = games.final.copy(), _compute_win_shares(games.final)
    for i in range(len(final) - 2, -1, -1):
        if games.game[i] == games.game[i + 1]:
            final[i] = _LAMBDA * final[i + 1] + (1.0 - _LAMBDA) * expected[i + 1]
            chances[i] = _LAMBDA * chances[i + 1] + (1.0 - _LAMBDA) * found[i + 1]
    return games._replace(final=final), chances


def _split(games: Games, *, fits: bool) -> Games:
    """Return the games to fit to, or the others."""
    return games.select((games.game % _HELD_OUT != _HELD_OUT - 1) == fits)


def fit(sets: list[Games], settings: Settings, seed: int) -> tuple[Network, list[dict[str, Any]]]:
    """Return the network, and for each round and set its mean error (cross-entropy, in nats) on games that it was not
    fitted to, by the part of the game that is left, in eighths.
    """
    rng = np.random.default_rng(seed)
    training = [_split(games, fits=True) for games in sets]
    targets = [(games, _compute_win_shares(games.final)) for games in training]
    report = []
    network = _create_network(training, settings.hidden, rng)
    for number in range(settings.rounds + 1):
        network = _train(targets, settings, settings.epochs * (1 + (number == settings.rounds)), rng)
        targets = [_mix_targets(network, games) for games in training]
        for games in (_split(games, fits=False) for games in sets):
            _, found = network.predict_all(games)
            error = -(_compute_win_shares(games.final) * np.log(found + 1e-9)).sum(1)
            phase = np.minimum(games.part * _PHASES, _PHASES - 1).astype(int)
            phases = {
                f"to {each + 1}/{_PHASES}": round(float(error[phase == each].mean()), 4) for each in np.unique(phase)
            }
            report.append({"round": number, "seats": games.points.shape[1], "error": phases})
    return network, report


def _format_numbers(numbers: Floats) -> str:
    """Return numbers as a Python string literal of several lines."""
    return textwrap.fill(" ".join(f"{number:.4g}" for number in numbers.ravel()), 110).join(['"""\n', '\n"""'])


def format_network(name: str, network: Network) -> str:
    """Return a network as a Python module, with the normalisation of the inputs folded into its parameters."""
    first = np.column_stack([network.first, network.direct]) / network.scale[:, None]
    bias = np.append(network.bias, 0.0) - network.mean @ first
    low = float(np.exp(network.spread[0] - 0.5 * network.spread[1]))
    return (
        f'"""The parameters of `value_network`, fitted by `python -m benchmarks.value_network {name}`."""\n\n'
        "from fourcorners.core.value_network import read_parameters\n\n"
        f"OUTPUT = read_parameters({_format_numbers(network.second)})\n"
        f"INPUT = read_parameters({_format_numbers(np.vstack([first, bias]))}).reshape(-1, len(OUTPUT) + 1)\n"
        f"SPREAD, SPREAD_GROWTH = {low:.4g}, {float(network.spread[1]):.4g}\n"
    )
