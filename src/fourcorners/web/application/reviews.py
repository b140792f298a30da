"""Reviews of finished games, for everyone who has the link of the table: to make, to look up, and to keep.

A review covers the whole game. As long as a running game has the same positions, because one of the two repeats the
other, everything about these is withheld.
"""

import json
import logging
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from starlette.concurrency import run_in_threadpool

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, IllegalMoveError
from fourcorners.core.game import Position
from fourcorners.core.plurals import list_words
from fourcorners.core.slices import count_processor_time
from fourcorners.study import review as study
from fourcorners.study.json_reader import read_json
from fourcorners.study.json_report import SCHEMA, build_json
from fourcorners.study.labels import ERRORS
from fourcorners.study.review import MAX_PLIES, Review, withhold
from fourcorners.study.stored_positions import write_positions
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.fair_turns import get_client, run_in_turn
from fourcorners.web.application.running_games import find_hashed, hash_images
from fourcorners.web.application.table_session import load_row
from fourcorners.web.domain.rows import SERVER_FAULT, StoredTable, StoreError
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import ABANDONED, Table
from fourcorners.web.engine.jobs import Report
from fourcorners.web.engine.services import ReviewKey
from fourcorners.web.engine.work_queue import BusyError, CpuBudget
from fourcorners.web.store import StoredReview

State = Literal["none", "running", "finished", "failed"]
SECONDS, NODES = 30.0, 20_000
"""The limits of one review: about this many seconds of processor time, and simulations of each estimate. With both it
takes one thread.
"""
_WITHHELD = "Nothing is said about {} yet: a game in progress on this server has the same position. Look again later."
_EARLIER = "An earlier version of this site reviewed this game. Review it again for better estimates."
_logger = logging.getLogger(__name__)


class ReviewStatus(NamedTuple):
    """The state of the review of a game of `plies` plies, and the `review`: None, all of it or, while it runs, the part
    that is finished.

    `sentence` says why it failed, why it must be made again, or what is withheld. It begins when `compiled` is 1 and no
    other reviews are `ahead`. `row` is the table.
    """

    state: State
    plies: int
    review: Review | None = None
    sentence: str = ""
    compiled: float = 1.0
    ahead: int = 0
    row: StoredTable | None = None

    def find_seat(self, player: str) -> int | None:
        """Return the only seat that a player held in the game; None for one who held several, and for all others."""
        seats = [] if self.row is None else self.row.list_seats(player)
        return seats[0] if len(seats) == 1 else None

    @property
    def judged_plies(self) -> int:
        """How many plies are judged."""
        return 0 if self.review is None else self.review.judged_plies

    @property
    def can_go_on(self) -> bool:
        """Whether the review ended before all was judged, so that it can be made again."""
        return self.state == "finished" and self.review is not None and not self.review.is_complete

    @property
    def errors(self) -> int:
        """How many errors were found."""
        return 0 if self.review is None else sum(move.label in ERRORS for move in self.review.moves)


async def look_up_review(context: ServerContext, table_id: str) -> ReviewStatus:
    """Return the state of the review of a table's game, without what running games share, and note that someone waits.

    Raise NoTableError without such a table, IllegalMoveError if its game is not over or has nothing to review,
    StoreError, BusyError, and RecordError if a stored review does not fit the current rules.
    """
    row = await run_in_threadpool(_load_finished, context, table_id)
    return (await _withhold(context, row, await _look_up(context, row)))._replace(row=row)


async def look_up_positions(context: ServerContext, table_id: str) -> Sequence[Position]:
    """Return the positions of a reviewed game, even those about which the review withholds its findings; none without a
    review. Raise as `look_up_review`.
    """
    row = await run_in_threadpool(_load_finished, context, table_id)
    review = (await _look_up(context, row)).review
    return () if review is None else review.positions


async def request_review(context: ServerContext, table_id: str) -> ReviewStatus:
    """Return what `look_up_review` does, but have the review made unless there is one that judges all moves. Raise
    BusyError, too, if too many reviews wait.
    """
    row = await run_in_threadpool(_load_finished, context, table_id)
    status = await _look_up(context, row)
    if status.state == "running" or (status.state == "finished" and not status.can_go_on):
        return await _withhold(context, row, status)
    key, known, names = ReviewKey(row.id, _find_version(row)), status.review, list(row.names)

    async def keep(review: Review) -> Review:
        """Store a review and return it, unless the one before judges more. What fails is logged, because the review is
        in memory and can be made again.
        """
        if known is not None and known.judged_plies > review.judged_plies:
            return known
        text = await context.run_in_board_thread(_write_review, review)
        stored = StoredReview(key.version, SCHEMA, text, context.time.now())
        try:
            await context.store.save_review(row.id, stored, names, replaces=known is not None)
        except StoreError as error:
            _logger.warning("a review could not be stored: %s", error, extra={"table": row.id})
        return review

    def make(budget: CpuBudget, report: Report[Review]) -> Review:
        return _make_review(row, budget, report)

    job = context.engine.reviews.start(get_client(), key, catalogue.game(row.game).spec.id, make, keep)
    ahead = context.engine.reviews.queue.count_ahead(job.stop)
    return ReviewStatus("running", status.plies, compiled=job.compiled, ahead=ahead)


