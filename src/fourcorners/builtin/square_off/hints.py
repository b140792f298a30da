"""Hints for Square Off: why a move is good, in words whose numbers result from lines played out."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.options import format_cell, list_cells, list_squares
from fourcorners.builtin.square_off.rules import RIGHT, SWAP
from fourcorners.builtin.square_off.strategy.square_counts import count_squares, get_count
from fourcorners.builtin.square_off.strategy.square_potential import (
    count_new_marks,
    count_squares_through,
    find_key_cells,
    has_bit,
)
from fourcorners.core import compiled_api
from fourcorners.core.arrays import State, States
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.players.hint_claims import Claim, Hint

SINGLE_THREAT = "single-threat"
"""The theme of hints about a threat on one cell alone."""
_GOOD_SHARE = 0.6
"""The share of the best cell's squares from which a first man's cell is good."""


class _Candidate(NamedTuple):
    """A move to the cell `cell`: the position before it, as array and as record, and the seat and colour to move."""

    states: States
    s: State
    seat: int
    colour: int
    cell: int

    def name_cell(self, cell: int) -> str:
        return format_cell(cell, int(self.s.side))

    def list_free(self) -> list[int]:
        return [cell for cell in list_cells(int(self.s.side)) if has_cell(self.s.free, cell)]

    def build_claim(self, line: tuple[int, ...], seat: int) -> Claim:
        """Play legal actions on a copy; return a claim of the points that a seat (not a colour) gains, perhaps 0 or
        fewer.
        """
        work = self.states.copy()
        points = np.zeros(2, np.int64)
        compiled_api.status(work, 0, points)
        before = int(points[seat])
        for action in line:
            compiled_api.play(work, 0, action)
        compiled_api.status(work, 0, points)
        return Claim(int(points[seat]) - before, line, seat)

    def find_other_cell(self, *excluded: int) -> int | None:
        """Return the first free cell but these for an unrelated move in a line; None if there is no other."""
        return next((cell for cell in self.list_free() if cell not in excluded), None)


def hint(view: View, action: int) -> Hint:
    """Return the most important reason for a legal action of the seat to move, with claims for its numbers.

    Lines are played on copies, so the view stays unchanged.
    """
    s = view.record
    colour = int(s.placed) & 1
    move = _Candidate(view.states, s, int(s.swapped) ^ colour, colour, action & 255)
    if action == SWAP:
        return _explain_swap(s)
    if action >= RIGHT:
        return _explain_right(move, action)
    reasons = (explain(move) for explain in _EXPLANATIONS)
    return next((reason for reason in reasons if reason is not None), _describe_quiet_move(move))


def _explain_swap(s: State) -> Hint:
    """Return the hint for a swap: whether White's first man, which must be on the board, stands on many squares."""
    man = next(cell for cell in list_cells(int(s.side)) if has_cell(s.men[0], cell))
    best = max(count_squares_through(s, cell) for cell in list_cells(int(s.side)))
    if count_squares_through(s, man) >= _GOOD_SHARE * best:
        return Hint("takes over a first man that is on many squares", is_merit=True)
    return Hint("takes over the white man, although it is on few squares and the opponent moves next")


def _explain_right(move: _Candidate, action: int) -> Hint:
    """Return the hint for `action`, a use of the symmetry right: its effect, and the number of men that it marks, if
    any.
    """
    replaced = move.name_cell((action - RIGHT) >> 8)
    text = f"puts a white man on {replaced} and sends the black one to {move.name_cell(move.cell)}"
    claim = move.build_claim((action,), move.seat)
    return Hint(f"{text}, which marks {_format_men(claim.number)}", (claim,)) if claim.number > 0 else Hint(text)


def _explain_take_and_block(move: _Candidate) -> Hint | None:
    """Explain a move that both completes a square and blocks one; return None for others."""
    take, block = _explain_take(move), _explain_block(move)
    if take is None or block is None:
        return None
    return Hint(f"{take.text}; {block.text}", take.claims + block.claims, is_merit=True)


def _explain_take(move: _Candidate) -> Hint | None:
    """Explain a move that completes a square and newly marks men; return None for others."""
    if not count_new_marks(move.s, move.colour, move.cell):
        return None
    claim = move.build_claim((move.cell,), move.seat)
    return Hint(f"completes {_format_completed(move, move.colour)} and marks {_format_men(claim.number)}", (claim,))


