"""Node and npm: the tools for the page’s scripts, and their tests."""

import pytest

from tests.checkout import Checkout, get_error_line


@pytest.mark.parametrize("script", ["test", "check"])
def test_missing_node_is_reported_in_one_line(fake_checkout: Checkout, script: str) -> None:
    (fake_checkout.bin / "node").unlink()
    assert "with Node 20 or newer, and none was found" in get_error_line(fake_checkout.run(f"scripts/{script}"))


def test_old_node_is_reported_with_its_version(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("node", "#!{bash}\n[[ $1 == --version ]] && echo v18.1.0\n")
    assert "with Node 20 or newer, and the one found is v18.1.0" in get_error_line(fake_checkout.run("scripts/test"))


def test_missing_npm_is_reported_in_one_line(fake_checkout: Checkout) -> None:
    (fake_checkout.bin / "npm").unlink()
    assert "no npm was found: install npm" in get_error_line(fake_checkout.run("scripts/check"))


def test_failing_npm_is_reported_with_the_path_of_its_log(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("npm", "#!{bash}\necho no registry >&2\nexit 1\n")
    result = fake_checkout.run("scripts/check")
    assert result.returncode == 1
    assert "see .venv/npm.log" in result.stderr
    assert (fake_checkout.folder / ".venv/npm.log").read_text() == "no registry\n"


@pytest.mark.parametrize("changed", ["package.json", "package-lock.json"])
def test_tools_for_the_page_are_installed_again_only_after_a_change_of_package_or_lock(
    fake_checkout: Checkout, changed: str
) -> None:
    def check_and_list_installs() -> list[str]:
        """Run `scripts/check`; return the calls of npm."""
        fake_checkout.run("scripts/check")
        return [line for line in fake_checkout.pop_calls() if line.startswith("npm ")]

    assert check_and_list_installs() == ["npm ci --ignore-scripts --no-audit --no-fund"]
    assert check_and_list_installs() == []
    with (fake_checkout.folder / changed).open("a") as file:
        file.write("\n")
    assert len(check_and_list_installs()) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["node", "pytest", "pytest", "pytest"]),
        (["tests/core"], ["pytest", "pytest", "pytest"]),
        (["-m", "not slow"], ["node", "pytest", "pytest", "pytest"]),
        (["-m", "slow"], ["pytest", "pytest", "pytest"]),
        (["tests/js"], ["node"]),
    ],
)
def test_page_scripts_are_tested_first_without_arguments_and_alone_with_their_folder(
    fake_checkout: Checkout, arguments: list[str], expected: list[str]
) -> None:
    result = fake_checkout.run("scripts/test", *arguments, FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash"))
    assert result.returncode == 0, result.stderr
    calls = [line for line in fake_checkout.pop_calls() if line.startswith("node ") or "pytest" in line]
    assert ["node" if call.startswith("node ") else "pytest" for call in calls] == expected


@pytest.mark.parametrize("arguments", [[], ["tests/js"]])
def test_failing_tests_of_the_page_scripts_end_with_status_1_and_a_summary(
    fake_checkout: Checkout, arguments: list[str]
) -> None:
    # Succeeds only when the script asks for its version.
    fake_checkout.add_program("node", "#!{bash}\n[[ $1 == -e ]]\n")
    result = fake_checkout.run("scripts/test", *arguments, FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash"))
    assert result.returncode == 1
    assert result.stderr.endswith("Failed: script tests.\n")
