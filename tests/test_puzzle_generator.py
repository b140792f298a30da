"""The generator of puzzles: what it collects does not depend on stops, ratings follow the levels, choices vary."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

import fourcorners as fc
from benchmarks.puzzles import collection, selection
from benchmarks.puzzles.candidates import Candidate, is_decisive, mirror_cell
from benchmarks.puzzles.selection import choose_varied, create_puzzle, estimate_rating, rate_again
from benchmarks.puzzles.sets import SETS, list_level_ratings
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.puzzles.proof import prove_puzzle

EMPTY = "0 0,0 ../._._./.."


def make_candidate(position: str, best: str, solved: dict[str, float] | None = None) -> Candidate:
    """Return a candidate on the board of two boxes with one best move."""
    moves = fc.game("dots-and-boxes", cols=2, rows=1).position(position).moves()
    values = {move: 2 if move == best else 0 for move in moves}
    return Candidate("a test", {"cols": 2, "rows": 1}, position, values, solved or {"2": 0.0}, [best], [moves[-1]])


def test_rating_rises_as_more_levels_fail() -> None:
    ratings = list_level_ratings(fc.game("dots-and-boxes"))
    assert ratings == sorted(ratings) and len(ratings) == len(fc.game("dots-and-boxes").spec.part(ComputerPlay).levels)
    found = [
        estimate_rating({str(level): float(level > failing) for level in range(1, 14)}, ratings)
        for failing in range(1, 14)
    ]
    assert found == sorted(found) and found[-1] - found[0] > 1000


def test_ratings_exist_for_all_levels_of_all_games_with_a_set() -> None:
    for name in SETS:
        game = fc.game(name)
        ratings = list_level_ratings(game)
        assert len(ratings) == len(game.spec.part(ComputerPlay).levels) and ratings[SETS[name].easy_level - 1] == 800


def test_rating_again_asks_the_levels_and_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, list[str]]] = []

    def ask_levels(position: fc.Position, best: list[str]) -> dict[str, float]:
        asked.append((position.text, best))
        return {"2": 0.0, "9": 1.0}

    monkeypatch.setattr(selection, "ask_levels", ask_levels)
    puzzle = create_puzzle("dots-and-boxes", make_candidate(EMPTY, "b1c1"))
    again = rate_again(puzzle)
    assert asked == [(EMPTY, ["b1c1"])]
    assert again.rating == estimate_rating({"2": 0.0, "9": 1.0}, list_level_ratings(puzzle.game)) != puzzle.rating
    assert dataclasses.replace(again, rating=puzzle.rating) == puzzle


def test_choice_prefers_what_is_rare() -> None:
    half_drawn = "0 0,0 ../|_._./.."
    texts = [EMPTY, half_drawn, "0 0,0 ../|_._./-."]
    puzzles = [create_puzzle("dots-and-boxes", make_candidate(text, "b1c1")) for text in texts]
    rare = create_puzzle("dots-and-boxes", make_candidate(half_drawn, "a2b2", {str(n): 1.0 for n in range(1, 9)}))
    chosen = choose_varied([*puzzles, rare], 2)
    assert rare in chosen and len(chosen) == 2
    assert [puzzle.rating for puzzle in chosen] == sorted(puzzle.rating for puzzle in chosen)


@pytest.mark.parametrize(
    ("value", "next_value", "expected"),
    [(14, 11, False), (14, 10, True), (14, -11, True), (-10, -14, True), (-11, -14, False), (2, 0, True)],
)
def test_a_puzzle_needs_a_gap_in_a_game_that_is_not_decided_by_far(value: int, next_value: int, expected: bool) -> None:
    start = fc.game("squarin-off").start()
    rules = SETS["squarin-off"]._replace(least_gap=2, clear_gap=3)
    assert is_decisive(start, value, next_value, rules) is expected
    assert not is_decisive(start, value, value - 1, rules)


def test_mirrors_exchange_sides() -> None:
    assert mirror_cell("b3", 8, (True, False)) == "g3"
    assert mirror_cell("b3", 8, (False, True)) == "b6"
    assert mirror_cell("b3", 8, (True, True)) == "g6"


def test_a_stopped_run_goes_on_and_equivalent_positions_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirrored = ["0 0,0 ../|_._./..", "0 0,0 ../._._|/..", "0 0,0 -./._._./..", "", EMPTY]
    done: list[str] = []

    def run_task(task: collection.Task) -> str:
        done.append(task[1])
        text = mirrored[int(task[1])]
        return make_candidate(text, "b1c1").to_json() if text else ""

    def collect(wanted: int) -> list[str]:
        tasks: Iterator[collection.Task] = (("dots-and-boxes", str(n)) for n in range(len(mirrored)))
        path = tmp_path / "candidates"
        found = collection.collect_candidates("dots-and-boxes", wanted, tasks, path, 0, lambda _: None)
        return [candidate.position for candidate in found]

    monkeypatch.setattr(collection, "run_task", run_task)
    assert collect(1) == mirrored[:1] and done == ["0"]
    assert collect(3) == [mirrored[0], mirrored[2], EMPTY] and done == ["0", "1", "2", "3", "4"]
    assert collect(2) == [mirrored[0], mirrored[2]] and len(done) == 5


def test_records_come_before_games_between_levels(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).touch()
    tasks = collection.list_tasks("sqez", 7, tmp_path)
    names = [name for _, (_, name) in zip(range(4), tasks, strict=False)]
    assert names == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "7", "8"]


@pytest.mark.compiled
def test_a_candidate_follows_from_its_seed_and_fits_the_rules_for_puzzles() -> None:
    found = [collection.run_task(("sqez", str(seed))) for seed in (1, 2, 3, 4, 5, 6)]
    assert found == [collection.run_task(("sqez", str(seed))) for seed in (1, 2, 3, 4, 5, 6)]
    candidates = [Candidate.from_json(line) for line in found if line]
    assert candidates
    for candidate in candidates:
        prove_puzzle(create_puzzle("sqez", candidate))
        assert candidate.solved["2"] < 0.5 and len(candidate.best) <= min(6, len(candidate.values) / 12)
