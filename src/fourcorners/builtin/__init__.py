"""The registry of games."""

from importlib import import_module
from importlib.metadata import entry_points

from fourcorners.core import catalogue
from fourcorners.core.spec import Spec

# One line for each game, in display order.
BUILT_IN = (
    "fourcorners.builtin.squarin_off",
    "fourcorners.builtin.square_off",
    "fourcorners.builtin.squendo",
    "fourcorners.builtin.sqez",
)
ENTRY_POINTS = "fourcorners.games"


def load() -> list[Spec]:
    """Return the `SPEC` of each built-in game in display order, then those of other packages' entry points by name.

    Errors while importing or loading one pass through.
    """
    found: list[Spec] = [import_module(name).SPEC for name in BUILT_IN]
    points = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    return found + [point.load() for point in points]


catalogue.set_loader(load)
