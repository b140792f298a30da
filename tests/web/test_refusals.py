"""How errors are answered: with a status, a code and a sentence."""

import pytest
from starlette.exceptions import HTTPException

from fourcorners.core.errors import GameError, IllegalMoveError, NotationError, OptionError, RecordError
from fourcorners.study.lessons.format import LessonError
from fourcorners.study.puzzles.format import PuzzleError
from fourcorners.web.application.puzzle_sets import SetError
from fourcorners.web.application.refusals import ERRORS, CapacityError, Refusal, build_refusal
from fourcorners.web.auth.limits import RateLimitError
from fourcorners.web.domain.rows import NO_ROOM, ConflictError, NoRoomError, NoTableError, StoreError
from fourcorners.web.domain.table import ReplayError
from fourcorners.web.engine.work_queue import BudgetError, BusyError
from fourcorners.web.protocol.codec import UnreadableMessageError

_DATABASE = "The database is not available. Try again later."


@pytest.mark.parametrize(
    ("error", "status", "code", "sentence", "wait"),
    [
        (Refusal(403, "No cookie.", "cookies"), 403, "cookies", "No cookie.", None),
        (HTTPException(404), 404, "not-found", "There is nothing at this address.", None),
        (HTTPException(405), 405, "method", "This address does not accept this kind of request.", None),
        (RateLimitError("Too many.", 9), 429, "too-much", "Too many. Try again in 9 seconds.", "9"),
        (ReplayError(GameError("no")), 409, "other-rules", None, None),
        (OptionError("cols", "99 is not allowed"), 422, "option", "cols: 99 is not allowed.", None),
        (IllegalMoveError("a1", "it is taken", "taken"), 422, "taken", "It is taken.", None),
        (NotationError("b2 is no place"), 422, "unreadable", "b2 is no place.", None),
        (RecordError(3, "no move"), 422, "record", "Line 3: no move.", None),
        (SetError("The list is empty."), 422, "set", "The list is empty.", None),
        (LessonError("x", "none"), 404, "not-found", "There is no lesson at this address.", None),
        (
            PuzzleError("x", "none"),
            404,
            "not-found",
            "There is no puzzle at this address. Puzzles are sometimes replaced by better ones.",
            None,
        ),
        (NoTableError(), 404, "not-found", None, None),
        (UnreadableMessageError("this is no JSON"), 400, "unreadable", "This is no JSON.", None),
        (CapacityError("Too many games."), 429, "too-much", "Too many games.", None),
        (BudgetError("It takes too long."), 422, "too-much", "It takes too long.", None),
        (BusyError("Too many wait."), 503, "unavailable", "Too many wait.", "60"),
        (NoRoomError("disk full in /srv"), 503, "unavailable", NO_ROOM, "60"),
        (StoreError("db.example.org does not answer"), 503, "unavailable", _DATABASE, "5"),
        (ConflictError("a name is taken"), 503, "unavailable", _DATABASE, "5"),
    ],
)
def test_each_error_has_its_answer(
    error: Exception, status: int, code: str, sentence: str | None, wait: str | None
) -> None:
    refusal = build_refusal(error)
    assert isinstance(error, ERRORS)
    assert (refusal.status_code, refusal.code) == (status, code)
    assert sentence in {None, refusal.detail}
    assert refusal.detail.endswith(".")
    assert (refusal.headers or {}).get("retry-after") == wait


def test_mistake_of_the_program_says_nothing_about_itself() -> None:
    refusal = build_refusal(KeyError("secret"))
    assert not isinstance(KeyError("secret"), ERRORS)
    assert (refusal.status_code, refusal.code) == (500, "failed")
    assert "secret" not in refusal.detail
