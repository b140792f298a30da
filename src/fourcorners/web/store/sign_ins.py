"""Store the devices on which people have signed in before, recovery codes, and new passwords."""

from collections.abc import Iterable

import sqlalchemy as sa

from fourcorners.web.store import schema
from fourcorners.web.store.account_lock import lock_account
from fourcorners.web.store.database import Database, make_work, upsert
from fourcorners.web.store.notifications import delete_ended_subscriptions

MAX_DEVICES = 50
_devices, _codes = schema.known_devices, schema.recovery_codes


class SignInStore(Database):
    """Known devices, recovery codes, and new passwords."""

    def is_known_device(self, player: str, device: str) -> bool:
        """Return whether this player has signed in with this device, given by the hash of its secret."""
        return (
            self.fetch_first(sa.select(1).where(_devices.c.device == device, _devices.c.player == player)) is not None
        )

    def remember_device(self, player: str, device: str, now: float) -> None:
        """Remember that a player has signed in with a device; forget all but the `MAX_DEVICES` last seen."""

        def work(connection: sa.Connection) -> None:
            upsert(connection, _devices, {"device": device, "player": player, "seen": now})
            latest = sa.select(_devices.c.device).where(_devices.c.player == player)
            kept = list(connection.scalars(latest.order_by(_devices.c.seen.desc()).limit(MAX_DEVICES)))
            connection.execute(_devices.delete().where(_devices.c.player == player, _devices.c.device.not_in(kept)))

        self.write_now(player, work)

    def forget_devices(self, player: str, but: str = "") -> None:
        """Forget all devices of a player but one."""
        self.write_now(
            player, make_work(_devices.delete().where(_devices.c.player == player, _devices.c.device != but))
        )

    def replace_recovery_codes(self, player: str, codes: Iterable[str], now: float, password: str) -> None:
        """Replace an account's recovery codes, given by their hashes; raise ConflictError if its password no longer has
        the hash `password`.
        """
        rows = [{"code": code, "player": player, "created": now} for code in codes]

        def work(connection: sa.Connection) -> None:
            lock_account(connection, player, password)
            connection.execute(_codes.delete().where(_codes.c.player == player))
            connection.execute(_codes.insert(), rows)

        self.write_now(player, work)

    def count_recovery_codes(self, player: str) -> int:
        """Return how many recovery codes a player has not used yet."""
        return int(self.fetch_first(sa.select(sa.func.count()).where(_codes.c.player == player))[0])

    def use_recovery_code(self, player: str, code: str, password: str) -> bool:
        """Store the hash of a new password, as `change_password` does, for a code of a player, given by its hash; end
        all sessions and forget all devices. Return False, and change nothing, if the player has no such code.
        """

        def work(connection: sa.Connection) -> bool:
            # Two that use different codes of the list would otherwise wait for each other's.
            connection.execute(sa.select(schema.players.c.id).where(schema.players.c.id == player).with_for_update())
            mine = (_codes.c.player == player, _codes.c.code == code)
            if not connection.execute(_codes.delete().where(*mine)).rowcount:
                return False
            _change_password(connection, player, password, "", "", None)
            return True

        return self.write_now(player, work)

    def change_password(
        self, player: str, password: str, session: str = "", device: str = "", before: str | None = None
    ) -> None:
        """Store the hash of an account's new password. End all other ways in, because someone else may know them:
        delete all passkeys and recovery codes, end all sessions but `session` and forget all devices but `device`, both
        given by their hashes. Raise ConflictError if the account is gone or, given `before`, the hash of its password
        is another one.
        """
        self.write_now(
            player,
            lambda connection: _change_password(connection, player, password, session, device, before),
        )


def _change_password(
    connection: sa.Connection, player: str, password: str, session: str, device: str, before: str | None
) -> None:
    """Change a password as `SignInStore.change_password` does, in the caller's transaction."""
    # This waits for a transaction that adds a passkey, so that this one is deleted too.
    lock_account(connection, player, before)
    connection.execute(schema.players.update().where(schema.players.c.id == player).values(password=password))
    for relation in (_codes, schema.passkeys):
        connection.execute(relation.delete().where(relation.c.player == player))
    sessions = schema.sessions
    connection.execute(sessions.delete().where(sessions.c.player == player, sessions.c.secret != session))
    delete_ended_subscriptions(connection, player)
    connection.execute(_devices.delete().where(_devices.c.player == player, _devices.c.device != device))
