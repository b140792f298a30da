"""Store whether puzzles may be made from someone's games, and list the games from which they may be made."""

import pytest

from fourcorners.web.store import Store
from tests.web.stored import (
    NEWER,
    OTHER,
    THIRD,
    append_event,
    build_chairs,
    build_table,
    register_stored_account,
)

OVER = "seat 0 wins 3-1: everything has been played"


@pytest.fixture
def anna(store: Store) -> str:
    """The id of an account that consents."""
    account = register_stored_account(store)
    assert store.save_puzzle_consent(account, consents=True)
    return account


def test_no_player_consents_until_the_account_says_so_and_may_change_its_mind(store: Store) -> None:
    account = register_stored_account(store)
    assert store.read_profile(account).puzzle_consent is False
    for consents in (True, False, True):
        assert store.save_puzzle_consent(account, consents=consents)
        assert store.read_profile(account).puzzle_consent is consents
        assert store.export_player(account)["puzzle_consent"] is consents


def test_a_guest_cannot_consent_and_an_account_starts_without_the_consent_of_a_deleted_one(store: Store) -> None:
    store.save_guest_name(OTHER, "Bert", 3.0)
    assert not store.save_puzzle_consent(OTHER, consents=True)
    assert not store.save_puzzle_consent(THIRD, consents=True)
    assert [store.read_profile(player).puzzle_consent for player in (OTHER, THIRD)] == [False, False]
    account = register_stored_account(store)
    store.save_puzzle_consent(account, consents=True)
    store.delete_player(account)
    assert store.read_profile(register_stored_account(store)).puzzle_consent is False


def test_only_games_in_which_every_person_has_an_account_that_consents_become_puzzles(store: Store, anna: str) -> None:
    bert = register_stored_account(store, OTHER, "Bert", NEWER)
    tables = {
        "with a computer": build_chairs(anna, None),
        "with an account": build_chairs(anna, bert),
        "with a computer and an account": build_chairs(bert, None, anna),
        "with a guest": build_chairs(anna, THIRD),
        "of a guest": build_chairs(THIRD, None),
        "of someone else": build_chairs(bert, None),
        "of two people at one screen": build_chairs(anna, anna),
        "of computers": build_chairs(None, None),
        "with no one's chair": [build_chairs(anna)[0], build_chairs(anna, anna)[1]._replace(player=None)],
    }
    for number, (name, chairs) in enumerate(tables.items()):
        store.add_table(build_table(name, chairs=chairs, created=float(number), result=OVER)).result(30)
    assert store.list_puzzle_table_ids() == ["with a computer"]
    store.save_puzzle_consent(bert, consents=True)
    both = ["with a computer", "with an account", "with a computer and an account", "of someone else"]
    assert store.list_puzzle_table_ids() == both
    store.save_puzzle_consent(anna, consents=False)
    assert store.list_puzzle_table_ids() == ["of someone else"]


def test_games_of_deleted_accounts_are_left_out(store: Store, anna: str) -> None:
    bert = register_stored_account(store, OTHER, "Bert", NEWER)
    store.save_puzzle_consent(bert, consents=True)
    store.add_table(build_table(chairs=build_chairs(anna, bert), result=OVER)).result(30)
    assert store.list_puzzle_table_ids() == ["t"]
    store.delete_player(bert)
    assert store.list_puzzle_table_ids() == []


def test_running_games_and_records_to_study_are_left_out(store: Store, anna: str) -> None:
    chairs = build_chairs(anna, None)
    store.add_table(build_table("runs", chairs=chairs)).result(30)
    store.add_table(build_table("look", chairs=chairs, kind="study", result=OVER)).result(30)
    assert store.list_puzzle_table_ids() == []
    append_event(store, "runs", 1, result=OVER).result(30)
    assert store.list_puzzle_table_ids() == ["runs"]
    # A takeback resumes the game.
    append_event(store, "runs", 2, result="").result(30)
    assert store.list_puzzle_table_ids() == []


def test_a_guests_earlier_games_count_once_they_belong_to_a_consenting_account(store: Store, anna: str) -> None:
    store.add_table(build_table(chairs=build_chairs(THIRD, None), result=OVER)).result(30)
    assert store.list_puzzle_table_ids() == []
    store.sign_in(anna, NEWER, 8.0, guest=THIRD)
    assert store.list_puzzle_table_ids() == ["t"]
