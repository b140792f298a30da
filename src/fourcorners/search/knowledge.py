"""What a game declares for the tree search."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fourcorners.core.dispatch import Estimates, Weights
from fourcorners.core.position import View
from fourcorners.core.spec import SpecPart


@dataclass(frozen=True)
class SearchKnowledge(SpecPart):
    """What the tree search knows about a game beyond its rules."""

    evaluate: Any = None
    """`evaluate.py`: the compiled functions `prior`, `rollout`, `foresee` and `explore`; see `core.dispatch`."""
    weigh_worlds: Callable[[View, Weights], Estimates] | None = None
    """Returns what the moves of a view tell about what it hides, for `core.dispatch.deal_likely`; no rows: nothing."""

    def list_modules(self) -> tuple[Any, ...]:
        """List the module of compiled functions."""
        return (self.evaluate,)
