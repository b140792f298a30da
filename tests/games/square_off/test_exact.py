"""Square Off's exact play: every reduction against plain trying, the small board solved, what does not fit."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from math import comb
from typing import Any, NamedTuple

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core.bits import ZERO, popcount
from fourcorners.core.dispatch import Actions, States
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable, kernel
from fourcorners.core.margin_protocol import GAIN, LINK_COLUMNS, OTHER, TURN, Links
from fourcorners.games.square_off.exact import margin
from fourcorners.games.square_off.exact.settled_positions import Words
from fourcorners.games.square_off.exact.unsettled_positions import refine
from tests.reference.square_off import Reference, name, choose_rare_move
from tests.reference.square_off_values import value

Key = tuple[int, int]
MANY = 99
POSITIONS = sum(comb(16, men) * comb(men, men // 2) for men in range(17))  # of the 4 x 4 board
CHOICES = [
    {"swap": swap, "symmetry": symmetry, "marks": marks}
    for swap, symmetry, marks in product((True, False), ("each", "once", "none"), ("kept", "current"))
]


@kernel
def look(boards: States, nodes: States, codes: Actions, children: States, links: Links, keys: Any) -> int:
    """Make a node's children, with their keys."""
    n = margin.moves(boards[0], nodes[0], codes)
    for i in range(n):
        margin.follow(boards[0], nodes[0], codes[i], children[i], links[i])
        keys[i, 0], keys[i, 1] = margin.key(boards[0], children[i])
    return n


def enter(position: fc.Position) -> tuple[States, States]:
    options: Any = position.game.options
    return margin.enter(options, position.record)


class Link(NamedTuple):
    gain: int
    child: States
    key: Key


class Search:
    """A plain alpha-beta over nodes, which checks what a node promises."""

    def __init__(self, position: fc.Position) -> None:
        self.boards, self.root = enter(position)
        self.known: dict[Key, tuple[int, int]] = {}
        self.nodes = 0
        self.most_links = int(self.boards[0]["most_links"])
        self.most_plies = int(self.boards[0]["most_plies"])
        self.codes = np.zeros(self.most_links, np.int64)
        self.children = np.zeros(self.most_links, margin.NODE)
        self.links = np.zeros((self.most_links, LINK_COLUMNS), np.int64)
        self.keys = np.zeros((self.most_links, 2), np.uint64)

    def value(self) -> int:
        low, high = limits(self.root)
        first = self.search(self.root, (0, 0), low, high, 0)
        assert low <= first <= high
        return first

    def expand(self, node: States) -> list[Link]:
        self.nodes += 1
        # What was here before must not matter.
        self.links[:] = MANY
        self.children.view(np.uint8)[:] = MANY
        n = look(self.boards, node, self.codes, self.children, self.links, self.keys)
        assert n <= self.most_links
        assert set(self.links[:n, TURN].tolist()) <= {OTHER}
        assert len(set(self.codes[:n].tolist())) == n
        keys = [(int(one), int(other)) for one, other in self.keys[:n]]
        return [Link(int(self.links[i, GAIN]), self.children[i : i + 1].copy(), keys[i]) for i in range(n)]

    def search(self, node: States, key: Key, alpha: int, beta: int, ply: int) -> int:
        """Return the value if it lies in between, otherwise a bound of it."""
        low, high = limits(node)
        assert low <= high
        if low == high or low >= beta:
            return low
        if high <= alpha:
            return high
        lower, upper = self.known.get(key, (low, high)) if ply else (low, high)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        assert ply < self.most_plies
        best = -MANY
        for gain, child, its_key in self.expand(node):
            floor = max(alpha, best)
            best = max(best, gain - self.search(child, its_key, gain - beta, gain - floor, ply + 1))
            if best >= beta:
                break
        assert best <= high if best < beta else best > low - 1
        self.known[key] = (lower if best <= alpha else best, upper if best >= beta else best)
        return best


def limits(node: States) -> tuple[int, int]:
    return int(node[0]["low"]), int(node[0]["high"])


def steered(rng: random.Random, chosen: dict[str, Any], free: int) -> tuple[Reference, fc.Position]:
    """Play until so many cells are free, some games at random and some with a liking for symmetry."""
    marks = "current" if chosen.get("marks") == "current" else None
    reference = Reference(**{**chosen, "marks": marks})
    position = fc.game("square-off", **chosen).start()
    liking = rng.random() < 0.8
    while len(reference.free) > free:
        move = choose_rare_move(reference, rng) if liking else rng.choice(reference.moves())
        reference.play(move)
        position = position.play(move)
    return reference, position


def check_many(count: int, most_free: int, sizes: tuple[int, ...], seed: int) -> int:
    """Compare values with those of the reference; return in how many positions a right might still come."""
    rng = random.Random(seed)
    rights = 0
    for i in range(count):
        chosen = {"size": rng.choice(sizes), **CHOICES[i % len(CHOICES)]}
        reference, position = steered(rng, chosen, rng.randint(1, most_free))
        search = Search(position)
        assert search.value() == value(reference), (chosen, position.text)
        rights += int(search.root[0]["right"]) > 0
    return rights


