"""Reading and writing of messages as JSON, and the examples by which they are documented."""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NewType, TypeVar

import msgspec

from fourcorners.core.errors import quote

S = TypeVar("S", bound=msgspec.Struct)
EncodedMessage = NewType("EncodedMessage", bytes)
"""A message for a socket as JSON text in UTF-8; only `encode` makes one."""

EXAMPLES: defaultdict[type[msgspec.Struct], list[msgspec.Struct]] = defaultdict(list)
"""Examples of messages by their type, in the order in which the documentation shows them."""

_LONGEST_REASON = 300
_LARGEST_EXACT = 2**53
"""From here on not every integer is a float."""
_REASON = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>.*?)`)?", re.DOTALL)


class UnreadableMessageError(Exception):
    """A message cannot be read; the text is a clause that says why."""


def example(**fields: Any) -> Callable[[type[S]], type[S]]:
    """Return a decorator that adds a message with these fields to the type's `EXAMPLES`, in the order of decorators."""

    def add(cls: type[S]) -> type[S]:
        EXAMPLES[cls].insert(0, cls(**fields))
        return cls

    return add


def _encode_float(value: object) -> float:
    """Return a float that msgspec does not know, such as NumPy's, as a plain one; raise TypeError for anything else."""
    # NumPy's float64 is a subclass of float, which msgspec does not encode by itself.
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


_encoder = msgspec.json.Encoder(enc_hook=_encode_float)


def encode_json(value: Any) -> bytes:
    """Return a struct, or any JSON value, as JSON text in UTF-8."""
    return _encoder.encode(value)


def _read_float(text: str) -> float | int:
    """Return a number with a fraction or an exponent; as an integer if it is one, because for JSON 3.0 is 3."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < _LARGEST_EXACT else number


_untyped_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(float_hook=_read_float)


def decode_json(text: bytes) -> Any:
    """Read JSON into built-in types; raise msgspec's DecodeError, ValueError or RecursionError."""
    return _untyped_decoder.decode(text)


def find_tag(message: type[msgspec.Struct]) -> str:
    """Return the `type` of messages of this class on the wire; AssertionError if it has no text as its tag."""
    tag = message.__struct_config__.tag
    assert isinstance(tag, str), message
    return tag


def decode(decoder: Callable[[Any], S], content: Any, subject: str) -> S:
    """Call msgspec's `decoder`; if it fails, raise UnreadableMessageError about `subject`, such as "this message"."""
    try:
        return decoder(content)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise build_unreadable_error(subject, error) from None


def build_unreadable_error(subject: str, error: Exception) -> UnreadableMessageError:
    """Return, not raise, the error "SUBJECT cannot be read (…)" that says which field is wrong and what is allowed."""
    return UnreadableMessageError(f"{subject} cannot be read ({_explain_decoding_error(error)})")


def _explain_decoding_error(error: Exception) -> str:
    """Return a clause, cut after 300 characters, on what is wrong with a message and, if known, in which field."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if not isinstance(error, msgspec.ValidationError):
        return "it is not valid JSON"
    found = _REASON.fullmatch(str(error))
    what, where = (found["what"], found["where"]) if found else (str(error), None)
    invalid = re.fullmatch(r"Invalid value '(.*)'", what, re.DOTALL)
    what = f"{quote(invalid[1])} is not known" if invalid else what[:1].lower() + what[1:].replace("`", "")
    reason = f"{quote(where).strip(chr(39))}: {what}" if where else what
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]} …"
