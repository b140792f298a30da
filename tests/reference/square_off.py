"""Square Off played slowly: a reference implementation, written from the rules alone, to compare the package with."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

Cell = tuple[int, int]

# What `used` counts: rules, rulings and options that a game can exercise, by their numbers on the rules page.
KEYS = (
    "2 square in one quadrant",
    "2 square across the quadrants",
    "3 several squares completed at once",
    "3 a marked man in a new square",
    "3 draw",
    "4 swap",
    "4 swap declined",
    "4 swap=false",
    "5 right used, left-right",
    "5 right used, top-bottom",
    "5 right used, half turn",
    "5 right used after the swap",
    "5 right not used",
    "R11 right used again",
    "R11 once: symmetric again, right spent",
    "R11 none: symmetric position",
    "R12 replaced man keeps its mark",
    "R12 square broken, its other men keep their marks",
    "R12 white man completes a square",
    "R12 black man completes a square",
    "R12 current: men lose their marks",
    "size 4",
    "size 6",
    "size 8",
    "size above 8",
)


def format_cell(cell: Cell) -> str:
    return "abcdefghijklmnop"[cell[0]] + str(cell[1] + 1)


def parse_cell(text: str) -> Cell:
    return "abcdefghijklmnop".index(text[0]), int(text[1:]) - 1


class Reference:
    """A game of Square Off; see `tests.reference.Game`, also for `used`.

    `white` and `black` are the cells of the men, `kept` those of men that were ever marked, wherever they are now.
    `turn` and `white_seat` are seats, and `last` is the cell where Black last placed a man.
    """

    def __init__(
        self,
        deck: None = None,
        *,
        size: int = 8,
        swap: bool = True,
        symmetry: str = "each",
        marks: str | None = None,
    ) -> None:
        """Start a game on an empty board; the parameters are the options of the rules page, `marks` None for "kept".
        `deck` is not used: all references take one, and Square Off has none.
        """
        self.size = size
        self.swap = swap
        self.symmetry = symmetry
        self.current = marks == "current"
        self.cells = [(x, y) for x in range(size) for y in range(size)]
        self.squares = self.list_squares()
        self.squares_of = {cell: [square for square in self.squares if cell in square] for cell in self.cells}
        self.turn = 0
        self.white_seat = 0
        self.white: set[Cell] = set()
        self.black: set[Cell] = set()
        self.kept: set[Cell] = set()
        self.last: Cell | None = None
        self.rights_used = 0
        self.used: Counter[str] = Counter({f"size {size}" if size <= 8 else "size above 8": 1})
        if not swap:
            self.used["4 swap=false"] += 1

    def get_quadrant(self, cell: Cell) -> tuple[bool, bool]:
        """Return whether a cell is in the right half of the board, and whether it is in the upper half."""
        return cell[0] >= self.size // 2, cell[1] >= self.size // 2

    def list_squares(self) -> list[frozenset[Cell]]:
        """Return the corners of all squares of rule 2: upright, with all corners in one quadrant or one in each."""
        found = []
        for (x, y), side in product(self.cells, range(1, self.size)):
            corners = frozenset({(x, y), (x + side, y), (x, y + side), (x + side, y + side)})
            on_board = x + side < self.size and y + side < self.size
            if on_board and len({self.get_quadrant(corner) for corner in corners}) in (1, 4):
                found.append(corners)
        return found

    @property
    def free(self) -> set[Cell]:
        return set(self.cells) - self.white - self.black

    @property
    def is_over(self) -> bool:
        return not self.free

    @property
    def seat(self) -> int | None:
        return None if self.is_over else self.turn

    @property
    def marked(self) -> set[Cell]:
        """Return the cells of the marked men (rule 3); with `marks=current` of those on complete squares (R12).
        The set may be the game's own: copy it to keep it.
        """
        return (
            self.find_men_on_squares(self.white) | self.find_men_on_squares(self.black) if self.current else self.kept
        )

    @property
    def scores(self) -> tuple[int, ...]:
        points = len(self.marked & self.white), len(self.marked & self.black)
        return points if self.white_seat == 0 else points[::-1]

    def find_men_on_squares(self, men: set[Cell]) -> set[Cell]:
        """Return those of the men of one colour that stand on complete squares."""
        return {cell for square in self.squares if square <= men for cell in square}

    def get_reflections(self) -> dict[str, Callable[[Cell], Cell]]:
        """Return the maps of rule 5 from cell to cell: "left-right", "top-bottom" and "half turn"."""
        end = self.size - 1
        return {
            "left-right": lambda cell: (end - cell[0], cell[1]),
            "top-bottom": lambda cell: (cell[0], end - cell[1]),
            "half turn": lambda cell: (end - cell[0], end - cell[1]),
        }

    def find_symmetries(self) -> list[str]:
        """Return the names of the reflections that carry the white men exactly onto the black ones (rule 5).
        There are none before Black's first man.
        """
        return [
            name
            for name, reflect in self.get_reflections().items()
            if self.black and {reflect(man) for man in self.white} == self.black
        ]

    def has_right(self) -> bool:
        """Return whether White is to move and may use the symmetry right (rule 5, R11)."""
        if self.symmetry == "none" or (self.symmetry == "once" and self.rights_used > 0):
            return False
        return self.turn == self.white_seat and bool(self.find_symmetries())

    def can_swap(self) -> bool:
        """Return whether seat 1 may answer the first man with the swap (rule 4)."""
        return self.swap and self.turn == 1 and len(self.white) == 1 and not self.black

    def moves(self) -> list[str]:
        """Return all legal moves, sorted."""
        found = [format_cell(cell) for cell in self.free]
        if self.can_swap():
            found.append("swap")
        if self.has_right() and self.last is not None:
            found += [f"{format_cell(self.last)} {format_cell(cell)}" for cell in self.free]
        return sorted(found)

    def play(self, move: str) -> None:
        """Play a legal move, which is not checked, and count in `used` which rules it exercises."""
        whites_turn = self.turn == self.white_seat
        marked_before = set(self.marked)
        if whites_turn and self.black and self.find_symmetries():
            self.count_used_symmetry_rules(move)
        if move == "swap":
            # The white man now belongs to seat 1, and seat 0 continues as Black.
            self.white_seat = 1
            self.used["4 swap"] += 1
        elif " " in move:
            self.use_right(*map(parse_cell, move.split(" ")))
        else:
            self.used["4 swap declined"] += self.can_swap()
            cell = parse_cell(move)
            if whites_turn:
                self.white.add(cell)
                self.mark_men(self.white, cell)
            else:
                self.black.add(cell)
                self.last = cell
                self.mark_men(self.black, cell)
        self.turn = 1 - self.turn
        if self.current and not marked_before <= self.marked:
            self.used["R12 current: men lose their marks"] += 1
        if self.is_over and self.scores[0] == self.scores[1]:
            self.used["3 draw"] += 1

    def use_right(self, replaced: Cell, target: Cell) -> None:
        """Replace Black's last man, on `replaced`, by a white one, and move it to the free cell `target` (rule 5).
        `replaced` must be `last`, which is not checked. Count in `used` what this exercises.
        """
        self.rights_used += 1
        broken = [square for square in self.squares_of[replaced] if square <= self.black]
        self.black.remove(replaced)
        self.black.add(target)
        self.white.add(replaced)
        # R12: the moved man keeps its mark, and the white man has none yet.
        if replaced in self.kept:
            self.kept.remove(replaced)
            self.kept.add(target)
            self.used["R12 replaced man keeps its mark"] += not self.current
        self.used["R12 square broken, its other men keep their marks"] += bool(broken) and not self.current
        self.used["R12 white man completes a square"] += self.mark_men(self.white, replaced)
        self.used["R12 black man completes a square"] += self.mark_men(self.black, target)

    def mark_men(self, men: set[Cell], cell: Cell) -> bool:
        """Mark all men of the squares that the man on this cell, one of `men`, completes; return whether there are any.
        `men` are those of one colour (rule 3). Count in `used` which kinds of squares these are.
        """
        squares = [square for square in self.squares_of[cell] if square <= men]
        men_on_them = {man for square in squares for man in square}
        quadrants = [len({self.get_quadrant(corner) for corner in square}) for square in squares]
        self.used["2 square in one quadrant"] += quadrants.count(1)
        self.used["2 square across the quadrants"] += quadrants.count(4)
        self.used["3 several squares completed at once"] += len(squares) > 1
        self.used["3 a marked man in a new square"] += bool(self.kept & men_on_them)
        self.kept |= men_on_them
        return bool(squares)

    def count_used_symmetry_rules(self, move: str) -> None:
        """Add 1 in `used` to each rule that White's move in a symmetric position exercises; to be called before it.
        A move that uses the right counts for every symmetry of the position.
        """
        if not self.has_right():
            none = self.symmetry == "none"
            self.used["R11 none: symmetric position" if none else "R11 once: symmetric again, right spent"] += 1
        elif " " not in move:
            self.used["5 right not used"] += 1
        else:
            self.used.update(f"5 right used, {name}" for name in self.find_symmetries())
            self.used["5 right used after the swap"] += self.white_seat == 1
            self.used["R11 right used again"] += self.rights_used > 0


def choose_rare_move(reference: Reference, rng: random.Random) -> str:
    """Choose a legal move, with a preference for symmetric answers, the right that they give, and squares.
    The game must not be over.
    """
    moves = reference.moves()
    if "swap" in moves and rng.random() < 0.4:
        return "swap"
    whites_turn = reference.turn == reference.white_seat
    reflections = list(reference.get_reflections().values())
    own = reference.white if whites_turn else reference.black

    def count_squares(men: set[Cell], cell: Cell) -> int:
        return sum(square - {cell} <= men for square in reference.squares_of[cell])

    if reference.has_right() and reference.last is not None:
        can_give = any(count_squares(reference.black - {reference.last}, cell) for cell in reference.free)
        can_take = reference.last in reference.marked or count_squares(reference.white, reference.last)
        is_early = len(reference.black) == 1
        if rng.random() < (0.7 if can_give or can_take else 0.35 if is_early else 0.04):
            return rng.choice(
                list_right_moves(reference, rng, "complete" if can_give else "again" if is_early else "any")
            )
    if not whites_turn and rng.random() < 0.9:
        # An answer that makes the position symmetric: the one cell that Black lacks under some reflection.
        images = [{reflect(man) for man in reference.white} for reflect in reflections]
        answers = [image - own for image in images if own <= image and len(image - own) == 1]
        cells = sorted(cell for answer in answers for cell in answer if cell in reference.free)
        if cells:
            return format_cell(rng.choice(cells))
    # White often breaks up a square of Black's: mirrored, that makes a square which the right completes.
    for men, chance in ((reference.black, 0.4 if whites_turn else 0.0), (own, 0.7)):
        cells = sorted(reference.free)
        best = max(count_squares(men, cell) for cell in cells)
        if best and rng.random() < chance:
            return format_cell(rng.choice([cell for cell in cells if count_squares(men, cell) == best]))
    return rng.choice([move for move in moves if " " not in move and move != "swap"])


def list_right_moves(reference: Reference, rng: random.Random, preference: str) -> list[str]:
    """Return uses of the symmetry right, which White must have: all if `preference` is "any", or mostly some of them.

    "again" prefers those after which Black can restore symmetry, "complete" those that complete a square of Black's. If
    no use is of that kind, all are returned; before Black's first man there is none.
    """
    replaced = reference.last
    if replaced is None:
        return []
    white = reference.white | {replaced}
    free = reference.free
    chosen = sorted(free)
    if rng.random() < 0.2:
        preference = "any"
    if preference == "again":
        images = [{reflect(man) for man in white} for reflect in reference.get_reflections().values()]
        again = []
        for target in chosen:
            black = reference.black - {replaced} | {target}
            if any(black <= image and image - black <= free - {target} for image in images):
                again.append(target)
        chosen = again or chosen
    elif preference == "complete":
        black = reference.black - {replaced}
        completing = [t for t in chosen if any(square - {t} <= black for square in reference.squares_of[t])]
        chosen = completing or chosen
    return [f"{format_cell(replaced)} {format_cell(target)}" for target in chosen]


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Draw random valid options, for `Reference` and the package: mostly small boards, sometimes larger ones."""
    chosen: dict[str, Any] = {"size": rng.choice((4, 4, 4, 4, 4, 6, 6, 6, 8, 8))}
    if rng.random() < 0.03:
        chosen["size"] = rng.choice((10, 12, 14, 16))
    if rng.random() < 0.8:
        chosen["swap"] = rng.random() < 0.75
    if rng.random() < 0.7:
        chosen["symmetry"] = rng.choice(("each", "once", "once", "none"))
    if rng.random() < 0.3:
        chosen["marks"] = "current"
    return chosen