def test_few_free_cells() -> None:
    assert check_many(36, 3, (4, 4, 4, 6, 8, 10), seed=1) > 0


@pytest.mark.compiled
def test_more_free_cells() -> None:
    assert check_many(36, 6, (4, 4, 4, 4, 6, 8, 10, 16), seed=2) >= 1


def mirror_game(rng: random.Random, chosen: dict[str, Any], free: int) -> tuple[Reference, fc.Position]:
    """Let Black answer as in a mirror and White never use the right, until so many cells are free."""
    reference = Reference(**{**chosen, "marks": "current" if chosen["marks"] == "current" else None})
    position = fc.game("square-off", **chosen).start()
    image = rng.choice(list(reference.mirrorings().values()))
    while len(reference.free) > free:
        cell = rng.choice(sorted(reference.free))
        for move in (name(cell), name(image(cell)))[: len(reference.free) - free]:
            reference.play(move)
            position = position.play(move)
    return reference, position


@pytest.mark.compiled
@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_rule_5_the_right_is_counted_with_to_the_end(size: int) -> None:
    """With five free cells White may have the right once more, after four he has it now."""
    rng = random.Random(size)
    rights, worth = 0, Counter[bool]()
    for i in range(24):
        chosen = {"size": size, **CHOICES[i % len(CHOICES)]}
        free = 4 + i // 12
        reference, position = mirror_game(rng, chosen, free)
        search = Search(position)
        expected = value(reference)
        assert search.value() == expected, (chosen, position.text)
        may = chosen["symmetry"] != "none"
        assert (int(search.root[0]["right"]) > 0) == may
        assert (int(search.root[0]["last"]) > 0) == (may and free == 4)
        rights += may
        if may:
            without = fc.game("square-off", **{**chosen, "symmetry": "none"}).position(text_without_right(position))
            worth[Search(without).value() != expected] += 1
    assert rights == 16
    assert worth[True] > 0, "the right never changed a value"


def text_without_right(position: fc.Position) -> str:
    words = position.text.split(" ")
    return " ".join([*words[:3], "-"])


@pytest.mark.compiled
@pytest.mark.slow
def test_many_more_positions() -> None:
    assert check_many(2400, 7, (4, 4, 4, 4, 6, 8, 10, 12, 16), seed=3) >= 100


def test_the_last_cell_scores_what_it_completes() -> None:
    position = fc.game("square-off", size=4, symmetry="none").position("bbWW/b1WW/wbwb/bwbw b 0 -")
    assert position.play("b3").scores == (4, 4)
    assert limits(Search(position).root) == (4, 4)
    assert Search(position).value() == 4


def test_a_full_board_is_worth_nothing_more() -> None:
    position = fc.game("square-off", size=4, symmetry="none").position("bbWW/b1WW/wbwb/bwbw b 0 -").play("b3")
    assert position.is_over
    assert limits(Search(position).root) == (0, 0)


def test_marks_can_be_lost_where_only_current_ones_count() -> None:
    """Rule 5 and R12: White replaces the man who has just completed Black's square."""
    game = fc.game("square-off", marks="current")
    position = game.replay(["b2", "g2", "b3", "g3", "c2", "f2", "c3", "f3"])
    assert position.play("f3 b7").scores == (4, 0)
    boards, nodes = enter(position)
    search = Search(position)
    gains = [link.gain for link in search.expand(nodes)]
    assert max(gains) == 4  # what Black loses
    kept = fc.game("square-off").replay(list(position.history))
    assert max(link.gain for link in Search(kept).expand(enter(kept)[1])) == 0
    assert int(boards[0]["current"]) == 1


@pytest.mark.compiled
@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_the_small_board_is_a_draw_whatever_the_options(chosen: dict[str, Any]) -> None:
    search = Search(fc.game("square-off", size=4, **chosen).start())
    assert search.value() == 0
    assert 1000 < search.nodes < 60000


@pytest.mark.compiled
def test_the_swap_turns_a_value_round() -> None:
    """Rule 4: with the swap the second seat has the better of both sides."""
    for symmetry, first in product(("each", "once", "none"), ("a1", "a2", "b2")):
        chosen: dict[str, Any] = {"size": 4, "symmetry": symmetry}
        without = Search(fc.game("square-off", swap=False, **chosen).replay([first])).value()
        assert Search(fc.game("square-off", swap=True, **chosen).replay([first])).value() == abs(without)


def mirrored(text: str) -> str:
    """Exchange columns and rows of a position's text, then mirror it."""
    board, *rest = text.split(" ")
    rows = [list("".join("." * int(sign) if sign.isdigit() else sign for sign in row)) for row in board.split("/")]
    turned = ["".join(column) for column in zip(*rows, strict=True)]
    return " ".join(["/".join(packed(line) for line in turned), *rest])


