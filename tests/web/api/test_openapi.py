"""The documentation of the API: complete, consistent, and shown without foreign resources."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from starlette.routing import Route

from fourcorners.web.api import endpoints, openapi
from fourcorners.web.api.models.tables import NewTable
from fourcorners.web.app import ROUTES
from fourcorners.web.domain.commands import COMMANDS
from fourcorners.web.protocol import client_messages, server_messages
from fourcorners.web.protocol.client_messages import parse_command
from fourcorners.web.protocol.codec import find_tag
from tests.web.client import Browser, StartServer
from tests.web.program import Program


def list_references(value: object) -> Iterator[str]:
    """Yield the names of all schemas to which a part of the document refers, with repetitions."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield str(value["$ref"]).rpartition("/")[2]
        for inner in value.values():
            yield from list_references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from list_references(inner)


def list_contents(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the contents (`schema` and examples) of all request bodies and answers in the document."""
    for methods in document["paths"].values():
        for operation in methods.values():
            yield from operation.get("requestBody", {}).get("content", {}).values()
            for answer in operation["responses"].values():
                yield from answer["content"].values()


def test_document_has_all_endpoints_and_every_schema_to_which_it_refers() -> None:
    # As programs read it; this also shows that it has only values of JSON.
    document = json.loads(json.dumps(openapi.build_document()))
    # Starlette adds HEAD to every GET, and the document does not describe itself.
    served = {
        (route.path, method.lower())
        for route in ROUTES
        if isinstance(route, Route) and route.path.startswith("/api/") and route.path != "/api/openapi.json"
        for method in (route.methods or set()) - {"HEAD"}
    }
    commands = {f"/api/tables/{{table}}/{verb}" for verb in endpoints.VERBS}
    documented = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert {(path, method) for path, method in documented if path not in commands} | {
        ("/api/tables/{table}/{verb}", "post")
    } == served
    assert {(path, method) for path, method in documented if path in commands} == {(path, "post") for path in commands}
    assert set(list_references(document)) <= set(document["components"]["schemas"])


def test_examples_of_requests_answers_and_commands_can_be_parsed() -> None:
    models = {model.__name__: model for e in endpoints.ENDPOINTS for model in (e.request_type, e.answer_type) if model}
    checked = 0
    document = json.loads(json.dumps(openapi.build_document()))
    for endpoint in endpoints.ENDPOINTS:
        if endpoint.command is not None:
            content = document["paths"][endpoint.path]["post"]["requestBody"]["content"]["application/json"]
            assert list(list_references(content)) == [f"{endpoint.command.__name__}Body"]
            verb = endpoint.path.rpartition("/")[2]
            assert type(parse_command(verb, json.dumps(content["example"]).encode())) is endpoint.command
            checked += 1
    for content in list_contents(document):
        name = next(list_references(content["schema"]), "")
        if "example" in content and name in models:
            msgspec.convert(content["example"], models[name])
            checked += 1
    # Each command has an example, and so have at least six other bodies and answers.
    assert checked >= len(endpoints.VERBS) + 6


def test_body_of_a_command_has_the_fields_of_its_message_without_the_type() -> None:
    schemas = openapi.build_document()["components"]["schemas"]
    for command in COMMANDS:
        body, message = schemas[f"{command.__name__}Body"], schemas[command.__name__]
        assert set(message["properties"]) - set(body["properties"]) == {"type"}
        assert set(message["required"]) - set(body["required"]) == {"type"}


def test_example_of_a_table_can_be_sent(start_cold: StartServer) -> None:
    (example,) = openapi.list_examples(NewTable)
    with Program(start_cold()) as ada:
        assert ada.request("POST", "/api/tables", json=example).status_code == 201


def test_refusals_that_any_request_can_get_are_documented_with_their_headers() -> None:
    for path, methods in openapi.build_document()["paths"].items():
        for method, operation in methods.items():
            answers = operation["responses"]
            expected = {"400", "401", "405", "429", "500", "503"}
            expected |= {"403", "408", "413"} if method == "post" else set()
            expected |= {"404", "409"} if "{table}" in path else set()
            assert expected <= set(answers), (path, method)
            assert list(answers["401"]["headers"]) == ["WWW-Authenticate"]
            assert list(answers["405"]["headers"]) == ["Allow"]
            assert list(answers["429"]["headers"]) == list(answers["503"]["headers"]) == ["Retry-After"]


def test_body_is_required_unless_all_its_fields_are_optional() -> None:
    paths = openapi.build_document()["paths"]
    # These say all by their address.
    bodies = {path: methods["post"].get("requestBody") for path, methods in paths.items() if "post" in methods}
    assert [path for path, body in bodies.items() if body is None] == [
        "/api/notifications/removal",
        "/api/tables/{table}/review",
    ]
    required = {path: body["required"] for path, body in bodies.items() if body is not None}
    assert [path for path, is_required in required.items() if not is_required] == ["/api/players"]


def test_document_has_every_message_in_order_with_examples_of_its_type() -> None:
    socket = openapi.build_document()["x-websocket"]
    # "said" are the messages of clients, "told" those of the server.
    for key, messages in (("said", client_messages.MESSAGES), ("told", server_messages.MESSAGES)):
        assert [next(list_references(message["schema"])) for message in socket[key]] == [
            message.__name__ for message in messages
        ]
        for shown, message in zip(socket[key], messages, strict=True):
            assert {example["type"] for example in shown["examples"]} == {find_tag(message)}


def test_commands_are_client_messages() -> None:
    assert set(COMMANDS) <= set(client_messages.MESSAGES)


def test_page_shows_the_whole_document_with_working_links_and_without_foreign_resources(
    start_cold: StartServer,
) -> None:
    server = start_cold()
    with Browser(server) as browser, Program(server, None) as keyless:
        answer = browser.http.get("/api")
        assert answer.status_code == 200
        text = answer.text
        document = keyless.fetch("GET", "/api/openapi.json")
    assert document == json.loads(json.dumps(openapi.build_document()))
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in text
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in text
    anchors = set(re.findall(r'href="#([^"]+)"', text))
    assert anchors <= set(re.findall(r'id="([^"]+)"', text))
    socket = document["x-websocket"]
    for message in (*socket["said"], *socket["told"]):
        for example in message["examples"]:
            shown = json.dumps(example, ensure_ascii=False)
            # Escaped as in HTML.
            assert shown.replace('"', "&#34;").replace("'", "&#39;").replace("<", "&lt;").replace(">", "&gt;") in text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    # The content security policy forbids inline styles.
    assert "style=" not in text


def test_every_description_ends_with_a_full_stop() -> None:
    for name, schema in openapi.build_document()["components"]["schemas"].items():
        assert schema["description"].endswith("."), name
        # An enumeration has no properties.
        for field, part in schema.get("properties", {}).items():
            assert (openapi._find_description(part) or ".").endswith("."), (name, field)
