"""A game's declarations for the tree search."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fourcorners.core.arrays import Estimates, Weights
from fourcorners.core.game import View
from fourcorners.core.spec import SpecPart


@dataclass(frozen=True)
class SearchKnowledge(SpecPart):
    """The tree search's knowledge of a game beyond its rules."""

    evaluate: Any = None
    """`evaluate.py`: the compiled functions `prior`, `rollout`, `foresee` and `explore`; see `core.dispatch`."""
    weigh_worlds: Callable[[View, Weights], Estimates] | None = None
    """A function that infers hidden information from a view's moves, for `core.dispatch.deal_likely`; no rows for none.
    """

    def list_modules(self) -> tuple[Any, ...]:
        """List the module of compiled functions."""
        return (self.evaluate,)
