"""Reviews of finished games: what each move lost, why, and what to learn."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fourcorners.core import arguments
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Game, Position
from fourcorners.core.match import Match, Record
from fourcorners.core.seat_names import distinguish_names
from fourcorners.players.computer import MAX_NODES, MAX_SECONDS
from fourcorners.study.labels import ERRORS, Label
from fourcorners.study.move_review import MoveReview, find_phase
from fourcorners.study.pace import Pace
from fourcorners.study.results import parse_result
from fourcorners.study.reviewer import Reviewer
from fourcorners.study.summary import PlayerSummary, summarise
from fourcorners.study.teaching import Teaching

DEFAULT_SECONDS = 30.0
MAX_PLIES = 5_000
_REPORT_SECONDS = 0.25  # the least time between reports of a review in progress
_EVEN = 0.5
_OPEN = "Nothing is hidden in this game, so every move is judged by the position as it was."
_HIDDEN = (
    "Every move is judged by what its player could know then: its own hand, the table and the moves. The graph shows "
    "the same, not what is known now. Values are exact only where the player could work out all hands; best play from "
    "there is that with open hands."
)


@dataclass(frozen=True)
class Review:
    """A review of a finished game; `is_complete` unless it was stopped or is still being made.

    `all_points` is the total of all seats, with which labels compare losses; 0 in a game without points. `knowledge`
    says which information moves are judged by. `withheld` are the plies whose contents `withhold` removed. Comparisons
    ignore `seconds`.
    """

    record: Record
    result: str
    moves: tuple[MoveReview, ...]
    players: tuple[PlayerSummary, ...]
    all_points: float
    knowledge: str
    is_complete: bool
    seconds: float = field(default=0.0, compare=False)
    positions: tuple[Position, ...] = field(default=(), repr=False)
    withheld: tuple[int, ...] = ()

    @property
    def judged_plies(self) -> int:
        """The number of moves with a label."""
        return sum(move.label is not None for move in self.moves)

    @property
    def errors(self) -> tuple[MoveReview, ...]:
        """The inaccuracies, mistakes and blunders."""
        return tuple(move for move in self.moves if move.label in ERRORS)

    @property
    def turn(self) -> MoveReview | None:
        """The last move with which the losing party of two gave the game away.

        None if no single move did, or if the game was not certainly lost from then on.
        """
        result = parse_result(self.result)
        if result is None or not result.winners or len(self.record.game.options.parties) != 2:
            return None
        lost = [move for move in self.errors if move.seat not in result.winners and _has_lost_game(move)]
        if not lost:
            return None
        later = [move for move in self.moves if move.ply > lost[-1].ply]
        # A player who resigns or runs out of time may have had a good position.
        ends = [] if result.is_decided_by_points else [_find_chance_after(self.moves[-1])]
        chances = [_find_chance(move) for move in later] + ends
        seats = [move.seat for move in later] + [self.moves[-1].seat] * len(ends)
        for seat, chance in zip(seats, chances, strict=True):
            if chance is None or (chance <= _EVEN if seat in result.winners else chance >= _EVEN):
                return None
        return lost[-1]


def _has_lost_game(move: MoveReview) -> bool:
    """Return whether a seat had at least even chances before its move, and certainly less after it."""
    before, after = _find_chance(move), _find_chance_after(move)
    if before is None or after is None or move.loss is None:
        return False
    return move.loss.win.low > 0 and before >= _EVEN > after


def _find_chance(move: MoveReview) -> float | None:
    """Return the mover's chance before a judged move."""
    return None if move.evaluation is None or move.label is None else move.evaluation.win.value


def _find_chance_after(move: MoveReview) -> float | None:
    """Return the mover's chance after a judged move; a forced move loses nothing."""
    before = _find_chance(move)
    return before if before is None or move.loss is None else before - move.loss.win.value


def withhold(review: Review, plies: Collection[int]) -> Review:
    """Return a review without the moves of some plies, which the players' summaries leave out too."""
    nothing: dict[str, Any] = {"evaluation": None, "loss": None, "label": None, "best_moves": (), "statements": ()}
    moves = [replace(move, **nothing) if move.ply in plies else move for move in review.moves]
    names = [player.name for player in review.players]
    players = _summarise_players(review.record.game, names, moves, review.all_points)
    return replace(review, moves=tuple(moves), players=players, withheld=tuple(sorted(plies)))


