"""Why a move of Square Off is good, in words; every number is what comes of a line that was played."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.dispatch import State, States, view_record
from fourcorners.core.hint_claims import Claim, Hint
from fourcorners.core.position import View
from fourcorners.games.square_off.options import cell_name, cells
from fourcorners.games.square_off.rules import RIGHT, SWAP
from fourcorners.games.square_off.squares import has
from fourcorners.games.square_off.strategy.square_counts import at, census
from fourcorners.games.square_off.strategy.square_potential import fresh, glance, holds, squares_through

_GOOD = 0.6  # of the squares through the best cell
_COUNTS = {1: "a square", 2: "two squares", 3: "three squares"}


class _Sight(NamedTuple):
    """A position as the seat to move looks at it, and the cell in question."""

    states: States
    s: State
    seat: int
    colour: int
    cell: int

    def called(self, cell: int) -> str:
        return cell_name(cell, int(self.s.side))

    def free(self) -> list[int]:
        return [cell for cell in cells(int(self.s.side)) if has(self.s.free, cell)]

    def claim(self, line: tuple[int, ...], seat: int) -> Claim:
        """Return what a line of legal actions gives a seat."""
        work = self.states.copy()
        points = np.zeros(2, np.int64)
        compiled_api.status(work, 0, points)
        before = int(points[seat])
        for action in line:
            compiled_api.play(work, 0, action)
        compiled_api.status(work, 0, points)
        return Claim(int(points[seat]) - before, line, seat)

    def other_than(self, *taken: int) -> int | None:
        """Return a free cell that is none of these, for a move that has nothing to do with them."""
        return next((cell for cell in self.free() if cell not in taken), None)


def hint(view: View, action: int) -> Hint:
    """Say what speaks for an action."""
    s = view.record
    colour = int(s.placed) & 1
    sight = _Sight(view.states, s, int(s.swapped) ^ colour, colour, action & 255)
    if action == SWAP:
        return _swap(s)
    if action >= RIGHT:
        return _right(sight, action)
    found = (reason(sight) for reason in _REASONS)
    return next((each for each in found if each is not None), Hint(_quiet(sight)))


def _swap(s: State) -> Hint:
    man = next(cell for cell in cells(int(s.side)) if has(s.men[0], cell))
    if squares_through(s, man) >= _GOOD * max(squares_through(s, cell) for cell in cells(int(s.side))):
        return Hint("takes over a first man who stands on many squares")
    return Hint("takes over the white man, though he stands on few squares: the others have the next move")


def _right(sight: _Sight, action: int) -> Hint:
    replaced = sight.called((action - RIGHT) >> 8)
    text = f"puts a white man on {replaced} and sends the black one to {sight.called(sight.cell)}"
    claim = sight.claim((action,), sight.seat)
    return Hint(f"{text}: that marks {_men(claim.number)}", (claim,)) if claim.number > 0 else Hint(text)


def _takes_and_blocks(sight: _Sight) -> Hint | None:
    takes, blocks = _takes(sight), _blocks(sight)
    if takes is None or blocks is None:
        return None
    text = f"{takes.text}; {blocks.text}"
    return Hint(text, takes.claims + blocks.claims)


def _takes(sight: _Sight) -> Hint | None:
    if not fresh(sight.s, sight.colour, sight.cell):
        return None
    claim = sight.claim((sight.cell,), sight.seat)
    what = _COUNTS.get(_completed(sight, sight.colour), "several squares")
    return Hint(f"completes {what} and marks {_men(claim.number)}", (claim,))


def _blocks(sight: _Sight) -> Hint | None:
    away = sight.other_than(sight.cell)
    if not fresh(sight.s, 1 - sight.colour, sight.cell) or away is None:
        return None
    claim = sight.claim((away, sight.cell), 1 - sight.seat)
    what = _COUNTS.get(_completed(sight, 1 - sight.colour), "several squares")
    text = f"keeps the opponent from completing {what} there, which would mark {_men(claim.number)}"
    return Hint(text, (claim,))


def _threatens(sight: _Sight) -> Hint | None:
    """Speak of the cells where a square can be completed after the move, and could not before."""
    new = sorted(_threats_after(sight), key=lambda pair: -pair[0])
    if not new:
        return None
    cell = new[0][1]
    if len(new) > 1:
        after = sight.claim((sight.cell, cell, new[1][1]), sight.seat)
        where = " and ".join(sorted(sight.called(each) for _, each in new[:2]))
        text = f"makes two threats at once, on {where}: if {sight.called(cell)} is blocked, "
        return Hint(text + f"{sight.called(new[1][1])} still marks {_men(after.number)}", (after,))
    away = sight.other_than(sight.cell, cell)
    if away is None:
        return None
    claim = sight.claim((sight.cell, away, cell), sight.seat)
    return Hint(f"threatens to complete a square on {sight.called(cell)} and mark {_men(claim.number)}", (claim,))


def _threats_after(sight: _Sight) -> list[tuple[int, int]]:
    """Return the men that could be marked next, and where, for each cell that the move makes a threat of."""
    work = sight.states.copy()
    compiled_api.play(work, 0, sight.cell)
    after = view_record(work)
    free = [cell for cell in sight.free() if cell != sight.cell]
    now = {cell: fresh(after, sight.colour, cell) for cell in free}
    return [(count, cell) for cell, count in now.items() if count > fresh(sight.s, sight.colour, cell)]


def _forestalls(sight: _Sight) -> Hint | None:
    if holds(glance(sight.s, sight.colour, sight.cell >> 6)[3], sight.cell):
        return Hint("keeps the opponent from making two threats at once there")
    return None


_REASONS: tuple[Callable[[_Sight], Hint | None], ...] = (
    _takes_and_blocks,
    _takes,
    _blocks,
    _threatens,
    _forestalls,
)


def _quiet(sight: _Sight) -> str:
    """Compare the squares that can still be completed through the cell with those through the others."""
    through = {cell: _open_through(sight, cell) for cell in sight.free()}
    mine, theirs = through[sight.cell]
    if not any(map(sum, through.values())):
        return "is as good as any other: no square can be completed any more"
    if mine + theirs == 0:
        return "keeps away from all squares that can still be completed"
    if mine + theirs == max(map(sum, through.values())):
        return "is on as many squares that can still be completed as any cell is"
    if mine > theirs:
        return "builds on squares on which the opponent has no man"
    if theirs > mine:
        return "breaks squares that the opponent could still complete"
    return "is good for either colour: it builds and breaks alike"


def _open_through(sight: _Sight, cell: int) -> tuple[int, int]:
    """Count the squares through a free cell that the colour, and that the other, may still complete."""
    found = [at(count, np.uint64(cell & 63)) for count in census(sight.s, sight.colour, cell >> 6)]
    return found[0] + found[1] + found[2], found[0] + found[3] + found[4]


def _completed(sight: _Sight, colour: int) -> int:
    """Count the squares that a man of a colour on the cell would complete."""
    s, side, shift = sight.s, int(sight.s.side), int(sight.s.shift)
    row, column, half = sight.cell >> shift, sight.cell & ((1 << shift) - 1), side // 2
    count = 0
    for up in range(side):
        for across in (column - (up - row), column + (up - row)):
            if up == row or not 0 <= across < side:
                continue
            if ((up < half) == (row < half)) != ((across < half) == (column < half)):
                continue
            corners = ((up << shift) + column, (row << shift) + across, (up << shift) + across)
            count += all(has(s.men[colour], corner) for corner in corners)
    return count


def _men(count: int) -> str:
    return f"{count} man" if count == 1 else f"{count} men"
