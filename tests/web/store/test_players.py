"""Store players: guests and accounts, sessions, passwords, exports and deletion."""

import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.ratings import computer_identity
from fourcorners.web.store import ConflictError, Profile, Store
from fourcorners.web.store.players import MAX_SESSIONS
from tests.require import require
from tests.web.stored import (
    GUEST,
    NEW,
    NEWER,
    OTHER,
    PLAYERS,
    THIRD,
    build_chairs,
    build_table,
    dump_database,
    find_player,
    rate_stored_game,
    register_stored_account,
    to_full_width,
)


def test_guest_has_no_row_until_its_name_is_saved_and_can_change_the_name(store: Store) -> None:
    assert find_player(store, GUEST) == GUEST
    assert store.read_profile(GUEST) == Profile(GUEST, "", None, 0.0)
    assert GUEST not in dump_database(store)
    store.save_guest_name(GUEST, "Ann", 3.0)
    store.save_guest_name(GUEST, "Änne", 4.0)
    # The time of creation is that of the first name.
    assert store.read_profile(GUEST) == Profile(GUEST, "Änne", None, 3.0)


def test_guest_keeps_its_player_id_age_and_tables_when_it_registers(store: Store) -> None:
    store.save_guest_name(GUEST, "Ann", 3.0)
    store.add_table(build_table(owner=GUEST)).result(30)
    assert register_stored_account(store) == find_player(store, NEW) == GUEST
    assert store.read_profile(GUEST) == Profile(GUEST, "Anna", "Anna", 3.0)
    assert [table.id for table in store.list_player_tables(GUEST, 10)] == ["t"]


def test_saving_a_guest_name_does_not_rename_an_account(store: Store) -> None:
    register_stored_account(store)
    store.save_guest_name(GUEST, "Bob", 9.0)
    assert store.read_profile(GUEST).name == "Anna"


def test_account_cannot_be_registered_again(store: Store) -> None:
    register_stored_account(store)
    with pytest.raises(ConflictError, match="already has an account"):
        register_stored_account(store, name="Berta")


def test_old_secret_of_a_registered_guest_belongs_to_another_guest_from_then_on(store: Store) -> None:
    register_stored_account(store)
    stranger = find_player(store, GUEST)
    assert stranger not in {GUEST, NEW}
    # That guest stays the same, even when all sessions of the account end.
    assert find_player(store, GUEST) == stranger
    store.sign_out_others(GUEST, NEW)
    store.sign_out(NEW)
    assert find_player(store, GUEST) == stranger


def test_old_secret_never_opens_an_account_even_after_a_second_registration_and_deletions(store: Store) -> None:
    register_stored_account(store)
    stranger = find_player(store, GUEST)
    # The stranger is a guest like any other and can register as well, which gives the secret a third player.
    store.register_account(stranger, "Berta", "x", 6.0, GUEST, NEWER)
    assert find_player(store, NEWER) == stranger
    assert find_player(store, GUEST) not in {stranger, GUEST}
    store.delete_player(stranger)
    assert find_player(store, GUEST) not in {stranger, GUEST}
    # Without the account, nothing is left that the secret must not open: it is a new guest's like any other.
    store.delete_player(GUEST)
    assert find_player(store, GUEST) == GUEST
    assert GUEST not in dump_database(store)


def test_taken_name_cannot_be_registered_in_another_case(store: Store) -> None:
    register_stored_account(store, name="ANNA")
    with pytest.raises(ConflictError, match="taken"):
        register_stored_account(store, OTHER, "anna", NEWER)


def test_name_that_looks_like_a_taken_one_cannot_be_registered_until_that_account_is_deleted(store: Store) -> None:
    account = register_stored_account(store, name="Annal")
    with pytest.raises(ConflictError, match="taken"):
        register_stored_account(store, OTHER, "Anna1", NEWER)
    store.delete_player(account)
    assert register_stored_account(store, OTHER, "Anna1", NEWER)


