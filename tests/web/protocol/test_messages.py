"""The messages of both directions: every one is typed, has an example."""

import msgspec
import pytest
from numpy import float64

from fourcorners.web.domain.commands import Move, Rematch
from fourcorners.web.protocol import client_messages, server_messages
from fourcorners.web.protocol.client_messages import ChangeViewer, Hello, Solve, Why, parse_message
from fourcorners.web.protocol.codec import EXAMPLES, UnreadableMessageError, encode_json, find_tag
from fourcorners.web.protocol.server_messages import ComputerProgress, build_error, encode, parse_server_message


@pytest.mark.parametrize("message", client_messages.MESSAGES)
def test_examples_of_client_messages_can_be_parsed(message: type[msgspec.Struct]) -> None:
    assert EXAMPLES[message]
    for example in EXAMPLES[message]:
        assert parse_message(encode_json(example).decode()) == example


@pytest.mark.parametrize("message", server_messages.MESSAGES)
def test_examples_of_server_messages_survive_a_round_trip(message: type[msgspec.Struct]) -> None:
    assert EXAMPLES[message]
    for example in EXAMPLES[message]:
        text = encode_json(example)
        assert type(parse_server_message(text)) is message
        assert encode_json(parse_server_message(text)) == text


def test_error_has_the_type_and_the_id_of_the_message_that_caused_it() -> None:
    """Without such a message or such an id the fields are left out. The reason becomes a sentence."""
    assert encode(build_error("no")) == b'{"type":"error","sentence":"No."}'
    about = build_error("no", Move(id="c1", version=0, move="a1"))
    assert (about.of, about.id) == ("move", "c1")
    assert encode(build_error("no", Hello())) == b'{"type":"error","sentence":"No.","of":"hello"}'


@pytest.mark.parametrize(
    "text", ['{"type":"done","id":"c1","version":13,"more":1}', '{"type":"done","id":"c1"}', '{"id":"c1","version":13}']
)
def test_server_message_with_a_missing_or_unknown_field_is_rejected(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        parse_server_message(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"type":"fly"}', "it must be one of hello, move, resign"),
        ('{"type":"move","id":"c1","version":-1,"move":"a1"}', "(version: expected int >= 0)"),
        ('{"type":"move","id":"c 1","version":0,"move":"a1"}', "(id: expected str matching regex"),
        ('{"type":"move","id":"c1\\n","version":0,"move":"a1"}', "(id: expected str matching regex"),
        (
            '{"type":"premoves","seat":0,"version":0,"ply":0,"lines":[["a1"]]}',
            "(lines[0]: expected array of length >= 2)",
        ),
        ('{"type":"hint","id":"q"}', "(object missing required field version)"),
        ("{", "(it is not valid JSON)"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_unreadable_message_is_explained_in_one_line(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableMessageError) as caught:
        parse_message(text)
    assert sentence in str(caught.value)
    # It is one line, even if the message contained a line feed.
    assert "\n" not in str(caught.value)


def test_types_of_earlier_versions_are_read_as_those_of_today() -> None:
    assert parse_message('{"type": "again", "id":"q", "version":3}') == Rematch("q", 3)
    assert parse_message('{"viewer":1,"type":"view"}') == ChangeViewer(viewer=1)
    assert parse_message('{"type":"why","text":"\\"type\\":\\"view\\""}') == Why(text='"type":"view"')
    tags = {find_tag(message) for message in client_messages.MESSAGES}
    assert set(client_messages.OLD_TYPES.values()) <= tags and not tags & set(client_messages.OLD_TYPES)


def test_unknown_fields_of_client_messages_are_ignored() -> None:
    assert parse_message('{"type":"solve","id":"q","ply":0,"colour":"red"}') == Solve(id="q", ply=0)


def test_numpy_floats_are_written_as_numbers() -> None:
    message = ComputerProgress(seat=0, simulations=1, share=float64(0.5))
    assert '"share":0.5,' in encode(message).decode()
