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

from fourcorners.web.api import models
from fourcorners.web.api.endpoints import ENDPOINTS, VERBS, Endpoint
from fourcorners.web.api.errors import CODES
from fourcorners.web.protocol import client_messages, server_messages
from fourcorners.web.protocol.client_messages import COMMANDS, LONGEST_MESSAGE
from fourcorners.web.protocol.codec import EXAMPLES, encode_json

_REF = "#/components/schemas/"
_PARAMETER = re.compile(r"\{(\w+)\}")
_COMMON_ERRORS = (400, 429, 500, 503)
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
    "The reply is `done`, `refused` or `stale`; a command that is sent again with the same id is executed only once. "
    "Send `Authorization: Bearer KEY` when you connect."
)


@functools.cache
def build_document() -> Mapping[str, Any]:
    """Return the OpenAPI document as JSON data, the same object every time, which must not be changed."""
    used = [model for e in ENDPOINTS for model in (e.request_type, e.answer_type) if model is not None]
    types = dict.fromkeys([models.Problem, *used, *client_messages.MESSAGES, *server_messages.MESSAGES])
    _, schemas = msgspec.json.schema_components(types, ref_template=_REF + "{name}")
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
    examples = (json.loads(encode_json(example)) for example in EXAMPLES.get(model, []))
    is_request = issubclass(model, (client_messages.ClientMessage, models.Request))
    optional = {field.name for field in msgspec.structs.fields(model) if is_request and not field.required}
    return [{key: value for key, value in e.items() if value is not None or key not in optional} for e in examples]


def _ref(model: type[Struct]) -> dict[str, str]:
    return {"$ref": f"{_REF}{model.__name__}"}


def _build_message(model: type[Struct]) -> dict[str, Any]:
    return {"schema": _ref(model), "examples": list_examples(model)}


def _build_operation(endpoint: Endpoint, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI operation of an endpoint; `schemas` are the document's component schemas by name."""
    operation: dict[str, Any] = {"summary": endpoint.title, "parameters": list(_list_parameters(endpoint, schemas))}
    if endpoint.request_type is not None and endpoint.method == "POST":
        operation["requestBody"] = {"content": {_JSON: _build_content(endpoint.request_type)}}
    elif "{verb}" in endpoint.path:
        examples = {example.pop("type"): {"value": example} for model in COMMANDS for example in list_examples(model)}
        schema = {"oneOf": [_ref(model) for model in COMMANDS], "description": "Without `type`, which is in the path."}
        operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": schema, "examples": examples}}}
    text = {"text/plain": {"schema": {"type": "string"}}}
    content = text if endpoint.answer_type is None else {_JSON: _build_content(endpoint.answer_type)}
    success = {"description": "Success.", "content": content}
    no_table = [404] if "{table}" in endpoint.path else []
    errors = sorted({*_COMMON_ERRORS, *endpoint.errors, *no_table, *([401] if endpoint.known else [])})
    operation["responses"] = {str(endpoint.status): success, **{str(status): _build_error(status) for status in errors}}
    if endpoint.known:
        operation["security"] = [{"secret": []}]
    return operation


def _build_content(model: type[Struct]) -> dict[str, Any]:
    examples = list_examples(model)
    return {"schema": _ref(model), **({"example": examples[0]} if examples else {})}


def _build_error(status: int) -> dict[str, Any]:
    content = {_JSON: {"schema": _ref(models.Problem)}}
    return {"description": f"Refused, usually with the code {CODES[status]}.", "content": content}


def _list_parameters(endpoint: Endpoint, schemas: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the OpenAPI parameters in the path and the query of an endpoint; `schemas` as in `_build_operation`."""
    for name in _PARAMETER.findall(endpoint.path):
        schema = {"type": "string", **({"enum": list(VERBS)} if name == "verb" else {})}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if endpoint.request_type is not None and endpoint.method == "GET":
        for name, schema in schemas[endpoint.request_type.__name__]["properties"].items():
            yield {"name": name, "in": "query", "required": False, "schema": schema}


def serve_document(_: Request) -> Response:
    """Answer with the OpenAPI document."""
    return JSONResponse(build_document())


def build_page_context() -> dict[str, Any]:
    """Return the variables of `api.html`, which shows people the document: operations, socket messages and schemas."""
    document = build_document()
    schemas = document["components"]["schemas"]
    operations = [
        {
            "method": method.upper(),
            "path": path,
            "id": f"{method}-{path}".replace("/", "-").translate({ord("{"): None, ord("}"): None}),
            "title": operation["summary"],
            "named": "security" in operation,
            "parameters": [
                _describe_field(parameter["name"], parameter["schema"], required=False)
                for parameter in operation["parameters"]
            ],
            "body": _describe_body(operation.get("requestBody")),
            "answers": [_describe_answer(status, answer) for status, answer in operation["responses"].items()],
        }
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    socket = document["x-websocket"]
    return {
        "words_of_page": document["info"]["description"],
        "operations": operations,
        "socket": {
            **socket,
            "said": [_describe_message(message, schemas) for message in socket["said"]],
            "told": [_describe_message(message, schemas) for message in socket["told"]],
        },
        "schemas": [{"name": name, **_describe_fields(schema)} for name, schema in schemas.items()],
    }


def _describe_message(message: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return a socket message's `name`, `types` (its `type` on the wire), `words` to describe it, and `examples`."""
    name = message["schema"]["$ref"].removeprefix(_REF)
    return {
        "name": name,
        "types": schemas[name]["properties"]["type"]["enum"],
        "words": schemas[name].get("description", ""),
        "examples": [_to_text(example) for example in message["examples"]],
    }


def _describe_body(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a body's `examples`, each with `name` and `text`, and the names of its `schemas`; None without a body."""
    if body is None:
        return None
    content = body["content"][_JSON]
    named = [{"name": name, "text": _to_text(item["value"])} for name, item in content.get("examples", {}).items()]
    unnamed = [{"name": "", "text": _to_text(content["example"])}] if "example" in content else []
    refs = [ref["$ref"] for ref in content["schema"].get("oneOf", [content["schema"]])]
    return {"examples": named or unnamed, "schemas": [ref.removeprefix(_REF) for ref in refs]}


def _describe_answer(status: str, answer: Mapping[str, Any]) -> dict[str, str]:
    """Return the `status`, `schema` name ("" for plain text), media type `kind` and `example` (or "") of an answer."""
    media_type, content = next(iter(answer["content"].items()))
    name = content["schema"].get("$ref", "").removeprefix(_REF)
    example = _to_text(content["example"]) if "example" in content else ""
    return {"status": status, "schema": name, "kind": media_type, "example": example}


def _describe_fields(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema's description as `words`, and its `fields` as `_describe_field` does."""
    required, properties = schema.get("required", []), schema.get("properties", {})
    fields = [_describe_field(name, field, required=name in required) for name, field in properties.items()]
    return {"words": schema.get("description", ""), "fields": fields}


def _describe_field(name: str, schema: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    return {"name": name, "kind": _describe_type(schema), "required": required, "words": _find_description(schema)}


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


def _to_text(example: Mapping[str, Any]) -> str:
    return json.dumps(example, ensure_ascii=False)
