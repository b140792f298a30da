"""Square Off played slowly: a reference written from the rules alone, to compare the package with."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

Cell = tuple[int, int]

# What `used` counts: the rules, rulings and options that a game can exercise, by their numbers on the rules page.
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
    "R12 replaced man keeps his mark",
    "R12 square broken, its other men keep their marks",
    "R12 white man completes where he replaces",
    "R12 black man completes where he goes",
    "R12 current: men lose their marks",
    "size 4",
    "size 6",
    "size 8",
    "size above 8",
)


def name(cell: Cell) -> str:
    return "abcdefghijklmnop"[cell[0]] + str(cell[1] + 1)


def cell_of(text: str) -> Cell:
    return "abcdefghijklmnop".index(text[0]), int(text[1:]) - 1


class Reference:
    def __init__(
        self,
        deck: None = None,
        *,
        size: int = 8,
        swap: bool = True,
        symmetry: str = "each",
        marks: str | None = None,
    ) -> None:
        self.size = size
        self.swap = swap
        self.symmetry = symmetry
        self.current = marks == "current"
        self.cells = [(x, y) for x in range(size) for y in range(size)]
        self.squares = self.all_squares()
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

    def quadrant(self, cell: Cell) -> tuple[bool, bool]:
        return cell[0] >= self.size // 2, cell[1] >= self.size // 2

    def all_squares(self) -> list[frozenset[Cell]]:
        """Rule 2: corners of an upright square, all in one quadrant or one in each."""
        found = []
        for (x, y), side in product(self.cells, range(1, self.size)):
            corners = frozenset({(x, y), (x + side, y), (x, y + side), (x + side, y + side)})
            on_board = x + side < self.size and y + side < self.size
            if on_board and len({self.quadrant(corner) for corner in corners}) in (1, 4):
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
        """Rule 3; with `marks=current` exactly the men on squares that are complete now (R12)."""
        return self.on_squares(self.white) | self.on_squares(self.black) if self.current else self.kept

    @property
    def scores(self) -> tuple[int, ...]:
        points = len(self.marked & self.white), len(self.marked & self.black)
        return points if self.white_seat == 0 else points[::-1]

    def on_squares(self, men: set[Cell]) -> set[Cell]:
        return {cell for square in self.squares if square <= men for cell in square}

    def mirrorings(self) -> dict[str, Callable[[Cell], Cell]]:
        end = self.size - 1
        return {
            "left-right": lambda cell: (end - cell[0], cell[1]),
            "top-bottom": lambda cell: (cell[0], end - cell[1]),
            "half turn": lambda cell: (end - cell[0], end - cell[1]),
        }

    def symmetries(self) -> list[str]:
        """Rule 5: the mirrorings that carry the white men exactly onto the black men; none before Black's first man."""
        return [
            how for how, to in self.mirrorings().items() if self.black and {to(m) for m in self.white} == self.black
        ]

    def has_right(self) -> bool:
        if self.symmetry == "none" or (self.symmetry == "once" and self.rights_used > 0):
            return False
        return self.turn == self.white_seat and bool(self.symmetries())

    def may_swap(self) -> bool:
        """Rule 4: seat 1's answer to the first man, and only that."""
        return self.swap and self.turn == 1 and len(self.white) == 1 and not self.black

    def moves(self) -> list[str]:
        found = [name(cell) for cell in self.free]
        if self.may_swap():
            found.append("swap")
        if self.has_right() and self.last is not None:
            found += [f"{name(self.last)} {name(cell)}" for cell in self.free]
        return sorted(found)

    def play(self, move: str) -> None:
        whites_turn = self.turn == self.white_seat
        marked_before = set(self.marked)
        if whites_turn and self.black and self.symmetries():
            self.note_symmetry(move)
        if move == "swap":
            # The white man is seat 1's now, and seat 0 goes on as Black.
            self.white_seat = 1
            self.used["4 swap"] += 1
        elif " " in move:
            self.use_right(*map(cell_of, move.split(" ")))
        else:
            self.used["4 swap declined"] += self.may_swap()
            cell = cell_of(move)
            if whites_turn:
                self.white.add(cell)
                self.mark(self.white, cell)
            else:
                self.black.add(cell)
                self.last = cell
                self.mark(self.black, cell)
        self.turn = 1 - self.turn
        if self.current and not marked_before <= self.marked:
            self.used["R12 current: men lose their marks"] += 1
        if self.is_over and self.scores[0] == self.scores[1]:
            self.used["3 draw"] += 1

    def use_right(self, replaced: Cell, target: Cell) -> None:
        """Rule 5: a white man replaces Black's last man, who moves to a free cell."""
        self.rights_used += 1
        broken = [square for square in self.squares_of[replaced] if square <= self.black]
        self.black.remove(replaced)
        self.black.add(target)
        self.white.add(replaced)
        # R12: the moved man keeps his mark, and the white man has none yet.
        if replaced in self.kept:
            self.kept.remove(replaced)
            self.kept.add(target)
            self.used["R12 replaced man keeps his mark"] += not self.current
        self.used["R12 square broken, its other men keep their marks"] += bool(broken) and not self.current
        self.used["R12 white man completes where he replaces"] += self.mark(self.white, replaced)
        self.used["R12 black man completes where he goes"] += self.mark(self.black, target)

    def mark(self, men: set[Cell], cell: Cell) -> bool:
        """Rule 3: mark all men of the squares that the man on this cell completes; tell whether there are any."""
        squares = [square for square in self.squares_of[cell] if square <= men]
        men_on_them = {man for square in squares for man in square}
        quadrants = [len({self.quadrant(corner) for corner in square}) for square in squares]
        self.used["2 square in one quadrant"] += quadrants.count(1)
        self.used["2 square across the quadrants"] += quadrants.count(4)
        self.used["3 several squares completed at once"] += len(squares) > 1
        self.used["3 a marked man in a new square"] += bool(self.kept & men_on_them)
        self.kept |= men_on_them
        return bool(squares)

    def note_symmetry(self, move: str) -> None:
        if not self.has_right():
            none = self.symmetry == "none"
            self.used["R11 none: symmetric position" if none else "R11 once: symmetric again, right spent"] += 1
        elif " " not in move:
            self.used["5 right not used"] += 1
        else:
            self.used.update(f"5 right used, {how}" for how in self.symmetries())
            self.used["5 right used after the swap"] += self.white_seat == 1
            self.used["R11 right used again"] += self.rights_used > 0


