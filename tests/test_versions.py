"""The match between two versions, here of this version with itself, interpreted."""

import json
import time
from io import StringIO
from pathlib import Path

import pytest

import fourcorners as fc
from benchmarks import versions

ROOT = Path(__file__).resolve().parent.parent
SMALL = {"size": "4", "swap": "false"}
PLIES = 16  # of a game without the swap, one for each cell


@pytest.mark.ci
def test_match_of_a_version_with_itself_plays_every_opening_with_both_seatings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = fc.game("square-off", size=4, swap=False)
    reports: list[int] = []
    with (
        versions.Version(ROOT, "square-off", SMALL, 0.005) as ours,
        versions.Version(ROOT, "square-off", SMALL, 0.005) as theirs,
    ):
        assert ours.source == ROOT / "src" / "fourcorners"
        shares, usage = versions.play_match(game, (ours, theirs), 3, 1, lambda shares, _: reports.append(len(shares)))
    assert len(shares) == 2
    assert reports == [1, 2]
    assert all(share in {0.0, 0.25, 0.5, 0.75, 1.0} for share in shares)
    for side in usage:
        # Of 14 moves in each of four games, both sides make half.
        assert side.moves == 4 * (PLIES - 2) // 2
        assert 0 < side.mean <= side.longest


def test_version_answers_with_legal_moves_and_begins_a_new_game_for_a_new_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    first = fc.game("square-off", size=4).start()
    with versions.Version(ROOT, "square-off", {"size": "4"}, 0.005) as version:
        move = version.choose(0, 1, []).move
        assert move in first.moves()
        assert version.choose(1, 1, ["b2"]).move in first.play("b2").moves()


def test_version_that_cannot_play_says_so() -> None:
    with pytest.raises(RuntimeError, match="ended with status 1"):
        versions.Version(ROOT, "no-such-game", {}, 0.01)


def test_version_that_would_play_other_sources_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(RuntimeError, match="this would play the version in"):
        versions.Version(tmp_path, "dots-and-boxes", {"cols": "1", "rows": "1"}, 0.01)


def test_served_answers_are_one_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", time.perf_counter)  # restored after the test
    answers = StringIO()
    question = json.dumps({"number": 0, "seed": 1, "history": ["b2"]}) + "\n"
    versions.serve({"game": "square-off", "options": SMALL, "seconds": 0.005}, StringIO(question), answers)
    ready, answer = (json.loads(line) for line in answers.getvalue().splitlines())
    assert list(ready) == ["source"]
    assert answer["move"] in fc.game("square-off", size=4, swap=False).start().play("b2").moves()
