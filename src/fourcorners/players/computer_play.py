"""A game's declarations for computer players: their levels, the calibration of their estimates, and hints."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fourcorners.core.arrays import State
from fourcorners.core.spec import Spec, SpecPart
from fourcorners.players.calibration import Calibration
from fourcorners.players.hint_claims import Hints
from fourcorners.players.levels import DEFAULT_LEVELS, Level
from fourcorners.solvers.exact_play import ExactPlay


@dataclass(frozen=True)
class ComputerPlay(SpecPart):
    """The computer players and the hints of a game."""

    levels: tuple[Level, ...] = DEFAULT_LEVELS
    """The computer's levels, the weakest first; the last one plays at full strength."""
    baselines: Mapping[str, Level] = field(default_factory=dict)
    """Baselines to measure levels against, by name."""
    find_calibration: Callable[[State], Calibration] = field(default=lambda _: Calibration())
    """A function that returns the calibration of simulations in a position, or in a view of the seat to move."""
    count_points_left: Callable[[State], int] | None = None
    """A function that returns the most points that all seats together can still make, from public information; None if
    unknown.
    """
    hints: Hints | None = None
    """The explanations of good moves; None if hints are moves alone."""

    def list_faults(self, spec: Spec) -> Iterator[str]:
        """List a fault if the exact play counts the points left but this does not declare it."""
        function: Any = getattr(spec.part(ExactPlay).exact, "count_points_left", None)
        if function is not None and self.count_points_left is not function:
            yield "has exact play with count_points_left, but does not declare it"