def packed(line: str) -> str:
    for length in range(len(line), 0, -1):
        line = line.replace("." * length, str(length))
    return line


@pytest.mark.compiled
@pytest.mark.parametrize("size", [4, 6])
def test_mirror_images_are_worth_the_same_and_share_a_key(size: int) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        chosen = {"size": size, "symmetry": "none"}
        _, position = steered(rng, chosen, 8)
        image = position.game.position(mirrored(position.text))
        assert image.text != position.text
        assert Search(image).value() == Search(position).value()
        _, early = steered(rng, chosen, size * size - 4)
        searches = [Search(early), Search(early.game.position(mirrored(early.text)))]
        keys = [[link.key for link in search.expand(search.root)] for search in searches]
        assert sorted(keys[0]) == sorted(keys[1])


def test_large_boards_keep_only_what_counts() -> None:
    rng = random.Random(5)
    _, position = steered(rng, {"size": 16}, 2)
    boards, nodes = enter(position)
    assert 0 <= int(boards[0]["count"]) < 100
    assert popcount(nodes[0]["free"]) <= 2


def test_what_does_not_fit_says_so_with_honest_bounds() -> None:
    position = fc.game("square-off", size=10).start()
    with pytest.raises(SolverLimit, match="at most 64") as caught:
        enter(position)
    assert (caught.value.lower, caught.value.upper) == (-50, 50)


# The whole 4 x 4 board without rights, tried plainly: a position is a number in base 3, a digit a cell.
CELLS = 16


@jitable
def unpacked(code: int, men: Words) -> None:
    """Write the free cells and the men of both colours, a bit a cell of a board with rows of eight."""
    men[:] = 0
    for cell in range(CELLS):
        men[code % 3] |= np.uint64(1 << (cell // 4 * 8 + cell % 4))
        code //= 3


@jitable
def fits(men: Words) -> bool:
    return popcount(men[1]) - popcount(men[2]) in {0, 1}


@jitable
def standing(boards: States, men: np.uint64) -> np.uint64:
    """Return the men on complete squares."""
    found = ZERO
    for i in range(boards[0].count):
        square = boards[0].squares[i]
        if square & ~men == ZERO:
            found |= square
    return found


@kernel
def tabulate(boards: States, powers: Actions, table: Any, men: Words) -> int:
    """Fill in the values of all positions whose numbers of men fit; a man more makes the number greater."""
    count = 0
    for code in range(len(table) - 1, -1, -1):
        unpacked(code, men)
        if not fits(men):
            continue
        count += 1
        mover = 1 if popcount(men[1]) == popcount(men[2]) else 2
        before = popcount(standing(boards, men[mover]))
        best = 0 if men[0] == ZERO else -MANY
        for cell in range(CELLS):
            here = np.uint64(1 << (cell // 4 * 8 + cell % 4))
            if men[0] & here != ZERO:
                gain = popcount(standing(boards, men[mover] | here)) - before
                best = max(best, gain - table[code + mover * powers[cell]])
        table[code] = best
    return count


@jitable
def set_up(boards: States, nodes: States, men: Words) -> None:
    """Make the node of a position."""
    mover = 1 if popcount(men[1]) == popcount(men[2]) else 2
    nodes[0].own, nodes[0].other, nodes[0].free = men[mover], men[3 - mover], men[0]
    nodes[0].marks = standing(boards, men[1]) | standing(boards, men[2])
    refine(boards[0], nodes[0])


@kernel
def count_wrong_limits(boards: States, nodes: States, table: Any, men: Words) -> int:
    """Count the positions whose values lie outside the limits of their nodes."""
    wrong = 0
    for code in range(len(table)):
        unpacked(code, men)
        if fits(men):
            set_up(boards, nodes, men)
            wrong += not nodes[0].low <= table[code] <= nodes[0].high
    return wrong


@kernel
def enter_code(boards: States, nodes: States, code: int, men: Words) -> bool:
    """Make the node of a numbered position; tell whether there is such a position."""
    unpacked(code, men)
    if fits(men):
        set_up(boards, nodes, men)
        return True
    return False


@pytest.mark.compiled
@pytest.mark.slow
def test_every_position_of_the_small_board() -> None:
    """All 10 million positions lie within their limits, and the search finds the values of a million."""
    search = Search(fc.game("square-off", size=4, swap=False, symmetry="none").start())
    table, men = np.zeros(3**CELLS, np.int8), np.zeros(3, np.uint64)
    powers = np.array([3**cell for cell in range(CELLS)], np.int64)
    assert tabulate(search.boards, powers, table, men) == POSITIONS
    assert table[0] == 0
    assert count_wrong_limits(search.boards, search.root, table, men) == 0
    rng = random.Random(9)
    met = 0
    while met < 1_000_000:
        code = rng.randrange(3**CELLS)
        if enter_code(search.boards, search.root, code, men):
            met += 1
            assert search.value() == table[code]
