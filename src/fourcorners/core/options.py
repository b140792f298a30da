"""The options of games: one frozen, typed model for each game, the source of forms, messages and checks."""

import contextlib
import copy
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from fourcorners.core import arguments
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.option_fields import Field, format_value

_MAX_TEXT_LENGTH = 2000  # of one value as text


class Options(BaseModel):
    """Base of a game's options. A field has a title (its label), a description (help text) and limits.

    A validator with a specific message raises OptionError. The values of all fields are hashable.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", strict=True)

    @property
    def seats(self) -> int:
        """The number of seats: the option `players`, or 2 if the game has no such option."""
        return int(getattr(self, "players", 2))

    @property
    def parties(self) -> tuple[tuple[int, ...], ...]:
        """The parties, each as the seats that win together: every seat is a party unless the game has teams."""
        return tuple((seat,) for seat in range(self.seats))

    @classmethod
    def make(cls, given: Mapping[str, Any]) -> Self:
        """Check and complete options given by name; raise OptionError, which names the first wrong one."""
        for name in given:
            if name not in cls.model_fields:
                known = ", ".join(cls.model_fields) or "none"
                raise OptionError(quote(name).strip("'"), f"there is no such option; the options are: {known}")
        try:
            return cls(**{name: arguments.simplify(value) for name, value in given.items()})
        except ValidationError as error:
            refusal = cls._translate(error)
        except RecursionError:
            refusal = OptionError("options", "the values are nested too deeply")
        # Raised here, outside the handlers, so that pydantic's error does not become its context. That error holds the
        # validator's own error, whose traceback holds the variables of all callers, and garbage collection cannot see
        # this: any cycle through them would stay in memory for ever.
        try:
            raise refusal
        finally:
            del refusal

    @classmethod
    def _translate(cls, error: ValidationError) -> OptionError:
        """Return a new error about the first wrong option: never the validator's own, which has a traceback."""
        first = error.errors(include_url=False)[0]
        inner = first.get("ctx", {}).get("error")
        if isinstance(inner, OptionError):
            return copy.copy(inner)
        name = str(first["loc"][0]) if first["loc"] else "options"
        return OptionError(name, f"{quote(first['input'])} is not allowed; {cls.describe_allowed(name)}")

    @classmethod
    def parse(cls, texts: Mapping[str, str]) -> Self:
        """Make options given as texts by name, as by a form or a command line; a blank text means the default.

        Raise OptionError, as `make` does or for a text of more than 2000 characters.
        """
        given: dict[str, Any] = {}
        for name, text in texts.items():
            if len(text) > _MAX_TEXT_LENGTH:
                raise OptionError(quote(name).strip("'"), f"the text is longer than {_MAX_TEXT_LENGTH} characters")
            if text.strip():
                given[name] = cls._parse_value(name, text.strip())
        return cls.make(given)

    @classmethod
    def _parse_value(cls, name: str, text: str) -> Any:
        """Parse a text as a choice, a flag, an integer or a list; return other texts unchanged."""
        choices = {str(value): value for value in cls._schemas().get(name, {}).get("enum", ())}
        if text in choices:
            return choices[text]
        if text.lower() in {"true", "false"}:
            return text.lower() == "true"
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if isinstance(value, int | list) else text

    @classmethod
    @cache
    def _schemas(cls) -> dict[str, dict[str, Any]]:
        """Return the JSON schemas of all fields by name, kept because pydantic takes milliseconds to make them."""
        schemas: dict[str, dict[str, Any]] = cls.model_json_schema()["properties"]
        return schemas

    @classmethod
    def describe_allowed(cls, name: str) -> str:
        """Describe the allowed values of an option in a clause, without a full stop; an unknown name is allowed."""
        if name not in cls.model_fields:
            return "see the options of the game"
        schema = cls._schemas()[name]
        if "enum" in schema:
            return "it must be " + " or ".join(str(value) for value in schema["enum"])
        if schema.get("type") == "boolean":
            return "it must be true or false"
        if schema.get("type") == "integer":
            multiple = f", a multiple of {schema['multipleOf']}" if "multipleOf" in schema else ""
            return f"it must be a whole number from {schema.get('minimum')} to {schema.get('maximum')}{multiple}"
        return str(schema.get("description") or "see the options of the game")

    @classmethod
    def fields(cls) -> tuple[Field, ...]:
        """Describe the options in the order in which they are declared, for a form."""
        fields = []
        for name, info in cls.model_fields.items():
            schema = cls._schemas()[name]
            kind = {"integer": "number", "boolean": "flag"}.get(schema.get("type", ""), schema.get("format", "text"))
            choices = tuple(map(str, schema.get("enum", ())))
            default = "" if info.default is None else format_value(info.default)
            texts = (name, info.title or name, info.description or "", "choice" if choices else kind, default)
            low, high, step = (schema.get(key) for key in ("minimum", "maximum", "multipleOf"))
            fields.append(Field(*texts, low, high, step, choices))
        return tuple(fields)

    def given_options(self) -> dict[str, Any]:
        """Return the shortest options, as JSON values, from which `make` makes these again."""
        needed = self.model_dump(mode="json")
        # Later options may depend on earlier ones, so they are tried first.
        for name in reversed(list(needed)):
            fewer = {key: value for key, value in needed.items() if key != name}
            with contextlib.suppress(OptionError):
                if type(self).make(fewer) == self:
                    needed = fewer
        return needed
