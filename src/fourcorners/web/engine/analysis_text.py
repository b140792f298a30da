"""Describe exact values and estimates in words and for the page's display, as results of the whole game."""

from collections.abc import Sequence
from typing import Any

from fourcorners.core.match import Match
from fourcorners.core.position import Position, View
from fourcorners.solve.solver import compute_margin
from fourcorners.web.engine.hint_service import Estimate
from fourcorners.web.engine.solve_service import MEMORY_LIMIT, TIME_LIMIT, SolveResult

_LIMITS = f"within {TIME_LIMIT:g} s and {MEMORY_LIMIT // 2**20} MB"


def describe_solution(result: SolveResult, match: Match, position: Position, own: Sequence[int]) -> dict[str, Any]:
    """Describe the solver's result for a browser that plays the seats `own`; the position must not be over.

    `state` is "solved", "bounds" or "refused"; `sentence` and `detail` are for people. If solved, `worth` is the margin
    by which the seat to move wins at the end of the game (negative: loses), and `moves` lists [move, margin], best
    first. `counts` says what these numbers mean: "margin" is this margin, "win" is 1 or -1 in a game without points,
    and "rest" is the margin of the rest of the game only, where three or more parties play.
    """
    if result.refusal:
        return {"state": "refused", "sentence": _capitalise(f"{result.refusal}.")}
    seat = position.seat or 0
    wording = _Wording(match, own)
    lead = _get_lead(match, position, seat)
    nodes = f"{result.nodes:,} position{'' if result.nodes == 1 else 's'} searched."
    if result.lower != result.upper:
        low, high = lead + result.lower, lead + result.upper
        sentence = f"Not solved {_LIMITS}: {wording.format_bounds(seat, low, high)}."
        return {"state": "bounds", "sentence": sentence, "detail": nodes, "seat": seat}
    counts = "win" if result.nimber is not None else "rest" if wording.has_many_parties else "margin"
    worth = lead + result.lower
    detail = nodes
    if counts == "win":
        sentence = f"{wording.format_win(seat, result.lower)}, nimber {result.nimber}."
    elif wording.has_many_parties and result.margins is not None:
        final = [compute_margin(position, seat) + change for seat, change in enumerate(result.margins)]
        sentence = f"{wording.format_final_margins(final)}."
    else:
        sentence = f"{wording.format_result(seat, worth)}."
        detail = f"From here to the end {wording.format_gain(seat, result.lower)}. {nodes}"
    if result.open_hands:
        detail = f"With all hands and the pile open to everybody. {detail}"
    if not result.values:
        detail += f" Not every move could be solved {_LIMITS}."
    ranked = sorted(result.values.items(), key=lambda item: (-item[1], item[0]))
    what = "Open-hands value" if result.open_hands else "Solved"
    fields = {"sentence": f"{what}: {sentence}", "detail": detail, "seat": seat, "worth": worth, "counts": counts}
    return {"state": "solved", **fields, "moves": [[move, lead + value] for move, value in ranked]}


def describe_bounds(match: Match, position: Position, lower: int, upper: int, nodes: int) -> dict[str, Any]:
    """Describe the bounds of an unfinished solve, as `worth` in `describe_solution`; the position must not be over."""
    lead = _get_lead(match, position, position.seat or 0)
    return {"lower": lead + lower, "upper": lead + upper, "nodes": nodes}


def describe_estimate(estimate: Estimate, match: Match, view: View, own: Sequence[int]) -> dict[str, Any]:
    """Describe an estimate for a browser that plays the seats `own`, in words and as a bar.

    `share` is the chance to win, 0 to 1, of the first of `sides`. Two parties are both in `sides`; of three or more,
    only that of the seat to move.
    """
    seat = view.seat or 0
    wording = _Wording(match, own)
    parties = match.game.options.parties
    mine = next(side for side in parties if seat in side)
    sides = [mine] if wording.has_many_parties else list(parties)
    share = estimate.win if sides[0] == mine else 1 - estimate.win
    if not estimate.solved:
        # Only proofs may look certain.
        share = min(max(share, 0.01), 0.99)
    margin = round(estimate.value)
    if view.is_over:
        sentence = wording.format_scores(view.scores)
    elif wording.has_many_parties:
        about = "" if estimate.solved else "about "
        sentence = f"{wording.format_chance(seat, share)}, by a margin of {about}{format_signed(margin)}"
    elif match.game.spec.scoring == "last-move":
        sentence = wording.format_expected_win(seat, estimate.win, proven=estimate.solved)
    elif estimate.solved:
        sentence = f"{wording.format_result(seat, margin)} with best play"
    else:
        sentence = wording.format_expected_margin(seat, margin)
    chances = f"{round(100 * share)} : {round(100 * (1 - share))}"
    return {
        "state": "found",
        "sentence": _capitalise(f"{sentence}."),
        "detail": "" if estimate.solved or wording.has_many_parties else f"Chances {chances}",
        "share": round(share, 3),
        "sides": [list(side) for side in sides],
        "solved": estimate.solved,
    }


