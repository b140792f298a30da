"""Games as environments of PettingZoo, in which the seats take turns.

>>> import fourcorners as fc
>>> from fourcorners.envs import pettingzoo
>>> env = pettingzoo.env(fc.games()[0], cols=3, rows=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     is_over = terminated or truncated
...     env.step(None if is_over else env.action_space(agent).sample(info["action_mask"]))
>>> observation.shape == env.observation_space("seat_0").shape
True

Every game and preset also has a module in PettingZoo's manner, named after its id, such as `NAME_v0` with `NAME_v0.env`
and `NAME_v0.raw_env`. The agents are "seat_0", "seat_1" and so on. A seat may move several times in a row.
"""

import logging
from functools import cache, partial
from types import ModuleType
from typing import Any, Literal

import numpy as np

from fourcorners.core import catalogue, extras
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.envs.encoding import Encoding, IllegalActionError, check_word

try:
    import gymnasium
    from pettingzoo import AECEnv
except ImportError:
    extras.require("envs", "fourcorners.envs.pettingzoo needs")
    raise

from fourcorners.envs.adapter import RENDER_MODES, Adapter, check_render_mode

_VERSION = "v0"
_logger = logging.getLogger(__name__)


class GameEnv(AECEnv[str, Any, int]):  # type: ignore[misc]  # PettingZoo is not typed
    """One game, played again after each `reset`.

    Actions are indices of the game's encoding, and observations its planes. A game without an encoding has the numbers
    of legal actions in the order of the rules as actions, of which the mask shows how many there are, and the bytes of
    the record without what is hidden as observations.

    `reset(seed=...)` determines all that follows, such as a shuffled deck; `reset()` starts the next game of that seed,
    or of a random one. `state()` is the observations of all seats, one after the other.
    """

    def __init__(
        self,
        game: Game | str,
        mask: Literal["info", "observation"] = "info",
        render_mode: Literal["ansi", "rgb_array", "human"] | None = None,
        *,
        reward: Literal["win", "margin", "points"] = "win",
        illegal: Literal["lose", "raise"] | None = None,
        **options: Any,
    ) -> None:
        """Take a game, or the id of one, with options of the game; raise OptionError.

        `mask` says where the mask of the legal actions is, which is 0 for seats that wait: "info" for
        `infos[agent]["action_mask"]`, or "observation" for observations {"observation", "action_mask"}. `render` shows
        what the seat to move knows: as text, as a picture, or printed after every step. `reward` is that of `Batch`. An
        `illegal` action raises IllegalActionError, or loses the game for its party, with the reason in
        `infos[agent]["illegal"]`; None is "lose" where that is the worst reward, which is with "win".
        """
        super().__init__()
        self._adapter = Adapter(game, options, 1, reward=reward, illegal=illegal)
        self._has_info = check_word("mask", mask, ("info", "observation")) == "info"
        self.render_mode = check_render_mode(render_mode)
        self.game = self._adapter.game
        self.metadata = {
            "name": _name_module(self.game.id),
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.seats)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.action_spaces = {agent: self._adapter.make_action_space() for agent in self.possible_agents}
        self.observation_spaces = {agent: self._make_observation_space() for agent in self.possible_agents}
        self.state_space = self._adapter.make_observation_space(self.game.seats)
        self._indices = np.zeros(1, np.int64)

    def _make_observation_space(self) -> gymnasium.Space[Any]:
        """Return a space of what a seat observes."""
        planes = self._adapter.make_observation_space()
        if self._has_info:
            return planes
        mask = gymnasium.spaces.Box(0, 1, (self._adapter.count,), np.int8)
        return gymnasium.spaces.Dict({"observation": planes, "action_mask": mask})

    @property
    def encoding(self) -> Encoding:
        """What actions and planes mean."""
        return self._adapter.batch.encoding

    @property
    def position(self) -> Position:
        """The position, with all that is hidden."""
        return self._adapter.batch.position(0)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's observations; raise OptionError for an unknown agent."""
        return self.observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's actions; raise OptionError for an unknown agent."""
        return self.action_spaces[self._check_agent(agent)]

    def _check_agent(self, agent: str) -> str:
        """Return the name of an agent; raise OptionError for anything else."""
        if agent not in self.possible_agents:
            raise OptionError("agent", f"{quote(agent)} is not known; it must be {' or '.join(self.possible_agents)}")
        return agent

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; raise OptionError for a seed that is not a whole number. `options` are ignored."""
        self._adapter.batch.reset(seed=seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._make_info() for agent in self.agents}
        self._select_next()
        self._show()

    def _make_info(self) -> dict[str, Any]:
        """Return the info of a seat that waits."""
        return {"action_mask": np.zeros(self._adapter.count, np.int8)} if self._has_info else {}

    def _select_next(self) -> None:
        """Select the seat to move, and show it its mask."""
        self.agent_selection = self.possible_agents[self._adapter.batch.seat[0]]
        if self._has_info:
            self.infos[self.agent_selection] = {"action_mask": self._adapter.mask()[0]}

    def _show(self) -> None:
        """Print the game after a change, if wanted."""
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play an action of the seat to move; None after the end.

        Raise IllegalActionError where illegal actions raise, and GameError if no game is running; then nothing changes.
        """
        if not self.agents:
            raise GameError("no game is running; call reset first", "environment")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        batch = self._adapter.batch
        try:
            self._indices[0] = self._adapter.find_index(0, action)
        except IllegalActionError as error:
            if not self._adapter.can_lose:
                raise
            self._end(self._adapter.compute_loss(self._seats[agent]))
            self.infos[agent]["illegal"] = error.message
            _logger.warning("%s loses, because %s", agent, error.message)
            return
        batch.step(self._indices)
        self.infos[agent] = self._make_info()
        if batch.done[0] or self._adapter.find_overlong()[0]:
            self._end(batch.rewards[0], is_truncated=bool(batch.truncated[0] or not batch.done[0]))
        else:
            self._select_next()
        self._show()

    def _end(self, rewards: Any, *, is_truncated: bool = False) -> None:
        """End the game with rewards by seat."""
        self.rewards = dict(zip(self.agents, rewards.tolist(), strict=True))
        self._cumulative_rewards = dict(self.rewards)  # there was no reward before
        self.terminations = dict.fromkeys(self.agents, not is_truncated)
        self.truncations = dict.fromkeys(self.agents, is_truncated)
        self.infos = {agent: self._make_info() for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Any:
        """Return what an agent knows of the position; raise OptionError for an unknown agent."""
        planes = self._adapter.observe(self._seats[self._check_agent(agent)])[0]
        if self._has_info:
            return planes
        is_asked = agent == self._find_mover()
        mask = self._adapter.mask()[0] if is_asked else np.zeros(self._adapter.count, np.int8)
        return {"observation": planes, "action_mask": mask}

    def _find_mover(self) -> str | None:
        """Return the agent to move; None if no game is running."""
        is_running = bool(self.agents) and not (
            self.terminations[self.agent_selection] or self.truncations[self.agent_selection]
        )
        return self.agent_selection if is_running else None

    def state(self) -> np.ndarray[Any, Any]:
        """Return what the seats know together: their observations, one after the other."""
        return np.concatenate([self._adapter.observe(seat)[0] for seat in range(self.game.seats)])

    def render(self) -> Any:
        """Draw the position as the seat to move knows it, at the end as seat 0 does; None without a render mode.

        Pictures are (480, 480, 3). Raise MissingExtraError for them without the extra "pictures".
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render shows nothing, because the environment has no render_mode.")
            return None
        return self._adapter.render(0, max(0, int(self._adapter.batch.seat[0])), self.render_mode)

    def close(self) -> None:
        """Release nothing: an environment has neither a window nor a process."""


# PettingZoo's names. There are no wrappers: the environment itself checks actions, and that a game is running.
env = raw_env = GameEnv


def _name_module(game_id: str) -> str:
    """Return the name of a game's module."""
    return f"{game_id.replace('-', '_')}_{_VERSION}"


@cache
def _make_module(game_id: str) -> ModuleType:
    """Return the module of a game or preset, with `env` and `raw_env`."""
    title = catalogue.game(game_id).title
    module = ModuleType(f"{__name__}.{_name_module(game_id)}", f"{title} as an environment of PettingZoo.")
    vars(module).update(env=partial(GameEnv, game_id), raw_env=partial(GameEnv, game_id))
    return module


def __getattr__(name: str) -> ModuleType:
    """Make the module of a game or preset when it is first used."""
    for game_id in catalogue.games():
        if name == _name_module(game_id):
            return _make_module(game_id)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the names of this module, and the modules of games."""
    return sorted([*globals(), *map(_name_module, catalogue.games())])
