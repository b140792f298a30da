"""Write `types/messages.d.ts`: the structs of messages and answers as types for the page's scripts.

`--check` only compares the file with what would be written. Needs the tools that npm installs.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fourcorners.web.application.entries import EntryAnswer
from fourcorners.web.application.exercises import ExerciseAnswer
from fourcorners.web.application.lessons import LessonAnswer
from fourcorners.web.application.puzzles import PuzzleAnswer, PuzzleJudgement
from fourcorners.web.domain.commands import COMMANDS, Command
from fourcorners.web.protocol import client_messages, server_messages

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "types/messages.d.ts"
CLIENT: Sequence[type[Struct]] = client_messages.MESSAGES
SERVER: Sequence[type[Struct]] = server_messages.MESSAGES
ANSWERS = (EntryAnswer, ExerciseAnswer, LessonAnswer, PuzzleJudgement, PuzzleAnswer)
BANNER = (
    "// Made by scripts/build_types.py from the structs in `web/protocol` and `web/domain/commands.py`: do not edit."
)


def name_type(struct: type[Struct]) -> str:
    """Return the name of a message's type in the page: scripts also use types of the browser, such as `Report`."""
    if struct in CLIENT:
        return f"{struct.__name__}{'Command' if issubclass(struct, Command) else 'Request'}"
    return struct.__name__ if struct.__name__.endswith("Answer") else f"{shorten(struct.__name__)}Message"


def shorten(name: str) -> str:
    """Return the name of a struct without a final "State" or "Message"."""
    return re.sub(r"(?<=.)(State|Message)$", "", name)


def simplify(schema: Any) -> Any:
    """Return a JSON Schema of msgspec in the form that json-schema-to-typescript reads: tuples are `items`, objects
    with any fields say so, lengths do not matter, and a reference has no description.
    """
    if isinstance(schema, list):
        return [simplify(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    changed = {name: simplify(part) for name, part in schema.items()}
    if "prefixItems" in changed:
        changed |= {"items": changed.pop("prefixItems"), "additionalItems": False}
    elif changed.get("type") == "array":
        changed.pop("minItems", None)
        changed.pop("maxItems", None)
    if changed.get("type") == "object" and "properties" not in changed:
        changed.setdefault("additionalProperties", True)
    return changed


def build_types() -> str:
    """Return the content of the file; raise CalledProcessError if a tool fails."""
    _, components = msgspec.json.schema_components((*SERVER, *CLIENT, *ANSWERS), ref_template="#/definitions/{name}")
    names = {name: shorten(name) for name in components} | {
        each.__name__: name_type(each) for each in (*SERVER, *CLIENT)
    }
    definitions = {name: {**simplify(schema), "title": names[name]} for name, schema in components.items()}
    schema = json.dumps({"title": "Nothing", "definitions": definitions})
    made = run_tool("json2ts", "--unreachableDefinitions", "--no-additionalProperties", "--bannerComment=", text=schema)
    # The tool says of every type where it stands in the schema, and makes one of the schema itself.
    made = re.sub(r"( \*\n)? \* This interface was referenced by .*\n.*\n", "", made)
    made = re.sub(r"(/\*\*\n \*/\n)?export interface Nothing \{[^}]*\}\n", "", made)
    made = re.sub(r"/\*\*\n\s*\* (.*)\n\s*\*/", r"/** \1 */", made)
    unions = {"ServerMessage": SERVER, "ClientMessage": CLIENT, "Command": COMMANDS}
    lines = [f"type {union} = {' | '.join(map(name_type, structs))};" for union, structs in unions.items()]
    text = "\n".join([BANNER, "", re.sub("^export ", "", made, flags=re.MULTILINE), *lines, ""])
    return run_tool("biome", "format", f"--stdin-file-path={TARGET}", text=text)


def run_tool(name: str, *arguments: str, text: str) -> str:
    """Return what a tool of npm makes of a text; raise CalledProcessError if it fails."""
    command = [str(ROOT / "node_modules/.bin" / name), *arguments]
    run = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)  # noqa: S603 its own tools
    return run.stdout


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        TARGET.write_text(build_types(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != build_types():
        sys.exit(f"{TARGET.name} is not what scripts/build_types.py makes of the messages: run it.")
