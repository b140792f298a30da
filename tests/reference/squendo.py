"""A slow reference of Squendo, written from the rules alone, to compare the package with."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

from .squendo_moves import choose_rare_move
from .squendo_tiles import (
    OPPOSITE,
    SEAT_COLOURS,
    Place,
    find_black_edges,
    find_neighbours,
    list_rotations,
    list_tiles,
    parse_entry,
    parse_place,
)

__all__ = ["KEYS", "Reference", "choose_rare_move", "draw_options"]

# What `used` counts: the rules, rulings and options that a game can exercise, by their numbers in the rules.
KEYS = (
    "2 seats",
    "3 seats",
    "4 seats",
    "R14 neutral tile laid",
    "3 tile agrees with two neighbours",
    "3 tile agrees with three neighbours",
    "3 tile agrees with four neighbours",
    "3 stack of two",
    "3 rotated tile laid",
    "4 option A",
    "4 option B",
    "4 laid tile left",
    "4 lower tile left",
    "4 laid tile taken back",
    "4 tile left has another pattern than the top had",
    "4 triple impossible: symbols agree, edges do not",
    "R15 tile left with a new rotation",
    "R16 another colour could not be taken",
    "R16 take=any: another colour taken",
    "R16 take=any: neutral colour taken",
    "5 hand not filled, pile empty",
    "5 hand full after option B, nothing drawn",
    "5 last tile of the pile drawn",
    "R18 pass",
    "R18 pass while the pile lasts",
    "R18 seat without tiles skipped",
    "R18 same seat again, others have no tiles",
    "R18 pile and hands empty end the game",
    "R18 passes of all end the game",
    "R18 passes end the game, some seats without tiles",
    "6 first rectangle of a colour",
    "6 rectangle broken",
    "6 double stack in a rectangle",
    "6 single tile in no rectangle",
    "6 neutral visible at the end",
    "R19 overlapping rectangles",
    "R19 rectangle inside another",
    "R19 rectangles=maximal drops one",
    "R19 lines=true adds one",
    "R19 lines=true and rectangles=maximal: line inside a larger one dropped",
    "points shared",
    "R22 colours chosen",
)


class Reference:
    """One game; see `tests.reference.Game`, also for `used`. Tiles and moves are text, places are (column, row)."""

    def __init__(
        self,
        deck: Sequence[str] | None = None,
        *,
        players: int = 2,
        take: str | None = None,
        rectangles: str | None = None,
        lines: bool = False,
        colours: str | None = None,
    ) -> None:
        """Deal a deck in drawing order, by default the sorted one; the other parameters are the options of the game.
        `take`, `rectangles` and `colours` have their default meaning if they are None.
        """
        self.players = players
        self.colours = colours or SEAT_COLOURS[: max(players, 3)]
        self.take_any = take == "any"
        self.maximal = rectangles == "maximal"
        self.lines = lines
        self.pile = list(list_tiles(players, colours) if deck is None else deck)
        self.hands: list[set[str]] = []
        for _ in range(players):
            self.hands.append(set(self.pile[:4]))
            del self.pile[:4]
        self.stacks: dict[Place, list[str]] = {}
        self.discards: list[str] = []
        self.seat_to_move = 0
        self.passed: set[int] = set()
        self.used: Counter[str] = Counter({f"{players} seats": 1, "R22 colours chosen": int(colours is not None)})

    @property
    def is_over(self) -> bool:
        """Whether all hands are empty, or every seat that holds tiles has passed in a row (R18)."""
        return all(not hand or seat in self.passed for seat, hand in enumerate(self.hands))

    @property
    def seat(self) -> int | None:
        """The seat to move, None if the game is over."""
        return None if self.is_over else self.seat_to_move

    def find_visible(self) -> dict[Place, tuple[str, int]]:
        """Return the visible tile of every stack and its rotation, by place."""
        return {place: parse_entry(stack[-1]) for place, stack in self.stacks.items()}

    def fits(self, tile: str, rotation: int, place: Place) -> bool:
        """Return whether a tile's black edges agree with those of the visible tiles next to a place (rule 3).
        `rotation` counts quarter turns clockwise. Tiles on the place itself do not matter.
        """
        black = find_black_edges(tile, rotation)
        for side, neighbour in find_neighbours(place).items():
            if neighbour in self.stacks:
                adjoining = find_black_edges(*parse_entry(self.stacks[neighbour][-1]))
                if (side in black) != (OPPOSITE[side] in adjoining):
                    return False
        return True

    def list_fitting_rotations(self, tile: str, place: Place) -> list[int]:
        """List the rotations in which a tile fits at a place, without those that look the same as a smaller one."""
        return [rotation for rotation in list_rotations(tile) if self.fits(tile, rotation, place)]

    def list_places(self) -> list[Place]:
        """List, sorted, the places where a tile may go: 0,0 at first, later on a tile or next to one (rule 3)."""
        if not self.stacks:
            return [(0, 0)]
        return sorted(set(self.stacks).union(*(find_neighbours(place).values() for place in self.stacks)))

    def moves(self) -> list[str]:
        """List the legal moves, sorted; only `pass` for a seat that cannot lay a tile (R18), none once it is over."""
        if self.is_over:
            return []
        found = []
        for tile, place in product(self.hands[self.seat_to_move], self.list_places()):
            stack = [entry.split(" ")[0] for entry in self.stacks.get(place, [])]
            if stack and stack[-1][-1] != tile[-1]:
                continue  # a tile on top needs the same symbol
            lay = f"{tile} {place[0]},{place[1]}"
            fitting = self.list_fitting_rotations(tile, place)
            if len(stack) < 2:
                found += [f"{lay} r{rotation}" for rotation in fitting]
            elif fitting:
                found += [f"{lay} {rest}" for rest in self.list_triple_outcomes([*stack, tile], place)]
        return sorted(found) or ["pass"]

    def list_triple_outcomes(self, three: list[str], place: Place) -> list[str]:
        """List how a move can go on that makes a stack of these three tiles (rule 4), the laid tile last.
        They are texts such as `leave:R2ax r1` or `leave:R2ax r1 take:R4x`.
        """
        found = []
        for leave in three:
            for rotation in self.list_fitting_rotations(leave, place):
                found.append(f"leave:{leave} r{rotation}")
                found += [f"leave:{leave} r{rotation} take:{t}" for t in three if t != leave and self.can_take(t)]
        return found

    def can_take(self, tile: str) -> bool:
        """Return whether the seat to move may take a tile back: one of its colour unless `take=any` (R16)."""
        return self.take_any or tile[0] == self.colours[self.seat_to_move]

    def play(self, move: str) -> None:
        """Play a legal move, and count in `used` which rules it exercises; the move is not checked."""
        seat = self.seat_to_move
        old = {colour: self.find_scoring_rectangles(colour) for colour in self.colours}
        if move == "pass":
            self.passed.add(seat)
            self.used["R18 pass"] += 1
            self.used["R18 pass while the pile lasts"] += bool(self.pile)
        else:
            self.count_used_placement_rules(move)
            self.passed.clear()
            self.lay_tile(*move.split(" "))
            self.count_used_rectangle_rules(old)
        self.advance_seat(seat)
        if self.is_over:
            self.count_used_ending_rules()

    def lay_tile(self, tile: str, place: str, *rest: str) -> None:
        """Carry out a placement, given as the tokens of the move, and draw tiles (rules 3 to 5).

        `rest` is a rotation, or for a third tile on a stack what is left with its rotation, and perhaps what is taken
        back. Count in `used` if this draws the last tile of the pile.
        """
        hand, stack = self.hands[self.seat_to_move], self.stacks.setdefault(parse_place(place), [])
        hand.remove(tile)
        if len(rest) == 1:
            stack.append(f"{tile} {rest[0]}")
        else:
            three = {tile, *(entry.split(" ")[0] for entry in stack)}
            leave = rest[0].removeprefix("leave:")
            stack[:] = [f"{leave} {rest[1]}"]
            three.remove(leave)
            if len(rest) == 3:
                taken = rest[2].removeprefix("take:")
                three.remove(taken)
                hand.add(taken)
            self.discards += sorted(three)
        # Rule 5: the hand is filled to four while the pile lasts.
        while len(hand) < 4 and self.pile:
            hand.add(self.pile.pop(0))
            self.used["5 last tile of the pile drawn"] += not self.pile

    def advance_seat(self, seat: int) -> None:
        """Give the turn to the next seat after `seat` with tiles, unless the game is over (R18); count it in `used`."""
        if self.is_over:
            return
        order = [(seat + step) % self.players for step in range(1, self.players + 1)]
        self.seat_to_move = next(candidate for candidate in order if self.hands[candidate])
        self.used["R18 seat without tiles skipped"] += self.seat_to_move != order[0]
        self.used["R18 same seat again, others have no tiles"] += self.seat_to_move == seat

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of every seat."""
        return tuple(self.count_points(colour) for colour in self.colours[: self.players])

    def count_points(self, colour: str) -> int:
        """Return the points for the visible tiles of one colour, a letter (rule 6)."""
        scoring = self.find_scoring_rectangles(colour)
        own = [place for place, (tile, _) in self.find_visible().items() if tile[0] == colour]
        doubles = [place for place in own if len(self.stacks[place]) == 2]
        singles = [p for p in own if len(self.stacks[p]) == 1 and not any(p in filled for filled in scoring)]
        return 10 * len(scoring) + 2 * len(doubles) + len(singles)

    def find_scoring_rectangles(self, colour: str) -> list[frozenset[Place]]:
        """Return the rectangles of one colour that score (R19), each as the set of its places."""
        filled = self.find_filled_rectangles(colour)
        if self.maximal:
            return [small for small in filled if not any(small < large for large in filled)]
        return filled

    def find_filled_rectangles(self, colour: str) -> list[frozenset[Place]]:
        """Return the filled rectangles of one colour, including those inside others, each as the set of its places."""
        own = {place for place, (tile, _) in self.find_visible().items() if tile[0] == colour}
        found = []
        for (left, low), (right, high) in product(own, repeat=2):
            width, height = right - left + 1, high - low + 1
            large = width >= 2 and height >= 2
            line = (width == 1 and height >= 4) or (height == 1 and width >= 4)
            if large or (line and self.lines):
                filled = frozenset(product(range(left, right + 1), range(low, high + 1)))
                if filled <= own:
                    found.append(filled)
        return found

    def count_used_placement_rules(self, move: str) -> None:
        """Add 1 in `used` to each rule that a placement (a legal move but `pass`) exercises; to be called before it."""
        tile, text, *rest = move.split(" ")
        place, visible = parse_place(text), self.find_visible()
        neighbours = sum(neighbour in visible for neighbour in find_neighbours(place).values())
        happened = {
            "R14 neutral tile laid": self.players == 2 and tile[0] == self.colours[2],
            "3 tile agrees with two neighbours": neighbours == 2,
            "3 tile agrees with three neighbours": neighbours == 3,
            "3 tile agrees with four neighbours": neighbours == 4,
            "3 stack of two": place in self.stacks and len(rest) == 1,
            "3 rotated tile laid": len(rest) == 1 and rest[0] != "r0",
            "4 triple impossible: symbols agree, edges do not": any(
                len(stack) == 2 and visible[p][0][-1] == own[-1] and not self.list_fitting_rotations(own, p)
                for own, (p, stack) in product(self.hands[self.seat_to_move], self.stacks.items())
            ),
            "5 hand not filled, pile empty": not self.pile and len(rest) < 3,
        }
        if len(rest) > 1:
            leave, left_rotation = rest[0].removeprefix("leave:"), rest[1]
            taken = rest[2].removeprefix("take:") if len(rest) == 3 else None
            old_rotations = dict(entry.split(" ") for entry in self.stacks[place])
            others = ({tile} | set(old_rotations)) - {leave}
            foreign = taken is not None and taken[0] != self.colours[self.seat_to_move]
            happened |= {
                "4 option A": taken is None,
                "4 option B": taken is not None,
                "4 laid tile left": leave == tile,
                "4 lower tile left": leave != tile,
                "4 laid tile taken back": taken == tile,
                "4 tile left has another pattern than the top had": leave[1:-1] != visible[place][0][1:-1],
                "R15 tile left with a new rotation": old_rotations.get(leave, left_rotation) != left_rotation,
                "R16 another colour could not be taken": any(not self.can_take(other) for other in others),
                "R16 take=any: another colour taken": foreign,
                "R16 take=any: neutral colour taken": foreign
                and self.players == 2
                and taken is not None
                and taken[0] == self.colours[2],
                "5 hand full after option B, nothing drawn": taken is not None and bool(self.pile),
            }
        self.used.update(key for key, occurred in happened.items() if occurred)

    def count_used_rectangle_rules(self, old: dict[str, list[frozenset[Place]]]) -> None:
        """Add to `used` how a placement has changed the rectangles; `old` are those that scored before, by colour."""
        for colour in self.colours[: self.players]:
            scoring = self.find_scoring_rectangles(colour)
            new, gone = set(scoring) - set(old[colour]), set(old[colour]) - set(scoring)
            dropped = set(self.find_filled_rectangles(colour)) - set(scoring)
            happened = {
                "6 first rectangle of a colour": new and not old[colour],
                "6 rectangle broken": gone and len(scoring) < len(old[colour]),
                "6 double stack in a rectangle": any(len(self.stacks[p]) == 2 for filled in new for p in filled),
                "R19 overlapping rectangles": any(a & b and not a <= b and not b <= a for a in new for b in scoring),
                "R19 rectangle inside another": any(a < b or b < a for a in new for b in scoring),
                "R19 rectangles=maximal drops one": new and dropped,
                "R19 lines=true adds one": any(min(measure_sides(filled)) == 1 for filled in new),
                "R19 lines=true and rectangles=maximal: line inside a larger one dropped": (
                    new and any(min(measure_sides(filled)) == 1 for filled in dropped)
                ),
            }
            self.used.update(key for key, occurred in happened.items() if occurred)

    def count_used_ending_rules(self) -> None:
        """Add 1 in `used` to each rule that the end of the game exercises; the game must be over."""
        holding = [seat for seat, hand in enumerate(self.hands) if hand]
        scores, visible = self.scores, self.find_visible()
        happened = {
            "R18 pile and hands empty end the game": not holding,
            "R18 passes of all end the game": holding,
            "R18 passes end the game, some seats without tiles": holding and len(holding) < self.players,
            "6 single tile in no rectangle": any(score % 2 for score in scores),
            "6 neutral visible at the end": self.players == 2
            and any(tile[0] == self.colours[2] for tile, _ in visible.values()),
            "points shared": scores.count(max(scores)) > 1,
        }
        self.used.update(key for key, occurred in happened.items() if occurred)


def measure_sides(filled: frozenset[Place]) -> tuple[int, int]:
    """Return the width and the height of a rectangle given as its places."""
    return len({col for col, _ in filled}), len({row for _, row in filled})


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Return random valid options by name, for `Reference` and the package; every option occurs."""
    chosen: dict[str, Any] = {"players": rng.choice((2, 3, 4))}
    if rng.random() < 0.4:
        chosen["take"] = "any"
    if rng.random() < 0.4:
        chosen["rectangles"] = "maximal"
    if rng.random() < 0.5:
        chosen["lines"] = rng.random() < 0.8
    if rng.random() < 0.5:
        chosen["colours"] = "".join(rng.sample(SEAT_COLOURS, max(chosen["players"], 3)))
    return chosen
