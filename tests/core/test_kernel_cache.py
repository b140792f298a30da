"""The folder of compiled code: one that cannot be used is replaced, and damaged files are compiled again."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.core import kernel_cache

PLAYER = """
import sys
import fourcorners as fc
from fourcorners.core import compiled_api, kernel_cache

for number in range(2):
    position = fc.game("sqez").start()
    print(compiled_api.bound(position.states, 0) == compiled_api.bound.run_interpreted(position.states, 0))
print(kernel_cache.cache_folder())
"""


def play_with_cache(cache: Path, temporary: Path, *sources: str) -> subprocess.CompletedProcess[str]:
    """Compile a function twice in a process with this cache, this folder for temporary files, and other sources."""
    environment = {
        **os.environ,
        "FOURCORNERS_CACHE": str(cache),
        "TMPDIR": str(temporary),
        "PYTHONPATH": os.pathsep.join([*sources, *sys.path]),
        "NUMBA_DISABLE_JIT": "0",
    }
    return subprocess.run([sys.executable, "-c", PLAYER], capture_output=True, text=True, env=environment, check=False)


@pytest.mark.compiled
def test_temporary_folder_of_this_user_takes_the_place_of_a_cache_that_cannot_be_used(tmp_path: Path) -> None:
    blocked = tmp_path / "file" / "cache"
    blocked.parent.write_text("in the way")
    for number in range(2):
        done = play_with_cache(blocked, tmp_path)
        *results, folder = done.stdout.splitlines()
        assert (done.returncode, results) == (0, ["True", "True"]), done.stderr
        warnings = [line for line in done.stderr.splitlines() if str(blocked) in line]
        assert len(warnings) == 1
        assert "FOURCORNERS_CACHE" in warnings[0]
        base = Path(folder).parent
        assert base.parent == tmp_path
        assert base.stat().st_mode & 0o777 == 0o700
        # The second process loads what the first one has compiled.
        assert ("Compiling for this computer" in done.stderr) == (number == 0)


def test_name_of_the_folder_depends_on_all_modules_with_compiled_functions_and_on_what_they_import() -> None:
    package = Path(fc.__file__).parent
    layers = set()
    for path in package.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if re.search(r"^from fourcorners\.core\.jit import (\([^)]*|.*)\b(kernel|jitable)", source, re.MULTILINE):
            layers |= {
                path.relative_to(package).parts[0],
                *re.findall(r"^from fourcorners\.(\w+)", source, re.MULTILINE),
            }
    assert layers == set(kernel_cache.COMPILED_LAYERS)


@pytest.mark.compiled
def test_second_checkout_of_the_same_sources_loads_what_the_first_has_compiled(tmp_path: Path) -> None:
    """The marks of what is done are for the sources, wherever they are, so the code must be as well."""
    copy = shutil.copytree("src", tmp_path / "src")
    assert "Compiling for this computer" in play_with_cache(tmp_path / "cache", tmp_path).stderr
    code = sorted((tmp_path / "cache").rglob("*.nbc"))
    assert play_with_cache(tmp_path / "cache", tmp_path, str(copy)).stderr == ""
    assert sorted((tmp_path / "cache").rglob("*.nbc")) == code


@pytest.mark.parametrize("kind", ["open to all", "link", "file"])
def test_temporary_folder_that_another_user_may_have_prepared_is_not_used(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = tmp_path / f"fourcorners-kernels-{os.getuid()}"
    if kind == "file":
        prepared.write_text("")
    elif kind == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        prepared.symlink_to(tmp_path / "elsewhere")
    else:
        prepared.mkdir()
        prepared.chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("FOURCORNERS_CACHE", "/dev/null/cache")
    folder = kernel_cache.cache_folder()
    assert prepared not in folder.parents
    assert os.environ["FOURCORNERS_CACHE"] == str(folder.parent)
    assert folder.parent.stat().st_mode & 0o777 == 0o700


def test_cache_without_any_folder_is_refused_with_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/dev/null")
    monkeypatch.setenv("FOURCORNERS_CACHE", "/dev/null/cache")
    with pytest.raises(
        OSError, match=r"the folder /dev/null/cache for compiled code cannot be used .*FOURCORNERS_CACHE"
    ):
        kernel_cache.cache_folder()


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator can give files away")
def test_cache_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("FOURCORNERS_CACHE", str(tmp_path / "cache"))
    folder = kernel_cache.cache_folder()
    assert folder.parent == tmp_path / "cache"
    monkeypatch.setattr(kernel_cache, "_in_use", {})
    os.chown(folder, 12345, 12345)
    assert kernel_cache.cache_folder().parent == tmp_path / "fourcorners-kernels-0"


def test_copy_of_a_cache_that_is_read_only_can_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "_in_use", {})
    monkeypatch.setenv("FOURCORNERS_CACHE", str(tmp_path / "cache"))
    source = kernel_cache.cache_folder()
    (source / "core").mkdir()
    for name in ("function.nbi", "write"):
        (source / "core" / name).write_text("code")
        (source / "core" / name).chmod(0o444)
    (source / "in-use").chmod(0o444)
    for folder in (source / "core", source):
        folder.chmod(0o555)
    occupy = kernel_cache._occupy

    def refuse(base: Path, key: str) -> None:
        """Refuse the cache also to the administrator, who may write to what is read-only."""
        if base / key == source:
            raise PermissionError(13, "Permission denied")
        occupy(base, key)

    monkeypatch.setattr(kernel_cache, "_in_use", {})
    monkeypatch.setattr(kernel_cache, "_occupy", refuse)
    copy = kernel_cache.cache_folder()
    assert copy != source
    assert [file.name for file in (copy / "core").iterdir()] == ["function.nbi"]
    assert all(path.stat().st_mode & 0o200 for path in (copy, *copy.rglob("*")))


@pytest.mark.compiled
@pytest.mark.parametrize("damage", ["empty", "truncated", "changed", "folder"])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_file_of_the_cache_is_compiled_again(damage: str, suffix: str, tmp_path: Path) -> None:
    before = play_with_cache(tmp_path / "cache", tmp_path)
    file = next(file for file in (tmp_path / "cache").rglob(f"*{suffix}") if "bound" in file.name)
    content = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    else:
        middle = len(content) // 2
        changed = content[:middle] + bytes(200) + content[middle + 200 :]
        file.write_bytes({"empty": b"", "truncated": content[:middle], "changed": changed}[damage])
    for _ in range(2):
        after = play_with_cache(tmp_path / "cache", tmp_path)
        assert (after.returncode, after.stdout) == (0, before.stdout), after.stderr
        assert "Traceback" not in after.stderr