def review(
    record: Record | Match | str,
    seconds: float | None = None,
    *,
    nodes: int | None = None,
    seed: int | None = None,
    progress: Callable[[Review], Any] | None = None,
    stop: threading.Event | None = None,
    unfinished: bool = False,
) -> Review:
    """Review a game: find the value of every position, the loss of every move, and the reasons for errors.

    The game must be over, unless `unfinished` allows an abandoned game. The review takes up to about `seconds` (30 if
    there is no limit); `nodes` limits the simulations of each estimate, and the proofs in proportion. With nodes, a
    seed and no seconds, the result is reproducible. `progress` is called in this thread with the review so far, at most
    several times a second; its errors pass through. Set `stop` to end early with the results so far.

    Raise GameError for a running game, unless `unfinished` is set, or for a record of one viewer's knowledge;
    RecordError for an invalid text or record; OptionError for other arguments.
    """
    match = _open_match(record, unfinished=arguments.check_flag("unfinished", unfinished))
    seconds, nodes, seed = check_limits(seconds, nodes, seed, stop)
    arguments.check_callback("progress", progress)
    if seconds is None and nodes is None:
        seconds = DEFAULT_SECONDS
    pace = Pace(None if seconds is None else float(seconds), nodes, stop)
    names = distinguish_names(match.position.seat_names, match.names)
    reviewer = Reviewer(match.positions, names, pace, seed)
    reported = 0.0
    for _ in reviewer.run():
        if progress is not None and pace.elapsed_seconds - reported >= _REPORT_SECONDS:
            progress(_build_review(match, names, reviewer, pace))
            reported = pace.elapsed_seconds
        if pace.is_stopped:
            break
    result = _build_review(match, names, reviewer, pace)
    if progress is not None:
        progress(result)
    return result


def _open_match(record: object, *, unfinished: bool) -> Match:
    """Return the match of a record, a match or a text; raise GameError or RecordError.

    The match must be over, unless `unfinished` is set.
    """
    match = record if isinstance(record, Match) else None
    if isinstance(record, str):
        record = Record.parse(record)
    if isinstance(record, Record):
        match = record.match()
    if match is None:
        raise GameError(f"{quote(record)} cannot be reviewed: it must be a Record, a Match or the text of a record")
    if not match.is_over and not unfinished:
        raise GameError("this game is still running: only finished games can be reviewed", "running")
    plies = len(match.positions) - 1
    if not 0 < plies <= MAX_PLIES:
        raise GameError(f"a game of {plies} moves cannot be reviewed: it must have 1 to {MAX_PLIES}", "length")
    return match


def check_limits(seconds: Any, nodes: Any, seed: Any, stop: Any) -> tuple[float | None, int | None, int | None]:
    """Check the seconds, nodes and seed of a review and return them as plain numbers or None; raise OptionError."""
    seconds = arguments.check_seconds(seconds, MAX_SECONDS)
    nodes = None if nodes is None else arguments.check_int("nodes", nodes, 1, MAX_NODES)
    seed = arguments.check_seed(seed)
    arguments.check_stop(stop)
    return seconds, nodes, seed


def _build_review(match: Match, names: Sequence[str], reviewer: Reviewer, pace: Pace) -> Review:
    """Build the review from the findings so far."""
    count = len(reviewer.findings)
    moves = tuple(build_move(reviewer, ply, ply, count) for ply in range(count))
    return Review(
        match.record(),
        match.describe_result(names) if match.is_over else "not finished",
        moves,
        _summarise_players(reviewer.game, names, moves, reviewer.all_points),
        reviewer.all_points,
        _HIDDEN if reviewer.game.spec.hidden else _OPEN,
        reviewer.is_complete,
        round(pace.elapsed_seconds, 3),
        tuple(match.positions),
    )


def _summarise_players(
    game: Game, names: Sequence[str], moves: Sequence[MoveReview], all_points: float
) -> tuple[PlayerSummary, ...]:
    """Summarise the players' moves, by seat."""
    facts = game.spec.part(Teaching).facts_of_moves
    themes = {} if facts is None else dict(facts.THEMES)
    return tuple(
        summarise(seat, name, [move for move in moves if move.seat == seat], all_points, themes)
        for seat, name in enumerate(names)
    )


def build_move(reviewer: Reviewer, number: int, ply: int, count: int) -> MoveReview:
    """Build the review of one move from the reviewer's finding with this number, for a ply of `count` plies."""
    finding, label = reviewer.findings[number], reviewer.label(number)
    best = finding.best_moves or ((finding.move,) if label in {Label.BEST, Label.FORCED} else ())
    return MoveReview(
        ply,
        finding.seat,
        finding.move,
        find_phase(ply, count),
        reviewer.evaluate(number),
        reviewer.find_loss(number),
        label,
        best,
        reviewer.statements.get(number, ()),
    )
