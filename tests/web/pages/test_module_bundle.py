"""The scripts of a page are one file, which does what its modules do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import fourcorners.web
from fourcorners.web.pages.module_bundle import ModuleBundles
from tests.require import require
from tests.web.client import Browser, Server

STATIC = Path(fourcorners.web.__file__).parent / "static"
TEMPLATES = STATIC.parent / "templates"
EVERYWHERE = ("display.js", "kept_fields.js")
"""What the base template has on every page."""
# The scripts that pages name in their templates.
ENTRIES = sorted(
    {
        name
        for path in TEMPLATES.glob("*.html")
        for line in re.findall(r"set page_script = (.*?)%}", path.read_text())
        for name in re.findall(r'"(\w+\.js)"', line)
    }
)


def write_modules(folder: Path, **sources: str) -> ModuleBundles:
    """Write the modules NAME.js into an empty folder and read them; raise ValueError if one is missing."""
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source)
    return ModuleBundles(folder)


def run(code: str) -> list[str]:
    """Run a module and return the lines that it writes."""
    node = require(shutil.which("node"))
    done = subprocess.run([node, "--input-type=module", "-e", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bundle_does_what_its_modules_do_each_once_and_after_what_it_imports(tmp_path: Path) -> None:
    bundles = write_modules(
        tmp_path,
        main="""import {
  double as twice,
  names,
} from "./a.js";
import * as rest from "./b-b.js";
import "./shared.js";

/** A comment with import { x } from "./nothing.js"; in it.
 * @type {number} */
const count = /** @type {number} */ (twice(4)); // the end
console.log(names.size, count, rest.hidden, new rest.Thing().name, typeof rest.load);
""",
        a="""import { log } from "./shared.js";
export function double(x) {
  return 2 * x;
}
export const names = new Set(["a"]);
log("a");
""",
        **{
            "b-b": """import { log } from "./shared.js";
// A line that is left out.
export class Thing {
  name = "thing";
}
export async function load() {}
export function* steps() {}
const { p, q } = { p: 1, q: 2 };
export const hidden = p + q;
log("b");
"""
        },
        shared="""export function log(text) {
  console.log(text);
}
log("shared");
""",
    )
    code = bundles.build(("main.js",))
    assert bundles.list_modules("main.js") == ["shared.js", "a.js", "b-b.js", "main.js"]
    assert run(code) == ["shared", "a", "b", "1", "8", "3", "thing", "function"]
    assert not any(words in code for words in ("left out", "nothing.js", "@type"))
    assert bundles.list_modules("a.js", "main.js")[:2] == ["shared.js", "a.js"]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"main": 'import "./gone.js";\n'}, r"main\.js imports gone\.js"),
        ({"main": 'import "./other.js";\n', "other": 'import "./main.js";\n'}, "imports itself"),
        ({"main": "export default 3;\n"}, "not bundled"),
        ({"main": 'import x from "./main2.js";\n'}, "not bundled"),
    ],
)
def test_what_cannot_be_bundled_is_an_error(tmp_path: Path, sources: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write_modules(tmp_path, **sources).build(("main.js",))


def test_every_module_is_used_by_some_page() -> None:
    # Found in the templates; otherwise the other tests would check nothing.
    assert {"analysis.js", "embed.js", "form.js", "home_page.js", "lesson.js", "lobby.js", "play.js"} <= set(ENTRIES)
    # The page without a connection has only what the service worker keeps.
    offline = {"offline.js", "service_worker.js"}
    used = {"theme.js", *offline, *ModuleBundles(STATIC).list_modules(*EVERYWHERE, *ENTRIES)}
    assert {path.name for path in STATIC.glob("*.js")} == used


def test_the_home_page_loads_none_of_the_panels_of_a_table() -> None:
    assert "preact.js" not in ModuleBundles(STATIC).list_modules("home.js")


@pytest.mark.parametrize("entry", ENTRIES)
def test_bundle_of_each_page_is_a_valid_script_without_imports(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "bundle.mjs"
    path.write_text(ModuleBundles(STATIC).build((*EVERYWHERE, entry)))
    subprocess.run([require(shutil.which("node")), "--check", path], check=True)
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
    assert not re.search(r"[\"']\./[\w-]+\.js[\"']", code)


def test_page_names_the_version_of_its_bundle_which_browsers_keep(cold_server: Server) -> None:
    with Browser(cold_server) as browser:
        (address,) = re.findall(r'<script type="module" src="([^"]+)"', browser.http.get("/lobby").text)
        assert address.startswith("/scripts/display.kept_fields.lobby.js?v=")
        answer = browser.http.get(address)
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
        assert "set-cookie" not in answer.headers
        # An address of another version, perhaps of another server, is answered, but not kept.
        other = browser.http.get(address.partition("?")[0] + "?v=0")
        assert (other.text, other.headers["cache-control"]) == (answer.text, "no-cache")
        for unknown in ("gone", "display.gone", "display.dom.text.form.lobby", "..", "_"):
            assert browser.http.get(f"/scripts/{unknown}.js").status_code == 404
