"""The pages preload exactly the modules that their scripts import."""

import re
from pathlib import Path

import pytest

import fourcorners.web
from fourcorners.web.pages.module_preload import ImportGraph

STATIC = Path(fourcorners.web.__file__).parent / "static"
TEMPLATES = STATIC.parent / "templates"
# The scripts that pages name in their templates.
ENTRIES = sorted(
    {name for path in TEMPLATES.glob("*.html") for name in re.findall(r'page_script = "(\w+\.js)"', path.read_text())}
)


def write_modules(folder: Path, **sources: str) -> ImportGraph:
    """Write the modules NAME.js into an empty folder and read their imports; raise ValueError if one is missing."""
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source)
    return ImportGraph(folder)


def test_imports_are_followed_breadth_first_and_listed_once_without_the_entries(tmp_path: Path) -> None:
    """A page without its own script passes None, which is left out; a cycle of imports ends."""
    graph = write_modules(
        tmp_path,
        main='import { a } from "./a.js";\nimport {\n  b,\n} from "./b.js";\n',
        a='export { shared } from "./shared.js";\n',
        b='import "./shared.js";\nimport { main } from "./main.js";\n',
        shared="",
        other="",
    )
    assert graph.list_preloads("main.js") == ["a.js", "b.js", "shared.js"]
    assert graph.list_preloads("other.js", None) == []
    assert graph.list_preloads("other.js", "b.js") == ["shared.js", "main.js", "a.js"]


def test_imports_in_comments_are_ignored(tmp_path: Path) -> None:
    graph = write_modules(tmp_path, main='/** @import { A } from "./types.js" */\n// import "./types.js";\n')
    assert graph.list_preloads("main.js") == []


def test_import_of_a_missing_module_is_an_error_that_names_both(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"main\.js imports gone\.js"):
        write_modules(tmp_path, main='import "./gone.js";\n')


def test_every_module_is_used_by_some_page() -> None:
    # Found in the templates; otherwise the other tests would check nothing.
    assert {"analysis.js", "embed.js", "form.js", "home.js", "lesson.js", "lobby.js", "play.js"} <= set(ENTRIES)
    # The base template loads theme.js and these on every page.
    everywhere = ("display.js", "kept_fields.js")
    # The page without a connection has only what the service worker keeps.
    offline = {"offline.js", "service_worker.js"}
    used = {"theme.js", *offline, *everywhere, *ENTRIES, *ImportGraph(STATIC).list_preloads(*everywhere, *ENTRIES)}
    assert {path.name for path in STATIC.glob("*.js")} == used


def test_the_home_page_loads_none_of_the_panels_of_a_table() -> None:
    assert "preact.js" not in ImportGraph(STATIC).list_preloads("home.js")


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_module_that_a_script_names_is_preloaded(entry: str) -> None:
    """Every text such as "./play.js" outside a comment, in the script or in what it imports, was found as an import."""
    graph = ImportGraph(STATIC)
    preloads = set(graph.list_preloads(entry))
    for name in {entry, *preloads}:
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", (STATIC / name).read_text(), flags=re.DOTALL)
        assert set(re.findall(r"[\"']\./([\w-]+\.js)[\"']", code)) <= preloads | {entry}, name
