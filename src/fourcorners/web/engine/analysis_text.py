"""Describe exact values and estimates in words and for the page's display, as results of the whole game."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fourcorners.core.game import Position, View
from fourcorners.core.plurals import list_words, pluralise
from fourcorners.core.seat_names import distinguish_names
from fourcorners.solvers.solver_run import compute_margin
from fourcorners.study.results import describe_outcome
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import YOU
from fourcorners.web.engine.cancellable_query import Answer, build_refusal
from fourcorners.web.engine.services import SOLVE_LIMITS, SOLVE_MEMORY, Estimate, SolveResult


class Seats(NamedTuple):
    """A position and the names at its seats, as the player who asks reads them."""

    position: Position | View
    names: tuple[str, ...]


_LIMITS = f"within {SOLVE_LIMITS.cpu_seconds:g} s and {SOLVE_MEMORY // 2**20} MB"
_LEAST_CHANCE, _LEAST_CHANCE_AT_START = 0.02, 0.2
"""Only a proof may look certain: an estimate leaves every party this chance to win, more the more is left to play."""
_CHANCE_DOUBT = 0.35
"""How far off a chance to win may be at the start of a game: a guess, since calibration knows only later positions."""
_STANDARD_ERRORS = 2.0


def describe_solution(result: SolveResult, seats: Seats, position: Position, own_seats: Sequence[int]) -> Answer:
    """Return the fields of a `SolveAnswer` about a position that is not over.

    The browser that asked plays `own_seats`; if there is just one, the sentences call its party "you". `state` is
    "refused" (with `sentence`), "bounds" (also `detail` and `seat`, the seat to move) or "solved" (all fields). `worth`
    is the margin by which that seat wins at the end of the game (negative: loses), and `moves` lists [move, margin],
    best first (empty if `result.values` is). `counts` says what these numbers mean: "margin" is this margin, "win" is 1
    or -1 in a game without points, and "rest" is the margin of the rest of the game where three or more parties play.
    """
    if result.refusal:
        return build_refusal(result.refusal)
    seat = position.seat or 0
    wording = _Wording(seats, own_seats)
    lead = _get_lead(position, seat)
    nodes = pluralise(result.nodes, "{} position searched.", "{} positions searched.")
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
        detail = f"This assumes that everyone sees all hands and the pile. {detail}"
    if not result.values:
        detail += f" Not every move could be solved {_LIMITS}."
    ranked = sorted(result.values.items(), key=lambda item: (-item[1], item[0]))
    what = "Open-hands value" if result.open_hands else "Solved"
    fields = {"sentence": f"{what}: {sentence}", "detail": detail, "seat": seat, "worth": worth, "counts": counts}
    return {"state": "solved", **fields, "moves": [[move, lead + value] for move, value in ranked]}


def describe_bounds(position: Position, lower: int, upper: int, nodes: int) -> Answer:
    """Return the fields `lower`, `upper` and `nodes` for the bounds proven so far; the position must not be over. The
    arguments bound the margin of the rest of the game, the fields what `describe_solution` calls `worth`.
    """
    lead = _get_lead(position, position.seat or 0)
    return {"lower": lead + lower, "upper": lead + upper, "nodes": nodes}


def describe_estimate(estimate: Estimate, seats: Seats, view: View, own_seats: Sequence[int]) -> Answer:
    """Return the fields of an `EvaluateAnswer` for a browser that plays `own_seats`: `sentence` and a bar.

    The bar shows `share`, the chance to win, 0 to 1, of the first party in `sides` (each party is a list of its seats),
    and the range `low` to `high` in which it lies: an estimate is never a single number, unless it is `solved`. Two
    parties are both in `sides`; of three or more, only that of the seat to move. `state` is always "found".
    """
    seat = view.seat or 0
    wording, parties = _Wording(seats, own_seats), seats.position.game.options.parties
    mover_party = next(party for party in parties if seat in party)
    bar_parties = [mover_party] if wording.has_many_parties else parties
    low, high = _bound_chance(estimate)
    chance = min(max(estimate.win, low), high)
    if bar_parties[0] != mover_party:
        low, chance, high = 1 - high, 1 - chance, 1 - low
    if view.is_over:
        sentence = wording.format_scores(view.scores)
    elif estimate.solved:
        sentence = wording.format_proven_estimate(seat, estimate.value, estimate.win)
    else:
        margin = estimate.value if bar_parties[0] == mover_party else -estimate.value
        sentence = f"estimate: {wording.format_expectation(bar_parties[0][0], low, chance, high, margin)}"
    return {
        "state": "found",
        "sentence": write_sentence(sentence),
        "share": round(chance, 3),
        "low": round(low, 3),
        "high": round(high, 3),
        "sides": [list(party) for party in bar_parties],
        "solved": estimate.solved,
    }


def _bound_chance(estimate: Estimate) -> tuple[float, float]:
    """Return the range in which the chance to win lies for the seat to move; of a proven result both ends are equal.

    It is wider the fewer simulations there were, and the more of the game is left.
    """
    if estimate.solved:
        return estimate.win, estimate.win
    error = math.sqrt(estimate.win * (1 - estimate.win) / estimate.nodes)
    doubt = _STANDARD_ERRORS * error + _CHANCE_DOUBT * estimate.left
    least = _LEAST_CHANCE + (_LEAST_CHANCE_AT_START - _LEAST_CHANCE) * estimate.left
    low, high = (min(max(estimate.win + change, least), 1 - least) for change in (-doubt, doubt))
    return low, high


def _format_range(low: float, high: float) -> str:
    """Write a range of shares in percent, "60 to 75"; one number if both ends are the same."""
    ends = (round(100 * low), round(100 * high))
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _get_lead(position: Position | View, seat: int) -> int:
    """Return by how many points the seat's party is ahead of the other party; 0 with three or more parties."""
    others = [position.scores[party[0]] for party in position.game.options.parties if seat not in party]
    return position.scores[seat] - max(others) if len(others) == 1 else 0


