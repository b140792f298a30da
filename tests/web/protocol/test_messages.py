"""The messages of both directions: every one is typed, has an example, and is built in one way only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from numpy import float64

from fourcorners import web
from fourcorners.web.domain.commands import Move, Rematch
from fourcorners.web.protocol import client_messages, server_messages
from fourcorners.web.protocol.client_messages import ChangeViewer, Hello, Solve, Why, parse_message
from fourcorners.web.protocol.codec import EXAMPLES, UnreadableMessageError, encode_json, find_tag
from fourcorners.web.protocol.server_messages import ComputerProgress, build_error, encode, parse_server_message
from fourcorners.web.realtime.connection import Connection

SOURCES = sorted(Path(web.__file__).parent.rglob("*.py"))


def list_nodes() -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node of the syntax trees of all Python files of `fourcorners.web`, with the path of its file."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


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


def test_no_server_message_is_written_as_a_dict_literal() -> None:
    """No dict literal in `fourcorners.web` has the tag of a server message as its "type"."""
    tags = {find_tag(message) for message in server_messages.MESSAGES}
    literals = {
        (path.name, value.value)
        for path, node in list_nodes()
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "type" and isinstance(value, ast.Constant)
    }
    assert not [literal for literal in literals if literal[1] in tags]


def test_only_encode_creates_the_texts_that_sockets_send() -> None:
    made = [
        path.name
        for path, node in list_nodes()
        if isinstance(node, ast.Call) and _get_called_name(node) == "EncodedMessage"
    ]
    assert made == ["server_messages.py"]
    # The socket itself is used by one class, whose texts are such messages; below it these become frames.
    sent = [
        path.name for path, node in list_nodes() if isinstance(node, ast.Call) and _get_called_name(node) == "send_text"
    ]
    assert set(sent) == {"connection.py", "socket_protocol.py"}
    assert Connection.send.__annotations__["text"] == "EncodedMessage"


def test_only_one_module_creates_error_messages() -> None:
    built = [
        path.name for path, node in list_nodes() if isinstance(node, ast.Call) and _get_called_name(node) == "Error"
    ]
    assert set(built) == {"server_messages.py"}


def test_error_has_the_type_and_the_id_of_the_message_that_caused_it() -> None:
    """Without such a message or such an id the fields are left out."""
    assert encode(build_error("no")) == b'{"type":"error","sentence":"no"}'
    about = build_error("no", Move(id="c1", version=0, move="a1"))
    assert (about.of, about.id) == ("move", "c1")
    assert encode(build_error("no", Hello())) == b'{"type":"error","sentence":"no","of":"hello"}'


def _get_called_name(call: ast.Call) -> str:
    """Return the name that is called, "f" for both `f()` and `a.f()`; "" if it has none, as in `f()()`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


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
