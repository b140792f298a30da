"""The cache folder of compiled code, named by a hash of all sources; a temporary one if necessary."""

import atexit
import contextlib
import errno
import functools
import hashlib
import logging
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import numba
import numpy as np
import platformdirs
from numba import config

from fourcorners.core.compiler import FLAGS

_KEPT_FOLDERS = 4
_PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_LAYERS = ("core", "search", "solvers", "players", "builtin", "envs")
"""The subpackages with compiled functions, or with modules that those with compiled functions import."""
_VARIABLE = "FOURCORNERS_CACHE"

_logger = logging.getLogger(__name__)
_lock = threading.RLock()
_foreign: set[Path] = set()  # source folders of other packages
_in_use: dict[Path, int] = {}  # open file descriptors; their locks last as long as the process


def add_sources(folders: Iterable[Path]) -> None:
    """Add the Python files of folders to the sources that can be compiled in; kernels made later use another cache."""
    with _lock:
        _foreign.update(folder.resolve() for folder in folders)


def cache_folder() -> Path:
    """Return the cache folder for the present sources and flags; create it, and try to lock it for the process's life.

    It is in the folder named by FOURCORNERS_CACHE, or in the user's cache folder. If that is unusable, it is in a
    temporary folder, which a warning names; FOURCORNERS_CACHE names it from then on, so that child processes share it.
    The process's first call for a folder also deletes old ones (see `_prune_cache_folders`). Raise OSError if a source
    cannot be read or no folder can be used.
    """
    with _lock:
        base = Path(os.environ.get(_VARIABLE) or platformdirs.user_cache_path("fourcorners") / "kernels")
        key = _source_key(frozenset(_foreign))
        if base / key not in _in_use:
            try:
                _occupy(base, key)
            except OSError as error:
                base = _replace_base(base, key, error.strerror or str(error))
        return base / key


def _occupy(base: Path, key: str) -> None:
    """Create the folder with this key in a folder, and lock it for the process's life; needs `_lock`.

    Raise OSError if it cannot be used, or if it belongs to another user, whose code would be executed.
    """
    folder = base / key
    folder.mkdir(parents=True, exist_ok=True)
    if not _is_trusted(folder):
        raise PermissionError(errno.EPERM, "it belongs to another user", str(folder))
    held = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT)
    try:
        with tempfile.TemporaryFile(dir=folder):  # as Numba does, which would only say that there is no locator
            pass
        _try_lock(held, shared=True)
        with contextlib.suppress(OSError):
            os.utime(folder)  # the newest folder now: the newest ones are kept
            _prune_cache_folders(base)
    except BaseException:
        os.close(held)
        raise
    _in_use[folder] = held


def _is_trusted(folder: Path) -> bool:
    """Return whether a folder belongs to this user or the administrator; raise OSError if it does not exist."""
    return not hasattr(os, "getuid") or folder.stat().st_uid in {0, os.getuid()}


def _replace_base(base: Path, key: str, reason: str) -> Path:
    """Return a temporary folder in place of an unusable one, with a warning; needs `_lock`.

    Raise OSError, with an explanation, if that is unusable too.
    """
    advice = f"the environment variable {_VARIABLE} can name another one"
    try:
        temporary = _make_temporary_base()
        _occupy(temporary, key)
    except OSError as error:
        message = f"the folder {base} for compiled code cannot be used ({reason}), nor can a temporary one; {advice}"
        raise OSError(error.errno, message) from None
    # A cache that can be read but not written, as in a read-only container, saves compiling.
    with contextlib.suppress(OSError):
        if _is_trusted(base / key) and not any((temporary / key).rglob("*.nbi")):
            _copy_code(base / key, temporary / key)
    os.environ[_VARIABLE] = str(temporary)
    _logger.warning(
        "The folder %s for compiled code cannot be used (%s), so %s is used instead; %s.",
        base,
        reason,
        temporary,
        advice,
    )
    return temporary


def _copy_code(source: Path, target: Path) -> None:
    """Copy compiled code to a folder; the copies are writable even if the originals are not.

    Raise OSError if not all of it can be copied.
    """
    try:
        # Locks are not copied.
        ignore = shutil.ignore_patterns("in-use", "write")
        shutil.copytree(source, target, ignore=ignore, copy_function=shutil.copyfile, dirs_exist_ok=True)
    finally:
        for folder in (target, *filter(Path.is_dir, target.rglob("*"))):
            folder.chmod(0o700)


def _make_temporary_base() -> Path:
    """Return a folder for temporary files that only this user can write to; raise OSError.

    Code in it is executed, so another user must not be able to prepare it.
    """
    if hasattr(os, "getuid"):
        folder = Path(tempfile.gettempdir()) / f"fourcorners-kernels-{os.getuid()}"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
                return folder
    folder = Path(tempfile.mkdtemp(prefix="fourcorners-kernels-"))
    atexit.register(_remove_if_own, folder, os.getpid())
    return folder


def _remove_if_own(folder: Path, process: int) -> None:
    """Remove a folder unless this is a copy of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _source_key(foreign: frozenset[Path]) -> str:
    """Return a hash of the versions of Numba and NumPy, the flags and the sources, including the `foreign` folders. The
    hash is cached for each set of folders, so later edits go unnoticed. Raise OSError if a source cannot be read.
    """
    digest = hashlib.sha256()
    flags = (numba.__version__, np.__version__, config.BOUNDSCHECK, config.OPT, sorted(FLAGS.items()))
    digest.update(repr(flags).encode())
    for root in [_PACKAGE / layer for layer in COMPILED_LAYERS] + sorted(foreign):
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{path.relative_to(root.parent)}\0".encode())
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _prune_cache_folders(base: Path) -> None:
    """Delete the folders in `base` but the _KEPT_FOLDERS newest and those in use; needs `_lock`. Nothing is
    deleted where files cannot be locked; folders that cannot be opened or deleted stay. Raise OSError.
    """
    folders = sorted((f for f in base.iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime, reverse=True)
    for folder in folders[_KEPT_FOLDERS:]:
        try:
            held = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT)
        except OSError:
            continue
        if folder not in _in_use and _try_lock(held, shared=False):
            shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _try_lock(held: int, *, shared: bool) -> bool:
    """Try to lock an open file descriptor without waiting; return whether it worked, False where nothing can lock."""
    try:
        import fcntl  # noqa: PLC0415  # not on every system; without it nothing is locked or pruned
    except ImportError:
        return False
    try:
        fcntl.flock(held, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file, which is created, within a with statement; wait for it first.

    Processes that end release it. Where files cannot be locked, nothing is. Raise OSError if it cannot be created.
    """
    held = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        try:
            import fcntl  # noqa: PLC0415  # not on every system

            fcntl.flock(held, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield
    finally:
        os.close(held)
