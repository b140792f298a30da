"""The documentation of the API: an OpenAPI 3.1 document, built from the endpoints and the message types."""

import functools
import json
import re
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourcorners.core import catalogue
from fourcorners.study.stills import KINDS
from fourcorners.web.api.endpoints import ENDPOINTS, Endpoint
from fourcorners.web.api.models.common import Problem
from fourcorners.web.api.models.common import Request as ApiRequest
from fourcorners.web.api.models.tables import ME, CreatedTable, NewTable
from fourcorners.web.application.refusals import CODES
from fourcorners.web.domain.commands import ClientMessage, Command
from fourcorners.web.protocol import client_messages, server_messages
from fourcorners.web.protocol.client_messages import LONGEST_MESSAGE
from fourcorners.web.protocol.codec import EXAMPLES, encode_json, find_tag

_REF = "#/components/schemas/"
_PARAMETER = re.compile(r"\{(\w+)\}")
_COMMON_ERRORS = (400, 401, 405, 429, 500, 503)
_BODY_ERRORS = (403, 408, 413, 422)
"""The refusals of requests with a body; 403 is for pages of other sites, whose requests have the browser's cookie."""
_TABLE_ERRORS = (409, 422)
_ERROR_HEADERS = {
    401: ("WWW-Authenticate", "How to send the API key.", {"type": "string", "const": "Bearer"}),
    405: ("Allow", "The methods that this address accepts.", {"type": "string"}),
    429: ("Retry-After", "The seconds to wait.", {"type": "string", "pattern": "^[0-9]+$"}),
    503: ("Retry-After", "The seconds to wait.", {"type": "string", "pattern": "^[0-9]+$"}),
}
_TABLE_ID = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,32}$"}
_JSON = "application/json"
DESCRIPTION = (
    "Programs play with JSON over HTTP, or over the WebSocket that the pages use. `POST /api/players` creates a guest "
    "and returns its API key. Send the key in the header `Authorization: Bearer KEY`, here and on the socket. The "
    "response for a table contains what `fourcorners.game(id, **options).view(text, seat)` needs to list the legal "
    "moves and to search. Error codes are the same as in the library."
)
SOCKET_DESCRIPTION = (
    "Programs can use the same socket as the pages. Messages are JSON text, one per frame, of at most "
    f"{LONGEST_MESSAGE // 1024} KB. "
    "Send `hello` first. The server replies with a `state`, and from then on every event arrives as a `patch`. "
    "Send each `beat` back. A command has an `id` that you choose and the `version` that it was made for. "
    "The reply is `done`, `refused` or `stale`; a command that is sent again is executed only once, "
    "and another one with the same id is refused with the code `id-used`. "
    "Send `Authorization: Bearer KEY` when you connect."
)


@functools.cache
def build_document() -> Mapping[str, Any]:
    """Return the OpenAPI document as JSON data, the same object every time, which must not be changed."""
    used = [model for e in ENDPOINTS for model in (e.request_type, e.answer_type) if model is not None]
    types = dict.fromkeys([Problem, *used, *client_messages.MESSAGES, *server_messages.MESSAGES])
    _, schemas = msgspec.json.schema_components(types, ref_template=_REF + "{name}")
    schemas[NewTable.__name__]["properties"]["game"]["enum"] = list(catalogue.games())
    schemas |= {f"{e.command.__name__}Body": _build_body(e.command, schemas) for e in ENDPOINTS if e.command}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _build_operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fourcorners", "version": metadata.version("fourcorners"), "description": DESCRIPTION},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"secret": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"secret": []}],
        "x-websocket": {
            "address": "/play/{table}/live",
            "description": SOCKET_DESCRIPTION,
            "said": [_build_message(message) for message in client_messages.MESSAGES],
            "told": [_build_message(message) for message in server_messages.MESSAGES],
        },
    }


def list_examples(model: type[Struct]) -> list[dict[str, Any]]:
    """Return the examples of a type as JSON data, maybe none; null fields that a request may leave out are left out."""
    if model is NewTable:
        return [_build_table_example()]
    examples = (json.loads(encode_json(example)) for example in EXAMPLES.get(model, []))
    is_request = issubclass(model, (ClientMessage, ApiRequest))
    optional = {field.name for field in msgspec.structs.fields(model) if is_request and not field.required}
    return [{key: value for key, value in e.items() if value is not None or key not in optional} for e in examples]


def _build_table_example() -> dict[str, Any]:
    """Return a request for the first game of the first game for two in the catalogue, against a computer."""
    game = next(game for game in map(catalogue.game, catalogue.games()) if game.seats == 2)
    clock = {"kind": "game", "seconds": 300, "increment": 3}
    seats = [ME, "computer:1"]
    return {"game": game.id, "options": dict(game.starter), "seats": seats, "clock": clock, "visibility": "public"}