def _get_lead(match: Match, position: Position, seat: int) -> int:
    """Return by how many points the seat's party is ahead of the other one; 0 if there are several others."""
    others = [position.scores[side[0]] for side in match.game.options.parties if seat not in side]
    return position.scores[seat] - max(others) if len(others) == 1 else 0


class _Wording:
    """Phrases about the seats of a match, which call the browser's own side "you"."""

    def __init__(self, match: Match, own: Sequence[int]) -> None:
        """Nobody is "you" to a browser that plays no seat, or several."""
        self._match = match
        self._own = own[0] if len(own) == 1 else -1
        self.has_many_parties = len(match.game.options.parties) > 2

    def _name_side(self, seat: int) -> tuple[str, bool]:
        """Return the names of the seat's party, and whether its verb is plural ("you win", "Ada wins")."""
        side = next(side for side in self._match.game.options.parties if seat in side)
        if self._own in side:
            return "you", True
        return " and ".join(self._name_seat(member) for member in side), len(side) > 1

    def _name_seat(self, seat: int) -> str:
        name = self._match.names[seat]
        return f"{name} ({self._match.game.seat_names[seat]})" if self._match.names.count(name) > 1 else name

    def _get_opponent(self, seat: int) -> int:
        return next(side[0] for side in self._match.game.options.parties if seat not in side)

    def format_result(self, seat: int, worth: int) -> str:
        """Say who wins by how much, given the margin of a seat."""
        if worth == 0 and not self.has_many_parties:
            return "a draw"
        if self.has_many_parties:
            return f"the rest of the game is worth {format_signed(worth)} to {self._name_side(seat)[0]}"
        who, plural = self._name_side(seat if worth > 0 else self._get_opponent(seat))
        return f"{who} {'win' if plural else 'wins'} by {abs(worth)}"

    def format_win(self, seat: int, value: int) -> str:
        """Say whether the seat to move wins (a positive value) or loses."""
        who, plural = self._name_side(seat)
        return f"{who}, to move, {'win' if value > 0 else 'lose'}{'' if plural else 's'}"

    def format_expected_margin(self, seat: int, margin: int) -> str:
        """Say who will probably win by how much, given the expected margin of a seat."""
        if margin == 0:
            return "about even"
        who, plural = self._name_side(seat if margin > 0 else self._get_opponent(seat))
        return f"{who} {'are' if plural else 'is'} expected to win by about {abs(margin)}"

    def format_expected_win(self, seat: int, win: float, *, proven: bool) -> str:
        """Say who wins, or will probably win, given a seat's chance."""
        who, plural = self._name_side(seat if win >= 0.5 else self._get_opponent(seat))
        if proven:
            return f"{who} {'win' if plural else 'wins'} with best play"
        return f"{who} {'are' if plural else 'is'} expected to win"

    def format_chance(self, seat: int, win: float) -> str:
        """Say how often the seat to move wins."""
        who, plural = self._name_side(seat)
        return f"{who}, to move, {'win' if plural else 'wins'} in {round(100 * win)} of 100 games"

    def format_gain(self, seat: int, value: int) -> str:
        """Say who gains how much more in the rest of the game, given the margin of a seat."""
        if self.has_many_parties:
            return f"the margin is {format_signed(value)}"
        if value == 0:
            return "both sides gain the same"
        ahead, behind = (seat, self._get_opponent(seat)) if value > 0 else (self._get_opponent(seat), seat)
        who, plural = self._name_side(ahead)
        return f"{who} {'gain' if plural else 'gains'} {abs(value)} more than {self._name_side(behind)[0]}"

    def format_bounds(self, seat: int, low: int, high: int) -> str:
        """Say between which margins a seat's result lies."""
        what = "rest of the game" if self.has_many_parties else "result"
        return f"for {self._name_side(seat)[0]} the {what} lies between {format_signed(low)} and {format_signed(high)}"

    def format_scores(self, scores: Sequence[int]) -> str:
        """Say who has won a finished game, and the scores."""
        best = max(scores)
        winners = [seat for seat, points in enumerate(scores) if points == best]
        return f"{self._format_winners(winners)}, {' : '.join(map(str, scores))}"

    def format_final_margins(self, margins: Sequence[int]) -> str:
        """Say who wins, given by seat the final margin over the best other seat."""
        winners = [seat for seat, margin in enumerate(margins) if margin >= 0]
        margin = max(margins)
        has_margin = margin != 0 and self._match.game.spec.scoring != "last-move"
        return self._format_winners(winners) + (f" by {margin}" if has_margin else "")

    def _format_winners(self, winners: Sequence[int]) -> str:
        names = " and ".join("you" if seat == self._own else self._name_seat(seat) for seat in winners)
        verb = "share the win" if len(winners) > 1 else "win" if winners == [self._own] else "wins"
        return f"{names} {verb}"


def format_signed(number: int) -> str:
    """Write a margin with its sign, with a real minus sign."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]
