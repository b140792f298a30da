"""The scripts in `scripts/`: what they do, what they skip, and what they report when something is missing."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = [
    "bash",
    "cat",
    "chmod",
    "cksum",
    "dirname",
    "find",
    "grep",
    "head",
    "id",
    "ln",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "touch",
    "uname",
]

# Replaces Python: creates an "environment" whose programs only log how they were called.
FAKE_PYTHON = """#!{bash}
echo "python $*" >>"$CALLS"
case "$*" in
*version_info*) exit 0 ;;
"-m venv --clear --without-pip "*)
    rm -rf .venv && mkdir -p .venv/bin
    echo "VIRTUAL_ENV=$PWD/.venv" >.venv/bin/activate
    ln -s "{bin}/{name}" .venv/bin/python
    ln -s "{bin}/fourcorners" .venv/bin/fourcorners ;;
*--target*) exit 1 ;;
esac
"""
# For it, pip can also install uv, which logs how it was called.
WITH_UV = """*--target*)
    mkdir -p .venv/tools/bin
    printf '#!{bash}\\necho "uv $*" >>"$CALLS"\\n' >.venv/tools/bin/uv
    chmod +x .venv/tools/bin/uv ;;
esac
"""
FAKE_COMMAND = """#!{bash}
echo "fourcorners $*" >>"$CALLS"
"""
FAKE_NODE = """#!{bash}
case "$*" in
-e*) exit 0 ;;
esac
echo "node $*" >>"$CALLS"
"""
FAKE_NPM = """#!{bash}
echo "npm $*" >>"$CALLS"
rm -rf node_modules && mkdir node_modules
"""


class Checkout:
    """A copy of the files that the scripts need, and a PATH with only the tools that every system has.

    `folder` is the copy, `bin` the only folder on the PATH, and `calls` the file in which fake programs log their
    calls.
    """

    def __init__(self, folder: Path) -> None:
        """Create `checkout` and `bin` in a folder, copy the scripts and link the tools, which must be installed."""
        self.folder = folder / "checkout"
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        for name in ("scripts", "requirements"):
            shutil.copytree(ROOT / name, self.folder / name)
        for name in ("pyproject.toml", "package.json", "package-lock.json"):
            shutil.copy(ROOT / name, self.folder)
        (self.folder / "src").mkdir()
        (self.folder / "src/game.py").write_text('"""A source."""\n')
        self.bin.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.bin / tool).symlink_to(found)

    def add_program(self, name: str, text: str) -> None:
        """Put an executable into `bin`, over any other; its text may refer to {bash}, {bin} and its own {name}."""
        path = self.bin / name
        path.write_text(
            text.replace("{bash}", str(shutil.which("bash"))).replace("{bin}", str(self.bin)).replace("{name}", name)
        )
        path.chmod(0o755)

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script with arguments in the copy; return its status and output, also if it fails.

        Its environment has only `bin` as its PATH, a home, no pip settings, and `variables`. After 120 seconds raise
        TimeoutExpired.
        """
        environment = {
            "PATH": str(self.bin),
            "HOME": str(self.folder.parent),
            "CALLS": str(self.calls),
            "PIP_CONFIG_FILE": os.devnull,
            **variables,
        }
        return subprocess.run(
            ["bash", *command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def pop_calls(self) -> list[str]:
        """Return the calls logged since the last time, without those that only look for a Python, and clear the log."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.write_text("")
        return [line for line in lines if "version_info" not in line]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Return a new checkout for each test."""
    return Checkout(tmp_path)


@pytest.fixture
def fake_checkout(checkout: Checkout) -> Checkout:
    """Return the test's checkout, in which Python, Node, npm and `fourcorners` are fakes that log their calls."""
    checkout.add_program("python3", FAKE_PYTHON)
    checkout.add_program("fourcorners", FAKE_COMMAND)
    checkout.add_program("node", FAKE_NODE)
    checkout.add_program("npm", FAKE_NPM)
    return checkout


def get_error_line(result: subprocess.CompletedProcess[str]) -> str:
    """Assert that a script failed with status 1 and printed one line, to standard error alone; return the line.

    Another line may say how long setting up took.
    """
    assert result.returncode == 1, result
    assert result.stdout == ""
    lines = [line for line in result.stderr.strip().splitlines() if not line.startswith("Set up in ")]
    assert len(lines) == 1, result.stderr
    return lines[0]


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


def test_somebody_who_has_configured_an_index_for_pip_gets_pip(fake_checkout: Checkout, tmp_path: Path) -> None:
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


def test_after_a_change_of_a_source_the_tests_compile_again(fake_checkout: Checkout) -> None:
    browser = str(fake_checkout.bin / "bash")

    def count_compilations() -> int:
        """Run the tests; return how often they had everything compiled."""
        fake_checkout.run("scripts/test", "tests/core", FOURCORNERS_BROWSER=browser)
        return fake_checkout.pop_calls().count("fourcorners warm")

    assert [count_compilations(), count_compilations()] == [1, 0]
    source = fake_checkout.folder / "src/game.py"
    # A file counts as changed if it is younger than the stamp of the last compilation.
    later = (fake_checkout.folder / ".venv/fourcorners-warm.stamp").stat().st_mtime + 5
    os.utime(source, (later, later))
    assert count_compilations() == 1


def test_failed_compilation_is_reported_by_the_tests_and_tried_again_next_time(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("fourcorners", FAKE_COMMAND + "[[ $1 != warm ]]\n")
    for _ in range(2):
        result = fake_checkout.run("scripts/test", "tests/core")
        assert result.returncode == 1
        assert "Compiling failed" in result.stderr
        assert "fourcorners warm" in fake_checkout.pop_calls()


def test_play_needs_no_installation_after_the_tests(fake_checkout: Checkout) -> None:
    fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash"))
    fake_checkout.pop_calls()
    fake_checkout.run("scripts/play")
    assert fake_checkout.pop_calls() == ["fourcorners serve"]


def test_marks_and_arguments_are_passed_to_all_phases(fake_checkout: Checkout) -> None:
    result = fake_checkout.run(
        "scripts/test", "-m", "slow", "-k", "a or b", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash")
    )
    assert result.returncode == 0, result.stderr
    runs = [line for line in fake_checkout.pop_calls() if "pytest" in line]
    assert [run.split("-m ", 2)[2].split(" -n ")[0] for run in runs] == [
        "(slow) and (not compiled and not browser)",
        "(slow) and (compiled and not browser)",
        "(slow) and (browser)",
    ]
    assert all(run.endswith("-k a or b") for run in runs)


def test_browser_phase_collects_only_browser_tests(fake_checkout: Checkout) -> None:
    fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash"))
    runs = [line for line in fake_checkout.pop_calls() if "pytest" in line]
    assert [run.endswith(" tests/browser") for run in runs] == [False, False, True]


@pytest.mark.parametrize(("status", "outcome"), [(0, 0), (1, 1), (5, 1)])
def test_exit_status_is_1_if_tests_fail_or_none_is_found(fake_checkout: Checkout, status: int, outcome: int) -> None:
    # pytest ends with 5 if it has found no tests.
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f'"-m pytest "*) exit {status} ;;\nesac'))
    assert fake_checkout.run("scripts/test", FOURCORNERS_BROWSER=str(fake_checkout.bin / "bash")).returncode == outcome


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


def test_browser_is_installed_by_apt_get_as_root(fake_checkout: Checkout) -> None:
    fake_checkout.add_program("python3", FAKE_PYTHON.replace("esac", f"{BROWSER_TESTS}\nesac"))
    fake_checkout.add_program("id", "#!{bash}\necho 0\n")  # the user is root
    link = f'ln -s {shutil.which("true")} "{{bin}}/chromium-headless-shell"'
    install = f'#!{{bash}}\ncase "$*" in install*chromium*) {link} ;; esac\n'
    fake_checkout.add_program("apt-get", install)
    assert find_tested_browser(fake_checkout) == str(fake_checkout.bin / "chromium-headless-shell")


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
