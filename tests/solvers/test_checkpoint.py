"""Checkpoints of solves: resumed by another process, never lost, never mistaken for another."""

import errno
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError
from fourcorners.solvers import checkpoint
from fourcorners.solvers.checkpoint import SolveState
from fourcorners.solvers.margins import MarginSolver
from fourcorners.solvers.maxn import MaxNSolver
from fourcorners.solvers.nimbers import NimberSolver
from fourcorners.solvers.transposition_table import create_table

MEMORY = 1 << 18
# Load a checkpoint and finish the solve. Print the saved nodes, the bounds before and after, and the further nodes.
RESUME = """
import json, sys
from pathlib import Path
import fourcorners as fc
from fourcorners.solvers import checkpoint, solver
name, options, path, memory = json.loads(sys.argv[1])
game = fc.game(name, **options)
backend = solver.create_backend(game, memory)
state = checkpoint.load(Path(path), game.start(), backend)
task = backend.create_task(game.start())
bounds = task.lower, task.upper
while not task.advance(100):
    pass
print(json.dumps([state.nodes, *bounds, task.lower, task.upper, task.nodes]))
"""
# Search 50 nodes, save them, and die once the words are written but the file is not renamed.
SAVE_AND_DIE = """
import json, os, signal, sys
from pathlib import Path
import fourcorners as fc
from fourcorners.solvers import checkpoint, solver
path, memory = json.loads(sys.argv[1])
position = fc.game("dots-and-boxes", cols=2, rows=2).start()
backend = solver.create_backend(position.game, memory)
backend.create_task(position).advance(50)
os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)
checkpoint.save(Path(path), position, backend, checkpoint.SolveState(-4, 4, 50, 1.0, memory))
"""


def run_process(program: str, *arguments: Any) -> subprocess.CompletedProcess[str]:
    """Run a program in a new interpreter, with the arguments as one JSON list in `sys.argv[1]`; return how it ended.

    Raise TimeoutExpired after 300 seconds.
    """
    command = [sys.executable, "-c", program, json.dumps(arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def create_state(task: Any) -> SolveState:
    """Return the state of a task to save, with its bounds and nodes, 1.5 seconds and MEMORY bytes."""
    return SolveState(task.lower, task.upper, task.nodes, 1.5, MEMORY)


def save_partial_solve(path: Path, nodes: int, **options: Any) -> tuple[fc.Position, MarginSolver]:
    """Save a solve of Dots and Boxes from the start after up to `nodes` nodes; return the position and the solver.

    `options` are those of the game. The state is that of `create_state`.
    """
    position = fc.game("dots-and-boxes", **options).start()
    backend = MarginSolver(position.game, MEMORY)
    task = backend.create_task(position)
    task.advance(nodes)
    checkpoint.save(path, position, backend, create_state(task))
    return position, backend


def get_refusal(path: Path, position: fc.Position, backend: Any = None) -> str:
    """Return the message with which a checkpoint of a position is refused; assert that the file is unchanged.

    `backend` is the solver to load it into, by default a new MarginSolver with MEMORY bytes.
    """
    before = path.read_bytes()
    with pytest.raises(GameError) as caught:
        checkpoint.load(path, position, backend or MarginSolver(position.game, MEMORY))
    assert path.read_bytes() == before
    assert caught.value.code == "checkpoint"
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "options", "value"),
    [
        pytest.param("dots-and-boxes", {"cols": 3, "rows": 2}, -2, marks=pytest.mark.ci),
        ("square-off", {"size": 4, "swap": False, "symmetry": "none"}, None),
        ("sqez", {"cols": 6, "rows": 5}, -1),
    ],
)
def test_another_process_can_resume_a_solve(
    tmp_path: Path, name: str, options: dict[str, Any], value: int | None
) -> None:
    path = tmp_path / "game.solve"
    position = fc.game(name, **options).start()
    if name == "square-off":
        position = position.game.replay(["a1", "d4", "b2", "c3", "a4", "d1"])
    kind = NimberSolver if name == "sqez" else MarginSolver
    scratch = kind(position.game, MEMORY).create_task(position)
    while not scratch.advance(50):
        pass
    assert value in (None, scratch.lower)

    backend = kind(position.game, MEMORY)
    task = backend.create_task(position)
    budget = scratch.nodes * 3 // 5
    assert not task.advance(budget)
    checkpoint.save(path, position, backend, create_state(task))
    # 60 per cent of the nodes are searched. The other process sets the position up from its line and does the rest.
    program = RESUME.replace("game.start()", f"game.position({position.text!r})")
    process = run_process(program, name, options, str(path), MEMORY)
    assert process.returncode == 0, process.stderr
    nodes, lower, upper, *bounds, additional_nodes = json.loads(process.stdout)
    assert (nodes, lower, upper) == (task.nodes, task.lower, task.upper)
    assert bounds == [scratch.lower, scratch.upper]
    assert 0 < additional_nodes < scratch.nodes


