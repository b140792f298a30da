"""Games as environments of Gymnasium: one seat plays, and opponents play the others.

>>> import gymnasium
>>> import fourcorners.envs.gymnasium
>>> name = next(name for name in gymnasium.registry if name.startswith("fourcorners/"))
>>> env = gymnasium.make(name, cols=3, rows=3, opponent="random")
>>> observation, info = env.reset(seed=1)
>>> is_over = False
>>> while not is_over:
...     action = env.action_space.sample(info["action_mask"])
...     observation, reward, terminated, truncated, info = env.step(action)
...     is_over = terminated or truncated
>>> vector = gymnasium.make_vec(name, 1024, cols=3, rows=3, opponent="random")
>>> vector.reset(seed=1)[0].shape == (1024, *observation.shape)
True

Importing this module registers an environment for every game and preset, named after its id as in `MyGame-v0`.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments, catalogue, extras
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.envs.batch import Batch
from fourcorners.envs.encoding import Encoding, IllegalActionError
from fourcorners.envs.state import State
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    extras.require("envs", "fourcorners.envs.gymnasium needs")
    raise

from fourcorners.envs.adapter import RENDER_MODES, Adapter, check_render_mode

_VERSION = "v0"
_MOST_STARTS = 1000
Seat = int | Literal["alternate"]
Illegal = Literal["lose", "raise"] | None
RenderMode = Literal["ansi", "rgb_array", "human"] | None
Choose = Callable[[Batch], NDArray[np.integer[Any]] | Sequence[int]]
"""A function that returns an index for each game of a batch, of which those are used whose seat is not -1."""


class _Games:
    """Games in which one seat is played from outside, and the others by opponents; each goes on until its end."""

    def __init__(self, adapter: Adapter, seat: Seat, choose: Choose) -> None:
        """Take the games, the seat, and how opponents choose; raise OptionError for a wrong seat."""
        self.adapter, self._choose = adapter, choose
        if seat != "alternate":
            most = adapter.game.seats - 1
            seat = arguments.check_int("seat", seat, 0, most, f"'alternate' or a whole number from 0 to {most}")
        self._seat = seat
        n = len(adapter.batch)
        self.seats = np.zeros(n, np.int64)
        self.rewards = np.zeros(n, np.float64)
        """(n,): the rewards of the seat in the last step."""
        self.is_over = np.ones(n, np.bool_)
        self.is_truncated = np.zeros(n, np.bool_)
        self.reasons: dict[int, str] = {}
        """The reasons why actions of the last step were illegal, by game."""

    def reset(self, seed: Sequence[int] | None = None) -> None:
        """Start the first episode of all games with these seeds, or the next one; raise OptionError."""
        self.adapter.batch.reset(seed=seed)
        self._begin(np.arange(len(self.is_over)))

    def restart(self, chosen: NDArray[np.int64]) -> None:
        """Start the next episode of some games."""
        if len(chosen):
            self.adapter.batch.reset(chosen)
            self._begin(chosen)

    def _begin(self, chosen: NDArray[np.int64]) -> None:
        """Let the seat come to move in games that have just started; one that ends before starts again."""
        batch, seats = self.adapter.batch, self.adapter.game.seats
        for _ in range(_MOST_STARTS):
            self.seats[chosen] = batch.episode[chosen] % seats if self._seat == "alternate" else self._seat
            self.is_over[chosen] = self.is_truncated[chosen] = False
            rewards = self.rewards.copy()
            self._let_opponents_play()
            self.rewards = rewards
            chosen = chosen[self.is_over[chosen]]
            if len(chosen) == 0:
                return
            batch.reset(chosen)
        raise GameError("the seat does not come to move in this game", "environment")

    def play(self, actions: Sequence[Any] | NDArray[Any], chosen: NDArray[np.bool_]) -> None:
        """Play the actions, (n,), of the running games that are chosen, (n,), and what opponents answer.

        Raise OptionError for anything but n actions, and IllegalActionError where illegal ones raise; then nothing
        changes.
        """
        indices, self.reasons = self.adapter.find_indices(actions, chosen)
        if self.reasons and not self.adapter.can_lose:
            i, reason = next(iter(self.reasons.items()))
            raise IllegalActionError(reason, i)
        self.rewards[:] = 0
        for i in self.reasons:
            self.is_over[i] = True
            self.rewards[i] = self.adapter.compute_loss(int(self.seats[i]))[self.seats[i]]
        self._advance(indices, chosen & ~self.is_over)
        self._let_opponents_play()

    def _let_opponents_play(self) -> None:
        """Play until no game waits for an opponent; raise IllegalActionError if one chooses what is not legal."""
        batch = self.adapter.batch
        while True:
            waiting = ~self.is_over & (batch.seat != self.seats)
            if not waiting.any():
                return
            try:
                with batch.only(waiting):
                    indices: Any = self._choose(batch)
                self._advance(indices, waiting)
            except IllegalActionError as error:
                raise IllegalActionError(f"the opponent chooses wrongly: {error.message}", error.game) from error

    def _advance(self, indices: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        """Play one action in each game that is chosen, (n,), and note what ends."""
        with self.adapter.batch.only(chosen):
            step = self.adapter.batch.step(indices)
            too_long = chosen & ~step.done & self.adapter.find_overlong()
            self.rewards += step.rewards[np.arange(len(chosen)), self.seats]
            self.is_over |= (chosen & step.done) | too_long
            self.is_truncated |= (chosen & step.truncated) | too_long

    def mask(self) -> NDArray[np.int8]:
        """Return whether each action is legal, (n, count), as a new array; none is when a game is over."""
        mask = self.adapter.mask()
        mask[self.is_over] = 0
        return mask

    def observe(self) -> NDArray[Any]:
        """Return the games as their seats know them, (n, *shape), as a new array."""
        seats = np.unique(self.seats).tolist()
        observed = self.adapter.observe(seats[0])
        for seat in seats[1:]:
            rows = self.seats == seat
            observed[rows] = self.adapter.observe(seat)[rows]
        return observed

    def draw(self, i: int, mode: str) -> Any:
        """Draw game i as its seat knows it; see `Adapter.render`."""
        return self.adapter.render(i, int(self.seats[i]), mode)


class SeatEnv(gymnasium.Env[NDArray[Any], int]):
    """One seat of a game against opponents.

    Actions are indices of the game's encoding, and observations its planes; for a game without an encoding see
    `fourcorners.envs.pettingzoo.GameEnv`. `info["action_mask"]` is 1 for the legal actions, as `np.int8`, and
    `action_masks()` is the same as flags. `reset(seed=...)` determines all that follows, except for opponents that
    depend on the clock or on other random numbers; `reset()` starts the next game of that seed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as the base class declares it

    def __init__(
        self,
        game: Game | str,
        *,
        seat: Seat = 0,
        opponent: int | Literal["random"] | Callable[[State], int] = "random",
        reward: Literal["win", "margin", "points"] = "win",
        illegal: Illegal = None,
        render_mode: RenderMode = None,
        **options: Any,
    ) -> None:
        """Take a game, or the id of one, with options of the game; raise OptionError.

        `seat` is the number of the seat, or "alternate" for another one in each episode. `opponent` plays all others:
        "random", a level of the computer from 1 on, or a function that returns the index of an action in a State.
        `reward` is that of `Batch`. An `illegal` action raises IllegalActionError, or loses the game, with the reason
        in `info["illegal"]`; None is "lose" where that is the worst reward, which is with "win".
        """
        adapter = Adapter(game, options, 1, reward=reward, illegal=illegal)
        choose = _choose_with_function(opponent) if callable(opponent) else _make_chooser(opponent, adapter.game)
        self._games = _Games(adapter, seat, choose)
        self.render_mode = check_render_mode(render_mode)
        self.action_space = adapter.make_action_space()  # type: ignore[assignment]  # numbers of NumPy are `int` here
        self.observation_space = adapter.make_observation_space()
        self._is_seeded = False

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._games.adapter.game

    @property
    def encoding(self) -> Encoding:
        """What actions and planes mean."""
        return self._games.adapter.batch.encoding

    @property
    def position(self) -> Position:
        """The position, with all that is hidden."""
        return self._games.adapter.batch.position(0)

    @property
    def seat(self) -> int:
        """The number of the seat in this episode."""
        return int(self._games.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game, and let opponents play until the seat is to move; `options` are ignored."""
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(2**62))
        self._is_seeded = True
        self._games.reset(None if seed is None else [seed])
        return self._look()

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action, and what opponents answer.

        Raise IllegalActionError where illegal actions raise, and GameError if no game is running; then nothing changes.
        """
        games = self._games
        if games.is_over[0]:
            raise GameError("no game is running; call reset first", "environment")
        games.play([action], ~games.is_over)
        observation, info = self._look()
        if games.reasons:
            info["illegal"] = games.reasons[0]
        is_truncated = bool(games.is_truncated[0])
        return observation, float(games.rewards[0]), bool(games.is_over[0]) and not is_truncated, is_truncated, info

    def _look(self) -> tuple[NDArray[Any], dict[str, Any]]:
        """Return observation and info, and print the game if wanted."""
        if self.render_mode == "human":
            self.render()
        return self._games.observe()[0], {"action_mask": self._games.mask()[0]}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal, (count,), as sb3-contrib's MaskablePPO asks."""
        flags: NDArray[np.bool_] = self._games.mask()[0].view(np.bool_)
        return flags

    def render(self) -> Any:
        """Draw the position as the seat knows it: as text, as a picture, (480, 480, 3), or printed as text.

        Raise MissingExtraError for a picture without the extra "pictures".
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render shows nothing, because the environment has no render_mode.")
            return None
        return self._games.draw(0, self.render_mode)


class SeatVectorEnv(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Many games of a seat against opponents, stepped together.

    Environment i of a vector that is reset with the seed s plays the games of a single environment with the seed s + i,
    as those of Gymnasium's own vectors do.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        seat: Seat = 0,
        opponent: int | Literal["random"] | Choose = "random",
        reward: Literal["win", "margin", "points"] = "win",
        illegal: Illegal = None,
        render_mode: RenderMode = None,
        **options: Any,
    ) -> None:
        """Take the arguments of SeatEnv and the number of environments; raise OptionError.

        `autoreset_mode` is NEXT_STEP or SAME_STEP. A function as `opponent` gets the whole Batch and returns an index
        for each game, (n,); only those count where `batch.seat` is not -1. Levels think about one game after the other.
        """
        adapter = Adapter(game, options, num_envs, reward=reward, illegal=illegal)
        self._games = _Games(adapter, seat, opponent if callable(opponent) else _make_chooser(opponent, adapter.game))
        self._mode = _check_autoreset(autoreset_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1, "autoreset_mode": self._mode}
        self.render_mode = check_render_mode(render_mode)
        self.num_envs = len(adapter.batch)
        self.single_action_space = adapter.make_action_space()
        self.single_observation_space = adapter.make_observation_space()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._is_seeded = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start all games; a seed is that of environment 0, or a list of one for each. `options` are ignored."""
        number = arguments.as_int(seed)
        super().reset(seed=number)
        if number is not None:
            seed = [number + i for i in range(self.num_envs)]
        elif seed is None and not self._is_seeded:
            seed = self.np_random.integers(2**62, size=self.num_envs).tolist()
        self._is_seeded = True
        many: Any = seed
        self._games.reset(many)
        return self._games.observe(), self._inform()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in each game, and what opponents answer.

        With NEXT_STEP, a game that was over starts again, whatever its action. With SAME_STEP, a game that ends starts
        again at once, and `infos` has its end as "final_obs" and "final_info". Raise IllegalActionError where illegal
        actions raise, OptionError for anything but `num_envs` actions; then nothing changes.
        """
        games = self._games
        ended = games.is_over.copy()
        if not self._is_seeded:
            raise GameError("no game is running; call reset first", "environment")
        games.play(actions, ~ended)
        infos: dict[str, Any] = {}
        if self._mode == AutoresetMode.SAME_STEP:
            results = self._get_results()
            ended = games.is_over.copy()
            infos = self._describe_ends(ended)
            games.restart(np.flatnonzero(ended))
        else:
            games.restart(np.flatnonzero(ended))
            for i, reason in games.reasons.items():
                infos = self._add_info(infos, {"illegal": reason}, i)
            results = self._get_results()
        return games.observe(), *results, {**infos, **self._inform()}

    def _get_results(self) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return copies of the rewards, and where games have ended and were truncated, (n,) each."""
        games = self._games
        return games.rewards.copy(), games.is_over & ~games.is_truncated, games.is_truncated.copy()

    def _inform(self) -> dict[str, Any]:
        """Return the infos that every environment has."""
        return {"action_mask": self._games.mask(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def _describe_ends(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos about the games that have ended, before they start again."""
        infos: dict[str, Any] = {}
        if ended.any():
            observed, masks = self._games.observe(), self._games.mask()
            for i in np.flatnonzero(ended).tolist():
                info: dict[str, Any] = {"action_mask": masks[i]}
                if i in self._games.reasons:
                    info["illegal"] = self._games.reasons[i]
                infos = self._add_info(infos, {"final_obs": observed[i], "final_info": info}, i)
        return infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal, (num_envs, count)."""
        return self._games.mask().view(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Draw each game as `SeatEnv.render` does; None without a render mode."""
        if self.render_mode is None:
            return None
        return tuple(self._games.draw(i, self.render_mode) for i in range(self.num_envs))


def _check_autoreset(mode: object) -> AutoresetMode:
    """Return one of the two modes; raise OptionError for anything else."""
    for allowed in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        if mode in (allowed, allowed.value):
            return allowed
    raise OptionError("autoreset_mode", f"{quote(mode)} is not allowed; it must be NEXT_STEP or SAME_STEP")


def _choose_with_function(opponent: Callable[[State], int]) -> Choose:
    """Return how a function for one state chooses in a batch of one game."""
    return lambda batch: [opponent(State(batch.position(0)))]


def _make_chooser(opponent: object, game: Game) -> Choose:
    """Return how opponents choose at random or at a level of the computer; raise OptionError for anything else."""
    if isinstance(opponent, str) and opponent == "random":
        return Batch.sample
    most = len(game.spec.part(ComputerPlay).levels)
    allowed = f"'random', a function, or a level from 1 to {most}"
    level = arguments.check_int("opponent", opponent, 1, most, allowed)
    return lambda batch: _choose_at_level(batch, level)


def _choose_at_level(batch: Batch, level: int) -> NDArray[np.int64]:
    """Return the computer's choice in each game whose seat is not -1, the same for the same game."""
    indices = batch.sample().copy()
    for i in np.flatnonzero(batch.seat >= 0).tolist():
        position = batch.position(i)
        # The sample has come from the random numbers of the game.
        seed = zlib.crc32(f"{batch.episode[i]} {indices[i]} {position.text}".encode())
        move = Computer(level, seed=seed).choose(position).move
        indices[i] = batch.encoding.find_index(position, move)
    return indices


def _name_environment(game_id: str) -> str:
    """Return the id of a game's environment."""
    return f"fourcorners/{''.join(part.capitalize() for part in game_id.split('-'))}-{_VERSION}"


def register() -> None:
    """Register the environments of all games and presets that are not registered."""
    for game_id in catalogue.games():
        name = _name_environment(game_id)
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__name__}:{SeatEnv.__name__}",
                vector_entry_point=f"{__name__}:{SeatVectorEnv.__name__}",
                kwargs={"game": game_id},
            )


register()
