"""Describe exact values and estimates in words and for the page's display, as results of the whole game."""

from collections.abc import Sequence

from fourcorners.core.match import Match
from fourcorners.core.position import Position, View
from fourcorners.solve.solver import compute_margin
from fourcorners.web.engine.cancellable_query import Answer, build_refusal
from fourcorners.web.engine.hint_service import Estimate
from fourcorners.web.engine.solve_service import MEMORY_LIMIT, TIME_LIMIT, SolveResult

_LIMITS = f"within {TIME_LIMIT:g} s and {MEMORY_LIMIT // 2**20} MB"
_LEAST_CHANCE = 0.01
"""Only a proof may look certain: an estimate that is not proven leaves every party at least this chance to win."""


def describe_solution(result: SolveResult, match: Match, position: Position, own_seats: Sequence[int]) -> Answer:
    """Return the fields of a `SolveAnswer` about a position of `match` that is not over.

    The browser that asked plays `own_seats`; if there is just one, the sentences call its party "you". `state` is
    "refused" (with `sentence`), "bounds" (also `detail` and `seat`, the seat to move) or "solved" (all fields). `worth`
    is the margin by which that seat wins at the end of the game (negative: loses), and `moves` lists [move, margin],
    best first (empty if `result.values` is). `counts` says what these numbers mean: "margin" is this margin, "win" is 1
    or -1 in a game without points, and "rest" is the margin of the rest of the game where three or more parties play.
    """
    if result.refusal:
        return build_refusal(f"{result.refusal}.")
    seat = position.seat or 0
    wording = _Wording(match, own_seats)
    lead = _get_lead(match, position, seat)
    nodes = f"{result.nodes:,} position{'' if result.nodes == 1 else 's'} searched."
    if result.lower != result.upper:
        low, high = lead + result.lower, lead + result.upper
        sentence = f"Not solved {_LIMITS}: {wording.format_bounds(seat, low, high)}."
        return {"state": "bounds", "sentence": sentence, "detail": nodes, "seat": seat}
    counts = "win" if result.nimber is not None else "rest" if wording.has_many_parties else "margin"
    worth, detail = lead + result.lower, nodes
    if counts == "win":
        sentence = f"{wording.format_win(seat, result.lower)}, nimber {result.nimber}."
    elif wording.has_many_parties and result.margins is not None:
        final = [compute_margin(position, seat) + change for seat, change in enumerate(result.margins)]
        sentence = f"{wording.format_final_margins(final)}."
    else:
        sentence = f"{wording.format_result(seat, worth)}."
        detail = f"From here to the end {wording.format_gain(seat, result.lower)}. {nodes}"
    if result.open_hands:
        detail = f"This assumes that everybody sees all hands and the pile. {detail}"
    if not result.values:
        detail += f" Not every move could be solved {_LIMITS}."
    ranked = sorted(result.values.items(), key=lambda item: (-item[1], item[0]))
    what = "Open-hands value" if result.open_hands else "Solved"
    fields = {"sentence": f"{what}: {sentence}", "detail": detail, "seat": seat, "worth": worth, "counts": counts}
    return {"state": "solved", **fields, "moves": [[move, lead + value] for move, value in ranked]}


def describe_bounds(match: Match, position: Position, lower: int, upper: int, nodes: int) -> Answer:
    """Return the fields `lower`, `upper` and `nodes` for the bounds proven so far; the position must not be over. The
    arguments bound the margin of the rest of the game, the fields what `describe_solution` calls `worth`.
    """
    lead = _get_lead(match, position, position.seat or 0)
    return {"lower": lead + lower, "upper": lead + upper, "nodes": nodes}


