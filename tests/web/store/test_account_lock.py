"""Writes that someone who knew the password began are refused once it has been changed."""

from collections.abc import Callable

import pytest

from fourcorners.web.store import ConflictError, Store
from fourcorners.web.store.passkeys import StoredPasskey
from tests.web.stored import NEW, PASSWORD_HASH, register_stored_account

SECRET = "f" * 64
WRITES: dict[str, Callable[[Store, str], object]] = {
    "a passkey": lambda store, player: store.add_passkey(StoredPasskey("id", player, "k", 0, 1.0, 1.0), PASSWORD_HASH),
    "recovery codes": lambda store, player: store.replace_recovery_codes(player, ["code"], 1.0, PASSWORD_HASH),
    "a session": lambda store, player: store.sign_in(player, SECRET, 1.0, password=PASSWORD_HASH),
    "a deletion": lambda store, player: store.delete_player(player, PASSWORD_HASH),
    "a password": lambda store, player: store.change_password(player, "another hash", before=PASSWORD_HASH),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_write_that_needs_a_password_is_refused_once_that_is_another(
    store: Store, write: Callable[[Store, str], object]
) -> None:
    player = register_stored_account(store)
    store.change_password(player, "a new hash", NEW)
    with pytest.raises(ConflictError, match="the password of this account has been changed"):
        write(store, player)
    assert store.list_passkeys(player) == []
    assert store.count_recovery_codes(player) == 0
    assert [session.secret for session in store.list_sessions(player)] == [NEW]
    assert store.read_password_hash(player) == "a new hash"


def test_session_that_has_ended_begins_no_other(store: Store) -> None:
    player = register_stored_account(store)
    store.sign_in(player, SECRET, 1.0, session=NEW)
    store.sign_out(SECRET)
    with pytest.raises(ConflictError, match="this session has ended"):
        store.sign_in(player, "e" * 64, 1.0, session=SECRET)
    assert [session.secret for session in store.list_sessions(player)] == [NEW]


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_write_that_needs_a_password_succeeds_while_that_is_the_same(
    store: Store, write: Callable[[Store, str], object]
) -> None:
    write(store, register_stored_account(store))
