"""The catalogue of games: found by id. The registry of games fills it; core itself names none."""

from __future__ import annotations

import copyreg
import functools
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from fourcorners.core import dispatch
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.options import format_value
from fourcorners.core.spec import Spec

_loaders: list[Callable[[], Iterable[Spec]]] = []


def bind(load: Callable[[], Iterable[Spec]]) -> None:
    """Name the function that loads all games; it is called when a game is first asked for."""
    _loaders[:] = [load]
    specs.cache_clear()
    # A game travels as its id and options, and whoever receives it loads the games before using it.
    copyreg.pickle(Game, _packed)


def _packed(packed: Game) -> tuple[Callable[..., Game], tuple[str, dict[str, Any]]]:
    return _unpacked, (packed.id, packed.given_options())


def _unpacked(name: str, given: dict[str, Any]) -> Game:
    return game(name, **given)


@functools.cache
def specs() -> Mapping[str, Spec]:
    """Return every game by id, and bind their rules to the kernel's stubs."""
    found = [spec for load in _loaders for spec in load()]
    dispatch.bind((spec.rules, spec.evaluate, spec.exact) for spec in found)
    return MappingProxyType({spec.id: spec for spec in found})


def games() -> list[str]:
    """List the ids of all games, presets included."""
    return [name for spec in specs().values() for name in (spec.id, *spec.presets)]


def game(id: str, /, **options: Any) -> Game:  # noqa: A002  # positional only, and named so in the documentation
    """Return a game with options; raise OptionError if the id or an option is wrong."""
    for spec in specs().values():
        if isinstance(id, str) and id == spec.id:
            return Game(spec, options)
        if isinstance(id, str) and id in spec.presets:
            return Game(spec, options, preset=id)
    raise OptionError("game", f"{quote(id)} is not known; it may be {' or '.join(games())}")


def parse(id: str, texts: Mapping[str, str], /) -> Game:  # noqa: A002  # as above
    """Return a game with options given as texts, as a form or a command line has them; empty means the usual."""
    plain = game(id)
    fixed = {} if plain.preset is None else plain.preset.options
    usual = {} if plain.preset is None else {**plain.preset.defaults, **fixed}
    known = {name: format_value(value) for name, value in usual.items()}
    given = {name: text for name, text in texts.items() if text.strip()}
    asked = plain.spec.options.parse({**known, **given}).model_dump(mode="json")
    for name, value in fixed.items():
        if name in given and plain.spec.options.make({name: asked[name]}) != plain.spec.options.make({name: value}):
            raise OptionError(name, f"{quote(texts[name])} is not allowed; {id} has {quote(value)}")
    return game(id, **{name: value for name, value in asked.items() if name not in fixed})
