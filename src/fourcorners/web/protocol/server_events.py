"""Events between servers that share a database. An event says that something changed; receivers read the database."""

import msgspec
from msgspec import Struct

from fourcorners.web.protocol.codec import encode_json


class _Event(Struct, frozen=True, tag_field="event"):
    """An event."""


class TableChanged(_Event, frozen=True, tag="table-changed"):
    """A table has a new version."""

    table_id: str
    version: int


class ChatOrPremovesChanged(_Event, frozen=True, tag="chat-or-plans-changed"):
    """Someone chatted or set premoves at a table, which makes no new version."""

    table_id: str


class ChairsChanged(_Event, frozen=True, tag="chairs-changed"):
    """The chairs of a table have other holders without a new version, as when two accounts are merged."""

    table_id: str


class PlayerSignedOut(_Event, frozen=True, tag="player-signed-out"):
    """The connections of a player must be opened again, because a session of the player ended."""

    player: str


TableEvent = TableChanged | ChatOrPremovesChanged | ChairsChanged
ServerEvent = TableEvent | PlayerSignedOut


class Envelope(Struct, frozen=True):
    """An event with the process that sent it; without an event it only shows that the channel works."""

    process: str
    event: ServerEvent | None = None


_decoder = msgspec.json.Decoder(Envelope)


def encode_envelope(envelope: Envelope) -> str:
    """Return an envelope as JSON text."""
    return encode_json(envelope).decode()


def parse_envelope(text: str) -> Envelope:
    """Read an envelope; raise msgspec.MsgspecError if the text is something else."""
    return _decoder.decode(text)