async def _withhold(context: ServerContext, row: StoredTable, status: ReviewStatus) -> ReviewStatus:
    """Remove from a review what it says about positions of running games, and say so; raise StoreError, BusyError."""
    review, key, known = status.review, ReviewKey(row.id, _find_version(row)), context.engine.review_hashes
    if review is None:
        return status
    if key not in known:
        # A long game takes a second, each time that someone looks, which must delay no move.
        known[key] = await run_in_turn(context.replaying, hash_images, review.positions)
    shared = await find_hashed(context, known[key])
    # The loss of a move tells the value of the position after it.
    plies = {move.ply for move in review.moves if any(shared[move.ply : move.ply + 2])}
    if not plies:
        return status
    review = await context.run_in_board_thread(withhold, review, plies)
    return status._replace(review=review, sentence=status.sentence or _WITHHELD.format(_list_moves(sorted(plies))))


def _list_moves(plies: Sequence[int]) -> str:
    """Name moves by their numbers, counted from 1: "move 3", or "moves 3 to 5 and 8"."""
    starts = [ply for ply in plies if ply - 1 not in plies]
    ends = [ply for ply in plies if ply + 1 not in plies]
    parts = [f"{a + 1}" if a == b else f"{a + 1} to {b + 1}" for a, b in zip(starts, ends, strict=True)]
    return f"move {parts[0]}" if len(plies) == 1 else f"moves {list_words(parts)}"


async def _look_up(context: ServerContext, row: StoredTable) -> ReviewStatus:
    jobs, key, plies = context.engine.reviews, ReviewKey(row.id, _find_version(row)), _count_plies(row)
    job, review = jobs.find(key), jobs.results.get(key)
    if job is not None and job.error is None:
        ahead = jobs.queue.count_ahead(job.stop)
        return ReviewStatus("running", plies, job.partial, compiled=job.compiled, ahead=ahead)
    if job is not None and review is None:
        return ReviewStatus("failed", plies, job.partial, _describe_failure(job.error))
    if review is None:
        stored = await run_in_threadpool(context.store.load_review, row.id)
        if stored is None or stored.version != key.version:
            return ReviewStatus("none", plies)
        if stored.format != SCHEMA:
            return ReviewStatus("none", plies, sentence=_EARLIER)
        # A record whose stored positions do not fit this program is replayed.
        review = await run_in_turn(context.replaying, _read_review, stored.text)
        jobs.results[key] = review
    return ReviewStatus("finished", plies, review)


def _describe_failure(error: BaseException | None) -> str:
    """Say in a sentence why a review failed."""
    match error:
        case BusyError():
            return str(error)
        case GameError():
            return write_sentence(error.message)
    return SERVER_FAULT


def _load_finished(context: ServerContext, table_id: str) -> StoredTable:
    """Read a table whose game is over; raise as `look_up_review` does."""
    row = load_row(context, table_id)
    if row.turn is not None or not row.result:
        reason = "the game is still running: only finished games can be reviewed"
        raise IllegalMoveError("review", reason, "running")
    if row.result == ABANDONED:
        raise IllegalMoveError("review", "the game was not played to its end, so it cannot be reviewed", "abandoned")
    if not _count_plies(row):
        raise IllegalMoveError("review", "no move was played in this game, so there is nothing to review", "length")
    if _count_plies(row) > MAX_PLIES:
        raise IllegalMoveError("review", f"only games of up to {MAX_PLIES} moves can be reviewed", "length")
    return row


def _list_match_events(row: StoredTable) -> list[tuple[int, str]]:
    """List the version and the text of each event of the match itself."""
    return [(event.version, event.text) for event in row.events if not event.text.startswith("@")]


def _find_version(row: StoredTable) -> int:
    """Return the version of the last event of the match: a takeback resumes a finished game, and is one, too."""
    return max(version for version, _ in _list_match_events(row))


def _count_plies(row: StoredTable) -> int:
    """Return the number of plies that were not taken back."""
    plies = 0
    for _, text in _list_match_events(row):
        if text.startswith("!undo "):
            plies = int(text.removeprefix("!undo "))
        elif not text.startswith("!"):
            plies += 1
    return plies


def _make_review(row: StoredTable, budget: CpuBudget, report: Report[Review]) -> Review:
    """Review a table's game in this thread: as everyone may know it once it is over. Raise GameError, BudgetError."""
    table = Table(row, check=budget.check)
    # The match itself says whether it is over, whatever was stored about it.
    match = table.match
    match.names = table.build_record("").seats
    # On a busy server a review takes longer, and judges as much.
    with count_processor_time():
        found = study.review(match, SECONDS, nodes=NODES, progress=report, stop=budget)
    budget.check()
    return found


def _write_review(review: Review) -> str:
    data = {**build_json(review), "positions": write_positions(review.positions)}
    return json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _read_review(text: str, check: Callable[[], None]) -> Review:
    """Read what `_write_review` has written."""
    data: dict[str, Any] = json.loads(text)
    return read_json(data, check)
