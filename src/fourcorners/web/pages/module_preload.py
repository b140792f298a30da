"""Which script modules a page should preload, so that the browser need not discover them import by import."""

import re
from collections.abc import Iterable
from pathlib import Path

_IMPORT = re.compile(r"""^(?:import|export)\s(?:[^"';]*\sfrom\s)?["']\./([\w-]+\.js)["'];""", re.MULTILINE)


class ImportGraph:
    """The static imports between the modules of one folder."""

    def __init__(self, folder: Path) -> None:
        """Read every `*.js` of the folder; raise ValueError if one imports a module that is not there."""
        self._imports = {path.name: _IMPORT.findall(path.read_text(encoding="utf-8")) for path in folder.glob("*.js")}
        for name, imported in self._imports.items():
            for missing in set(imported) - self._imports.keys():
                raise ValueError(f"{name} imports {missing}, which is not in {folder}")

    def list_preloads(self, *entries: str | None) -> list[str]:
        """List the modules that these entry modules import, directly or not, nearest first and without the entries.

        A name that is empty, None or undefined in a template is left out, so that pages without their own script
        need no case. Raise KeyError for a module that is not in the folder.
        """
        names = [str(entry) for entry in entries if entry]
        return [name for name in self._list_reachable(names) if name not in names]

    def _list_reachable(self, names: Iterable[str]) -> list[str]:
        """List these modules and their imports, direct or not, breadth first, each once. Raise KeyError if unknown."""
        reached = list(dict.fromkeys(names))
        for name in reached:  # The list grows while it is read.
            reached += [imported for imported in dict.fromkeys(self._imports[name]) if imported not in reached]
        return reached
