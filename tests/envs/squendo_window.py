"""Play that leaves the window around the first tile of Squendo, where actions have indices."""

import fourcorners as fc


def lay_to_the_right(state: fc.envs.State) -> int:
    """Return the action that is farthest to the right: an index is (slot, row, column, rotation, outcome)."""
    return int(max(state.actions(), key=lambda index: index // 36 % 25 if index < 90_000 else -1))
