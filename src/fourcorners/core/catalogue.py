"""The catalogue of games by id. The package `builtin` fills it, since core imports no game."""

import copyreg
import functools
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from fourcorners.core import dispatch
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.option_fields import format_value
from fourcorners.core.spec import Spec

_loaders: list[Callable[[], Iterable[Spec]]] = []


def set_loader(load: Callable[[], Iterable[Spec]]) -> None:
    """Set the function by which `specs` loads all games, replacing an earlier one, and let games be pickled."""
    _loaders[:] = [load]
    specs.cache_clear()
    # A game is pickled as its id and options; the process that unpickles it loads the games itself.
    copyreg.pickle(Game, lambda pickled: (functools.partial(game, pickled.id, **pickled.given_options()), ()))


@functools.cache
def specs() -> Mapping[str, Spec]:
    """Return all games by id in the order of the registry, without presets; load them on the first call.

    This registers their modules with the stubs. A TypeError from that, and the loader's errors, pass through and are
    not cached.
    """
    found = [spec for load in _loaders for spec in load()]
    dispatch.register_games((spec.rules, *spec.list_modules()) for spec in found)
    return MappingProxyType({spec.id: spec for spec in found})


def games() -> list[str]:
    """List the ids of all games in the order of the registry, each followed by the ids of its presets."""
    return [name for spec in specs().values() for name in (spec.id, *spec.presets)]


def game(id: str, /, **options: Any) -> Game:  # noqa: A002  # positional only, and named so in the documentation
    """Return a game or preset with the given options; raise OptionError if the id or an option is invalid."""
    for spec in specs().values():
        if isinstance(id, str) and id == spec.id:
            return Game(spec, options)
        if isinstance(id, str) and id in spec.presets:
            return Game(spec, options, preset=id)
    raise OptionError("game", f"{quote(id)} is not known; it must be {' or '.join(games())}")


def parse_game(game_id: str, texts: Mapping[str, str], /) -> Game:
    """Return a game with options given as texts by name, as from a form or command line; a blank text is the default.

    Raise OptionError if the id or an option is invalid, or if an option contradicts a preset.
    """
    default = game(game_id)
    fixed = {} if default.preset is None else default.preset.options
    preset_values = {} if default.preset is None else {**default.preset.defaults, **fixed}
    preset_texts = {name: format_value(value) for name, value in preset_values.items()}
    given = {name: text for name, text in texts.items() if text.strip()}
    options = default.spec.options
    values = options.parse({**preset_texts, **given}).model_dump(mode="json")
    for name, value in fixed.items():
        # Compared as options, since equal values may have several forms.
        if name in given and options.make({name: values[name]}) != options.make({name: value}):
            raise OptionError(name, f"{quote(texts[name])} is not allowed; {game_id} has {quote(value)}")
    return game(game_id, **{name: value for name, value in values.items() if name not in fixed})
