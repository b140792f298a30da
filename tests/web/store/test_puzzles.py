"""Store attempts at puzzles with the ratings that follow, and sets with the results of pupils."""

import pytest

from fourcorners.web.domain.ratings import Standing
from fourcorners.web.store import ConflictError, Store, StoredSet, puzzle_sets
from fourcorners.web.store.puzzle_sets import SetResult
from fourcorners.web.store.puzzles import Attempt
from tests.require import require
from tests.web.stored import GUEST, NEW, OTHER, PASSWORD_HASH, register_stored_account

PUZZLE = "0123abcd"
SET = StoredSet("s", GUEST, "hash", "Chains", [{"game": "sqez", "puzzle": PUZZLE}], 10.0, 100.0)


def build_attempt(player: str = GUEST, puzzle: str = PUZZLE, *, solved: bool = True, at: float = 5.0) -> Attempt:
    """Build an attempt at a puzzle that is a little harder than a new player is strong."""
    return Attempt(player, "sqez", puzzle, solved, at, Standing(26.0, 4.0))


def test_only_the_first_attempt_counts_and_is_a_game_between_player_and_puzzle(store: Store) -> None:
    register_stored_account(store)
    before, after = require(store.add_attempt(build_attempt()))
    assert before == Standing()
    assert after.mu > before.mu and after.sigma < before.sigma and (after.games, after.won) == (1, 1.0)
    puzzle = require(store.read_puzzle_standing("sqez", PUZZLE))
    assert puzzle.mu < 26.0 and (puzzle.games, puzzle.won) == (1, 0.0)
    assert store.add_attempt(build_attempt(solved=False)) is None
    assert store.read_attempts(GUEST, "sqez") == {PUZZLE: True}
    assert store.read_puzzle_standing("sqez", GUEST) == after
    assert store.read_puzzle_standings("sqez", [PUZZLE, "other"]) == {PUZZLE: puzzle}
    assert store.read_puzzle_standing("sqez", OTHER) is None


def test_guests_have_a_rating_of_their_own_but_do_not_change_that_of_a_puzzle(store: Store) -> None:
    change = require(store.add_attempt(build_attempt()))
    assert change[1].mu > change[0].mu
    assert store.read_puzzle_standing("sqez", GUEST) == change[1]
    assert store.read_puzzle_standing("sqez", PUZZLE) == build_attempt().initial


def test_old_attempts_of_guests_are_deleted_and_those_of_accounts_stay(store: Store) -> None:
    register_stored_account(store)
    for player in (GUEST, OTHER):
        store.add_attempt(build_attempt(player))
    store.add_attempt(build_attempt(OTHER, "puzzle02", at=9.0))
    store.delete_guest_attempts(8.0)
    assert store.read_attempts(GUEST, "sqez") == {PUZZLE: True}
    assert store.read_attempts(OTHER, "sqez") == {"puzzle02": True}
    assert store.read_puzzle_standing("sqez", PUZZLE) is not None
    store.delete_guest_attempts(10.0)
    assert store.read_puzzle_standing("sqez", OTHER) is None


def test_result_of_a_day_stays_and_those_of_guests_expire(store: Store) -> None:
    register_stored_account(store)
    for player in (GUEST, OTHER):
        store.add_daily_result(player, "2026-11-28", 5.0, found=False)
        store.add_daily_result(player, "2026-11-28", 6.0, found=True)
        store.add_daily_result(player, "2026-11-29", 9.0, found=True)
    assert store.read_daily_result(OTHER, "2026-11-28") is False
    assert store.list_days_found(OTHER, 10) == ["2026-11-29"]
    assert (store.count_finders("2026-11-28"), store.count_finders("2026-11-29")) == (0, 2)
    store.delete_guest_attempts(8.0)
    assert store.read_daily_result(OTHER, "2026-11-28") is None
    store.delete_guest_attempts(10.0)
    assert store.count_finders("2026-11-29") == 1
    assert store.read_daily_result(GUEST, "2026-11-28") is False


def test_who_signs_in_takes_the_results_of_other_days_along(store: Store) -> None:
    register_stored_account(store)
    store.add_daily_result(GUEST, "2026-11-28", 5.0, found=False)
    for day in ("2026-11-28", "2026-11-29"):
        store.add_daily_result(OTHER, day, 6.0, found=True)
    store.sign_in(GUEST, NEW, 7.0, guest=OTHER)
    assert store.read_daily_result(GUEST, "2026-11-28") is False
    assert store.list_days_found(GUEST, 10) == ["2026-11-29"]
    assert store.list_days_found(OTHER, 10) == []


def test_who_signs_in_takes_new_attempts_and_sets_along_but_no_rating(store: Store) -> None:
    register_stored_account(store)
    store.add_attempt(build_attempt(GUEST, solved=False))
    for puzzle in (PUZZLE, "puzzle02"):
        store.add_attempt(build_attempt(OTHER, puzzle))
    rating = store.read_puzzle_standing("sqez", GUEST)
    store.add_set(SET._replace(owner=OTHER))
    store.sign_in(GUEST, NEW, 6.0, OTHER, PASSWORD_HASH)
    assert store.read_attempts(GUEST, "sqez") == {PUZZLE: False, "puzzle02": True}
    assert store.read_attempts(OTHER, "sqez") == {}
    assert store.read_puzzle_standing("sqez", OTHER) is None
    assert store.read_puzzle_standing("sqez", GUEST) == rating
    assert [each.id for each in store.list_sets(GUEST, 20.0)] == ["s"]


def test_a_set_is_there_until_it_expires_or_is_deleted(store: Store) -> None:
    store.add_set(SET)
    assert store.load_set("s", 99.0) == SET
    assert store.load_set("s", 100.0) is None
    store.add_result("s", SetResult("Cleo", 0, solved=True, shown=False, tries=1, at=11.0))
    store.delete_expired_sets(99.0)
    assert store.list_results("s")
    store.delete_expired_sets(100.0)
    assert store.list_results("s") == []
    store.add_set(SET)
    store.delete_set("s")
    assert store.load_set("s", 20.0) is None


def test_tries_are_counted_until_an_item_is_solved_or_shown(store: Store) -> None:
    store.add_set(SET)
    wrong = SetResult("Cleo", 0, solved=False, shown=False, tries=1, at=11.0)
    for result in (wrong, wrong, wrong._replace(solved=True), wrong):
        store.add_result("s", result)
    for result in (wrong._replace(shown=True), wrong._replace(solved=True)):
        store.add_result("s", result._replace(item=1))
    assert [(each.item, each.solved, each.shown, each.tries) for each in store.list_results("s")] == [
        (0, True, False, 3),
        (1, False, True, 1),
    ]


def test_sets_and_pupils_are_limited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_sets, "MAX_SETS", 1)
    monkeypatch.setattr(puzzle_sets, "MAX_PUPILS", 1)
    store.add_set(SET)
    with pytest.raises(ConflictError, match="delete one first"):
        store.add_set(SET._replace(id="t"))
    store.add_set(SET._replace(id="u", owner=OTHER))
    result = SetResult("Cleo", 0, solved=False, shown=False, tries=1, at=11.0)
    store.add_result("s", result)
    store.add_result("s", result._replace(item=1))
    with pytest.raises(ConflictError, match="this set is full"):
        store.add_result("s", result._replace(pupil="Dora"))
    with pytest.raises(ConflictError, match="no longer exists"):
        store.add_result("missing", result)
