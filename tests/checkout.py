"""A copy of the project in which the scripts run with fake programs."""

import os
import shutil
import subprocess
from pathlib import Path

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
        path.unlink(missing_ok=True)  # or the tool that is linked here would be overwritten
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


def get_error_line(result: subprocess.CompletedProcess[str]) -> str:
    """Assert that a script failed with status 1 and printed one line, to standard error alone; return the line.

    Another line may say how long setting up took.
    """
    assert result.returncode == 1, result
    assert result.stdout == ""
    lines = [line for line in result.stderr.strip().splitlines() if not line.startswith("Set up in ")]
    assert len(lines) == 1, result.stderr
    return lines[0]
