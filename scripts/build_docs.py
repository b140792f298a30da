"""Write the sources of the documentation site to `build/docs`: documents, rulebooks and the generated reference.

`scripts/docs` makes the site of them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jinja2

import draw_rulebooks
import fourcorners as fc
from fourcorners import envs
from fourcorners.core.option_fields import Field, format_value
from fourcorners.web.api import openapi

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "build/docs"
STATIC = ROOT / "src/fourcorners/web/static"
BOARD = STATIC / "fourcorners-board.js"
RULEBOOKS = draw_rulebooks.find_rulebooks()
LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(?=[#)])")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
"""Blocks and spans of code, in which nothing is a link."""

UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"
"""The head of a page of code: the search would find it before the pages that explain it."""


def find_page(path: Path) -> Path:
    """Return where the site has a file of the checkout, by absolute paths."""
    if path.is_relative_to(ROOT / "docs"):
        page = TARGET / path.relative_to(ROOT / "docs")
        return page.with_suffix(".md") if path.suffix == ".ipynb" else page
    if path == BOARD:
        return TARGET / path.name
    if path in RULEBOOKS:
        return TARGET / "rulebooks" / f"{RULEBOOKS[path].id}.md"
    page = TARGET / "repository" / path.relative_to(ROOT)
    return page if path.suffix in {".md", ".html"} else page.with_name(f"{page.name}.md")


def copy_file(path: Path, copied: set[Path]) -> None:
    """Copy a file of the checkout to the site, and whatever it links to outside of `docs`; show code as a page."""
    if path in copied:
        return
    copied.add(path)
    page = find_page(path)
    page.parent.mkdir(parents=True, exist_ok=True)
    if page.suffix != ".md":
        shutil.copyfile(path, page)
        return
    if path in RULEBOOKS:
        draw_rulebooks.draw_rulebook(RULEBOOKS[path], page)
        return
    text = path.read_text(encoding="utf-8")
    end = ""
    if path.suffix == ".ipynb":
        shutil.copyfile(path, page.with_name(path.name))
        text, end = read_notebook(path), f"\n[Download this page as a notebook]({path.name})\n"
    elif path.suffix != ".md":
        page.write_text(f"{UNSEARCHED}# {path.name}\n\n````\n{text}````\n", encoding="utf-8")
        return

    def follow(match: re.Match[str]) -> str:
        target = (path.parent / match[0]).resolve()
        copy_file(target, copied)
        return os.path.relpath(find_page(target), page.parent)

    parts, codes = CODE.split(text), [*CODE.findall(text), ""]
    text = "".join(LINK.sub(follow, part) + code for part, code in zip(parts, codes, strict=True))
    page.write_text(text + end, encoding="utf-8")


def read_notebook(path: Path) -> str:
    """Return a notebook as Markdown, with what its cells printed and drew; a picture is named by the heading above."""
    parts, heading = [], ""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            heading = [heading, *re.findall(r"^#+ (.*)$", source, re.MULTILINE)][-1]
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
            else:
                parts.append(f"![{heading}](data:image/png;base64,{output['data']['image/png'].strip()})")
    return "\n\n".join(parts) + "\n"


def write_names() -> Iterator[str]:
    """Yield the reference of each public name, for mkdocstrings."""
    for name in fc.__all__:
        yield f"::: fourcorners.{name}"
    for name in envs.__all__:
        # Some of these have the name of one above.
        label = f"envs.{name}"
        yield f"::: fourcorners.{label}\n    options:\n      heading: {label}\n      toc_label: {label}"


def write_options() -> Iterator[str]:
    """Yield the options of each game as a table."""
    for game in map(fc.game, fc.games()):
        fixed = game.preset.options if game.preset else {}
        yield f"## {game.title}"
        yield f'`fc.game("{game.id}")`'
        rows = [write_option(field, game) for field in game.spec.options.fields() if field.name not in fixed]
        yield "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])


def write_option(field: Field, game: fc.Game) -> str:
    """Return the row of an option in the table of its game; the help explains a default that depends on others."""
    default = field.default and f"`{format_value(game.options.model_dump(mode='json')[field.name])}`"
    return f"| `{field.name}` | {default} | **{field.label}**{list_values(field)}. {field.help} |"


def list_values(field: Field) -> str:
    """Return the values that an option may have, as the end of a sentence; "" for a text, whose help says it."""
    if field.kind == "number":
        return f": {field.low} to {field.high}" + (f" in steps of {field.step}" if field.step else "")
    choices = ("false", "true") if field.kind == "flag" else field.choices
    return ": " + " or ".join(f"`{choice}`" for choice in choices) if choices else ""


def write_commands() -> Iterator[str]:
    """Yield the help of each command."""
    made = subprocess.run(
        [sys.executable, "-m", "typer", "fourcorners.cli", "utils", "docs", "--name", "fourcorners"],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    # Its lists of commands cut what they say, and the contents beside the page list them anyway.
    yield re.sub(r"\*\*Commands\*\*:\n\n(\* .*\n)+", "", made.stdout.partition("\n")[2])


def write_api() -> Iterator[str]:
    """Yield the requests, messages and models of the API."""
    template = (ROOT / "scripts/api.md.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701  # Markdown
    yield environment.from_string(template).render(openapi.build_page_context())


def main() -> None:
    """Write all sources anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    copied: set[Path] = set()
    for path in (*sorted((ROOT / "docs").rglob("*")), BOARD, *RULEBOOKS):
        if path.is_file():
            copy_file(path, copied)
    shutil.copytree(STATIC / "fonts", TARGET / "fonts")
    shutil.copyfile(STATIC / "icon.svg", TARGET / "icon.svg")
    reference = {"library": write_names, "options": write_options, "commands": write_commands, "api": write_api}
    for name, write in reference.items():
        with (TARGET / "reference" / f"{name}.md").open("a", encoding="utf-8") as page:
            page.writelines(f"\n{part}\n" for part in write())


if __name__ == "__main__":
    main()
