"""Store failed attempts to sign in, the devices on which people have signed in before, and recovery codes."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.names import fold_name
from fourcorners.web.store import schema
from fourcorners.web.store.account_lock import lock_account
from fourcorners.web.store.database import Database, make_work, upsert

MAX_DEVICES = 50
_FORGET_AFTER = 24 * 3600.0
_attempts, _devices, _codes = schema.sign_in_attempts, schema.known_devices, schema.recovery_codes


class Delays(NamedTuple):
    """How long attempts must wait: not before `free` of them have failed, then 1 s, 2 s, 4 s and so on to `longest`."""

    free: int
    longest: float

    def measure(self, failures: int) -> float:
        """Return the seconds to wait after so many failures."""
        # Beyond 2**30 the longest delay is reached in any case.
        return 0.0 if failures < self.free else min(self.longest, 2.0 ** min(failures - self.free, 30))


class SignInStore(Database):
    """Attempts to sign in by account and source, known devices, and recovery codes."""

    def begin_attempt(self, account: str, sources: Mapping[str, Delays], now: float) -> float:
        """Count an attempt to sign in to an account, a name in any spelling, as failed until `forgive_attempt`.

        Return 0, or the seconds to wait, and count nothing, if one of its sources must wait. A source is a text of at
        most 64 characters, which means something to the caller only. Failures are forgotten a day after the last one.
        The account need not exist. Attempts are counted before the password is checked, so that no number of parallel
        ones gets through. Block until the commit; raise StoreError.
        """
        key = hash_account(account)

        def work(connection: sa.Connection) -> float:
            mine = (_attempts.c.account == key, _attempts.c.source.in_(list(sources)))
            rows = connection.execute(_attempts.select().where(*mine).with_for_update()).all()
            recent = {row.source: row for row in rows if row.at > now - _FORGET_AFTER}
            wait = max((row.retry_at - now for row in recent.values()), default=0.0)
            if wait > 0:
                return wait
            for source, delays in sources.items():
                failures = 1 + (recent[source].failures if source in recent else 0)
                row = {"account": key, "source": source, "failures": failures, "at": now}
                upsert(connection, _attempts, row | {"retry_at": now + delays.measure(failures)})
            connection.execute(_attempts.delete().where(_attempts.c.at <= now - _FORGET_AFTER))
            return 0.0

        return self.write_now(key, work)

    def forgive_attempt(self, account: str, source: str, shared: str | None = None) -> None:
        """Forget the failures of the source of an attempt that succeeded; those of a `shared` source are one fewer."""
        key = hash_account(account)

        def work(connection: sa.Connection) -> None:
            mine = _attempts.c.account == key
            connection.execute(_attempts.delete().where(mine, _attempts.c.source == source))
            one_fewer = {"failures": _attempts.c.failures - 1, "retry_at": 0.0}
            connection.execute(_attempts.update().where(mine, _attempts.c.source == shared).values(one_fewer))

        self.write_now(key, work)

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
        """Store the hash of an account's new password. End all other ways in, because somebody else may know them:
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
    """Do the work of `SignInStore.change_password` in the caller's transaction."""
    # This waits for a transaction that adds a passkey, so that this one is deleted too.
    lock_account(connection, player, before)
    connection.execute(schema.players.update().where(schema.players.c.id == player).values(password=password))
    for relation in (_codes, schema.passkeys):
        connection.execute(relation.delete().where(relation.c.player == player))
    sessions = schema.sessions
    connection.execute(sessions.delete().where(sessions.c.player == player, sessions.c.secret != session))
    connection.execute(_devices.delete().where(_devices.c.player == player, _devices.c.device != device))


def hash_account(account: str) -> str:
    """Return the key of an account's attempts: typed names may be passwords, and are not stored."""
    return hashlib.sha256(f"account:{fold_name(account)}".encode()).hexdigest()


def find_attempts(account: str | None) -> sa.ColumnElement[bool]:
    """Build the condition for the attempts to sign in to an account, by its folded name; None for a guest."""
    return sa.false() if account is None else sa.and_(_attempts.c.account == hash_account(account))
