"""Squendo played slowly: a reference written from the rules alone, to compare the package with."""

import random
from collections import Counter
from collections.abc import Sequence
from copy import copy
from itertools import product
from typing import Any

from .squendo_tiles import OPPOSITE, SEAT_COLOURS, Place, at, beside, black_edges, tile_and_turn, tiles, turns

# What `used` counts: the rules, rulings and options that a game can exercise, by their numbers on the rules page.
KEYS = (
    "2 seats",
    "3 seats",
    "4 seats",
    "R14 neutral tile laid",
    "3 tile agrees with two neighbours",
    "3 tile agrees with three neighbours",
    "3 tile agrees with four neighbours",
    "3 stack of two",
    "3 turned tile laid",
    "4 option A",
    "4 option B",
    "4 laid tile left",
    "4 lower tile left",
    "4 laid tile taken back",
    "4 tile left has another pattern than the top had",
    "4 triple impossible: symbols agree, fits in no turn",
    "R15 tile left is turned otherwise than it lay",
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
)


class Reference:
    def __init__(
        self,
        deck: Sequence[str] | None = None,
        *,
        players: int = 2,
        take: str | None = None,
        rectangles: str | None = None,
        lines: bool = False,
    ) -> None:
        self.players = players
        self.take_any = take == "any"
        self.maximal = rectangles == "maximal"
        self.lines = lines
        self.pile = list(tiles(players) if deck is None else deck)
        self.hands: list[set[str]] = []
        for _ in range(players):
            self.hands.append(set(self.pile[:4]))
            del self.pile[:4]
        self.stacks: dict[Place, list[str]] = {}
        self.discards: list[str] = []
        self.turn = 0
        self.passed: set[int] = set()
        self.used: Counter[str] = Counter({f"{players} seats": 1})

    @property
    def is_over(self) -> bool:
        """R18: no tiles in hands (nor then in the pile), or every seat that holds tiles has passed in a row."""
        return all(not hand or seat in self.passed for seat, hand in enumerate(self.hands))

    @property
    def seat(self) -> int | None:
        return None if self.is_over else self.turn

    def visible(self) -> dict[Place, tuple[str, int]]:
        """The top tile of every stack with its turn."""
        return {place: tile_and_turn(stack[-1]) for place, stack in self.stacks.items()}

    def fits(self, tile: str, turn: int, place: Place) -> bool:
        """Rule 3: its edges agree with those of the visible tiles beside it."""
        black = black_edges(tile, turn)
        for side, neighbour in beside(place).items():
            if neighbour in self.stacks:
                meets = black_edges(*tile_and_turn(self.stacks[neighbour][-1]))
                if (side in black) != (OPPOSITE[side] in meets):
                    return False
        return True

    def fitting_turns(self, tile: str, place: Place) -> list[int]:
        return [turn for turn in turns(tile) if self.fits(tile, turn, place)]

    def places(self) -> list[Place]:
        """Rule 3: the first tile at 0,0; later ones on a tile or orthogonally next to one."""
        if not self.stacks:
            return [(0, 0)]
        return sorted(set(self.stacks).union(*(beside(place).values() for place in self.stacks)))

    def moves(self) -> list[str]:
        if self.is_over:
            return []
        found = []
        for tile, place in product(self.hands[self.turn], self.places()):
            stack = [entry.split(" ")[0] for entry in self.stacks.get(place, [])]
            if stack and stack[-1][-1] != tile[-1]:
                continue  # on top of a tile the symbols are the same
            lay = f"{tile} {place[0]},{place[1]}"
            fitting = self.fitting_turns(tile, place)
            if len(stack) < 2:
                found += [f"{lay} r{turn}" for turn in fitting]
            elif fitting:
                found += [f"{lay} {rest}" for rest in self.triple([*stack, tile], place)]
        return sorted(found) or ["pass"]

    def triple(self, three: list[str], place: Place) -> list[str]:
        """Rule 4: what can become of a stack of three."""
        found = []
        for left in three:
            for turn in self.fitting_turns(left, place):
                found.append(f"leave:{left} r{turn}")
                found += [f"leave:{left} r{turn} take:{t}" for t in three if t != left and self.may_take(t)]
        return found

    def may_take(self, tile: str) -> bool:
        """R16: the mover's own colour, unless `take=any`."""
        return self.take_any or tile[0] == SEAT_COLOURS[self.turn]

    def play(self, move: str) -> None:
        seat = self.turn
        had = {colour: self.rectangles(colour) for colour in SEAT_COLOURS}
        if move == "pass":
            self.passed.add(seat)
            self.used["R18 pass"] += 1
            self.used["R18 pass while the pile lasts"] += bool(self.pile)
        else:
            self.note(move)
            self.passed.clear()
            self.lay(*move.split(" "))
            self.note_rectangles(had)
        self.pass_turn(seat)
        if self.is_over:
            self.note_end()

    def lay(self, tile: str, place: str, *rest: str) -> None:
        hand, stack = self.hands[self.turn], self.stacks.setdefault(at(place), [])
        hand.remove(tile)
        if len(rest) == 1:
            stack.append(f"{tile} {rest[0]}")
        else:
            three = {tile, *(entry.split(" ")[0] for entry in stack)}
            left = rest[0].removeprefix("leave:")
            stack[:] = [f"{left} {rest[1]}"]
            three.remove(left)
            if len(rest) == 3:
                taken = rest[2].removeprefix("take:")
                three.remove(taken)
                hand.add(taken)
            self.discards += sorted(three)
        # Rule 5: the hand is filled to four while the pile lasts.
        while len(hand) < 4 and self.pile:
            hand.add(self.pile.pop(0))
            self.used["5 last tile of the pile drawn"] += not self.pile

    def pass_turn(self, seat: int) -> None:
        """R18: the next seat that has tiles is to move; nobody is, once the game is over."""
        if self.is_over:
            return
        order = [(seat + step) % self.players for step in range(1, self.players + 1)]
        self.turn = next(other for other in order if self.hands[other])
        self.used["R18 seat without tiles skipped"] += self.turn != order[0]
        self.used["R18 same seat again, others have no tiles"] += self.turn == seat

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(self.points(colour) for colour in SEAT_COLOURS[: self.players])

    def points(self, colour: str) -> int:
        """Rule 6, for the visible tiles of one colour."""
        counted = self.rectangles(colour)
        own = [place for place, (tile, _) in self.visible().items() if tile[0] == colour]
        doubles = [place for place in own if len(self.stacks[place]) == 2]
        singles = [p for p in own if len(self.stacks[p]) == 1 and not any(p in filled for filled in counted)]
        return 10 * len(counted) + 2 * len(doubles) + len(singles)

    def rectangles(self, colour: str) -> list[frozenset[Place]]:
        """R19: the rectangles that count."""
        filled = self.all_rectangles(colour)
        if self.maximal:
            return [small for small in filled if not any(small < large for large in filled)]
        return filled

    def all_rectangles(self, colour: str) -> list[frozenset[Place]]:
        """R19: the rectangles of one colour, each as the places it fills, those inside another too."""
        own = {place for place, (tile, _) in self.visible().items() if tile[0] == colour}
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

    def note(self, move: str) -> None:
        """Count what is interesting in a placement, before it is made."""
        tile, text, *rest = move.split(" ")
        place, visible = at(text), self.visible()
        neighbours = sum(neighbour in visible for neighbour in beside(place).values())
        happened = {
            "R14 neutral tile laid": self.players == 2 and tile[0] == "G",
            "3 tile agrees with two neighbours": neighbours == 2,
            "3 tile agrees with three neighbours": neighbours == 3,
            "3 tile agrees with four neighbours": neighbours == 4,
            "3 stack of two": place in self.stacks and len(rest) == 1,
            "3 turned tile laid": len(rest) == 1 and rest[0] != "r0",
            "4 triple impossible: symbols agree, fits in no turn": any(
                len(stack) == 2 and visible[p][0][-1] == own[-1] and not self.fitting_turns(own, p)
                for own, (p, stack) in product(self.hands[self.turn], self.stacks.items())
            ),
            "5 hand not filled, pile empty": not self.pile and len(rest) < 3,
        }
        if len(rest) > 1:
            left, left_turn = rest[0].removeprefix("leave:"), rest[1]
            taken = rest[2].removeprefix("take:") if len(rest) == 3 else None
            lay_there = dict(entry.split(" ") for entry in self.stacks[place])
            others = ({tile} | set(lay_there)) - {left}
            foreign = taken is not None and taken[0] != SEAT_COLOURS[self.turn]
            happened |= {
                "4 option A": taken is None,
                "4 option B": taken is not None,
                "4 laid tile left": left == tile,
                "4 lower tile left": left != tile,
                "4 laid tile taken back": taken == tile,
                "4 tile left has another pattern than the top had": left[1:-1] != visible[place][0][1:-1],
                "R15 tile left is turned otherwise than it lay": lay_there.get(left, left_turn) != left_turn,
                "R16 another colour could not be taken": any(not self.may_take(other) for other in others),
                "R16 take=any: another colour taken": foreign,
                "R16 take=any: neutral colour taken": foreign
                and self.players == 2
                and taken is not None
                and taken[0] == "G",
                "5 hand full after option B, nothing drawn": taken is not None and bool(self.pile),
            }
        self.used.update(key for key, so in happened.items() if so)

    def note_rectangles(self, had: dict[str, list[frozenset[Place]]]) -> None:
        """Count what the last placement changed in the rectangles."""
        for colour in SEAT_COLOURS[: self.players]:
            counted = self.rectangles(colour)
            new, gone = set(counted) - set(had[colour]), set(had[colour]) - set(counted)
            dropped = set(self.all_rectangles(colour)) - set(counted)
            happened = {
                "6 first rectangle of a colour": new and not had[colour],
                "6 rectangle broken": gone and len(counted) < len(had[colour]),
                "6 double stack in a rectangle": any(len(self.stacks[p]) == 2 for filled in new for p in filled),
                "R19 overlapping rectangles": any(a & b and not a <= b and not b <= a for a in new for b in counted),
                "R19 rectangle inside another": any(a < b or b < a for a in new for b in counted),
                "R19 rectangles=maximal drops one": new and dropped,
                "R19 lines=true adds one": any(min(sides(filled)) == 1 for filled in new),
                "R19 lines=true and rectangles=maximal: line inside a larger one dropped": (
                    new and any(min(sides(filled)) == 1 for filled in dropped)
                ),
            }
            self.used.update(key for key, so in happened.items() if so)

    def note_end(self) -> None:
        holding = [seat for seat, hand in enumerate(self.hands) if hand]
        scores, visible = self.scores, self.visible()
        happened = {
            "R18 pile and hands empty end the game": not holding,
            "R18 passes of all end the game": holding,
            "R18 passes end the game, some seats without tiles": holding and len(holding) < self.players,
            "6 single tile in no rectangle": any(score % 2 for score in scores),
            "6 neutral visible at the end": self.players == 2 and any(tile[0] == "G" for tile, _ in visible.values()),
            "points shared": scores.count(max(scores)) > 1,
        }
        self.used.update(key for key, so in happened.items() if so)


