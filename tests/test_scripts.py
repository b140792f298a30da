"""The scripts a newcomer meets first: what they do, what they leave undone, and what they say when something lacks."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = [
    "bash",
    "cat",
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

# Stands in for Python: makes an "environment" whose programs only write down how they were called.
FAKE_PYTHON = """#!{bash}
echo "python $*" >>"$CALLS"
case "$*" in
*version_info*) exit 0 ;;
"-m venv --clear "*)
    rm -rf .venv && mkdir -p .venv/bin
    echo "#!$PWD/.venv/bin/python" >.venv/bin/pip
    ln -s "{fakes}/{name}" .venv/bin/python
    ln -s "{fakes}/fourcorners" .venv/bin/fourcorners ;;
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
    """A copy of what the scripts read, and a PATH with only the tools that every system has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.fakes = folder / "bin"
        self.calls = folder / "calls"
        for name in ("scripts", "requirements"):
            shutil.copytree(ROOT / name, self.folder / name)
        for name in ("pyproject.toml", "package.json", "package-lock.json"):
            shutil.copy(ROOT / name, self.folder)
        (self.folder / "src").mkdir()
        (self.folder / "src/game.py").write_text('"""A source."""\n')
        self.fakes.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found, tool
            (self.fakes / tool).symlink_to(found)

    def program(self, name: str, text: str) -> None:
        path = self.fakes / name
        path.write_text(
            text.replace("{bash}", str(shutil.which("bash")))
            .replace("{fakes}", str(self.fakes))
            .replace("{name}", name)
        )
        path.chmod(0o755)

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": str(self.fakes),
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

    def called(self) -> list[str]:
        """Return the calls since the last time, without the looking for a Python."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.write_text("")
        return [line for line in lines if "version_info" not in line]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def faked(checkout: Checkout) -> Checkout:
    checkout.program("python3", FAKE_PYTHON)
    checkout.program("fourcorners", FAKE_COMMAND)
    checkout.program("node", FAKE_NODE)
    checkout.program("npm", FAKE_NPM)
    return checkout


