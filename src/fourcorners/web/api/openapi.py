"""The API's document, OpenAPI 3.1, made from the table of endpoints and the models; and the page made from it."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourcorners.web.api import models
from fourcorners.web.api.endpoints import ENDPOINTS, ME, VERBS, Endpoint
from fourcorners.web.api.errors import CODES
from fourcorners.web.pages.render import render_page as shown
from fourcorners.web.protocol import client_messages, message_examples

_REF = "#/components/schemas/"
_COMMANDS = (client_messages.Move, client_messages.Deed, client_messages.Again)
_PARAMETER = re.compile(r"\{(\w+)\}")
_EVERYWHERE = (400, 429, 500, 503)
_JSON = "application/json"
WORDS = (
    "Programs play by JSON over HTTP, or over the WebSocket that the pages use. `POST /api/players` makes a guest, "
    "whose secret names you in the header `Authorization: Bearer SECRET`, here and on the socket. What a table's "
    "answer holds is enough for `fourcorners.game(id, **options).view(text, seat)`, from which a program lists moves "
    "and searches. Errors have the codes of the library."
)
_EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    models.NewPlayer: {"name": "Ada's program"},
    models.NewTable: {
        "game": "a-game",
        "options": {"size": 4},
        "seats": [ME, "computer:3"],
        "clock": {"kind": "game", "seconds": 300, "increment": 3},
        "visibility": "public",
    },
    models.Guest: {"id": "9f…", "name": "Ada's program", "account": None, "secret": "k3J…"},
    models.PlayerTold: {"id": "9f…", "name": "Ada", "account": None},
    models.NewTableTold: {"id": "x1Yb3kQ_9aZc", "link": "/play/x1Yb3kQ_9aZc"},
    models.TableAnswer: {
        "id": "x1Yb3kQ_9aZc",
        **message_examples.TABLE,
        "game": message_examples.GAME,
        "plies": [[0, "c4"], [1, "b2"]],
        "view": {"seat": 0, "text": "2/…"},
        "settings": {"clock": {"kind": "game", "seconds": 300, "increment": 3}, "visibility": "public"},
        "host": True,
        "now": 1795279143.25,
    },
    models.CommandDone: {"type": "done", "id": "c1", "version": 13},
    models.Problem: {"code": "not-your-turn", "sentence": "it is the turn of Ben"},
}


def commands() -> Iterable[tuple[type[BaseModel], dict[str, Any]]]:
    """List the commands that may be sent over HTTP, with their examples, which are those of the socket."""
    return ((model, example) for model, examples in message_examples.SAID if model in _COMMANDS for example in examples)


@functools.cache
def document() -> Mapping[str, Any]:
    """Make the document."""
    used = [model for one in ENDPOINTS for model in (one.takes, one.gives) if model is not None]
    said = [model for model, _ in message_examples.SAID]
    told: list[type[BaseModel]] = [model for model, _ in message_examples.TOLD]
    documented: dict[type[BaseModel], None] = dict.fromkeys([models.Problem, *used, *said, *told])
    _, schemas = models_json_schema([(model, "validation") for model in documented], ref_template=_REF + "{model}")
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fourcorners", "version": metadata.version("fourcorners"), "description": WORDS},
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"secret": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"secret": []}],
        "x-websocket": {
            "address": message_examples.ADDRESS,
            "description": message_examples.WORDS,
            "said": [{"schema": _ref(model), "examples": list(examples)} for model, examples in message_examples.SAID],
            "told": [{"schema": _ref(model), "examples": [example]} for model, example in message_examples.TOLD],
        },
    }


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"{_REF}{model.__name__}"}


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": endpoint.title, "parameters": list(_parameters(endpoint))}
    if endpoint.takes is not None and endpoint.method == "POST":
        operation["requestBody"] = {"content": {_JSON: _content(endpoint.takes)}}
    elif "{verb}" in endpoint.path:
        examples = {example["type"]: {"value": _without_type(example)} for _, example in commands()}
        schema = {"oneOf": [_ref(model) for model in _COMMANDS], "description": "Without `type`: the path has it."}
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": schema, "examples": examples}}}
    good: dict[str, Any] = {"description": "As asked."}
    if endpoint.gives is not None:
        good["content"] = {_JSON: _content(endpoint.gives)}
    else:
        good["content"] = {"text/plain": {"schema": {"type": "string"}}}
    refused = sorted({*_EVERYWHERE, *endpoint.errors, *([401] if endpoint.known else [])})
    operation["responses"] = {str(endpoint.status): good, **{str(status): _refusal(status) for status in refused}}
    if endpoint.known:
        operation["security"] = [{"secret": []}]
    return operation


def _without_type(example: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in example.items() if name != "type"}


def _content(model: type[BaseModel]) -> dict[str, Any]:
    example = _EXAMPLES.get(model)
    return {"schema": _ref(model), **({} if example is None else {"example": example})}


def _refusal(status: int) -> dict[str, Any]:
    content = {_JSON: {"schema": _ref(models.Problem)}}
    return {"description": f"Not done; usually with the code {CODES[status]}.", "content": content}


def _parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    for name in _PARAMETER.findall(endpoint.path):
        schema = {"type": "string", **({"enum": list(VERBS)} if name == "verb" else {})}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if endpoint.takes is not None and endpoint.method == "GET":
        for name, schema in endpoint.takes.model_json_schema()["properties"].items():
            yield {"name": name, "in": "query", "required": False, "schema": schema}


def served(_: Request) -> Response:
    """Give the document."""
    return JSONResponse(document())


def page(request: Request) -> Response:
    """Show the document to people."""
    made = document()
    schemas = made["components"]["schemas"]
    operations = [
        {
            "method": method.upper(),
            "path": path,
            "id": f"{method}-{path}".replace("/", "-").translate({ord("{"): None, ord("}"): None}),
            "title": operation["summary"],
            "named": "security" in operation,
            "parameters": [_field(one["name"], one["schema"], required=False) for one in operation["parameters"]],
            "body": _body(operation.get("requestBody")),
            "answers": [_answer(status, answer) for status, answer in operation["responses"].items()],
        }
        for path, of in made["paths"].items()
        for method, operation in of.items()
    ]
    socket = {
        **made["x-websocket"],
        "said": [_message(one, schemas) for one in made["x-websocket"]["said"]],
        "told": [_message(one, schemas) for one in made["x-websocket"]["told"]],
    }
    listed = [{"name": name, **_fields(schema)} for name, schema in schemas.items() if not name.startswith("_")]
    context = {
        "words_of_page": made["info"]["description"],
        "operations": operations,
        "socket": socket,
        "schemas": listed,
    }
    return shown(request, "api.html", context)


def _message(one: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    name = one["schema"]["$ref"].removeprefix(_REF)
    words = schemas[name].get("description", "")
    types = list(dict.fromkeys(example["type"] for example in one["examples"]))
    return {"name": name, "types": types, "words": words, "examples": [_text(one) for one in one["examples"]]}


def _body(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if body is None:
        return None
    content = body["content"][_JSON]
    many = [{"name": name, "text": _text(one["value"])} for name, one in content.get("examples", {}).items()]
    one = [{"name": "", "text": _text(content["example"])}] if "example" in content else []
    refs = [ref["$ref"] for ref in content["schema"].get("oneOf", [content["schema"]])]
    return {"examples": many or one, "schemas": [ref.removeprefix(_REF) for ref in refs]}


def _answer(status: str, answer: Mapping[str, Any]) -> dict[str, str]:
    kind, content = next(iter(answer["content"].items()))
    name = content["schema"].get("$ref", "").removeprefix(_REF)
    example = _text(content["example"]) if "example" in content else ""
    return {"status": status, "schema": name, "kind": kind, "example": example}


def _fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    needed = schema.get("required", [])
    fields = [_field(name, of, required=name in needed) for name, of in schema.get("properties", {}).items()]
    return {"words": schema.get("description", ""), "fields": fields}


def _field(name: str, schema: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    return {"name": name, "kind": _kind(schema), "required": required, "words": schema.get("description", "")}


def _kind(schema: Mapping[str, Any]) -> str:
    """Say in a few words what a value may be."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REF)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(_kind(one) for one in schema[word]))
    if schema.get("type") == "array":
        inner = schema.get("items") or {}
        kinds = [_kind(one) for one in schema.get("prefixItems", [])] or [_kind(inner)]
        return f"list of {', '.join(kinds)}"
    kind = {"integer": "whole number", "boolean": "true or false", "string": "text", "object": "object"}.get(
        schema.get("type", ""), schema.get("type", "any")
    )
    low, high = schema.get("minimum"), schema.get("maximum")
    return kind if low is None or high is None else f"{kind} from {low} to {high}"


def _text(example: Mapping[str, Any]) -> str:
    return json.dumps(example, ensure_ascii=False)
