"""What the package imports is declared, by extra, and what it uses beyond a library's public interface is bounded."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from fourcorners.core import extras

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
    scripts = {path.stem for path in (ROOT / "scripts").glob("*.py")}
    own = {"fourcorners", "fourcorners_cram", "tests", "benchmarks", *scripts}
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


def list_extra(name: str) -> set[str]:
    """Return the canonical names of the packages that an extra brings, those of other extras in it included."""
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][name]
    found = set()
    for requirement in map(Requirement, extra):
        if requirement.name == "fourcorners":
            found |= {package for inner in requirement.extras for package in list_extra(inner)}
        else:
            found.add(canonicalize_name(requirement.name))
    return found


@pytest.mark.parametrize("extra", extras.MODULES)
def test_modules_of_an_extra_are_those_of_its_packages(extra: str) -> None:
    distributions, modules = packages_distributions(), set(extras.MODULES[extra])
    needed = list_extra(extra) - {"uvloop"}  # which uvicorn takes where it is
    if extra in {"postgresql", "redis", "ray"}:
        modules |= set(extras.MODULES["server"])
    assert {canonicalize_name(distributions[module][0]) for module in modules} == needed


def test_extra_all_brings_every_package() -> None:
    assert list_extra("all") == {package for extra in extras.MODULES for package in list_extra(extra)}


def list_loaded(module: str) -> set[str]:
    """Return the names of all modules that a new process has loaded once it has imported one."""
    code = f"import json, sys, {module}; print(json.dumps(list(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(json.loads(run.stdout))


def test_importing_the_library_loads_no_extra_no_command_line_and_little_beyond_numba() -> None:
    loaded = list_loaded("fourcorners")
    optional = {module for modules in extras.MODULES.values() for module in modules}
    assert not loaded & (optional | {"pydantic", "rich", "typer"})
    assert len(loaded) < 1.5 * len(list_loaded("numba"))