def sides(filled: frozenset[Place]) -> tuple[int, int]:
    return len({col for col, _ in filled}), len({row for _, row in filled})


def steer(reference: Reference, rng: random.Random) -> str:
    """Choose a legal move, with a liking for stacks, triples, rectangles and leaving the next seat without a move."""
    moves = reference.moves()
    if moves == ["pass"]:
        return "pass"
    by_kind: dict[str, list[str]] = {"triple": [], "take": [], "double": [], "plain": []}
    for move in moves:
        kind = "take" if "take:" in move else "triple" if "leave:" in move else "plain"
        if kind == "plain" and at(move.split(" ")[1]) in reference.stacks:
            kind = "double"
        by_kind[kind].append(move)
    wishes = ["build"] * 9 + ["starve", "triple", "take", "double", "any"]
    if not reference.stacks or not reference.pile:
        wishes += ["starve"] * 8
    if sum(tile[1:-1] == "4" for hand in reference.hands for tile in hand) >= 3:
        wishes += ["wall"] * 40
    wish = rng.choice(wishes)
    if by_kind.get(wish):
        return rng.choice(by_kind[wish])
    if wish == "starve":
        return min(rng.sample(moves, min(24, len(moves))), key=lambda move: freedom(reference, move))
    if wish == "wall":
        return min(rng.sample(moves, min(40, len(moves))), key=lambda move: openings(reference, move))
    if wish == "build":
        return max(rng.sample(moves, min(30, len(moves))), key=lambda move: gain(reference, move))
    return rng.choice(moves)


