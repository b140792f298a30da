"""The scripts of a page as one file: its modules one after the other, so that a browser makes one request for all."""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.application.refusals import Refusal

_IMPORT = re.compile(r'^import\s+(?:(\{[^}]*\}|\* as \w+)\s+from\s+)?"\./([\w-]+\.js)";[^\n]*\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:(?:async )?function\*?|class|const) (\w+|\{[^}]*\})", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL)
"""A comment on lines without code."""
_TYPE = re.compile(r"/\*\* @(?:(?!\*/).)*\*/ ?", re.DOTALL)
"""A comment for the type checker, perhaps beside code."""
_OTHER_EXPORT = re.compile(r"^(?:export|import)\b[^\n]*", re.MULTILINE)
_MOST_ENTRIES = 4


class ModuleBundles:
    """The modules of one folder, and the bundles of those that a page needs. They must not import each other in a
    circle, and they import and export by name.
    """

    def __init__(self, folder: Path) -> None:
        """Read every `*.js` of the folder; raise ValueError if one imports a module that is not there."""
        self._sources = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}
        self._imports = {name: [found[2] for found in _IMPORT.finditer(text)] for name, text in self._sources.items()}
        for name, imported in self._imports.items():
            for missing in set(imported) - self._sources.keys():
                raise ValueError(f"{name} imports {missing}, which is not in {folder}")
        self.build = lru_cache(maxsize=128)(self._build)

    def build_address(self, *entries: str | None) -> str:
        """Return the address of the bundle of some entry modules, with its version; entries that are empty, None or
        undefined in a template are left out, so that pages without their own script need no case.
        """
        names = tuple(str(entry) for entry in entries if entry)
        stems = ".".join(name.removesuffix(".js") for name in names)
        return f"/scripts/{stems}.js?v={_find_version(self.build(names))}"

    def list_modules(self, *entries: str) -> list[str]:
        """List these modules and all that they import, directly or not, each after what it imports; raise KeyError for
        a module that is not in the folder, and ValueError for imports in a circle.
        """
        order: list[str] = []
        begun: set[str] = set()

        def visit(name: str) -> None:
            if name in order:
                return
            if name in begun:
                raise ValueError(f"{name} imports itself through other modules")
            begun.add(name)
            for imported in self._imports[name]:
                visit(imported)
            order.append(name)

        for entry in entries:
            visit(entry)
        return order

    def _build(self, entries: tuple[str, ...]) -> str:
        """Return the code of a bundle; raise as `list_modules`, and ValueError for what is exported in another form."""
        return "\n".join(self._wrap(name) for name in self.list_modules(*entries))

    def _wrap(self, name: str) -> str:
        """Return a module as a function that is called once, and returns what the module exports."""
        source = self._sources[name]
        exported = [each for found in _EXPORT.findall(source) for each in re.findall(r"\w+", found)]
        code = _EXPORT.sub(lambda found: found[0].removeprefix("export "), source)
        code = _IMPORT.sub(lambda found: _rename_import(found[1], found[2]), _COMMENT.sub("", code))
        code = _TYPE.sub("", code)
        if other := _OTHER_EXPORT.search(code):
            raise ValueError(f"{name} has a form of import or export that is not bundled: {other[0]}")
        return f"const {_name_variable(name)} = (() => {{\n{code}return {{ {', '.join(exported)} }};\n}})();"


def _rename_import(names: str | None, module: str) -> str:
    """Return the statement that takes imported names from a module of the bundle; "" for an import without names."""
    if not names:
        return ""
    target = names.removeprefix("* as ") if names.startswith("*") else names.replace(" as ", ": ")
    return f"const {target} = {_name_variable(module)};\n"


def _name_variable(module: str) -> str:
    return "$" + re.sub(r"\W", "_", module.removesuffix(".js"))


def serve_bundle(request: Request) -> Response:
    """Answer with a bundle. Browsers keep the version that the address names; raise Refusal 404 for unknown modules."""
    bundles: ModuleBundles = request.app.state.bundles
    entries = tuple(f"{stem}.js" for stem in request.path_params["entries"].split("."))
    try:
        code = bundles.build(_check_count(entries))
    except KeyError:
        raise Refusal(404, "There is no such script.") from None
    is_current = request.query_params.get("v") == _find_version(code)
    headers = {"cache-control": "public, max-age=31536000, immutable" if is_current else "no-cache"}
    return Response(code, media_type="text/javascript", headers=headers)


def _check_count(entries: Iterable[str]) -> tuple[str, ...]:
    """Return entries, each of them once; raise KeyError if they are too many for a page."""
    names = tuple(dict.fromkeys(entries))
    if len(names) > _MOST_ENTRIES:
        raise KeyError(names)
    return names


@lru_cache(maxsize=128)
def _find_version(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:12]
