"""What players may ask a table to do: one type for each command, read from a message and applied as it is."""

import re
from enum import StrEnum
from typing import Annotated, NamedTuple, get_args

from msgspec import Meta, Struct

from fourcorners.core.base_position import MAX_MOVE_LENGTH
from fourcorners.core.match import MAX_NAME_LENGTH
from fourcorners.players.levels import MAX_LEVELS

Text = Annotated[str, Meta(max_length=MAX_MOVE_LENGTH)]
# In Python `$` also matches before a final newline, which the last group excludes.
_ID_PATTERN = r"^[A-Za-z0-9_.:-]{1,64}$(?!\n)"
_ID_DESCRIPTION = (
    "An id that you choose, a new one for each command: a command that is sent again is executed only once, and "
    "another one with the same id is refused."
)
Id = Annotated[str, Meta(pattern=_ID_PATTERN, description=_ID_DESCRIPTION)]
Version = Annotated[int, Meta(ge=0, le=10**9, description="The version of the table that this was made for.")]
Seat = Annotated[int, Meta(ge=0, le=63, description="A seat, counted from 0.")]
Level = Annotated[int, Meta(ge=1, le=MAX_LEVELS, description="A level of the computer, counted from 1.")]
_NAME_DESCRIPTION = "Your name at the table, truncated to 60 characters."
_COLOUR_DESCRIPTION = "The letter of a free colour, in games in which players choose one; empty for that of the seat."
_DIGITS_PATTERN = r"^[0-9a-f]{64}$(?!\n)"
_HASH_DESCRIPTION = (
    "The SHA-256 hash of your value for the shuffle, 64 random digits 0 to 9 and a to f, which you reveal once every "
    "seat is taken; empty to take no part."
)
Hash = Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?$(?!\n)", description=_HASH_DESCRIPTION)]
Name = Annotated[str, Meta(max_length=10 * MAX_NAME_LENGTH, description=_NAME_DESCRIPTION)]


class Verb(StrEnum):
    """The names of the commands in messages."""

    MOVE = "move"
    RESIGN = "resign"
    UNDO = "undo"
    OFFER_DRAW = "offer-draw"
    ANSWER_DRAW = "answer-draw"
    REQUEST_TAKEBACK = "request-takeback"
    ANSWER_TAKEBACK = "answer-takeback"
    SIT = "sit"
    LEAVE_SEAT = "leave-seat"
    ADD_COMPUTER = "add-computer"
    REMATCH = "rematch"
    DECLINE_REMATCH = "decline-rematch"
    RENAME = "rename"
    REVEAL = "reveal"


def derive_type(class_name: str) -> str:
    """Return the `type` of a class of messages, such as `offer-draw`: its name, without a final "Answer" or "State"."""
    name = re.sub(r"(?<=.)(Answer|State)$", "", class_name)
    return re.sub(r"(?<=.)(?=[A-Z])", "-", name).lower()


class ClientMessage(Struct, frozen=True, tag_field="type", tag=derive_type):
    """A message of a client; unknown fields are ignored."""


class Command(ClientMessage, frozen=True):
    """A command changes the table; it is made for one version of it."""

    id: Id
    version: Version

    @property
    def text(self) -> str:
        """The command as errors quote it."""
        return f"!{self.__struct_config__.tag}"


class SeatCommand(Command, frozen=True):
    """A command for a seat; without one, for the only seat that it can be for."""

    seat: Seat | None = None


class Move(Command, frozen=True):
    """Play a move for the seat to move."""

    move: Text

    @property
    def text(self) -> str:
        """The move itself."""
        return self.move


class Resign(SeatCommand, frozen=True):
    """Resign one of your seats."""


class Undo(Command, frozen=True):
    """Go back to before the last move by a person, if no one else has to agree."""


class OfferDraw(SeatCommand, frozen=True):
    """Offer a draw."""


class AnswerDraw(SeatCommand, frozen=True):
    """Accept or decline a draw offer."""

    accept: bool = False


class RequestTakeback(SeatCommand, frozen=True):
    """Request a takeback: ask the other players to go back to before your own last move."""


class AnswerTakeback(SeatCommand, frozen=True):
    """Accept or decline a takeback request."""

    accept: bool = False


class Sit(SeatCommand, frozen=True):
    """Take an open seat, or any open seat if `seat` is null."""

    name: Name = ""
    colour: Annotated[str, Meta(max_length=1, description=_COLOUR_DESCRIPTION)] = ""
    hash: Hash = ""


class LeaveSeat(SeatCommand, frozen=True):
    """Leave your seat before the game starts."""


class AddComputer(SeatCommand, frozen=True):
    """Give an open seat to a computer: computer:LEVEL or computer:SECONDSs."""

    kind: Annotated[str, Meta(max_length=32)] = ""


class Rematch(Command, frozen=True):
    """Ask for a rematch, the same game with the seats rotated, or agree to one. It begins once all other players have
    agreed. A player who is alone gets it at once, with the computers at another level if one is given.
    """

    level: Level | None = None
    hash: Hash = ""


class DeclineRematch(Command, frozen=True):
    """Decline the rematch that another player asks for, or no longer ask for one."""


class Rename(SeatCommand, frozen=True):
    """Change your name at your seat before the game starts."""

    name: Name = ""


class Reveal(Command, frozen=True):
    """Reveal your value for the shuffle, whose hash you gave before. The game starts without values that come late."""

    value: Annotated[str, Meta(pattern=_DIGITS_PATTERN, description="64 digits 0 to 9 and a to f.")]


_OfSeats = Sit | LeaveSeat | AddComputer | Rematch | DeclineRematch | Rename | Reveal
AnyCommand = Move | Resign | Undo | OfferDraw | AnswerDraw | RequestTakeback | AnswerTakeback | _OfSeats
COMMANDS: tuple[type[AnyCommand], ...] = get_args(AnyCommand)
AT_ANY_BOARD: tuple[type[AnyCommand], ...] = (Resign, *get_args(_OfSeats))
"""The commands that do not depend on the board, and so are never stale."""


class CommandContext(NamedTuple):
    """What the server adds to a command.

    `at` is the server time in seconds of its arrival; `lag` the measured round trip in seconds, which is not charged to
    the clock; `digest` that of `domain.command_digest`, empty for the server's own; `name` the one to sit down with;
    `is_guest` whether a player who sits down has no account.
    `rematch_id` is the table that was set up for a rematch; None if it was not time for that a moment before, because
    the game was still running or others had not agreed.
    """

    at: float
    lag: float = 0.0
    digest: str = ""
    name: str = ""
    is_guest: bool = False
    rematch_id: str | None = None
