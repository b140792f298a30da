"""The documentation of the API: all that is said and told is in it, as it is."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, TypeAdapter
from starlette.routing import Route

from fourcorners import web
from fourcorners.web.api import endpoints, openapi
from fourcorners.web.app import ROUTES
from fourcorners.web.protocol import client_messages, message_examples, server_messages
from tests.web.client import Browser, Server
from tests.web.program import Program

SOURCES = sorted(Path(web.__file__).parent.rglob("*.py"))
TYPES = re.compile(r"""["']type\\?["']:\s*["']([a-z]+)["']""")


def model_of(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (str(value["$ref"]) for _ in range("$ref" in value))
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_message_that_may_be_said_is_documented() -> None:
    documented = [model for model, _ in message_examples.SAID]
    assert set(documented) == set(get_args(client_messages.Message))
    assert len(documented) == len(set(documented))
    for model, examples in message_examples.SAID:
        shown = set()
        for example in examples:
            assert type(client_messages.read(json.dumps(example))) is model
            assert set(example) <= set(model.model_fields)
            shown.add(example["type"])
        assert shown == set(get_args(model.model_fields["type"].annotation))


def test_every_message_that_is_told_is_documented() -> None:
    written = set()
    for path in SOURCES:
        if path.stem not in {"message_examples", "client_messages", "server_messages", "openapi"}:
            written |= set(TYPES.findall(path.read_text(encoding="utf-8")))
    heads = {"solve", "hint", "evaluate"}  # the answers to a question are headed by its own type
    assert "patch" in written
    documented = {get_args(model.model_fields["type"].annotation)[0]: model for model, _ in message_examples.TOLD}
    assert set(documented) == written | heads
    assert len(documented) == len(message_examples.TOLD)
    for model, example in message_examples.TOLD:
        read = model.model_validate_json(json.dumps(example))
        assert read.model_dump(by_alias=True, mode="json", exclude_unset=True) == example


@pytest.mark.parametrize("missing", ["version", "type"])
def test_a_message_with_too_much_or_too_little_is_not_as_documented(missing: str) -> None:
    [example] = [example for model, example in message_examples.TOLD if model is server_messages.Done]
    for wrong in ({**example, "more": 1}, {name: of for name, of in example.items() if name != missing}):
        with pytest.raises(ValueError, match="validation error"):
            server_messages.Done.model_validate_json(json.dumps(wrong))


def test_the_document_has_all_endpoints_and_holds_together() -> None:
    document = json.loads(json.dumps(openapi.document()))
    served = {
        (route.path, method.lower())
        for route in ROUTES
        if isinstance(route, Route) and route.path.startswith("/api/") and route.path != "/api/openapi.json"
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {(path, method) for path, of in document["paths"].items() for method in of} == served
    schemas = document["components"]["schemas"]
    assert {reference.rpartition("/")[2] for reference in references(document)} <= set(schemas)
    models = {model.__name__: model for one in endpoints.ENDPOINTS for model in (one.takes, one.gives) if model}
    models |= {model.__name__: model for model in (client_messages.Move, client_messages.Deed, client_messages.Again)}
    checked = 0
    for content in contents(document):
        name = model_of(content["schema"]) if "$ref" in content["schema"] else ""
        for example in [content["example"]] if "example" in content else []:
            models[name].model_validate_json(json.dumps(example))
            checked += 1
        for verb, example in content.get("examples", {}).items():
            assert client_messages.read_command(verb, json.dumps(example["value"]).encode()).type == verb
            checked += 1
    assert checked >= len(endpoints.VERBS) + 6


def contents(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for of in document["paths"].values():
        for operation in of.values():
            yield from operation.get("requestBody", {}).get("content", {}).values()
            for answer in operation["responses"].values():
                yield from answer["content"].values()


def test_the_page_shows_all_of_it_without_scripts_of_others(start_cold: Callable[..., Server]) -> None:
    server = start_cold()
    with Browser(server) as browser, Program(server, None) as nobody:
        answer = browser.http.get("/api")
        assert answer.status_code == 200
        text = answer.text
        document = nobody.told("GET", "/api/openapi.json")
    assert document == json.loads(json.dumps(openapi.document()))
    for path, of in document["paths"].items():
        for method in of:
            assert f"<code>{method.upper()} {path}</code>" in text
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in text
    anchors = set(re.findall(r'href="#([^"]+)"', text))
    assert anchors <= set(re.findall(r'id="([^"]+)"', text))
    socket = document["x-websocket"]
    for one in (*socket["said"], *socket["told"]):
        for example in one["examples"]:
            assert (
                json.dumps(example, ensure_ascii=False).replace('"', "&#34;").replace("<", "&lt;").replace(">", "&gt;")
                in text
            )
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert "style=" not in text


def test_descriptions_are_sentences() -> None:
    models: list[type[BaseModel]] = [model for model, _ in (*message_examples.SAID, *message_examples.TOLD)]
    models += [model for one in endpoints.ENDPOINTS for model in (one.takes, one.gives) if model]
    for model in models:
        schema = TypeAdapter(model).json_schema()
        assert schema["description"].endswith("."), model
        for name, of in schema["properties"].items():
            assert of.get("description", ".").endswith("."), (model, name)
