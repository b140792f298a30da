"""The lock files match pyproject.toml, have hashes, and contain no address."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("run", "dev")


@cache
def read_lock(name: str) -> tuple[tuple[Requirement, int], ...]:
    """Return the pinned requirements of requirements/`name`.txt in its order, each with its number of hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    return tuple((Requirement(line.split("--hash", 1)[0].strip()), line.count("--hash=sha256:")) for line in lines)


def list_requirements(lock: str) -> list[Requirement]:
    """Return the requirements in pyproject.toml that a lock must satisfy: of a server, for "dev" also of the tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    if lock == "docs":
        return [Requirement(text) for text in project["dependency-groups"]["docs"]]
    extras = project["project"]["optional-dependencies"]
    texts = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    texts += [text for name in ("pictures", "server") for text in extras[name] if "fourcorners[" not in text]
    if lock == "dev":
        texts += project["dependency-groups"]["dev"]
    return [Requirement(text) for text in texts]


@pytest.mark.parametrize("lock", [*LOCKS, "docs"])
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_lock_pins_each_package_once_and_satisfies_the_requirements_of_the_project(
    lock: str, python: str, platform: str
) -> None:
    environment = {
        **{key: str(value) for key, value in default_environment().items()},
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": platform,
        "platform_python_implementation": "CPython",
    }
    pins: dict[str, str] = {}
    for requirement, _ in read_lock(lock):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            name = canonicalize_name(requirement.name)
            assert name not in pins, f"{name} is pinned twice for Python {python} on {platform}"
            pins[name] = str(requirement.specifier).removeprefix("==")
    for requirement in list_requirements(lock):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            version = pins.get(canonicalize_name(requirement.name))
            assert version, f"requirements/{lock}.txt has no {requirement.name}: run scripts/lock"
            assert version in requirement.specifier, f"{requirement} is not {version}: run scripts/lock"


@pytest.mark.parametrize("lock", [*LOCKS, "docs", "servers", "uv"])
def test_every_pin_is_an_exact_version_with_hashes_and_no_address(lock: str) -> None:
    for requirement, hashes in read_lock(lock):
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert requirement.url is None, requirement


@pytest.mark.parametrize("lock", [*LOCKS, "docs", "servers", "uv"])
def test_lock_contains_no_address_and_no_option_for_an_index(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    assert "://" not in text
    assert not re.search(r"^\s*(--(extra-)?index-url|-i|--find-links|-f|--trusted-host)\b", text, re.MULTILINE)


def test_dev_lock_has_all_packages_of_the_run_lock_in_the_same_versions() -> None:
    pins = {(canonicalize_name(requirement.name), str(requirement.specifier)) for requirement, _ in read_lock("dev")}
    for requirement, _ in read_lock("run"):
        assert (canonicalize_name(requirement.name), str(requirement.specifier)) in pins


def test_lock_of_the_installer_has_the_same_uv_as_the_dev_lock() -> None:
    assert read_lock("uv") == tuple(entry for entry in read_lock("dev") if entry[0].name == "uv")


def test_lock_of_the_image_has_what_postgresql_and_redis_need_besides_the_run_lock() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = {Requirement(text).name for name in ("postgresql", "redis") for text in extras[name]}
    wanted = names - {"fourcorners"} | {"psycopg-binary"}
    entries = read_lock("servers")
    assert {requirement.name for requirement, _ in entries} == wanted
    assert set(entries) <= set(read_lock("dev"))
