"""Store analyses that are shared: they never change, and unused ones are deleted."""

import pytest

from fourcorners.web.store import Store, analyses
from tests.web.stored import NEWER, OTHER, register_stored_account


def test_an_analysis_is_found_by_its_id_alone(store: Store) -> None:
    assert store.add_analysis("a", "ann", "a record", 5.0, "the end").result(30)
    assert store.load_analysis("a") == ("a record", 5.0, "the end")
    assert store.load_analysis("b") is None


@pytest.mark.parametrize("is_guest", [True, False])
def test_an_analysis_not_opened_for_long_is_deleted_when_another_one_is_shared(store: Store, is_guest: bool) -> None:
    """An account keeps its analyses for a year, a guest for a month."""
    owner = "ann" if is_guest else register_stored_account(store)
    unused_after = analyses.GUESTS_UNUSED_AFTER if is_guest else analyses.UNUSED_AFTER
    for name in ("old", "opened"):
        store.add_analysis(name, owner, name, 0.0).result(30)
    assert store.touch_analysis("opened", 1000.0).result(30)
    store.add_analysis("new", "bert", "new", unused_after + 1.0).result(30)
    assert [store.load_analysis(name) is None for name in ("old", "opened", "new")] == [True, False, False]


def test_one_player_can_keep_so_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "MAX_PER_PLAYER", 2)
    stored = [store.add_analysis(f"a{number}", "ann", "text", 1.0).result(30) for number in range(3)]
    assert stored == [True, True, False]
    assert store.add_analysis("b", "bert", "text", 1.0).result(30)


def test_analyses_of_a_guest_who_signs_in_belong_to_the_account(store: Store) -> None:
    account = register_stored_account(store)
    store.add_analysis("a", OTHER, "a record", 5.0).result(30)
    store.sign_in(account, NEWER, 8.0, guest=OTHER)
    store.delete_player(account, None)
    assert store.load_analysis("a") is None