def after(reference: Reference, move: str) -> Reference:
    """The position after a placement; what the move exercised is not counted."""
    later = copy(reference)
    later.pile, later.hands = list(reference.pile), [set(hand) for hand in reference.hands]
    later.stacks = {place: list(stack) for place, stack in reference.stacks.items()}
    later.discards, later.passed, later.used = list(reference.discards), set(), Counter()
    later.lay(*move.split(" "))
    later.pass_turn(reference.turn)
    return later


def freedom(reference: Reference, move: str) -> int:
    """How many moves the next seat has after this one; a pass is none."""
    moves = after(reference, move).moves()
    return 0 if moves == ["pass"] else len(moves)


def openings(reference: Reference, move: str) -> tuple[int, int]:
    """How many places are open after this move to the black tiles in hand, then how many black edges look outwards."""
    later = after(reference, move)
    black = {tile[-1]: tile for hand in later.hands for tile in hand if tile[1:-1] == "4"}
    visible = later.visible()
    places = sum(
        later.fits(tile, 0, place) and (place not in visible or visible[place][0][-1] == symbol)
        for (symbol, tile), place in product(black.items(), later.places())
    )
    outward = sum(
        neighbour not in later.stacks and side in black_edges(*top)
        for place, top in visible.items()
        for side, neighbour in beside(place).items()
    )
    return places + 2 * (move[1] == "4"), outward


def gain(reference: Reference, move: str) -> tuple[int, int]:
    """How far the colour that is furthest has come with rectangles: its rectangles, then its tiles side by side."""
    later = after(reference, move)
    visible = later.visible()

    def progress(colour: str) -> tuple[int, int]:
        own = {place for place, (tile, _) in visible.items() if tile[0] == colour}
        # Three in a corner are on the way to a rectangle, three in a row are not.
        corners = sum(
            (col + dx, row) in own and (col, row + dy) in own for col, row in own for dx in (-1, 1) for dy in (-1, 1)
        )
        return len(later.all_rectangles(colour)), corners

    return max(progress(colour) for colour in SEAT_COLOURS[: reference.players])


def options(rng: random.Random) -> dict[str, Any]:
    """Draw valid options, every option having its turn."""
    chosen: dict[str, Any] = {"players": rng.choice((2, 3, 4))}
    if rng.random() < 0.4:
        chosen["take"] = "any"
    if rng.random() < 0.4:
        chosen["rectangles"] = "maximal"
    if rng.random() < 0.5:
        chosen["lines"] = rng.random() < 0.8
    return chosen
