"""What the package imports is declared, and what it uses beyond a library's public interface has an upper bound."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^ *(?:from (\w+)[\w.]* import |import (\w+)[\w.]*(?: as \w+)?$)", re.MULTILINE)
"""An import of a module by its whole name, which is alone on its line; to parse all files takes far longer."""
PRIVATE = {
    "alembic": "ScriptDirectory._upgrade_revs",
    "numba": "JITCodeLibrary, Compiler, FunctionCache",
    "uvicorn": "the arguments of its protocols, and that they call no more of their transport than HttpConnection has",
}
"""What is used of a library that its documentation does not promise to keep."""


def list_declared(*, dev: bool = False) -> dict[str, Requirement]:
    """Return the requirements of the package and its extras, with `dev` those of the tests too, by canonical name."""
    contents = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = contents["project"]
    texts = project["dependencies"] + [text for extra in project["optional-dependencies"].values() for text in extra]
    if dev:
        texts += contents["dependency-groups"]["dev"]
    requirements = map(Requirement, texts)
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "examples"])
def test_every_imported_package_is_declared(folder: str) -> None:
    sources = (ROOT / folder).rglob("*.py")
    found = [names for path in sources for names in IMPORT.findall(path.read_text())]
    assert len(found) > 5
    imported = {name for names in found for name in names if name}
    own = {"fourcorners", "fourcorners_cram", "tests", "benchmarks"}
    foreign = imported - set(sys.stdlib_module_names) - own
    distributions, declared = packages_distributions(), list_declared(dev=folder != "src")
    missing = {
        name
        for name in foreign
        if not any(canonicalize_name(distribution) in declared for distribution in distributions.get(name, [name]))
    }
    assert not missing, f"declare in pyproject.toml what {folder} imports"


@pytest.mark.parametrize("name", PRIVATE)
def test_a_library_of_which_something_private_is_used_has_an_upper_bound(name: str) -> None:
    specifiers = list_declared()[name].specifier
    assert any(re.match("<|<=|==|~=", specifier.operator) for specifier in specifiers), PRIVATE[name]
