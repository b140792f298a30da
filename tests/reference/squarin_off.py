"""A slow reference of Squarin' Off, written from the rules alone, to compare the package with."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

STANDARD = [
    "1111221111",
    "1112112111",
    "1121331211",
    "1211221121",
    "2132332312",
    "2132332312",
    "1211221121",
    "1121331211",
    "1112112111",
    "1111221111",
]
MAX_BLOCKERS = {2: 6, 3: 4, 4: 3}

# The keys of `used`: the rules, rulings and options that a game can exercise, by their numbers on the rules page.
KEYS = (
    "1 edge completes no box",
    "1 edge completes one box",
    "1 edge completes two boxes",
    "R4 completion declined",
    "R5 edge beside blocked boxes only",
    "R5 game ends with an edge beside a blocked box",
    "2 standard layout",
    "2 layout given as lines",
    "2 layout given as text",
    "2 all boxes worth 1",
    "2 box worth 0 keeps the turn",
    "3 blocker",
    "3 blocker on a box with three edges",
    "3 last blocker of a seat",
    "3 blockers in hand but no room",
    "3 fourth edge of a blocked box earns nothing",
    "R7 blockers by seat",
    "R7 no blocker for the seat to move, others have some",
    "4 2016: blocker ends the turn",
    "4 2016: blocker ends the turn though it completed a box",
    "4 classic: blocker without completion ends the turn",
    "4 classic: turn goes on after a blocker that completed a box",
    "6 team points",
    "7 dots and boxes",
    "2 seats",
    "3 seats",
    "4 seats",
    "points shared",
)


def format_dot(x: int, y: int) -> str:
    """Return the name of a dot, and of the box to its upper right, from column and row counted from 0."""
    return "abcdefghijklmnopqrstuvwxyz"[x] + str(y + 1)


def list_sides(x: int, y: int) -> frozenset[str]:
    """Return the edges of the box with lower-left dot (x, y), each with its lower or left dot first."""
    bottom = format_dot(x, y) + format_dot(x + 1, y)
    top = format_dot(x, y + 1) + format_dot(x + 1, y + 1)
    left = format_dot(x, y) + format_dot(x, y + 1)
    right = format_dot(x + 1, y) + format_dot(x + 1, y + 1)
    return frozenset({bottom, top, left, right})


class Reference:
    """A game of Squarin' Off in progress; see `tests.reference.Game`, also for `used`."""

    def __init__(
        self,
        deck: None = None,
        *,
        cols: int = 10,
        rows: int = 10,
        players: int = 2,
        blockers: int | Sequence[int] | None = None,
        values: str | Sequence[str] | None = None,
        edition: str = "2016",
        teams: bool = False,
    ) -> None:
        """Set up the start with the options of the package, which must be valid; None stands for the default.
        `deck` is not used: all references take one, and Squarin' Off has none.
        """
        self.players = players
        self.edition = edition
        self.teams = teams
        self.place = {format_dot(x, y): (x, y) for x in range(cols) for y in range(rows)}
        self.edges = {box: list_sides(x, y) for box, (x, y) in self.place.items()}
        self.free: set[str] = set().union(*self.edges.values())
        self.owner: dict[str, int] = {}
        self.blocked: set[str] = set()
        self.turn = 0
        self.used: Counter[str] = Counter({f"{players} seats": 1})

        # Rule 2: the layout, top row first.
        standard = values is None and (cols, rows) == (10, 10)
        if isinstance(values, str):
            lines = values.split()
        elif values is not None:
            lines = list(values)
        else:
            lines = STANDARD if standard else ["1" * cols] * rows
        self.value = {box: int(lines[rows - 1 - y][x]) for box, (x, y) in self.place.items()}
        if standard:
            self.used["2 standard layout"] += 1
        elif values is None:
            self.used["2 all boxes worth 1"] += 1
        else:
            self.used["2 layout given as text" if isinstance(values, str) else "2 layout given as lines"] += 1

        # Rule 3: blockers by seat.
        if blockers is None:
            blockers = MAX_BLOCKERS[players]
        self.blockers = [blockers] * players if isinstance(blockers, int) else list(blockers)
        if len(set(self.blockers)) > 1:
            self.used["R7 blockers by seat"] += 1
        if players == 2 and not any(self.blockers) and set(self.value.values()) == {1}:
            self.used["7 dots and boxes"] += 1

    @property
    def is_over(self) -> bool:
        return not self.free

    @property
    def seat(self) -> int | None:
        return None if self.is_over else self.turn

    @property
    def scores(self) -> tuple[int, ...]:
        """The points by seat; partners have those of their team."""
        own = [sum(self.value[box] for box in self.owner if self.owner[box] == s) for s in range(self.players)]
        if self.teams:
            return (own[0] + own[2], own[1] + own[3]) * 2
        return tuple(own)

    def moves(self) -> list[str]:
        """Return all legal moves, sorted."""
        if self.is_over:
            return []
        found = list(self.free)
        if self.blockers[self.turn] > 0:
            for box in self.edges:
                if self.can_take_blocker(box):
                    found += [f"#{box} {edge}" for edge in self.edges[box] & self.free]
        return sorted(found)

    def can_take_blocker(self, box: str) -> bool:
        """Return whether a box is neither completed nor blocked, and none of the up to eight boxes around it has one
        (rule 3); whether the seat has a blocker left is ignored.
        """
        x, y = self.place[box]
        around = {format_dot(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if x + dx >= 0 and y + dy >= 0}
        return box not in self.owner and not around & self.blocked

    def list_completed(self, edge: str, blocker: str | None = None) -> list[str]:
        """Return the names of the boxes that a free edge completes; the box `blocker`, if any, gets a blocker first."""
        return [
            box
            for box, edges in self.edges.items()
            if edges & self.free == {edge} and box not in self.blocked and box != blocker
        ]

    def play(self, move: str) -> None:
        """Play a move, which is trusted to be legal, and count in `used` what it exercises."""
        *token, edge = move.split(" ")
        blocker = token[0][1:] if token else None
        seat = self.turn
        completed = self.list_completed(edge, blocker)
        self.count_used_move_rules(edge, blocker, completed)
        if blocker:
            self.blocked.add(blocker)
            self.blockers[seat] -= 1
        self.free.remove(edge)
        for box in completed:
            self.owner[box] = seat
        # Rules 1 and 4: completing a box keeps the turn; with a blocker only in the classic edition.
        goes_on = bool(completed) and not (blocker and self.edition == "2016")
        if not goes_on:
            self.turn = (seat + 1) % self.players
        if self.is_over:
            best = max(self.scores)
            if self.scores.count(best) > (2 if self.teams else 1):
                self.used["points shared"] += 1

    def count_used_move_rules(self, edge: str, blocker: str | None, completed: list[str]) -> None:
        """Add 1 in `used` to each rule that a move exercises, before it is played; it completes the boxes `completed`.
        `edge` is the edge that it draws, and `blocker` the box that gets a blocker, or None.
        """
        beside = [box for box, edges in self.edges.items() if edge in edges]
        # As they are after the move; without a blocker this adds None, which is no box.
        blocked = self.blocked | {blocker}
        enclosed = [box for box in beside if box in blocked and self.edges[box] & self.free == {edge}]
        can_complete = any(self.list_completed(other) for other in self.free)
        has_room = any(self.can_take_blocker(box) for box in self.edges)
        ends = not completed or (blocker and self.edition == "2016")
        happened = {
            f"1 edge completes {('no box', 'one box', 'two boxes')[len(completed)]}": True,
            "R4 completion declined": can_complete and not completed,
            "R5 edge beside blocked boxes only": all(box in blocked for box in beside),
            "R5 game ends with an edge beside a blocked box": len(self.free) == 1 and any(b in blocked for b in beside),
            "2 box worth 0 keeps the turn": completed and not any(self.value[b] for b in completed) and not ends,
            "3 blocker": blocker,
            "3 blocker on a box with three edges": blocker and len(self.edges[blocker] & self.free) == 1,
            "3 last blocker of a seat": blocker and self.blockers[self.turn] == 1,
            "3 blockers in hand but no room": self.blockers[self.turn] and not has_room,
            "3 fourth edge of a blocked box earns nothing": enclosed,
            "R7 no blocker for the seat to move, others have some": (
                self.used["R7 blockers by seat"] and not self.blockers[self.turn] and any(self.blockers)
            ),
            "4 2016: blocker ends the turn": blocker and self.edition == "2016",
            "4 2016: blocker ends the turn though it completed a box": (
                blocker and self.edition == "2016" and completed
            ),
            "4 classic: blocker without completion ends the turn": blocker and self.edition == "classic" and ends,
            "4 classic: turn goes on after a blocker that completed a box": (
                blocker and self.edition == "classic" and not ends
            ),
            "6 team points": self.teams and completed,
        }
        self.used.update(key for key, has_happened in happened.items() if has_happened)


def choose_rare_move(reference: Reference, rng: random.Random) -> str:
    """Return a random legal move, with a preference for kinds rare in random play; the game must not be over."""
    moves = reference.moves()
    plain = [move for move in moves if not move.startswith("#")]
    blocking = [move for move in moves if move.startswith("#")]

    def count_completed(move: str) -> int:
        *token, edge = move.split(" ")
        return len(reference.list_completed(edge, token[0][1:] if token else None))

    def is_on_three_edges(move: str) -> bool:
        token, _ = move.split(" ")
        return len(reference.edges[token[1:]] & reference.free) == 1

    def is_beside_blocked(move: str) -> bool:
        return any(move in edges and box in reference.blocked for box, edges in reference.edges.items())

    kind = rng.choice(("complete", "complete", "two", "decline", "three", "blocker completes", "blocked", "any", "any"))
    if kind == "two":
        chosen = [move for move in plain if count_completed(move) == 2]
    elif kind == "decline":
        chosen = [move for move in plain if not count_completed(move)]
    elif kind == "three":
        chosen = [move for move in blocking if is_on_three_edges(move)]
    elif kind == "blocker completes":
        chosen = [move for move in blocking if count_completed(move)]
    elif kind == "blocked":
        chosen = [move for move in plain if is_beside_blocked(move)]
    elif kind == "any":
        chosen = blocking if rng.random() < 0.1 else plain
    else:
        # The kind "complete" is also the best choice where there is no move of another kind.
        chosen = []
    return rng.choice(chosen or [move for move in plain if count_completed(move)] or plain)


def draw_options(rng: random.Random) -> dict[str, Any]:
    """Return random valid options, for `Reference` and the package; every option varies, and most boards are small."""
    size = rng.random()
    if size < 0.05:
        cols, rows = 10, 10
    elif size < 0.09:
        cols, rows = rng.choice(((1, 20), (20, 1), (7, 6)))
    else:
        cols, rows = rng.randint(1, 5), rng.randint(1, 5)
    if rng.random() < 0.1:
        return {"cols": cols, "rows": rows, "players": 2, "blockers": 0, "values": ["1" * cols] * rows}
    players = rng.choice((2, 3, 4))
    chosen: dict[str, Any] = {"cols": cols, "rows": rows, "players": players}
    limit = MAX_BLOCKERS[players]
    form = rng.choice(("default", "number", "by seat"))
    if form == "number":
        chosen["blockers"] = rng.randint(0, limit)
    elif form == "by seat":
        chosen["blockers"] = [rng.randint(0, limit) for _ in range(players)]
    standard = (cols, rows) == (10, 10) and rng.random() < 0.7
    form = "default" if standard else rng.choice(("default", "lines", "text"))
    if form != "default":
        digits = rng.choice(("01", "123", "0123456789"))
        lines = ["".join(rng.choice(digits) for _ in range(cols)) for _ in range(rows)]
        chosen["values"] = lines if form == "lines" else "\n".join(lines)
    if rng.random() < 0.7:
        chosen["edition"] = rng.choice(("2016", "classic"))
    if players == 4:
        chosen["teams"] = rng.random() < 0.5
    return chosen