def said(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence that a failing script says."""
    assert result.returncode == 1, result
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


@pytest.mark.parametrize("script", ["play", "test", "check"])
def test_no_python(checkout: Checkout, script: str) -> None:
    assert "needs Python 3.11 or newer, and none was found" in said(checkout.run(f"scripts/{script}"))


def test_python_too_old(checkout: Checkout) -> None:
    checkout.program("python3", '#!{bash}\ncase "$*" in *version_info*) exit 1 ;; *) echo 3.9.2 ;; esac\n')
    assert "needs Python 3.11 or newer, and the newest found is 3.9.2" in said(checkout.run("scripts/play"))


def test_newer_python_under_another_name(faked: Checkout) -> None:
    faked.program("python3", "#!{bash}\nexit 1\n")
    faked.program("python3.12", FAKE_PYTHON)
    assert faked.run("scripts/play").returncode == 0


def test_python_without_venv(checkout: Checkout) -> None:
    checkout.program("python3", '#!{bash}\ncase "$*" in *version_info*) exit 0 ;; *) exit 1 ;; esac\n')
    assert "python3-venv" in said(checkout.run("scripts/play"))


def test_no_network(checkout: Checkout) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
        result = checkout.run("scripts/play", PYTHON=sys.executable, PIP_INDEX_URL=index, PIP_NO_CACHE_DIR="1")
    assert "no package index was reached: connect to the network" in said(result)
    assert not (checkout.folder / ".venv/fourcorners-run.stamp").exists()


def test_other_trouble_with_pip_is_told_apart(faked: Checkout) -> None:
    fake = FAKE_PYTHON.replace(
        "esac", '"-m pip install "*) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1 ;;\nesac'
    )
    faked.program("python3", fake)
    assert "pip's own words are in .venv/install.log" in said(faked.run("scripts/play"))
    assert "HASHES" in (faked.folder / ".venv/install.log").read_text()


def test_first_start_installs_and_compiles_then_serves(faked: Checkout) -> None:
    result = faked.run("scripts/play", "--port", "8123", "--data", "some where")
    assert (result.returncode, result.stderr) == (0, "")
    venv, lock, package, warm, serve = faked.called()
    assert venv == "python -m venv --clear .venv"
    assert "--require-hashes -r requirements/run.txt" in lock
    assert "--no-index -e ." in package
    assert warm == "fourcorners warm"
    assert serve == "fourcorners serve --port 8123 --data some where"


def test_second_start_only_serves(faked: Checkout) -> None:
    faked.run("scripts/play")
    faked.called()
    faked.run("scripts/play", "--host", "0.0.0.0")
    assert faked.called() == ["fourcorners serve --host 0.0.0.0"]


@pytest.mark.parametrize("changed", ["requirements/run.txt", "pyproject.toml"])
def test_changed_lock_installs_again(faked: Checkout, changed: str) -> None:
    faked.run("scripts/play")
    faked.called()
    with (faked.folder / changed).open("a") as file:
        file.write("# changed\n")
    faked.run("scripts/play")
    assert [line for line in faked.called() if "--require-hashes" in line]


def test_moved_checkout_installs_again(faked: Checkout) -> None:
    faked.run("scripts/play")
    faked.called()
    faked.folder = faked.folder.rename(faked.folder.with_name("elsewhere"))
    faked.run("scripts/play")
    calls = faked.called()
    assert calls[0] == "python -m venv --clear .venv"
    assert [line for line in calls if "-e ." in line]


def test_changed_source_compiles_again(faked: Checkout) -> None:
    faked.run("scripts/play")
    faked.called()
    source = faked.folder / "src/game.py"
    later = (faked.folder / ".venv/fourcorners-warm.stamp").stat().st_mtime + 5
    os.utime(source, (later, later))
    faked.run("scripts/play")
    assert faked.called() == ["fourcorners warm", "fourcorners serve"]


def test_failing_compilation_is_tried_again(faked: Checkout) -> None:
    faked.program("fourcorners", FAKE_COMMAND + "[[ $1 != warm ]]\n")
    assert "Compiling the rules failed" in said(faked.run("scripts/play"))
    faked.called()
    faked.run("scripts/play")
    assert faked.called() == ["fourcorners warm"]


def test_environment_for_tests_is_enough_to_play(faked: Checkout) -> None:
    faked.run("scripts/test", FOURCORNERS_BROWSER=str(faked.fakes / "bash"))
    faked.called()
    faked.run("scripts/play")
    assert faked.called() == ["fourcorners serve"]


def test_phases_keep_what_was_asked_for(faked: Checkout) -> None:
    result = faked.run("scripts/test", "-m", "slow", "-k", "a or b", FOURCORNERS_BROWSER=str(faked.fakes / "bash"))
    assert result.returncode == 0, result.stderr
    runs = [line for line in faked.called() if "pytest" in line]
    assert [run.split("-m ", 2)[2].split(" -n ")[0] for run in runs] == [
        "(slow) and (not compiled and not browser)",
        "(slow) and (compiled and not browser)",
        "(slow) and (browser)",
    ]
    assert all(run.endswith("-k a or b") for run in runs)


def test_only_tests_in_a_browser_are_collected_for_the_browser(faked: Checkout) -> None:
    faked.run("scripts/test", FOURCORNERS_BROWSER=str(faked.fakes / "bash"))
    runs = [line for line in faked.called() if "pytest" in line]
    assert [run.endswith(" tests/browser") for run in runs] == [False, False, True]


@pytest.mark.parametrize(("status", "outcome"), [(0, 0), (1, 1), (5, 1)])
def test_failures_and_no_tests_at_all_are_failures(faked: Checkout, status: int, outcome: int) -> None:
    faked.program("python3", FAKE_PYTHON.replace("esac", f'"-m pytest "*) exit {status} ;;\nesac'))
    assert faked.run("scripts/test", FOURCORNERS_BROWSER=str(faked.fakes / "bash")).returncode == outcome


@pytest.mark.parametrize("script", ["test", "check"])
def test_missing_node_is_one_sentence(faked: Checkout, script: str) -> None:
    (faked.fakes / "node").unlink()
    assert "with Node 20 or newer, and none was found" in said(faked.run(f"scripts/{script}"))


def test_old_node_is_named(faked: Checkout) -> None:
    faked.program("node", "#!{bash}\n[[ $1 == --version ]] && echo v18.1.0\n")
    assert "with Node 20 or newer, and the one found is v18.1.0" in said(faked.run("scripts/test"))


def test_missing_npm_is_one_sentence(faked: Checkout) -> None:
    (faked.fakes / "npm").unlink()
    assert "no npm was found: install npm" in said(faked.run("scripts/check"))


def test_failing_npm_names_its_log(faked: Checkout) -> None:
    faked.program("npm", "#!{bash}\necho no registry >&2\nexit 1\n")
    result = faked.run("scripts/check")
    assert result.returncode == 1
    assert "see .venv/npm.log" in result.stderr
    assert (faked.folder / ".venv/npm.log").read_text() == "no registry\n"


@pytest.mark.parametrize("changed", ["package.json", "package-lock.json"])
def test_tools_for_the_page_are_installed_once_for_each_lock(faked: Checkout, changed: str) -> None:
    def installs() -> list[str]:
        faked.run("scripts/check")
        return [line for line in faked.called() if line.startswith("npm ")]

    assert installs() == ["npm ci --ignore-scripts --no-audit --no-fund"]
    assert installs() == []
    with (faked.folder / changed).open("a") as file:
        file.write("\n")
    assert len(installs()) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["node", "pytest", "pytest", "pytest"]),
        (["tests/core"], ["pytest", "pytest", "pytest"]),
        (["-m", "slow"], ["pytest", "pytest", "pytest"]),
        (["tests/js"], ["node"]),
    ],
)
def test_tests_of_the_page_scripts_run_first_or_alone(
    faked: Checkout, arguments: list[str], expected: list[str]
) -> None:
    result = faked.run("scripts/test", *arguments, FOURCORNERS_BROWSER=str(faked.fakes / "bash"))
    assert result.returncode == 0, result.stderr
    calls = [line for line in faked.called() if line.startswith("node ") or "pytest" in line]
    assert ["node" if call.startswith("node ") else "pytest" for call in calls] == expected


@pytest.mark.parametrize("arguments", [[], ["tests/js"]])
def test_failing_tests_of_the_page_scripts_are_failures(faked: Checkout, arguments: list[str]) -> None:
    faked.program("node", "#!{bash}\n[[ $1 == -e ]]\n")
    result = faked.run("scripts/test", *arguments, FOURCORNERS_BROWSER=str(faked.fakes / "bash"))
    assert result.returncode == 1
    assert result.stderr.endswith("Failed: script tests.\n")


BROWSER_TESTS = '"-m pytest "*) echo "browser $FOURCORNERS_BROWSER" >>"$CALLS" ;;'


def browser_used(checkout: Checkout) -> str:
    result = checkout.run("scripts/test")
    assert result.returncode == 0, result.stderr
    return [line for line in checkout.called() if line.startswith("browser ")][-1].removeprefix("browser ")


def test_browser_on_the_path(faked: Checkout) -> None:
    faked.program("python3", FAKE_PYTHON.replace("esac", f"{BROWSER_TESTS}\nesac"))
    faked.program("google-chrome", "#!{bash}\n")
    assert browser_used(faked) == str(faked.fakes / "google-chrome")


def test_browser_from_apt_get(faked: Checkout) -> None:
    faked.program("python3", FAKE_PYTHON.replace("esac", f"{BROWSER_TESTS}\nesac"))
    faked.program("id", "#!{bash}\necho 0\n")
    install = f'#!{{bash}}\ncase "$*" in install*chromium*) ln -s {shutil.which("true")} "{{fakes}}/chromium" ;; esac\n'
    faked.program("apt-get", install)
    assert browser_used(faked) == str(faked.fakes / "chromium")


def test_browser_of_playwright_where_apt_get_may_not(faked: Checkout) -> None:
    own = faked.fakes / "own-chromium"
    faked.program("own-chromium", "#!{bash}\n")
    path = f'*executable_path*) echo "{own}" ;;'
    faked.program("python3", FAKE_PYTHON.replace("esac", f"{path}\n{BROWSER_TESTS}\nesac"))
    faked.program("id", "#!{bash}\necho 1000\n")
    faked.program("apt-get", '#!{bash}\necho "apt-get $*" >>"$CALLS"\n')
    assert browser_used(faked) == str(own)


def test_no_browser_fails_and_says_so(faked: Checkout) -> None:
    faked.program("id", "#!{bash}\necho 1000\n")
    faked.program("python3", FAKE_PYTHON.replace("esac", '"-m playwright "*) exit 1 ;;\nesac'))
    result = faked.run("scripts/test")
    assert result.returncode == 1
    assert "need a Chromium, and there is none" in result.stderr


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_taken_port(taken_port: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fourcorners", "serve", "--port", str(taken_port), "--data", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode != 0
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert str(taken_port) in lines[0]
