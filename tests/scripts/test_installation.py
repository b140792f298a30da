"""Which Python the scripts take, what they install and when, and what they report when something is missing."""

import re
import shutil
import socket
import sys
from pathlib import Path

import pytest

from tests.checkout import FAKE_PYTHON, WITH_UV, Checkout, get_error_line


@pytest.mark.parametrize("script", ["play", "test", "check"])
def test_missing_python_is_reported_in_one_line(checkout: Checkout, script: str) -> None:
    assert "needs Python 3.11 or newer, and none was found" in get_error_line(checkout.run(f"scripts/{script}"))


def test_old_python_is_reported_with_its_version(checkout: Checkout) -> None:
    checkout.add_program("python3", '#!{bash}\ncase "$*" in *version_info*) exit 1 ;; *) echo 3.9.2 ;; esac\n')
    assert "needs Python 3.11 or newer, and the newest found is 3.9.2" in get_error_line(checkout.run("scripts/play"))


def test_python_is_found_under_a_name_with_its_version(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("python3", "#!{bash}\nexit 1\n")
    fake_checkout.add_program("python3.12", FAKE_PYTHON)
    assert fake_checkout.run("scripts/play").returncode == 0


def test_missing_package_for_venv_is_named(checkout: Checkout) -> None:
    checkout.add_program("python3", '#!{bash}\ncase "$*" in *version_info*) exit 0 ;; *) exit 1 ;; esac\n')
    assert "python3-venv" in get_error_line(checkout.run("scripts/play"))


def test_message_of_pip_about_an_unreachable_index_is_reported_as_a_missing_network(fake_checkout: Checkout) -> None:
    fake = FAKE_PYTHON.replace(
        "*--target*) exit 1 ;;",
        '"-m pip install "*) echo "ERROR: Could not find a version (from versions: none)" >&2; exit 1 ;;',
    )
    fake_checkout.add_program("python3", fake)
    assert "no package index could be reached: connect to the network" in get_error_line(
        fake_checkout.run("scripts/play")
    )
    assert not (fake_checkout.folder / ".venv/fourcorners-run.stamp").exists()


@pytest.mark.slow  # installing pip and letting it try takes five seconds
def test_unreachable_package_index_is_reported_as_a_missing_network(checkout: Checkout) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
        result = checkout.run("scripts/play", PYTHON=sys.executable, PIP_INDEX_URL=index, PIP_NO_CACHE_DIR="1")
    assert "no package index could be reached: connect to the network" in get_error_line(result)
    assert not (checkout.folder / ".venv/fourcorners-run.stamp").exists()


def test_other_pip_errors_are_reported_with_the_path_of_the_log(fake_checkout: Checkout) -> None:
    fake = FAKE_PYTHON.replace(
        "*--target*) exit 1 ;;",
        '"-m pip install "*) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1 ;;',
    )
    fake_checkout.add_program("python3", fake)
    assert "see .venv/install.log" in get_error_line(fake_checkout.run("scripts/play"))
    assert "HASHES" in (fake_checkout.folder / ".venv/install.log").read_text()


def test_first_start_installs_with_uv_says_how_long_that_took_and_serves(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("*--target*) exit 1 ;;\nesac\n", WITH_UV))
    result = fake_checkout.run("scripts/play", "--port", "8123", "--data", "some where")
    assert result.returncode == 0
    pattern = r"Set up in \d+ s: environment \d+ s, packages \d+ s, loading them \d+ s\.\n"
    assert re.fullmatch(pattern, result.stderr)
    venv, installer, lock, package, *first_imports, serve = fake_checkout.pop_calls()
    assert venv == "python -m venv --clear --without-pip .venv"
    assert "--require-hashes --target .venv/tools -r requirements/uv.txt" in installer
    assert lock.startswith("uv pip install ")
    assert lock.endswith("--require-hashes -r requirements/run.txt")
    assert package.endswith("--no-index -e .")
    assert any("import fourcorners" in line for line in first_imports)
    assert serve == "fourcorners serve --port 8123 --data some where"


def test_packages_are_installed_with_pip_if_there_is_no_uv(fake_checkout: Checkout) -> None:
    assert fake_checkout.run("scripts/play").returncode == 0
    calls = fake_checkout.pop_calls()
    installs = [call for call in calls if "-m pip install" in call and "--target" not in call]
    assert ["-r requirements/run.txt" in install for install in installs] == [True, False]
    assert "--require-hashes" in installs[0]
    assert "--no-index -e ." in installs[1]
    assert sum("--target" in call for call in calls) == 1


def test_a_user_who_has_configured_an_index_for_pip_gets_pip(fake_checkout: Checkout, tmp_path: Path) -> None:
    fake_checkout.add_program("uv", '#!{bash}\necho "uv $*" >>"$CALLS"\n')
    fake_checkout.run("scripts/play")
    assert any(call.startswith("uv ") for call in fake_checkout.pop_calls())
    settings = tmp_path / "pip.conf"
    settings.write_text("[global]\nindex-url = https://packages.example/simple\n")
    for variables in ({"PIP_CONFIG_FILE": str(settings)}, {"PIP_INDEX_URL": "https://packages.example/simple"}):
        shutil.rmtree(fake_checkout.folder / ".venv")
        fake_checkout.run("scripts/play", **variables)
        calls = fake_checkout.pop_calls()
        assert not any(call.startswith("uv ") for call in calls)
        assert any("-m pip install" in call for call in calls)


def test_second_start_only_serves(fake_checkout: Checkout) -> None:
    fake_checkout.run("scripts/play")
    fake_checkout.pop_calls()
    fake_checkout.run("scripts/play", "--host", "0.0.0.0")
    assert fake_checkout.pop_calls() == ["fourcorners serve --host 0.0.0.0"]


@pytest.mark.parametrize("changed", ["requirements/run.txt", "pyproject.toml"])
def test_changed_requirements_are_installed_again(fake_checkout: Checkout, changed: str) -> None:
    fake_checkout.run("scripts/play")
    fake_checkout.pop_calls()
    with (fake_checkout.folder / changed).open("a") as file:
        file.write("# changed\n")
    fake_checkout.run("scripts/play")
    assert [line for line in fake_checkout.pop_calls() if "--require-hashes" in line]


def test_moved_checkout_is_installed_again(fake_checkout: Checkout) -> None:
    fake_checkout.run("scripts/play")
    fake_checkout.pop_calls()
    fake_checkout.folder = fake_checkout.folder.rename(fake_checkout.folder.with_name("elsewhere"))
    fake_checkout.run("scripts/play")
    calls = fake_checkout.pop_calls()
    assert calls[0] == "python -m venv --clear --without-pip .venv"
    assert [line for line in calls if "-e ." in line]


def test_play_needs_no_installation_after_the_tests(fake_checkout: Checkout) -> None:
    fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash"))
    fake_checkout.pop_calls()
    fake_checkout.run("scripts/play")
    assert fake_checkout.pop_calls() == ["fourcorners serve"]
