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

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import arguments, catalogue, extras
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.envs.encoding import Encoding
from fourcorners.envs.state import State

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    extras.require("envs", "fourcorners.envs.gymnasium needs")
    raise

from fourcorners.envs.adapter import RENDER_MODES, Adapter, check_render_mode
from fourcorners.envs.seat_games import Choose, Seat, SeatGames, choose_with_function, make_chooser

_VERSION = "v0"
Illegal = Literal["lose", "raise"] | None
RenderMode = Literal["ansi", "rgb_array", "human"] | None


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
        choose = choose_with_function(opponent) if callable(opponent) else make_chooser(opponent, adapter.game)
        self._games = SeatGames(adapter, seat, choose)
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
        self._games = SeatGames(adapter, seat, opponent if callable(opponent) else make_chooser(opponent, adapter.game))
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
        if mode in (allowed, allowed.value, allowed.name):
            return allowed
    found = mode.name if isinstance(mode, AutoresetMode) else quote(mode)
    raise OptionError("autoreset_mode", f"{found} is not allowed; it must be NEXT_STEP or SAME_STEP")


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
