"""What the interfaces of PettingZoo and Gymnasium have in common: spaces, masks, refusals and pictures."""

import io
import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from fourcorners.core import arguments, catalogue, compiled_api, extras
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.envs.batch import Batch
from fourcorners.envs.encoding import Encoding, IllegalActionError, check_word, describe_values, find_game, make_array
from fourcorners.envs.rewards import WIN, number_parties, write_rewards
from fourcorners.study import stills

RENDER_MODES = ("ansi", "rgb_array", "human")
PICTURE_SIDE = 480
"""The width and height of pictures in pixels."""


class Adapter:
    """A batch without automatic resets, whose actions are the numbers from 0 to `count` - 1.

    These are the indices of the encoding. In a game without an encoding they count the legal actions in the order of
    the rules, so that the first ones are legal; `count` is then a bound for the start, and a game in which more become
    legal is truncated.
    """

    def __init__(
        self, game: Game | str, options: Mapping[str, Any], n: int, *, reward: str, illegal: str | None
    ) -> None:
        """Take a game or an id, and options that are added; raise OptionError.

        `illegal` says what an illegal action does: "lose" or "raise". None is "lose", or "raise" for rewards among
        which no reward is certain to be the worst.
        """
        if isinstance(game, str):
            self.game = catalogue.game(game, **options)
        else:
            self.game = find_game(game).change_options(options) if options else find_game(game)
        is_sure = reward == "win"
        self.can_lose = check_word("illegal", illegal or ("lose" if is_sure else "raise"), ("lose", "raise")) == "lose"
        self._is_dense = Encoding(self.game).count is not None
        kind: Any = reward
        legal: Any = "mask" if self._is_dense else "list"
        self.batch = Batch(self.game, n, seed=secrets.randbits(63), reward=kind, auto_reset=False, legal=legal)
        if self.can_lose and not is_sure:
            raise OptionError("illegal", "'lose' is not allowed unless reward is 'win', where no other reward is worse")
        self.count = self.batch.encoding.count or compiled_api.bound(self.game.start(seed=0).states, 0)
        self.shape = self.batch.encoding.shape if self._is_dense else self.batch.encoding.flat_shape
        self.dtype = np.dtype(np.float32 if self._is_dense else np.uint8)

    def make_action_space(self) -> spaces.Discrete:
        """Return a space of actions."""
        return spaces.Discrete(self.count)

    def make_observation_space(self, copies: int = 1) -> spaces.Box:
        """Return a space of observations, or of as many observations one after the other as there are `copies`."""
        shape = (copies * self.shape[0], *self.shape[1:])
        return spaces.Box(0, 1 if self._is_dense else 255, shape, self.dtype.type)

    def observe(self, seat: int) -> NDArray[Any]:
        """Return the games as a seat knows them, (n, *shape), as a new array."""
        out = np.empty((len(self.batch), *self.shape), self.dtype)
        return self.batch.observe(seat, out, "planes" if self._is_dense else "flat")

    def mask(self) -> NDArray[np.int8]:
        """Return whether each action is legal, (n, count), 1 or 0, as a new array."""
        if self._is_dense:
            return self.batch.legal_mask.view(np.int8).copy()
        counts = np.diff(self.batch.legal_actions[0])
        return (np.arange(self.count) < counts[:, None]).astype(np.int8)

    def find_overlong(self) -> NDArray[np.bool_]:
        """Return the games, (n,), with more legal actions than there are numbers."""
        if self._is_dense:
            return np.zeros(len(self.batch), np.bool_)
        return np.diff(self.batch.legal_actions[0]) > self.count

    def find_index(self, i: int, action: object, name: str = "action") -> int:
        """Return the index for `Batch.step` of an action, with a name for messages, in game i, which is running.

        Raise IllegalActionError, or OptionError for anything but a whole number.
        """
        number = arguments.as_int(action)
        if number is None:
            # A wrong type is an error of the program, which would not notice that it loses its games.
            raise OptionError(name, f"{quote(action)} is not allowed; it must be a whole number")
        if self._is_dense:
            if 0 <= number < self.count and self.batch.legal_mask[i, number]:
                return number
            why = self.batch.encoding.explain(self.batch.position(i).states, number)
        else:
            offsets, indices = self.batch.legal_actions
            length = min(int(offsets[i + 1] - offsets[i]), self.count)
            if 0 <= number < length:
                return int(indices[offsets[i] + number])
            why = f"it must be a whole number from 0 to {length - 1}"
        raise IllegalActionError(f"{number} is not legal: {why}", i)

    def find_indices(
        self, actions: Sequence[Any] | NDArray[Any], chosen: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], dict[int, str]]:
        """Return the indices for `Batch.step` of the actions, (n,), of the running games that are chosen, (n,).

        Return also the reasons why actions are not legal, by game. Raise OptionError for anything but n actions.
        """
        numbers, n = make_array(actions), len(self.batch)
        if numbers.shape != (n,):
            name, found = ("action", quote(actions[0])) if n == 1 else ("actions", describe_values(actions, numbers))
            allowed = "a whole number" if n == 1 else f"{n} whole numbers, one for each game"
            raise OptionError(name, f"{found} is not allowed; it must be {allowed}")
        indices, unchecked, reasons = np.zeros(len(numbers), np.int64), chosen, {}
        if self._is_dense and numbers.dtype.kind in "iu":
            is_legal = (numbers >= 0) & (numbers < self.count)
            indices = np.where(is_legal, numbers, 0).astype(np.int64)
            is_legal &= self.batch.legal_mask[np.arange(len(numbers)), indices]
            unchecked = chosen & ~is_legal
        for i in np.flatnonzero(unchecked).tolist():
            try:
                indices[i] = self.find_index(i, actions[i], "action" if n == 1 else f"actions[{i}]")
            except IllegalActionError as error:
                reasons[i] = error.message
        return indices, reasons

    def compute_loss(self, seat: int) -> NDArray[np.float32]:
        """Return the rewards by seat, (seats,), if the party of a seat alone loses."""
        parties, out = number_parties(self.game), np.zeros(self.game.seats, np.float32)
        write_rewards(np.where(parties == parties[seat], -1, 0), parties, int(parties.max()) + 1, WIN, out)
        return out

    def render(self, i: int, seat: int, mode: str) -> NDArray[np.uint8] | str | None:
        """Draw game i as a seat knows it: as text ("ansi"), as a picture ("rgb_array"), or print the text ("human").

        A picture has the shape (PICTURE_SIDE, PICTURE_SIDE, 3). Raise MissingExtraError for one without the extra
        "pictures".
        """
        view = self.batch.position(i).view(seat)
        if mode == "rgb_array":
            extras.require("pictures", "render_mode='rgb_array' needs")
            return _read_png(stills.render_still(view, "png", width=PICTURE_SIDE))
        if mode == "ansi":
            return str(view)
        sys.stdout.write(f"{view}\n\n")
        return None


def check_render_mode(mode: object, allowed: tuple[str, ...] = RENDER_MODES) -> str | None:
    """Return a render mode, or None; raise OptionError for anything else."""
    return None if mode is None else check_word("render_mode", mode, allowed)


def _read_png(png: bytes) -> NDArray[np.uint8]:
    """Return a picture, fitted into the middle of a square, as (PICTURE_SIDE, PICTURE_SIDE, 3)."""
    from PIL import Image, ImageOps  # noqa: PLC0415  # an extra that most programs do not need

    image = Image.open(io.BytesIO(png)).convert("RGB")
    return np.array(ImageOps.pad(image, (PICTURE_SIDE, PICTURE_SIDE), color=stills.LIGHT.background))