def _build_body(command: type[Command], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a command's body: that of the message without `type`, which the path has."""
    schema = schemas[command.__name__]
    properties = {name: field for name, field in schema["properties"].items() if name != "type"}
    required = [name for name in schema["required"] if name != "type"]
    title = f"{schema['title']}Body"
    return {**schema, "title": title, "properties": properties, "required": required}


def _ref(model: type[Struct]) -> dict[str, str]:
    return {"$ref": f"{_REF}{model.__name__}"}


def _build_message(model: type[Struct]) -> dict[str, Any]:
    return {"schema": _ref(model), "examples": list_examples(model)}


def _build_operation(endpoint: Endpoint, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI operation of an endpoint; `schemas` are the document's component schemas by name."""
    operation: dict[str, Any] = {
        "operationId": _name_operation(endpoint),
        "summary": endpoint.title,
        "parameters": list(_list_parameters(endpoint, schemas)),
    }
    if endpoint.command is not None:
        name = f"{endpoint.command.__name__}Body"
        examples = [{k: v for k, v in example.items() if k != "type"} for example in list_examples(endpoint.command)]
        content = {"schema": {"$ref": _REF + name}, "example": examples[0]}
        operation["requestBody"] = {"required": True, "content": {_JSON: content}}
    elif endpoint.request_type is not None and endpoint.method == "POST":
        # A body without required fields may be left out.
        is_required = bool(schemas[endpoint.request_type.__name__].get("required"))
        operation["requestBody"] = {"required": is_required, "content": {_JSON: _build_content(endpoint.request_type)}}
    usual = "text/plain" if endpoint.answer_type is None else _JSON
    schema = {"schema": {"type": "string"}} if endpoint.answer_type is None else _build_content(endpoint.answer_type)
    content = dict.fromkeys(endpoint.media or (usual,), schema)
    success: dict[str, Any] = {"description": "Success.", "content": content}
    if endpoint.answer_type is CreatedTable:
        success["links"] = _build_links()
    errors = {*_COMMON_ERRORS, *endpoint.errors}
    if endpoint.method == "POST":
        errors.update(_BODY_ERRORS)
    if "{" in endpoint.path:
        errors.add(404)
    if "{table}" in endpoint.path:
        errors.update(_TABLE_ERRORS)
    operation["responses"] = {
        str(endpoint.status): success,
        **{str(status): _build_error(status) for status in sorted(errors)},
    }
    if endpoint.known:
        operation["security"] = [{"secret": []}]
    return operation


def _name_operation(endpoint: Endpoint) -> str:
    """Return the operationId of an endpoint: what its handler or its command does."""
    name = endpoint.handle.__name__.lstrip("_") if endpoint.command is None else find_tag(endpoint.command)
    return name.replace("-", "_")


def _build_links() -> dict[str, Any]:
    """Return the OpenAPI links from a table that was created to what can be done with it."""
    return {
        _name_operation(endpoint): {
            "operationId": _name_operation(endpoint),
            "parameters": {"table": "$response.body#/id"},
        }
        for endpoint in ENDPOINTS
        if "{table}" in endpoint.path
    }


def _build_content(model: type[Struct]) -> dict[str, Any]:
    examples = list_examples(model)
    return {"schema": _ref(model), **({"example": examples[0]} if examples else {})}


def _build_error(status: int) -> dict[str, Any]:
    """Return the OpenAPI response of a refusal, with the header that belongs to the status."""
    content = {_JSON: {"schema": _ref(Problem)}}
    answer: dict[str, Any] = {
        "description": f"Refused, usually with the code {CODES[status]}.",
        "content": content,
    }
    if status in _ERROR_HEADERS:
        name, words, schema = _ERROR_HEADERS[status]
        answer["headers"] = {name: {"description": words, "required": status in {401, 405}, "schema": schema}}
    return answer


def _list_parameters(endpoint: Endpoint, schemas: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the OpenAPI parameters in the path and the query of an endpoint; `schemas` as in `_build_operation`."""
    for name in _PARAMETER.findall(endpoint.path):
        schema = {"type": "string", "enum": list(KINDS)} if name == "kind" else _TABLE_ID
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if endpoint.request_type is not None and endpoint.method == "GET":
        for name, schema in schemas[endpoint.request_type.__name__]["properties"].items():
            yield {"name": name, "in": "query", "required": False, "schema": _drop_null(schema)}


def _drop_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter that may be left out: in a query there is no null."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf" and (key, value) != ("default", None)}
    return {**rest, **options[0]} if len(options) == 1 else dict(schema)


def serve_document(_: Request) -> Response:
    """Answer with the OpenAPI document."""
    return JSONResponse(build_document())


def build_page_context() -> dict[str, Any]:
    """Return the variables of `api.html`, which shows people the document: the document, and functions to read it."""
    return {
        "document": build_document(),
        "get_name": lambda schema: schema.get("$ref", "").removeprefix(_REF),
        "describe_type": _describe_type,
        "find_description": _find_description,
        "write_json": functools.partial(json.dumps, ensure_ascii=False),
    }


def _find_description(schema: Mapping[str, Any]) -> str:
    """Return the description of a field or "", which msgspec puts inside of `anyOf` if the field may be null."""
    inner = (option.get("description", "") for option in schema.get("anyOf", []))
    return schema.get("description", "") or next(filter(None, inner), "")


def _describe_type(schema: Mapping[str, Any]) -> str:
    """Return in a few words what a value may be, such as "whole number from 0 to 7" or "list of text", or "any"."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REF)
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(_describe_type(option) for option in schema[word]))
    if schema.get("type") == "array":
        items = schema.get("prefixItems") or [schema.get("items") or {}]
        return f"list of {', '.join(map(_describe_type, items))}"
    names = {"integer": "whole number", "boolean": "true or false", "string": "text"}
    kind = names.get(schema.get("type", "any"), schema.get("type", "any"))
    low, high = schema.get("minimum"), schema.get("maximum")
    return kind if low is None or high is None else f"{kind} from {low} to {high}"