def test_proven_bounds_are_restored_even_if_the_table_has_lost_them(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position, backend = save_partial_solve(path, 10, cols=2, rows=2)
    backend.table[:] = 0
    checkpoint.save(path, position, backend, SolveState(2, 4, 10, 1.0, MEMORY))
    loaded = MarginSolver(position.game, MEMORY)
    checkpoint.load(path, position, loaded)
    task = loaded.create_task(position)
    assert (task.lower, task.upper) == (2, 4)
    # The bounds are for this position only.
    assert not any(loaded.create_task(position.play(move)).lower > 0 for move in position.moves())


def test_whole_table_is_restored_and_empty_pages_take_no_space(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    backend = MarginSolver(position.game, 1 << 26)
    backend.table = create_table(1 << 25)
    task = backend.create_task(position)
    while not task.advance(100):
        pass
    checkpoint.save(path, position, backend, create_state(task))
    loaded = MarginSolver(position.game, 1 << 26)
    assert checkpoint.load(path, position, loaded) == create_state(task)
    assert (loaded.table == backend.table).all()
    assert loaded.filled == backend.filled == (backend.table[:, 1::2] != 0).sum() > 0
    # 32 MiB of words, of which less than 4 MiB are on the disk; a block has 512 bytes.
    assert path.stat().st_size > 1 << 25
    assert path.stat().st_blocks * 512 < 1 << 22


def test_nimber_table_can_be_loaded_into_a_larger_memory_but_not_into_a_smaller_one(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position = fc.game("sqez", cols=6, rows=6).start()
    backend = NimberSolver(position.game, 1 << 20)
    task = backend.create_task(position)
    while not task.advance(100):
        pass
    checkpoint.save(path, position, backend, create_state(task))
    larger = NimberSolver(position.game, 1 << 22)
    checkpoint.load(path, position, larger)
    loaded_task = larger.create_task(position)
    assert (loaded_task.nimber, loaded_task.nodes) == (4, 0)
    assert list(larger.table.counts) == list(backend.table.counts)
    assert "has a memory of" in get_refusal(path, position, NimberSolver(position.game, 1 << 10))


def test_checkpoint_of_another_position_options_game_or_version_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.solve"
    position, _ = save_partial_solve(path, 30, cols=2, rows=2)
    assert "another position" in get_refusal(path, position.play("a1b1"))
    assert "other options" in get_refusal(path, fc.game("dots-and-boxes", cols=2, rows=1).start())
    assert "another game" in get_refusal(path, fc.game("square-off", size=4).start())
    assert f"has a memory of {MEMORY} bytes" in get_refusal(path, position, MarginSolver(position.game, MEMORY // 2))
    monkeypatch.setattr(checkpoint, "_hash_sources", lambda _: "0")
    assert "another version" in get_refusal(path, position)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"[]\n",
        b"{}\n",
        b"\xff\xfe\x00",
        b'{"fourcorners checkpoint": 1}\n',
        b"[" * 50_000 + b"\n",
        b'{"fourcorners checkpoint": %d, "lower": 1e999}\n' % checkpoint.FORMAT,
    ],
)
def test_file_that_is_no_checkpoint_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "game.solve"
    path.write_bytes(text)
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    assert get_refusal(path, position).endswith("is not a checkpoint of a solve")


def test_checkpoint_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    path.write_bytes(b'{"fourcorners checkpoint": 99}\n')
    assert "format 99" in get_refusal(path, position)


def test_damaged_file_is_refused_and_the_whole_one_loaded(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position, backend = save_partial_solve(path, 30, cols=2, rows=2)
    whole = path.read_bytes()
    # The first byte of the first word that is not 0.
    place = len(whole) - backend.table.nbytes + int((backend.table.reshape(-1) != 0).argmax()) * 8
    flipped = bytearray(whole)
    flipped[place] ^= 1
    for damaged in (whole[:-1], whole[: MEMORY // 2], whole + b"\0", bytes(flipped)):
        path.write_bytes(damaged)
        assert "is damaged" in get_refusal(path, position)
    path.write_bytes(whole)
    checkpoint.load(path, position, MarginSolver(position.game, MEMORY))


def test_kill_during_saving_leaves_the_older_file_and_the_next_save_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position, backend = save_partial_solve(path, 30, cols=2, rows=2)
    old_content = path.read_bytes()
    assert run_process(SAVE_AND_DIE, str(path), MEMORY).returncode == -9
    assert sorted(file.name for file in tmp_path.iterdir()) == ["game.solve", "game.solve.part"]
    assert path.read_bytes() == old_content
    assert checkpoint.load(path, position, MarginSolver(position.game, MEMORY)).seconds == 1.5
    # The next save replaces the incomplete file.
    checkpoint.save(path, position, backend, SolveState(0, 2, 31, 1.0, MEMORY))
    assert checkpoint.read_state(path).nodes == 31
    assert [file.name for file in tmp_path.iterdir()] == ["game.solve"]


def test_full_disk_raises_and_leaves_only_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.solve"
    position, backend = save_partial_solve(path, 30, cols=2, rows=2)
    old_content = path.read_bytes()

    def raise_no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", raise_no_space)
    with pytest.raises(OSError, match="No space left"):
        checkpoint.save(path, position, backend, SolveState(0, 2, 31, 1.0, MEMORY))
    assert path.read_bytes() == old_content
    assert [file.name for file in tmp_path.iterdir()] == ["game.solve"]


def test_path_that_another_process_writes_or_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.solve"
    position, backend = save_partial_solve(path, 30, cols=2, rows=2)
    with (tmp_path / "game.solve.part").open("ab") as part:
        fcntl.flock(part, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another process"):
            checkpoint.check_writable(path)
        with pytest.raises(OSError, match="another process"):
            checkpoint.save(path, position, backend, SolveState(0, 2, 31, 1.0, MEMORY))
    # No one writes it now; the check leaves no file behind.
    checkpoint.check_writable(path)
    assert [file.name for file in tmp_path.iterdir()] == ["game.solve"]
    for wrong in (tmp_path, tmp_path / "missing" / "game.solve"):
        with pytest.raises(OSError, match=r".+"):
            checkpoint.check_writable(wrong)


def test_margins_and_nimbers_support_checkpoints_and_maxn_does_not() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)
    assert MarginSolver(game, MEMORY).checkpoint is not None
    assert NimberSolver(fc.game("sqez"), MEMORY).checkpoint is not None
    assert MaxNSolver(fc.game("sqez", players=3), MEMORY).checkpoint is None
