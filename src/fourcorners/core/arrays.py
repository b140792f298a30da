"""Types of the records and arrays that compiled code works on."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

State: TypeAlias = Any
"""One record of a game's dtype; its fields are attributes."""
States: TypeAlias = NDArray[np.void]
Actions: TypeAlias = NDArray[np.int64]
Points: TypeAlias = NDArray[np.int64]
Priors: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = NDArray[np.float64]
"""(k,): a player's knowledge beyond the rules, as numbers that the game defines; k = 0 for none."""
Estimates: TypeAlias = NDArray[np.float64]
Rng: TypeAlias = NDArray[np.uint64]
"""(1,): the state of a random generator."""
Mask: TypeAlias = NDArray[np.bool_]
"""(count_actions,): whether each index of an action is legal."""
Planes: TypeAlias = NDArray[np.float32]
"""(planes, rows, columns): a position as a learning program sees it."""
