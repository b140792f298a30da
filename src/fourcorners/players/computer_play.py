"""What a game declares for computer players: their levels, how to correct their estimates, and their hints."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fourcorners.core.dispatch import State
from fourcorners.core.spec import Spec, SpecPart
from fourcorners.players.calibration import Calibration
from fourcorners.players.hint_claims import Hints
from fourcorners.players.levels import DEFAULT_LEVELS, Level
from fourcorners.solvers.exact_play import ExactPlay


@dataclass(frozen=True)
class ComputerPlay(SpecPart):
    """How computers play a game, and what they say about it."""

    levels: tuple[Level, ...] = DEFAULT_LEVELS
    """The computer's levels, the weakest first; the last one holds nothing back."""
    baselines: Mapping[str, Level] = field(default_factory=dict)
    """Ways of playing to measure against, by name."""
    find_calibration: Callable[[State], Calibration] = field(default=lambda _: Calibration())
    """Returns how to correct what simulations estimate in a position, or in a view of the seat to move."""
    count_points_left: Callable[[State], int] | None = None
    """Returns the most points that all seats together can still make, from what everyone sees; None: not known."""
    hints: Hints | None = None
    """Says why moves are good; None: hints are moves alone."""

    def list_faults(self, spec: Spec) -> Iterator[str]:
        """Name the count of points left that the exact play has but this does not use."""
        function: Any = getattr(spec.part(ExactPlay).exact, "count_points_left", None)
        if function is not None and self.count_points_left is not function:
            yield "has exact play with count_points_left, but does not declare it"
