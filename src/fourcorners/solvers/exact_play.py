"""A game's declarations for the solvers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Actions, Estimates, State, States
from fourcorners.core.errors import OptionError
from fourcorners.core.spec import Spec, SpecPart

if TYPE_CHECKING:
    from fourcorners.core.options import Options  # loads pydantic, which takes long

_MARGIN_FUNCTIONS = ("NODE", "BOARD", "enter", "limits", "key", "moves", "follow")
_NIMBER_FUNCTIONS = ("split", "options")
_DECLARED_FUNCTIONS = ("estimate_cost", "estimate_move_costs", "list_known_values", "can_infer_hands")


@dataclass(frozen=True)
class ExactPlay(SpecPart):
    """The solvers' knowledge of a game beyond its rules."""

    exact: Any = None
    """The functions of `solvers.margin_protocol`, or of `solvers.nimber_protocol` if the last move wins. Its OPTIONS
    are the names of the supported options; `find_exact` says whether it fits a game.
    """
    simple_exact: Any = None
    """Like `exact`, but with simpler nodes for the engine's proofs and searches: the functions of
    `solvers.margin_protocol`, with estimates, for some positions only.

    `convert_board(boards, nodes)` makes its board and node from those of `exact`, or returns None if the position is
    not simple enough. `convert_move(nodes, move)` returns the code in `exact` of a move of the converted root.
    """
    estimate_cost: Callable[[State], float] | None = None
    """A function that estimates the number of nodes to solve a position."""
    estimate_move_costs: Callable[[States, Actions], Estimates] | None = None
    """A function that estimates the nodes after each of some legal actions in `states[0]`, if the last move wins and
    two seats play. It returns nothing, (0,), if that would take long, because it cannot be interrupted.
    """
    list_known_values: Callable[[Any], tuple[NDArray[np.uint64], NDArray[np.int64]]] | None = None
    """A function that returns the keys, rows of two words, and values of nodes known for these options without search.
    """

    def find_exact(self, options: "Options") -> Any:
        """Return `exact` if it fits these options, because all options that it does not name have their defaults; else
        None.

        So an option added to the rules alone never makes an exact value wrong.
        """
        if self.exact is None:
            return None
        known = {name: getattr(options, name) for name in self.exact.OPTIONS}
        try:
            return self.exact if options == type(options).make(known) else None
        except OptionError:  # the options that it names are not allowed without the others
            return None

    def list_modules(self) -> tuple[Any, ...]:
        """List the modules of compiled functions."""
        return self.exact, self.simple_exact

    def list_faults(self, spec: Spec) -> Iterator[str]:
        """List where `exact` disagrees with options or scoring, and its functions that are not declared."""
        if self.exact is None:
            return
        options = getattr(self.exact, "OPTIONS", None)
        if options is None:
            yield "declares exact play without OPTIONS"
            return
        if unknown := set(options) - spec.options.model_fields.keys():
            yield f"has exact play whose OPTIONS name {min(unknown)}, which is not an option"
        is_nimber = spec.scoring == "last-move"
        for names, is_needed in ((_NIMBER_FUNCTIONS, is_nimber), (_MARGIN_FUNCTIONS, not is_nimber)):
            for name in names:
                if hasattr(self.exact, name) != is_needed:
                    verb = "lacks" if is_needed else "has"
                    yield f'declares scoring="{spec.scoring}", but its exact play {verb} {name}'
        declared = vars(self) | ({} if spec.hidden_information is None else vars(spec.hidden_information))
        for name in _DECLARED_FUNCTIONS:
            function = getattr(self.exact, name, None)
            if function is not None and declared.get(name) is not function:
                yield f"has exact play with {name}, but does not declare it"