class _Wording:
    """Phrases for the middle of a sentence about the seats of a match; they call the browser's own party "you"."""

    def __init__(self, seats: Seats, own_seats: Sequence[int]) -> None:
        """Call the party of the browser's only seat "you"; no one, if the browser plays no seat or several."""
        self._game = seats.position.game
        self._names = _distinguish_names(seats)
        self._own_seat = own_seats[0] if len(own_seats) == 1 else -1
        self.has_many_parties = len(seats.position.game.options.parties) > 2

    def _name_party(self, seat: int) -> tuple[str, bool]:
        """Return the names of the seat's party, and whether its verb is plural ("you win", "Ada wins")."""
        party = next(party for party in self._game.options.parties if seat in party)
        if self._own_seat in party:
            return "you", True
        name = list_words([self._name_seat(member) for member in party])
        return name, len(party) > 1 or name == YOU

    def _name_seat(self, seat: int) -> str:
        """Return the name at a seat, with that of the seat if it could mean someone else."""
        return self._names[seat]

    def _get_opponent(self, seat: int) -> int:
        """Return the first seat of the other party; only for games of two parties."""
        return next(party[0] for party in self._game.options.parties if seat not in party)

    def format_result(self, seat: int, worth: int) -> str:
        """Say who wins by how much; `worth` is the seat's final margin (with three or more parties, from here on)."""
        if worth == 0 and not self.has_many_parties:
            return "a draw"
        if self.has_many_parties:
            return f"the rest of the game is worth {format_signed(worth)} to {self._name_party(seat)[0]}"
        return f"{self._name_winner(seat if worth > 0 else self._get_opponent(seat))} by {abs(worth)}"

    def format_win(self, seat: int, value: int) -> str:
        """Say whether the seat to move wins (a positive value) or loses, in a game without points."""
        if value > 0:
            return self._say_of(seat, "{}, to move, wins", "{}, to move, win")
        return self._say_of(seat, "{}, to move, loses", "{}, to move, lose")

    def format_proven_estimate(self, seat: int, value: float, win: float) -> str:
        """Say how the game ends with best play, given a seat's proven margin and chance, 0 to 1, to win."""
        margin = round(value)
        if self.has_many_parties:
            return f"{self._say_of(seat, '{}, to move, wins', '{}, to move, win')} in {round(100 * win)} of 100 games"
        if self._game.spec.scoring == "last-move":
            return f"{self._name_winner(seat if win >= 0.5 else self._get_opponent(seat))} with best play"
        return f"{self.format_result(seat, margin)} with best play"

    def format_expectation(self, seat: int, low: float, chance: float, high: float, margin: float) -> str:
        """Say in how many games a seat's party wins, given its chance, 0 to 1, with its range, and by how much, given
        its expected margin. Of two parties the sentence is about the one that wins more games, so that both agree.
        """
        if self.has_many_parties or self._game.spec.scoring == "last-move":
            return f"{self._name_winner(seat)} in {_format_range(low, high)} of 100 games"
        if chance < 0.5:
            seat, low, high, margin = self._get_opponent(seat), 1 - high, 1 - low, -margin
        games = f"in {_format_range(low, high)} of 100 games"
        points = round(margin)
        if points < 1:
            wins = f"{self._name_winner(seat)} {games}"
            return f"about even, {wins}" if low <= 0.5 <= high else wins
        return f"{self._name_winner(seat)} by about {points}, {games}"

    def _name_winner(self, seat: int) -> str:
        """Say that a seat's party wins, in the present tense."""
        return self._say_of(seat, "{} wins", "{} win")

    def _say_of(self, seat: int, one: str, several: str) -> str:
        """Return one of two clauses about a seat's party, with its name in place of {}: whether its verb is plural."""
        who, plural = self._name_party(seat)
        return (several if plural else one).replace("{}", who, 1)

    def format_gain(self, seat: int, value: int) -> str:
        """Say who gains how much more from here to the end, given the margin that a seat gains."""
        if self.has_many_parties:
            return f"the margin is {format_signed(value)}"
        if value == 0:
            return "both sides gain the same number of points"
        ahead, behind = (seat, self._get_opponent(seat)) if value > 0 else (self._get_opponent(seat), seat)
        gains = self._say_of(ahead, "{} gains", "{} gain")
        return f"{gains} {abs(value)} more than {self._name_party(behind)[0]}"

    def format_bounds(self, seat: int, low: int, high: int) -> str:
        """Say that a seat's result, or its margin from here with three or more parties, lies from `low` to `high`."""
        what = "rest of the game" if self.has_many_parties else "result"
        return f"for {self._name_party(seat)[0]} the {what} lies between {format_signed(low)} and {format_signed(high)}"

    def format_scores(self, scores: Sequence[int]) -> str:
        """Say who has won a finished game, with the points; every seat with the best score has won."""
        best = max(scores)
        winners = [seat for seat, points in enumerate(scores) if points == best]
        own = () if self._own_seat < 0 else (self._own_seat,)
        return describe_outcome(winners, scores, self._names, self._game, own)

    def format_final_margins(self, margins: Sequence[int]) -> str:
        """Say who wins, the seats with a final margin of 0 or more, and by how much (not for 0, or without points)."""
        winners = [seat for seat, margin in enumerate(margins) if margin >= 0]
        margin = max(margins)
        has_margin = margin != 0 and self._game.spec.scoring != "last-move"
        return self._format_winners(winners) + (f" by {margin}" if has_margin else "")

    def _format_winners(self, winners: Sequence[int]) -> str:
        """Say that these seats win or share the win; members of one team are named one by one."""
        names = list_words(["you" if seat == self._own_seat else self._name_seat(seat) for seat in winners])
        is_you = winners == [self._own_seat] or names == YOU
        verb = "share the win" if len(winners) > 1 else "win" if is_you else "wins"
        return f"{names} {verb}"


def _distinguish_names(seats: Seats) -> tuple[str, ...]:
    """Return names that no one can take for another player's or a seat's; "You" stays, if there is one of them."""
    if seats.names.count(YOU) != 1:
        return distinguish_names(seats.position.seat_names, seats.names)
    own = seats.names.index(YOU)
    # With the number of the seat as a name, only the others are compared.
    names = distinguish_names(seats.position.seat_names, [*seats.names[:own], f"seat {own}", *seats.names[own + 1 :]])
    return (*names[:own], YOU, *names[own + 1 :])


def format_signed(number: int) -> str:
    """Write a margin with its sign, "0" without one; the minus sign is U+2212, not a hyphen."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"