def choose_rare_move(reference: Reference, rng: random.Random) -> str:
    """Choose a legal move, with a liking for symmetric answers, the right they give, and squares."""
    moves = reference.moves()
    if "swap" in moves and rng.random() < 0.4:
        return "swap"
    whites_turn = reference.turn == reference.white_seat
    mirrorings = list(reference.mirrorings().values())
    own = reference.white if whites_turn else reference.black

    def squares_at(men: set[Cell], cell: Cell) -> int:
        return sum(square - {cell} <= men for square in reference.squares_of[cell])

    if reference.has_right() and reference.last is not None:
        gives = any(squares_at(reference.black - {reference.last}, cell) for cell in reference.free)
        takes = reference.last in reference.marked or squares_at(reference.white, reference.last)
        early = len(reference.black) == 1
        if rng.random() < (0.7 if gives or takes else 0.35 if early else 0.04):
            return rng.choice(right_moves(reference, rng, "complete" if gives else "again" if early else "any"))
    if not whites_turn and rng.random() < 0.9:
        # An answer that makes the position symmetric: the one cell that Black lacks under some mirroring.
        lacking = [{to(man) for man in reference.white} for to in mirrorings]
        answers = [image - own for image in lacking if own <= image and len(image - own) == 1]
        cells = sorted(cell for answer in answers for cell in answer if cell in reference.free)
        if cells:
            return name(rng.choice(cells))
    # White often spoils a square of Black's instead: mirrored, that is a square that the right completes.
    for men, chance in ((reference.black, 0.4 if whites_turn else 0.0), (own, 0.7)):
        cells = sorted(reference.free)
        best = max(squares_at(men, cell) for cell in cells)
        if best and rng.random() < chance:
            return name(rng.choice([cell for cell in cells if squares_at(men, cell) == best]))
    return rng.choice([move for move in moves if " " not in move and move != "swap"])


def right_moves(reference: Reference, rng: random.Random, wish: str) -> list[str]:
    """Uses of the symmetry right: mostly those that let Black make symmetry again, or complete a square, or all."""
    replaced = reference.last
    if replaced is None:
        return []
    white = reference.white | {replaced}
    free = reference.free
    chosen = sorted(free)
    if rng.random() < 0.2:
        wish = "any"
    if wish == "again":
        images = [{to(man) for man in white} for to in reference.mirrorings().values()]
        again = []
        for target in chosen:
            black = reference.black - {replaced} | {target}
            if any(black <= image and image - black <= free - {target} for image in images):
                again.append(target)
        chosen = again or chosen
    elif wish == "complete":
        black = reference.black - {replaced}
        completing = [t for t in chosen if any(square - {t} <= black for square in reference.squares_of[t])]
        chosen = completing or chosen
    return [f"{name(replaced)} {name(target)}" for target in chosen]


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Draw valid options, every option having its turn; small boards mostly, larger ones sometimes."""
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
