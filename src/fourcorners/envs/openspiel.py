"""The games for OpenSpiel: importing this module registers them.

>>> import fourcorners as fc, pyspiel
>>> from fourcorners.envs import openspiel
>>> name = openspiel.name_game(fc.games()[1])
>>> state = pyspiel.load_game(f"{name}(cols=3,rows=3)").new_initial_state()
>>> state.action_to_string(state.legal_actions()[0])
'a1b1'

The name of a game is "fourcorners_" and its id with underscores, as `name_game` returns it. Its parameters are its
options. One that is neither a number nor a flag is text, as on the command line, "" for the default; but OpenSpiel
cannot read "," there, so it is ";", and what looks like a number is in quotation marks: `blockers=[6;4],values="2"`.

Actions are the indices of `fourcorners.envs.Encoding`, and returns are the rewards of `State`: the losing parties pay
the winning ones. A truncated state is terminal, and its returns are 0. The tensor of an observation has the planes.

A game that shuffles a deck has chance nodes: one for each tile when it is drawn, whose outcomes are the numbers of the
tiles. If something is hidden, an information state has all that the player has seen since the start. A game without an
encoding, or with a deck but without `chance.py`, is registered, but refused when it is loaded.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import catalogue, extras
from fourcorners.core.encoding import DenseEncoding
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.core.option_fields import format_value
from fourcorners.envs.encoding import Encoding
from fourcorners.envs.state import State
from fourcorners.envs.stochastic import Moment, StochasticGame

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as error:
    _CLAUSE = "fourcorners.envs.openspiel needs"
    extras.require("envs", _CLAUSE)
    raise extras.MissingExtraError("envs", f"{_CLAUSE} open-spiel, which has no wheels for this platform") from error


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game with its options; each id has a subclass."""

    game_id: str
    game_type: Any

    def __init__(self, params: Mapping[str, int | str]) -> None:
        """Take the parameters of the game; raise OptionError, or GameError for one that OpenSpiel cannot play."""
        self.game = catalogue.parse_game(self.game_id, {name: _read_value(value) for name, value in params.items()})
        self.encoding = Encoding(self.game)
        spec = self.game.spec
        if self.encoding.count is None:
            raise GameError(f"{self.game.title} has no encoding, so OpenSpiel cannot number its actions", "encoding")
        self.stochastic = StochasticGame(self.game) if spec.hidden or spec.deck is not None else None
        self.party_count = len(self.game.options.parties)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.encoding.count,
            max_chance_outcomes=self.max_chance_nodes_in_history(),
            num_players=self.game.seats,
            min_utility=-1 / (self.party_count - 1),
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=spec.rules.MAX_PLIES,
        )
        super().__init__(self.game_type, info, _write_params(self.game))

    @cached_property
    def first_moment(self) -> Moment:
        """The moment at which every game begins."""
        return Moment(State(self.game)) if self.stochastic is None else self.stochastic.begin()

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> "SpielState":
        """Return the state at the start of a game."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of tiles, each of which may be drawn."""
        return 0 if self.stochastic is None else len(self.stochastic.tiles)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """Return an observer; None for what no player sees, such as the hands of all."""
        kind = iig_obs_type
        if kind is None or isinstance(kind, Mapping):  # OpenSpiel leaves out the first argument
            kind = pyspiel.IIGObservationType(perfect_recall=False)
        if self.stochastic is None:
            if kind.perfect_recall or not kind.public_info:
                return IIGObserverForPublicInfoGame(kind, params)
            return ViewObserver(self, is_public=True, is_private=True)
        is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind.public_info and kind.perfect_recall and is_private:
            return HistoryObserver(self.stochastic)
        is_spectator = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.NONE
        if kind.perfect_recall or not (is_private or is_spectator):
            return None
        return ViewObserver(self, is_public=kind.public_info, is_private=is_private)


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state of a game."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._moment = game.first_moment

    @property
    def moment(self) -> Moment:
        """What the observers read."""
        return self._moment

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for chance or a terminal state."""
        moment = self._moment
        if moment.missing or moment.state is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if moment.state.seat is None else moment.state.seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        moment = self._moment
        return not moment.missing and moment.state is not None and moment.state.is_over

    def returns(self) -> list[float]:
        """Return the rewards by seat; all 0 until the end."""
        game: SpielGame = self.get_game()
        state = self._moment.state
        if state is None or not any(state.rewards):
            return [0.0] * game.game.seats
        # In double precision, because OpenSpiel requires a sum of 0.
        lost, parties = [reward < 0 for reward in state.rewards], game.party_count
        losers = sum(lost) * parties // len(lost)
        share = losers / ((parties - losers) * (parties - 1))
        return [-1 / (parties - 1) if has_lost else share for has_lost in lost]

    def _legal_actions(self, player: int) -> list[int]:
        """Return the indices of the legal actions, ascending."""
        state = self._moment.state
        return [] if state is None else sorted(state.actions().tolist())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the tiles that may be drawn next, and their probabilities."""
        tiles = self.get_game().stochastic.list_drawable(self._moment)
        return [(tile, 1 / len(tiles)) for tile in tiles]

    def _apply_action(self, action: int) -> None:
        """Play a legal action, or draw a tile; raise IllegalActionError."""
        stochastic, moment = self.get_game().stochastic, self._moment
        if stochastic is None and moment.state is not None:
            self._moment = Moment(moment.state.after(action))
        else:
            self._moment = (stochastic.draw if moment.missing else stochastic.play)(moment, action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return the move of an action, a few words for one that is not legal, or the name of a tile."""
        game: SpielGame = self.get_game()
        state = self._moment.state
        if player == pyspiel.PlayerId.CHANCE and game.stochastic is not None:
            return f"draw {game.stochastic.tiles[action]}"
        if state is not None and player == self.current_player() and action in state.actions():
            return game.encoding.find_move(state.position, action)
        return game.encoding.describe(action)

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> Any:
        """Return a random state that the player cannot tell from this one; raise GameError if a draw is missing.

        `StochasticGame.imagine` says how likely each is.
        """
        game: SpielGame = self.get_game()
        if game.stochastic is None:
            return self.clone()
        state = game.new_initial_state()
        for action in game.stochastic.imagine(self._moment, player_id, probability_sampler):
            state.apply_action(action)
        return state

    def __str__(self) -> str:
        """Return the position as a line, and below it the move that waits for draws."""
        stochastic, moment = self.get_game().stochastic, self._moment
        if moment.state is None:
            return " ".join(["dealt", *stochastic.name_tiles(moment.dealt)])
        if not moment.missing:
            return moment.state.text
        event = moment.events[-1]
        return "\n".join([moment.state.text, " ".join([event.move, "draws", *stochastic.name_tiles(event.drawn)])])


class ViewObserver:
    """What a player sees: its view as text, and its planes; or the public part or its hand alone, as text."""

    def __init__(self, game: SpielGame, *, is_public: bool, is_private: bool) -> None:
        self._stochastic, self._is_public, self._is_private = game.stochastic, is_public, is_private
        shape = game.encoding.shape
        self.tensor = np.zeros(int(np.prod(shape)), np.float32) if is_public and is_private else None
        self.dict = {} if self.tensor is None else {"planes": self.tensor.reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the planes of a player into the tensor; 0 until the start has been dealt."""
        seen = state.moment.state
        for planes in self.dict.values():
            planes[...] = 0.0 if seen is None else seen.observe(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what the player sees; of a game that is being dealt only its own tiles."""
        seen = state.moment.state
        if self._is_public and seen is not None:
            return seen.position.view(player if self._is_private else None).text
        if not self._is_private or self._stochastic is None:
            return ""
        return " ".join(self._stochastic.name_tiles(self._stochastic.list_hand(state.moment, player)))


class HistoryObserver:
    """What a player has seen since the start of a game with hidden information: perfect recall."""

    def __init__(self, stochastic: StochasticGame) -> None:
        self._stochastic, self._bits = stochastic, stochastic.chance.PUBLIC_BITS
        game, tiles = stochastic.game, len(stochastic.tiles)
        shapes = {
            "player": (game.seats,),
            "dealt": (tiles,),
            "moves": (game.spec.rules.MAX_PLIES, game.seats + self._bits + tiles),
        }
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict: dict[str, NDArray[np.float32]] = {
            name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)
        }

    def set_from(self, state: SpielState, player: int) -> None:
        """Write into the tensor the player, the tiles dealt to it, and for each move its seat, its bits and its draws.

        Bits are those of the action as the player saw it, the highest first; draws are the player's own.
        """
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        self.dict["dealt"][self._stochastic.list_dealt(state.moment, player)] = 1
        seats = self._stochastic.game.seats
        for row, event in zip(self.dict["moves"], state.moment.events, strict=False):
            row[event.seat] = 1
            code = event.action if event.seat == player else event.public
            row[seats : seats + self._bits] = [int(digit) for digit in f"{code:0{self._bits}b}"]
            if event.seat == player:
                row[[seats + self._bits + tile for tile in event.drawn]] = 1

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the tiles dealt to the player, and below them the moves and the player's draws."""
        name_tiles = self._stochastic.name_tiles
        lines = [" ".join([f"seat {player} holds", *name_tiles(self._stochastic.list_dealt(state.moment, player))])]
        for event in state.moment.events:
            is_own = event.seat == player
            drawn = "".join(f", draws {tile}" for tile in name_tiles(sorted(event.drawn) if is_own else ()))
            lines.append(f"{event.seat}: {event.move if is_own else event.public_move}{drawn}")
        return "\n".join(lines)


def _read_value(value: int | str) -> str:
    """Return the text of an option from a parameter."""
    return (
        value.removeprefix('"').removesuffix('"').replace(";", ",") if isinstance(value, str) else format_value(value)
    )


def _write_params(game: Game) -> dict[str, int | str]:
    """Return the parameters of a game that are not the default."""
    defaults = _list_defaults(catalogue.game(game.id))
    params: dict[str, int | str] = {}
    for name, value in game.given_options().items():
        if isinstance(defaults[name], str):
            text = format_value(value).replace(",", ";")
            params[name] = text if text[:1].isalpha() and text.lower() not in {"true", "false"} else f'"{text}"'
        else:
            params[name] = value
    return params


def _list_defaults(game: Game) -> dict[str, int | str]:
    """Return the default of each parameter by name; "" for texts and lists, as they may depend on other options."""
    fixed = () if game.preset is None else (*game.preset.options, *game.preset.unused)
    choices = {field.name for field in game.spec.options.fields() if field.choices}
    values = game.options.model_dump(mode="json")
    return {
        name: value if isinstance(value, int) or name in choices else ""
        for name, value in values.items()
        if name not in fixed
    }


def name_game(game_id: str) -> str:
    """Return the name in OpenSpiel of the game with this id."""
    return "fourcorners_" + re.sub(r"\W", "_", game_id)


def _register(game_id: str) -> None:
    """Register a game or preset with its default options."""
    game = catalogue.game(game_id)
    chance, information, kinds = game.spec.part(DenseEncoding).chance, game.spec.hidden, pyspiel.GameType
    is_playable = game.spec.part(DenseEncoding).encode is not None
    low, high = _find_seats(game)
    game_type = kinds(
        short_name=name_game(game_id),
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.DETERMINISTIC if chance is None else kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=getattr(kinds.Information, "IMPERFECT_INFORMATION" if information else "PERFECT_INFORMATION"),
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=high,
        min_num_players=low,
        provides_information_state_string=True,
        provides_information_state_tensor=information,
        provides_observation_string=True,
        provides_observation_tensor=True,
        default_loadable=is_playable,
        parameter_specification=_list_defaults(game),
    )
    # A class, as OpenSpiel drops the last reference too late for anything that is freed then.
    pyspiel.register_game(game_type, type("SpielGame", (SpielGame,), {"game_id": game_id, "game_type": game_type}))


def _find_seats(game: Game) -> tuple[int, int]:
    """Return the smallest and the largest number of seats."""
    players = next((field for field in game.spec.options.fields() if field.name == "players"), None)
    if players is None or "players" not in _list_defaults(game):
        return game.seats, game.seats
    if players.choices:
        return min(map(int, players.choices)), max(map(int, players.choices))
    return players.low or game.seats, players.high or game.seats


for _game_id in catalogue.games():
    _register(_game_id)
