"""Each text that people read stands in one place: no two files of the web have the same words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import fourcorners.web

WEB = Path(fourcorners.web.__file__).parent
LEAST_WORDS = 4
"""Shorter texts, such as "Choose a game", are names: headings, and the links and buttons that lead to them."""
ALLOWED = {
    "the game has started": "a refusal of the server, and what a page says by itself",
    "the game is over": "a refusal of the server, and what a page says by itself",
    "the game is over here": "a refusal of the server, and what a page says by itself",
    "listed in the lobby": "a choice in a form, and one of the terms of a table",
    "next game where it is your turn": "a button, and its key in the list of keys",
    "how strong the levels are": "the heading of a page, and links to it",
    "puzzle of the day": "a heading, and buttons that lead there",
    "set up a position": "a button, the dialog that it opens, and the command for it",
}
_WORD = re.compile(r"(?<!\S)[“(]?[a-z]")
_SCRIPT_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_SCRIPT_FIELD = re.compile(r"\$\{[^}]*\}")
_SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_TEMPLATE_TEXT = re.compile(r'>([^<>]+)<|(?:aria-label|title|placeholder|content|alt)="([^"]*)"')
_TEMPLATE_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_CODE = re.compile(r"[<>{}=;|\\]|^[a-z-]+/|\.[a-z]+ ")


def test_no_text_stands_in_two_files() -> None:
    places: dict[str, set[str]] = {}
    for path in sorted(WEB.rglob("*")):
        if path.suffix not in {".py", ".js", ".html"} or "bundles" in path.parts or path.name == "preact.js":
            continue
        for text in _list_texts(path):
            words = " ".join(text.split()).rstrip(".").casefold()
            if len(_WORD.findall(words)) >= LEAST_WORDS and not _CODE.search(words):
                places.setdefault(words, set()).add(str(path.relative_to(WEB)))
    assert len(places) > 500
    repeated = {text: sorted(files) for text, files in places.items() if len(files) > 1}
    assert repeated.keys() == ALLOWED.keys(), {text: repeated.get(text) for text in repeated.keys() ^ ALLOWED.keys()}


def _list_texts(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from _list_python_texts(ast.parse(source))
    elif path.suffix == ".js":
        for found in _SCRIPT_TEXT.finditer(_SCRIPT_COMMENT.sub("", source)):
            yield _SCRIPT_FIELD.sub("#", found[1] or found[2] or "")
    else:
        for found in _TEMPLATE_TEXT.finditer(_TEMPLATE_COMMENT.sub("", source)):
            yield found[1] or found[2] or ""


def _list_python_texts(tree: ast.Module) -> Iterator[str]:
    """Yield the strings of a module without its docstrings, and with "#" for each field of an f-string."""
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    docstrings = {
        id(line.value)
        for node in ast.walk(tree)
        if isinstance(node, described)
        for line in node.body
        if isinstance(line, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "#" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | docstrings:
            yield node.value