def describe_estimate(estimate: Estimate, match: Match, view: View, own_seats: Sequence[int]) -> Answer:
    """Return the fields of an `EvaluateAnswer` for a browser that plays `own_seats`: `sentence`, `detail` and a bar.

    The bar shows `share`, the chance to win, 0 to 1, of the first party in `sides` (each party is a list of its seats).
    Two parties are both in `sides`; of three or more, only that of the seat to move. `state` is always "found".
    """
    seat = view.seat or 0
    wording, parties = _Wording(match, own_seats), match.game.options.parties
    mover_party = next(party for party in parties if seat in party)
    bar_parties = [mover_party] if wording.has_many_parties else parties
    share = estimate.win if bar_parties[0] == mover_party else 1 - estimate.win
    if not estimate.solved:
        share = min(max(share, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
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
        "sentence": f"{sentence[:1].upper()}{sentence[1:]}.",
        "detail": "" if estimate.solved or wording.has_many_parties else f"Chances {chances}",
        "share": round(share, 3),
        "sides": [list(party) for party in bar_parties],
        "solved": estimate.solved,
    }


def _get_lead(match: Match, position: Position, seat: int) -> int:
    """Return by how many points the seat's party is ahead of the other party; 0 with three or more parties."""
    others = [position.scores[party[0]] for party in match.game.options.parties if seat not in party]
    return position.scores[seat] - max(others) if len(others) == 1 else 0


class _Wording:
    """Phrases for the middle of a sentence about the seats of a match; they call the browser's own party "you"."""

    def __init__(self, match: Match, own_seats: Sequence[int]) -> None:
        """Call the party of the browser's only seat "you"; nobody, if the browser plays no seat or several."""
        self._match = match
        self._own_seat = own_seats[0] if len(own_seats) == 1 else -1
        self.has_many_parties = len(match.game.options.parties) > 2

    def _name_party(self, seat: int) -> tuple[str, bool]:
        """Return the names of the seat's party, and whether its verb is plural ("you win", "Ada wins")."""
        party = next(party for party in self._match.game.options.parties if seat in party)
        if self._own_seat in party:
            return "you", True
        return " and ".join(self._name_seat(member) for member in party), len(party) > 1

    def _name_seat(self, seat: int) -> str:
        """Return the name at a seat, with the seat's own name, such as "(White)", if two seats have the same one."""
        name = self._match.names[seat]
        return f"{name} ({self._match.game.seat_names[seat]})" if self._match.names.count(name) > 1 else name

    def _get_opponent(self, seat: int) -> int:
        """Return the first seat of the other party; only for games of two parties."""
        return next(party[0] for party in self._match.game.options.parties if seat not in party)

    def format_result(self, seat: int, worth: int) -> str:
        """Say who wins by how much; `worth` is the seat's final margin (with three or more parties, from here on)."""
        if worth == 0 and not self.has_many_parties:
            return "a draw"
        if self.has_many_parties:
            return f"the rest of the game is worth {format_signed(worth)} to {self._name_party(seat)[0]}"
        who, plural = self._name_party(seat if worth > 0 else self._get_opponent(seat))
        return f"{who} {'win' if plural else 'wins'} by {abs(worth)}"

    def format_win(self, seat: int, value: int) -> str:
        """Say whether the seat to move wins (a positive value) or loses, in a game without points."""
        who, plural = self._name_party(seat)
        return f"{who}, to move, {'win' if value > 0 else 'lose'}{'' if plural else 's'}"

    def format_expected_margin(self, seat: int, margin: int) -> str:
        """Say who will probably win by how much, given a seat's expected final margin; only for two parties."""
        if margin == 0:
            return "about even"
        who, plural = self._name_party(seat if margin > 0 else self._get_opponent(seat))
        return f"{who} {'are' if plural else 'is'} expected to win by about {abs(margin)}"

    def format_expected_win(self, seat: int, win: float, *, proven: bool) -> str:
        """Say who wins (if `proven`) or will probably win, given a seat's chance, 0 to 1; only for two parties."""
        who, plural = self._name_party(seat if win >= 0.5 else self._get_opponent(seat))
        if proven:
            return f"{who} {'win' if plural else 'wins'} with best play"
        return f"{who} {'are' if plural else 'is'} expected to win"

    def format_chance(self, seat: int, win: float) -> str:
        """Say how often the seat to move wins, given its chance, 0 to 1."""
        who, plural = self._name_party(seat)
        return f"{who}, to move, {'win' if plural else 'wins'} in {round(100 * win)} of 100 games"

    def format_gain(self, seat: int, value: int) -> str:
        """Say who gains how much more from here to the end, given the margin that a seat gains."""
        if self.has_many_parties:
            return f"the margin is {format_signed(value)}"
        if value == 0:
            return "both sides gain the same number of points"
        ahead, behind = (seat, self._get_opponent(seat)) if value > 0 else (self._get_opponent(seat), seat)
        who, plural = self._name_party(ahead)
        return f"{who} {'gain' if plural else 'gains'} {abs(value)} more than {self._name_party(behind)[0]}"

    def format_bounds(self, seat: int, low: int, high: int) -> str:
        """Say that a seat's result, or its margin from here with three or more parties, lies from `low` to `high`."""
        what = "rest of the game" if self.has_many_parties else "result"
        return f"for {self._name_party(seat)[0]} the {what} lies between {format_signed(low)} and {format_signed(high)}"

    def format_scores(self, scores: Sequence[int]) -> str:
        """Say who has won a finished game, and the scores by seat; every seat with the best score has won."""
        best = max(scores)
        winners = [seat for seat, points in enumerate(scores) if points == best]
        return f"{self._format_winners(winners)}, {' : '.join(map(str, scores))}"

    def format_final_margins(self, margins: Sequence[int]) -> str:
        """Say who wins, the seats with a final margin of 0 or more, and by how much (not for 0, or without points)."""
        winners = [seat for seat, margin in enumerate(margins) if margin >= 0]
        margin = max(margins)
        has_margin = margin != 0 and self._match.game.spec.scoring != "last-move"
        return self._format_winners(winners) + (f" by {margin}" if has_margin else "")

    def _format_winners(self, winners: Sequence[int]) -> str:
        """Say that these seats win or share the win; members of one team are named one by one."""
        names = " and ".join("you" if seat == self._own_seat else self._name_seat(seat) for seat in winners)
        verb = "share the win" if len(winners) > 1 else "win" if winners == [self._own_seat] else "wins"
        return f"{names} {verb}"


def format_signed(number: int) -> str:
    """Write a margin with its sign, "0" without one; the minus sign is U+2212, not a hyphen."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"