def test_holder_of_a_name_is_the_account_that_has_it_or_else_the_one_whose_name_looks_like_it(store: Store) -> None:
    account = register_stored_account(store, name="Annal")
    register_stored_account(store, OTHER, "Berta", NEWER)
    for name in ("annal", "Anna1", "AnnaI"):
        assert require(store.find_name_holder(name)).id == account
    assert store.find_name_holder("Anna") is None
    # Only the name itself signs in.
    assert store.find_account("Anna1") is None and store.read_credentials("Anna1") is None
    assert store.find_account("Anna\0") is None


def test_only_one_of_several_threads_registers_a_name_in_different_spellings(store: Store) -> None:
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def try_to_register(number: int) -> None:
        """Try to register a spelling of the same name, at the same time as the other threads; note the outcome."""
        start.wait()
        try:
            # The two spellings are equal once they are folded.
            register_stored_account(store, PLAYERS[number], "Groß" if number % 2 else "GROSS", f"{number:064x}")
            outcomes.append("registered")
        except ConflictError:
            outcomes.append("taken")

    threads = [threading.Thread(target=try_to_register, args=(number,)) for number in range(4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["registered", "taken", "taken", "taken"]


def test_only_one_of_two_servers_that_share_a_database_registers_a_name(database: str | Path) -> None:
    first, second = Store(database), Store(database)
    outcomes = []
    for number in range(6):
        start = threading.Barrier(2)

        # The defaults bind this turn of the loop.
        def try_to_register(
            store: Store, guest: str, name: str = f"Name{number}", start: threading.Barrier = start
        ) -> None:
            """Try to register the name, at the same time as the other server's thread; note the outcome."""
            start.wait()
            try:
                register_stored_account(store, guest, name, guest[::-1])
                outcomes.append("registered")
            except ConflictError:
                outcomes.append("taken")

        pair = [
            threading.Thread(target=try_to_register, args=(store, f"{number:032x}{side:032x}"))
            for side, store in enumerate((first, second))
        ]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
    assert sorted(outcomes) == ["registered"] * 6 + ["taken"] * 6
    first.close()
    second.close()


def test_account_and_its_password_are_found_by_spellings_that_fold_to_the_same_name(store: Store) -> None:
    register_stored_account(store, name="Straße")
    for name in ("straße", "STRASSE", to_full_width("STRASSE")):
        found, credentials = store.find_account(name), store.read_credentials(name)
        assert found is not None and found.account == "Straße"
        assert credentials is not None and credentials.player == GUEST
    # This is another name, with one s.
    assert store.find_account("strase") is None
    assert store.read_credentials("strase") is None


def test_sign_in_transfers_tables_chat_and_results_of_a_guest_but_no_ratings(store: Store) -> None:
    """A result in which the account itself took part too, here "b", stays as it is."""
    account = register_stored_account(store)
    store.add_table(build_table("a", chairs=build_chairs(OTHER, None), owner=OTHER)).result(30)
    store.add_table(build_table("b", chairs=build_chairs(account, OTHER), owner=account)).result(30)
    store.add_chat_line("a", OTHER, "ß0", "hello", 4.0).result(30)
    rate_stored_game(store, "a", OTHER, computer_identity("sqez", 3))
    rate_stored_game(store, "b", account, OTHER)
    changes_of_b = store.read_rating_changes("b")
    assert store.sign_in(account, NEWER, 8.0, guest=OTHER) == ["a", "b"]
    assert find_player(store, NEWER) == account
    found = [store.load_table(table) for table in "ab"]
    assert [[chair.player for chair in table.chairs] for table in found if table] == [
        [account, None],
        [account, account],
    ]
    assert [table.owner for table in found if table] == [account, account]
    assert store.list_chat_lines("a")[0].player == account
    assert account in require(store.read_rating_changes("a"))
    assert store.read_rating_changes("b") == changes_of_b
    # The account has still played one rated game itself: ratings are not merged.
    assert [standing.games for _, _, standing in store.list_player_standings(account)] == [1]
    assert store.list_player_standings(OTHER) == []


def test_sign_in_does_not_transfer_tables_of_an_account(store: Store) -> None:
    account, second = register_stored_account(store), register_stored_account(store, OTHER, "Berta", NEWER)
    store.add_table(build_table(owner=second)).result(30)
    assert store.sign_in(account, THIRD, 8.0, guest=second) == []
    assert store.sign_in(account, THIRD, 8.0, guest=account) == []
    assert require(store.load_table("t")).owner == second


def test_sign_in_to_an_account_that_does_not_exist_is_a_conflict(store: Store) -> None:
    # As if the account had been deleted while its password was checked.
    with pytest.raises(ConflictError, match="no longer exists"):
        store.sign_in(PLAYERS[7], THIRD, 8.0)


def test_sessions_are_listed_last_seen_first_and_end_one_by_one_or_all_but_one(store: Store) -> None:
    account = register_stored_account(store)
    store.sign_in(account, NEWER, 8.0)
    store.sign_in(account, THIRD, 9.0)
    store.touch_session(NEW, 20.0)
    # This write follows the one that `touch_session` does not wait for.
    assert store.write_now("", lambda _: True)
    assert [session.secret for session in store.list_sessions(account)] == [NEW, THIRD, NEWER]
    store.sign_out(THIRD)
    assert find_player(store, THIRD) == THIRD
    store.sign_out_others(account, NEWER)
    assert [session.secret for session in store.list_sessions(account)] == [NEWER]


def test_sign_in_deletes_surplus_and_expired_sessions(store: Store) -> None:
    account = register_stored_account(store)
    for number in range(MAX_SESSIONS + 5):
        store.sign_in(account, f"{number:064x}", 10.0 + number)
    kept = store.list_sessions(account)
    assert len(kept) == MAX_SESSIONS
    # The newest sessions are kept.
    assert kept[0].secret == f"{MAX_SESSIONS + 4:064x}"
    # After 500 days all other sessions have expired, but the guest's old secret still does not open the account.
    store.sign_in(account, THIRD, 500 * 24 * 3600.0)
    assert [session.secret for session in store.list_sessions(account)] == [THIRD]
    assert find_player(store, GUEST) != account


def test_password_hash_is_replaced_only_while_it_is_the_expected_one(store: Store) -> None:
    account = register_stored_account(store)
    # A new hash of the first password comes too late, after the password has been changed.
    for password, before, is_replaced, stored in (
        ("second", "hash of a password", True, "second"),
        ("rehashed first", "hash of a password", False, "second"),
        ("rehashed second", "second", True, "rehashed second"),
    ):
        assert store.replace_password_hash(account, password, before) is is_replaced
        assert require(store.read_credentials("Anna")).password == stored


def test_player_deleted_during_a_sign_in_elsewhere_keeps_no_session(address: str) -> None:
    # Only PostgreSQL runs two writes at the same time; the two stores stand for two server processes.
    first, second = Store(address), Store(address)
    account = register_stored_account(first)
    deletion = threading.Thread(target=second.delete_player, args=(account,))

    def delete_before_commit(connection: sa.Connection) -> None:
        """Start the deletion once the sign-in has written its session, and commit only when the deletion waits."""
        deletion.start()
        waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        end = time.monotonic() + 10
        while not connection.scalar(waiting):
            assert time.monotonic() < end
            # PostgreSQL shows a transaction the same activity again and again otherwise.
            connection.execute(sa.text("SELECT pg_stat_clear_snapshot()"))

    sa.event.listen(first.engine, "commit", delete_before_commit, once=True)
    first.sign_in(account, NEWER, 8.0)
    deletion.join(30)
    assert find_player(first, NEWER) == NEWER
    assert first.list_sessions(account) == []
    first.close()
    second.close()