def _explain_block(move: _Candidate) -> Hint | None:
    """Explain a move to a cell where the opponent would newly mark men; None for others, and for the last free cell."""
    other_cell = move.find_other_cell(move.cell)
    if not count_new_marks(move.s, 1 - move.colour, move.cell) or other_cell is None:
        return None
    claim = move.build_claim((other_cell, move.cell), 1 - move.seat)
    squares = _format_completed(move, 1 - move.colour)
    text = f"keeps the opponent from completing {squares} there, which would mark {_format_men(claim.number)}"
    return Hint(text, (claim,), is_merit=True)


def _explain_threat(move: _Candidate) -> Hint | None:
    """Explain a move that newly threatens to complete squares; None without a threat, and for a single one if only that
    cell is left free.
    """
    threats = sorted(_find_new_threats(move), key=lambda threat: -threat[0])
    if not threats:
        return None
    cell = threats[0][1]
    if len(threats) > 1:
        claim = move.build_claim((move.cell, cell, threats[1][1]), move.seat)
        names = " and ".join(sorted(move.name_cell(each) for _, each in threats[:2]))
        text = f"makes two threats at once, on {names}: if {move.name_cell(cell)} is blocked, "
        return Hint(f"{text}{move.name_cell(threats[1][1])} still marks {_format_men(claim.number)}", (claim,))
    other_cell = move.find_other_cell(move.cell, cell)
    if other_cell is None:
        return None
    claim = move.build_claim((move.cell, other_cell, cell), move.seat)
    text = f"threatens to complete a square on {move.name_cell(cell)} and mark {_format_men(claim.number)}"
    return Hint(text, (claim,), SINGLE_THREAT)


def _find_new_threats(move: _Candidate) -> list[tuple[int, int]]:
    """Return (number of new marks, cell) of each threat that the move makes or strengthens, in the order of cells."""
    work = move.states.copy()
    compiled_api.play(work, 0, move.cell)
    after = view_record(work)
    free = [cell for cell in move.list_free() if cell != move.cell]
    marks = {cell: count_new_marks(after, move.colour, cell) for cell in free}
    return [(count, cell) for cell, count in marks.items() if count > count_new_marks(move.s, move.colour, cell)]


def _explain_prevented_fork(move: _Candidate) -> Hint | None:
    """Explain a move to where the opponent would threaten two squares or more, perhaps on one cell; None for others."""
    if has_bit(find_key_cells(move.s, move.colour, move.cell >> 6).their_forks, move.cell):
        return Hint("keeps the opponent from threatening two squares at once there", is_merit=True)
    return None


_EXPLANATIONS: tuple[Callable[[_Candidate], Hint | None], ...] = (
    _explain_take_and_block,
    _explain_take,
    _explain_block,
    _explain_threat,
    _explain_prevented_fork,
)
"""The most important first."""


def _describe_quiet_move(move: _Candidate) -> Hint:
    """Return a hint that compares the open squares through the cell with those through the other free cells."""
    through = {cell: _count_open_squares(move, cell) for cell in move.list_free()}
    mine, theirs = through[move.cell]
    if not any(map(sum, through.values())):
        return Hint("is as good as any other: no square can be completed any more", is_vague=True)
    if mine + theirs == 0:
        return Hint("stays away from all squares that can still be completed")
    if mine + theirs == max(map(sum, through.values())):
        return Hint("is on as many squares that can still be completed as any other cell", is_merit=True)
    if mine > theirs:
        return Hint("builds on squares where the opponent has no man", is_merit=True)
    if theirs > mine:
        return Hint("breaks up squares that the opponent could still complete", is_merit=True)
    return Hint("builds as many squares as it breaks up", is_vague=True)


def _count_open_squares(move: _Candidate, cell: int) -> tuple[int, int]:
    """Return the numbers of squares through a free cell that the mover and the opponent can still complete. On boards
    above 12 x 12 a large number may come out too small: see `square_counts.py`.
    """
    counts = count_squares(move.s, move.colour, cell >> 6)
    empty, own_single, own_pair, their_single, their_pair = (get_count(c, np.uint64(cell & 63)) for c in counts)
    return empty + own_single + own_pair, empty + their_single + their_pair


def _format_completed(move: _Candidate, colour: int) -> str:
    """Return in words how many squares, one at least, a man of this colour on the candidate's cell would complete."""
    squares = (square for square in list_squares(int(move.s.side)) if move.cell in square)
    men = move.s.men[colour]
    count = sum(all(corner == move.cell or has_cell(men, corner) for corner in square) for square in squares)
    return {1: "a square", 2: "two squares", 3: "three squares"}.get(count, "several squares")


def _format_men(count: int) -> str:
    return f"{count} man" if count == 1 else f"{count} men"
