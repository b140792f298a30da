"""Refusals: the HTTP status, the code and the sentence with which the API and the pages answer an error.

Every error of `ERRORS` that a handler raises is answered here, so handlers do not list them.
"""

from collections.abc import Mapping

from starlette.exceptions import HTTPException

from fourcorners.core.errors import GameError, IllegalMoveError, OptionError
from fourcorners.study.lessons.format import LessonError
from fourcorners.study.puzzles.format import PuzzleError
from fourcorners.web.auth.limits import RateLimitError
from fourcorners.web.domain.rows import NO_DATABASE, NO_ROOM, NoRoomError, NoTableError, StoreError, UnstorableTextError
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import ReplayError
from fourcorners.web.engine.work_queue import BudgetError, BusyError
from fourcorners.web.protocol.codec import UnreadableMessageError

CODES = {
    400: "unreadable",
    401: "secret",
    403: "not-yours",
    404: "not-found",
    405: "method",
    408: "too-slow",
    409: "stale",
    413: "too-large",
    422: "refused",
    429: "too-much",
    500: "failed",
    503: "unavailable",
}
"""The code that belongs to a status if nothing more is known."""
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not accept this kind of request.",
}
_FAILED = "Something went wrong on the server. Your games are saved. Go back and try again."


class CapacityError(Exception):
    """There are too many rooms or connections; the text is a sentence."""


class Refusal(HTTPException):
    """A request is refused with a status, a code for programs and a sentence for people."""

    def __init__(
        self,
        status: int,
        sentence: str,
        code: str = "",
        headers: Mapping[str, str] | None = None,
        retry_after: int = 0,
    ) -> None:
        """Refuse with a status, by default with its code of `CODES`; `retry_after` asks the client to wait this many
        seconds, 0 says nothing.
        """
        wait = {"retry-after": str(retry_after)} if retry_after else {}
        super().__init__(status, sentence, {**(headers or {}), **wait})
        self.code = code or CODES.get(status, "refused")


ERRORS = (
    HTTPException,
    RateLimitError,
    GameError,
    StoreError,
    NoTableError,
    UnstorableTextError,
    BusyError,
    CapacityError,
    UnreadableMessageError,
)
"""The errors that are answered by what they say. Any other one is a mistake in the program."""


def build_refusal(error: Exception) -> Refusal:
    """Return the refusal of an error, that of the program's mistakes with status 500."""
    match error:
        case Refusal():
            return error
        case HTTPException(status_code=status):
            # One of Starlette, which has only the phrase of the status.
            sentence = _SENTENCES.get(status, "This request cannot be answered.")
            return Refusal(status, sentence, headers=error.headers)
        case LessonError():
            return Refusal(404, "There is no lesson at this address.")
        case PuzzleError():
            return Refusal(404, "There is no puzzle at this address. Puzzles are sometimes replaced by better ones.")
        case NoTableError():
            return Refusal(404, "There is no game at this address. Check that the link is complete.")
        case ReplayError():
            return Refusal(409, write_sentence(error.reason), error.code)
        case OptionError():
            # It begins with the name of an option, which stays as it is.
            return Refusal(422, f"{error.message}.", error.code)
        case IllegalMoveError():
            return Refusal(422, write_sentence(error.reason), error.code)
        case GameError():
            return Refusal(422, write_sentence(error.message), error.code)
        case BudgetError():
            return Refusal(422, str(error), "too-much")
        case UnreadableMessageError():
            return Refusal(400, write_sentence(str(error)))
        case UnstorableTextError():
            return Refusal(400, "Text cannot contain the character NUL.")
        case CapacityError():
            return Refusal(429, str(error))
        case RateLimitError():
            return Refusal(429, error.sentence, retry_after=error.retry_after)
        case BusyError():
            return Refusal(503, str(error), retry_after=60)
        case NoRoomError():
            return Refusal(503, NO_ROOM, retry_after=60)
        case StoreError():
            return Refusal(503, NO_DATABASE, retry_after=5)
    return Refusal(500, _FAILED)
