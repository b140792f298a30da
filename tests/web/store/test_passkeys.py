"""Store passkeys."""

from fourcorners.web.store import Store
from fourcorners.web.store.passkeys import StoredPasskey
from tests.web.stored import PASSWORD_HASH, register_stored_account


def test_passkey_counts_its_uses_in_unsigned_32_bits(store: Store) -> None:
    most = 2**32 - 1
    account = register_stored_account(store)
    store.add_passkey(StoredPasskey("id", account, "key", most, 1.0, 1.0), PASSWORD_HASH)
    store.record_use("id", most, 2.0)
    assert store.find_passkey("id") == StoredPasskey("id", account, "key", most, 1.0, 2.0)
