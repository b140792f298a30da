"""What operators copy fits together and names what exists: compose.yaml, the Caddyfile, the units of docs/deploy.md."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml  # type: ignore[import-untyped]
from packaging.requirements import Requirement
from sqlalchemy import make_url
from starlette.routing import Route, WebSocketRoute

from fourcorners.cli import app
from fourcorners.web.app import ROUTES
from fourcorners.web.settings import Settings
from tests.require import require

ROOT = Path(__file__).resolve().parents[1]
CADDYFILE = (ROOT / "Caddyfile").read_text()
CONTAINERFILE = (ROOT / "Containerfile").read_text()
DEPLOY = (ROOT / "docs" / "deploy.md").read_text()
FILE = {"FOURCORNERS_SITE": "play.example.org", "FOURCORNERS_PASSWORD": "secret"}
"""The variables that an operator writes into the file .env."""
PROXY = {"FOURCORNERS_SITE", "FOURCORNERS_SERVERS"}


def fill(value: Any) -> Any:
    """Return a value from YAML in which the variables of `FILE` are replaced, as compose does; fail for others."""
    if isinstance(value, dict):
        return {key: fill(item) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item) for item in value]
    return re.sub(r"\$\{(\w+):\?\}", lambda found: FILE[found[1]], value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    filled: dict[str, Any] = fill(yaml.safe_load((ROOT / "compose.yaml").read_text()))
    return filled


@pytest.fixture(scope="module")
def servers(compose: dict[str, Any]) -> dict[str, Any]:
    """The services that are built from the Containerfile, by name."""
    return {name: service for name, service in compose["services"].items() if "build" in service}


def list_options() -> tuple[set[str], set[str]]:
    """Return the options of `fourcorners serve`, and the variables that they can be set by."""
    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]  # it is a group
    options = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    return options, {option.envvar for option in command.params if option.envvar}


def test_two_or_more_servers_are_built_from_the_containerfile(servers: dict[str, Any]) -> None:
    assert len(servers) >= 2
    for server in servers.values():
        assert (ROOT / server["build"]["context"] / server["build"]["dockerfile"]).samefile(ROOT / "Containerfile")


def test_servers_have_variables_and_values_that_serve_accepts(servers: dict[str, Any]) -> None:
    for server in servers.values():
        variables = server["environment"]
        assert variables.keys() <= list_options()[1]
        Settings(
            Path("data"),
            database=variables["FOURCORNERS_DATABASE"],
            redis=variables["FOURCORNERS_REDIS"],
            proxies=variables["FOURCORNERS_TRUSTED_PROXIES"],
            allowed_hosts=variables["FOURCORNERS_ALLOWED_HOSTS"],
        ).validate()
        assert variables["FOURCORNERS_ALLOWED_HOSTS"] == FILE["FOURCORNERS_SITE"]


def test_servers_name_the_database_redis_and_network_that_the_file_has(
    compose: dict[str, Any], servers: dict[str, Any]
) -> None:
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    for server in servers.values():
        database = make_url(server["environment"]["FOURCORNERS_DATABASE"])
        postgres = compose["services"][database.host]["environment"]
        # The image names the database after the user.
        user = postgres["POSTGRES_USER"]
        assert (database.username, database.database) == (user, user)
        assert database.password == postgres["POSTGRES_PASSWORD"]
        redis = make_url(server["environment"]["FOURCORNERS_REDIS"])
        assert redis.host in compose["services"]
        assert {database.host, redis.host} == server["depends_on"].keys()
        assert server["environment"]["FOURCORNERS_TRUSTED_PROXIES"] == network["subnet"]


def test_whatever_a_service_waits_for_exists_and_has_a_health_check(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        awaited = service.get("depends_on", [])
        assert set(awaited) <= compose["services"].keys()
        # A list waits for the start only.
        for name, wait in awaited.items() if isinstance(awaited, dict) else ():
            assert wait == {"condition": "service_healthy"}
            assert compose["services"][name]["healthcheck"]["test"]


def test_proxy_has_the_shipped_configuration_and_leads_to_all_servers(
    compose: dict[str, Any], servers: dict[str, Any]
) -> None:
    proxy = compose["services"]["proxy"]
    # Other variables have a default.
    assert set(re.findall(r"\{\$(\w+)\}", CADDYFILE)) == proxy["environment"].keys() == PROXY
    port = require(re.search(r"FOURCORNERS_PORT=(\d+)", CONTAINERFILE))
    addresses = proxy["environment"]["FOURCORNERS_SERVERS"].split()
    assert addresses == [f"{name}:{port[1]}" for name in servers]
    assert proxy["depends_on"] == list(servers)
    source, _, _ = proxy["volumes"][0].split(":")
    assert (ROOT / source).read_text() == CADDYFILE


def test_volumes_that_services_mount_are_declared(compose: dict[str, Any]) -> None:
    mounted = {
        volume.partition(":")[0]
        for name in compose["services"]
        for volume in compose["services"][name].get("volumes", [])
    }
    assert {name for name in mounted if not name.startswith(".")} == compose["volumes"].keys()


def test_health_checks_of_image_and_proxy_ask_for_paths_that_exist() -> None:
    paths = {route.path for route in ROUTES if isinstance(route, Route)}
    asked = re.findall(r"health_uri (\S+)", CADDYFILE) + re.findall(r"127\.0\.0\.1:8000(/\w+)", CONTAINERFILE)
    assert set(asked) == {"/readyz", "/healthz"} <= paths
    assert set(re.findall(r"respond (/\S+) 404", CADDYFILE)) == {"/metrics"} <= paths


def test_table_pattern_of_the_proxy_finds_the_table_in_every_path_that_concerns_one() -> None:
    pattern = require(re.search(r"path_regexp table (\S+)", CADDYFILE))
    paths = [route.path for route in ROUTES if isinstance(route, Route | WebSocketRoute)]
    paths = [path for path in paths if re.match(r"/(play|api/tables)/\{table\}", path)]
    assert "/play/{table}/live" in paths
    assert "/api/tables/{table}" in paths
    for path in paths:
        assert require(re.match(pattern[1], path.replace("{table}", "t4b-_L")))[1] == "t4b-_L"


def test_image_installs_the_drivers_of_the_database_and_of_redis() -> None:
    locks = re.findall(r"-r requirements/(\w+)\.txt", CONTAINERFILE)
    pinned = "".join((ROOT / "requirements" / f"{lock}.txt").read_text() for lock in locks)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    drivers = {Requirement(text).name for text in (*extras["postgresql"], *extras["redis"])} - {"fourcorners"}
    assert drivers == {"psycopg", "redis"}
    for driver in drivers:
        assert re.search(rf"^{driver}==", pinned, re.MULTILINE), driver


def test_service_of_the_image_owns_nothing_but_its_volume() -> None:
    *_, final = re.split(r"^FROM ", CONTAINERFILE, flags=re.MULTILINE)
    assert "--chown" not in CONTAINERFILE
    assert re.findall(r"install -d -m 0700 -o fourcorners -g fourcorners (\S+)", final) == ["/data"]
    assert re.findall(r"^VOLUME (\S+)", final, re.MULTILINE) == ["/data"]
    user = require(re.search(r"useradd --uid (\d+) --gid (\d+) ", final))
    assert f"groupadd --gid {user[2]} fourcorners" in final
    assert re.findall(r"^USER (\S+)", final, re.MULTILINE) == [f"{user[1]}:{user[2]}"]
    for variable in ("FOURCORNERS_CACHE", "FOURCORNERS_DATA"):
        assert require(re.search(rf"{variable}=(\S+)", final))[1].startswith("/data")


def test_labels_of_the_image_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]*)"', CONTAINERFILE))
    assert labels == {
        "title": "Fourcorners",
        "description": project["description"],
        "licenses": project["license"],
    }


def test_units_and_commands_of_the_guide_use_options_and_variables_that_exist() -> None:
    options, variables = list_options()
    units = "".join(re.findall(r"```ini\n(.*?)```", DEPLOY, re.DOTALL))
    assert set(re.findall(r"\b(FOURCORNERS_\w+)=", units)) <= variables | PROXY
    assert set(re.findall(r"\b(FOURCORNERS_\w+)=", units)) >= PROXY
    for line in re.findall(r"ExecStart=\S+/fourcorners serve (.*)", units):
        assert set(re.findall(r"--[\w-]+", line)) <= options
    ports = re.findall(r"fourcorners@(\d+)", DEPLOY)
    assert re.findall(r"FOURCORNERS_SERVERS=([^\"]*)", units) == [" ".join(f"127.0.0.1:{port}" for port in ports)]
