"""The types of the page's scripts, in `types/messages.d.ts`, have the fields of the protocol's messages."""

import re
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from fourcorners.web.application.entries import EntryAnswer, WrongEntry
from fourcorners.web.application.exercises import ExerciseAnswer
from fourcorners.web.application.lessons import LessonAnswer
from fourcorners.web.application.puzzles import PuzzleAnswer
from fourcorners.web.protocol import client_messages, server_messages
from fourcorners.web.protocol.board_picture import BoardPicture
from fourcorners.web.protocol.codec import find_tag

TYPES = Path(__file__).parents[3] / "types/messages.d.ts"
SOURCE = re.sub(r"/\*\*.*?\*/", "", TYPES.read_text(encoding="utf-8"), flags=re.DOTALL)
INTERFACE = re.compile(r"^interface (\w+)(?: extends ([\w, ]+))? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+)(\??): (.*);$", re.MULTILINE)
INTERFACES = {name: (parents, body) for name, parents, body in INTERFACE.findall(SOURCE)}

Fields = dict[str, bool]
"""Whether each field is optional, by its name."""


def read_fields(interface: str) -> Fields:
    """Return the fields of an interface of `messages.d.ts`, with those that it extends; KeyError if there is none."""
    parents, body = INTERFACES[interface]
    fields: Fields = {}
    for parent in filter(None, parents.split(", ")):
        fields |= read_fields(parent)
    return fields | {name: bool(mark) for name, mark, _ in FIELD.findall(body)}


def find_interface(tag: str) -> Fields:
    """Return the fields, `type` included, that `messages.d.ts` gives the server's message with this tag.

    A message without other fields has no interface: it is written as `{ type: "tag" }`. Fail if there is neither.
    """
    for name, (_, body) in INTERFACES.items():
        if f'  type: "{tag}";' in body:
            return read_fields(name)
    assert f'| {{ type: "{tag}" }}' in SOURCE, f"messages.d.ts has no message {tag}"
    return {"type": False}


def struct_fields(struct: type[msgspec.Struct]) -> Fields:
    """Return the fields of a message's or object's type as JSON has them; a field that may be unset is optional."""
    return {field.encode_name: field.default is UNSET for field in msgspec.structs.fields(struct)}


@pytest.mark.parametrize("message", server_messages.MESSAGES, ids=find_tag)
def test_server_message_has_the_same_fields_in_both_languages(message: type[msgspec.Struct]) -> None:
    assert find_interface(find_tag(message)) == {"type": False, **struct_fields(message)}


@pytest.mark.parametrize(
    ("struct", "interface"),
    [
        (server_messages.Outcome, "Outcome"),
        (server_messages.ChairState, "Chair"),
        (server_messages.TakebackRequestState, "TakebackRequest"),
        (server_messages.GameInfo, "GameInfo"),
        (server_messages.ChatLineState, "ChatLine"),
        (server_messages.ExplanationState, "Explanation"),
        (server_messages.ShuffleState, "Shuffle"),
        (BoardPicture, "BoardPicture"),
        (LessonAnswer, "LessonAnswer"),
        (EntryAnswer, "EntryAnswer"),
        (WrongEntry, "WrongEntry"),
        (ExerciseAnswer, "ExerciseAnswer"),
        (PuzzleAnswer, "PuzzleAnswer"),
    ],
)
def test_object_inside_of_server_messages_has_the_same_fields_in_both_languages(
    struct: type[msgspec.Struct], interface: str
) -> None:
    assert read_fields(interface) == struct_fields(struct)


@pytest.mark.parametrize("group", ["Questions", "Posts"])
def test_the_page_sends_only_fields_that_the_server_reads(group: str) -> None:
    # Fields that the server would ignore are spelling errors.
    messages = {find_tag(message): struct_fields(message) for message in client_messages.MESSAGES}
    sent = FIELD.findall(INTERFACES[group][1])
    assert sent
    for tag, _, body in sent:
        assert set(re.findall(r"(\w+)\??: ", body)) <= messages[tag].keys(), tag
