"""What a position is worth, in words and as the page shows it: in terms of the whole game, not of its rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fourcorners.core.match import Match
from fourcorners.core.position import Position, View
from fourcorners.solve.solver import current_margin
from fourcorners.web.engine.hint_service import Estimate
from fourcorners.web.engine.solve_service import MEMORY_LIMIT, TIME_LIMIT, SolveResult

_WITHIN = f"within {TIME_LIMIT:g} s and {MEMORY_LIMIT // 2**20} MB"


def describe_solution(verdict: SolveResult, match: Match, position: Position, own: Sequence[int]) -> dict[str, Any]:
    """Put a verdict into words for a browser that plays the seats `own`; the position is not over.

    `state` is "solved", "bounds" or "refused"; `sentence` and `detail` are for people. When solved, `worth` is what the
    seat to move wins by at the end of the game (below 0: loses by), and `moves` lists every move with that, the best
    first. `counts` says what such a number means: "margin" this, "win" that nothing counts but to win, and "rest" the
    margin of the rest of the game, where three or more parties play.
    """
    if verdict.refusal:
        return {"state": "refused", "sentence": _upper(f"{verdict.refusal}.")}
    seat = position.seat or 0
    people = _People(match, own)
    before = _lead(match, position, seat)
    nodes = f"{verdict.nodes:,} position{'' if verdict.nodes == 1 else 's'} searched"
    if verdict.lower != verdict.upper:
        low, high = before + verdict.lower, before + verdict.upper
        sentence = f"Not solved {_WITHIN}: {people.between(seat, low, high)}."
        return {"state": "bounds", "sentence": sentence, "detail": f"{_upper(nodes)}.", "seat": seat}
    counts = "win" if verdict.nimber is not None else "rest" if people.many else "margin"
    worth = before + verdict.lower
    ranked = sorted(
        ((move, before + value) for move, value in verdict.values.items()), key=lambda one: (-one[1], one[0])
    )
    what = "Open-hands value" if verdict.open_hands else "Solved"
    if counts == "win":
        sentence = f"{what}: {people.outright(seat, verdict.lower)}, nimber {verdict.nimber}."
        detail = f"{_upper(nodes)}."
    elif people.many and verdict.margins is not None:
        final = [current_margin(position, other) + change for other, change in enumerate(verdict.margins)]
        sentence = f"{what}: {people.ending(final)}."
        detail = f"{_upper(nodes)}."
    else:
        sentence = f"{what}: {people.result(seat, worth)}."
        detail = f"From here to the end {people.gain(seat, verdict.lower)}. {_upper(nodes)}."
    if verdict.open_hands:
        detail = f"With every hand and the pile laid open to all. {detail}"
    if not ranked:
        detail += f" Not every move could be valued {_WITHIN}."
    return {
        "state": "solved",
        "sentence": sentence,
        "detail": detail,
        "seat": seat,
        "worth": worth,
        "counts": counts,
        "moves": [list(one) for one in ranked],
    }


def describe_bounds(match: Match, position: Position, lower: int, upper: int, nodes: int) -> dict[str, Any]:
    """Put bounds into the terms of `told`; the position is not over."""
    before = _lead(match, position, position.seat or 0)
    return {"lower": before + lower, "upper": before + upper, "nodes": nodes}


def describe_estimate(estimate: Estimate, match: Match, view: View, own: Sequence[int]) -> dict[str, Any]:
    """Put an estimate into words for a browser that plays the seats `own`, and into a bar.

    `share` is the chance to win, 0 to 1, of the first of `sides`; between two parties the rest is that of the other.
    Where there are more, the only side is that of the seat to move.
    """
    seat = view.seat or 0
    people = _People(match, own)
    parties = match.game.options.parties
    mine = next(side for side in parties if seat in side)
    sides = [mine] if people.many else list(parties)
    share = estimate.win if sides[0] == mine else 1 - estimate.win
    if not estimate.solved:
        # Nothing is certain that is not proven.
        share = min(max(share, 0.01), 0.99)
    outright = match.game.spec.scoring == "last-move"
    margin = round(estimate.value)
    if view.is_over:
        sentence = people.shares(view.scores)
    elif people.many:
        sentence = f"{people.chance(seat, share)}, by a margin of {'' if estimate.solved else 'about '}{format_signed(margin)}"
    elif outright:
        sentence = people.expected_outright(seat, estimate.win, proven=estimate.solved)
    elif estimate.solved:
        sentence = f"{people.result(seat, margin)} with the best play"
    else:
        sentence = people.expected(seat, margin)
    chances = f"{round(100 * share)} : {round(100 * (1 - share))}"
    detail = "" if estimate.solved or people.many else f"Chances {chances}"
    return {
        "state": "found",
        "sentence": _upper(f"{sentence}."),
        "detail": detail,
        "share": round(share, 3),
        "sides": [list(side) for side in sides],
        "solved": estimate.solved,
    }


def _lead(match: Match, position: Position, seat: int) -> int:
    """Return how many points the seat is ahead of the best other party; a team has one purse."""
    others = [position.scores[side[0]] for side in match.game.options.parties if seat not in side]
    return position.scores[seat] - max(others) if len(others) == 1 else 0


class _People:
    """The seats by what they are called at this table."""

    def __init__(self, match: Match, own: Sequence[int]) -> None:
        self._match = match
        self._own = own[0] if len(own) == 1 else -1
        self.many = len(match.game.options.parties) > 2

    def _side(self, seat: int) -> tuple[str, bool]:
        """Name the seats that win with a seat, and tell whether a verb goes as with "you" or "they"."""
        side = next(side for side in self._match.game.options.parties if seat in side)
        if self._own in side:
            return "you", True
        return " and ".join(self._name(one) for one in side), len(side) > 1

    def _name(self, seat: int) -> str:
        name = self._match.names[seat]
        return f"{name} ({self._match.game.seat_names[seat]})" if self._match.names.count(name) > 1 else name

    def _other(self, seat: int) -> int:
        return next(side[0] for side in self._match.game.options.parties if seat not in side)

    def result(self, seat: int, worth: int) -> str:
        if worth == 0 and not self.many:
            return "a tie"
        if self.many:
            return f"the rest of the game is worth {format_signed(worth)} to {self._side(seat)[0]}"
        who, many = self._side(seat if worth > 0 else self._other(seat))
        return f"{who} {'win' if many else 'wins'} by {abs(worth)}"

    def outright(self, seat: int, value: int) -> str:
        who, many = self._side(seat)
        if value > 0:
            return f"{who}, to move, {'win' if many else 'wins'}"
        return f"{who}, to move, {'lose' if many else 'loses'}"

    def expected(self, seat: int, margin: int) -> str:
        if margin == 0:
            return "about even"
        who, many = self._side(seat if margin > 0 else self._other(seat))
        return f"{who} {'are' if many else 'is'} expected to win by about {abs(margin)}"

    def expected_outright(self, seat: int, win: float, *, proven: bool) -> str:
        who, many = self._side(seat if win >= 0.5 else self._other(seat))
        if proven:
            return f"{who} {'win' if many else 'wins'} with the best play"
        return f"{who} {'are' if many else 'is'} expected to win"

    def chance(self, seat: int, win: float) -> str:
        who, many = self._side(seat)
        return f"{who}, to move, {'win' if many else 'wins'} in {round(100 * win)} of 100 games"

    def gain(self, seat: int, value: int) -> str:
        if self.many:
            return f"the margin is {format_signed(value)}"
        if value == 0:
            return "both sides gain the same"
        ahead, behind = (seat, self._other(seat)) if value > 0 else (self._other(seat), seat)
        who, many = self._side(ahead)
        return f"{who} {'gain' if many else 'gains'} {abs(value)} more than {self._side(behind)[0]}"

    def between(self, seat: int, low: int, high: int) -> str:
        who, _ = self._side(seat)
        what = "rest of the game" if self.many else "result"
        return f"for {who} the {what} lies between {format_signed(low)} and {format_signed(high)}"

    def shares(self, final: Sequence[int]) -> str:
        best = max(final)
        winners = [seat for seat, points in enumerate(final) if points == best]
        return f"{self._winning(winners)}, {' : '.join(map(str, final))}"

    def ending(self, margins: Sequence[int]) -> str:
        """Tell who wins where every seat is ahead of the best other one by so much at the end, or behind."""
        winners = [seat for seat, margin in enumerate(margins) if margin >= 0]
        by = max(margins)
        only_won = by == 0 or self._match.game.spec.scoring == "last-move"
        return self._winning(winners) + ("" if only_won else f" by {by}")

    def _winning(self, winners: Sequence[int]) -> str:
        names = " and ".join("you" if seat == self._own else self._name(seat) for seat in winners)
        verb = "share the win" if len(winners) > 1 else "win" if winners == [self._own] else "wins"
        return f"{names} {verb}"


def format_signed(number: int) -> str:
    """Write a margin."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
