"""Which browser `scripts/test` uses for the browser tests, and installs."""

import shutil

import pytest

from tests.checkout import FAKE_PYTHON, Checkout

# A case for FAKE_PYTHON that logs the browser of each phase of the tests.
BROWSER_TESTS = '"-m pytest "*) echo "browser $FOURCORNERS_BROWSER" >>"$CALLS" ;;'


def find_tested_browser(checkout: Checkout) -> str:
    """Run `scripts/test`, assert that it succeeds, clear the calls, and return the browser of its last phase.

    The fake Python must contain BROWSER_TESTS.
    """
    result = checkout.run("scripts/test")
    assert result.returncode == 0, result.stderr
    # Every phase logs its browser, which `scripts/test` looks for only before the last one.
    return [line for line in checkout.pop_calls() if line.startswith("browser ")][-1].removeprefix("browser ")


def test_browser_is_found_on_the_path(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f"{BROWSER_TESTS}\nesac"))
    fake_checkout.add_program("google-chrome", "#!{bash}\n")
    assert find_tested_browser(fake_checkout) == str(fake_checkout.bin / "google-chrome")


@pytest.mark.parametrize("others", [[], ["chromium"]], ids=["without a browser", "beside a slower one"])
def test_browser_is_installed_by_apt_get_as_root(fake_checkout: Checkout, others: list[str]) -> None:
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f"{BROWSER_TESTS}\nesac"))
    for name in others:
        fake_checkout.add_program(name, "#!{bash}\n")
    fake_checkout.add_program("id", "#!{bash}\necho 0\n")  # the user is root
    link = f'ln -s {shutil.which("true")} "{{bin}}/chromium-headless-shell"'
    install = f'#!{{bash}}\ncase "$*" in install*chromium*) {link} ;; esac\n'
    fake_checkout.add_program("apt-get", install)
    assert find_tested_browser(fake_checkout) == str(fake_checkout.bin / "chromium-headless-shell")


def test_slower_browser_is_used_if_apt_get_fails_which_is_tried_once(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f"{BROWSER_TESTS}\nesac"))
    fake_checkout.add_program("id", "#!{bash}\necho 0\n")  # the user is root
    fake_checkout.add_program("chromium", "#!{bash}\n")
    fake_checkout.add_program("apt-get", '#!{bash}\necho "$*" >>"$CALLS.apt"\nexit 1\n')
    for _ in range(2):
        assert find_tested_browser(fake_checkout) == str(fake_checkout.bin / "chromium")
    assert fake_checkout.calls.with_suffix(".apt").read_text() == "update -qq\n"


def test_browser_of_playwright_is_used_without_root(fake_checkout: Checkout) -> None:
    own = fake_checkout.bin / "own-chromium"
    fake_checkout.add_program("own-chromium", "#!{bash}\n")
    path = f'*executable_path*) echo "{own}" ;;'
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f"{path}\n{BROWSER_TESTS}\nesac"))
    fake_checkout.add_program("id", "#!{bash}\necho 1000\n")
    fake_checkout.add_program("apt-get", '#!{bash}\necho "apt-get $*" >>"$CALLS"\n')
    assert find_tested_browser(fake_checkout) == str(own)


def test_missing_browser_is_reported_without_root_and_playwright(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("id", "#!{bash}\necho 1000\n")
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", '"-m playwright "*) exit 1 ;;\nesac'))
    result = fake_checkout.run("scripts/test")
    assert result.returncode == 1
    assert "need Chromium, and none was found" in result.stderr
