"""Store passkeys, and the challenges that they sign."""

from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.rows import ConflictError
from fourcorners.web.store import schema
from fourcorners.web.store.account_lock import lock_account
from fourcorners.web.store.database import Database, make_work

MAX_PASSKEYS = 20
_CHALLENGE_LIFETIME = 600.0
_passkeys, _challenges = schema.passkeys, schema.challenges


class StoredPasskey(NamedTuple):
    """A passkey of a player; `id` and the public `key` are in base64url, `uses` is what its device has said last."""

    id: str
    player: str
    key: str
    uses: int
    created: float
    seen: float


class PasskeyStore(Database):
    """Passkeys and challenges."""

    def add_challenge(self, challenge: str, session: str, now: float) -> None:
        """Store the hash of a challenge for a session, given by its hash, and delete those that have expired."""

        def work(connection: sa.Connection) -> None:
            connection.execute(_challenges.delete().where(_challenges.c.at < now - _CHALLENGE_LIFETIME))
            connection.execute(_challenges.insert().values(challenge=challenge, session=session, at=now))

        self.write_now("", work)

    def use_challenge(self, challenge: str, session: str, now: float) -> bool:
        """Delete a challenge; return whether it was there, for this session, and has not expired."""
        mine = (_challenges.c.challenge == challenge, _challenges.c.session == session)
        fresh = _challenges.c.at >= now - _CHALLENGE_LIFETIME
        return self.write_now("", make_work(_challenges.delete().where(*mine, fresh)))

    def list_passkeys(self, player: str) -> list[StoredPasskey]:
        """List a player's passkeys, oldest first."""
        query = _passkeys.select().where(_passkeys.c.player == player).order_by(_passkeys.c.created)
        return [StoredPasskey(*row) for row in self.fetch_all(query)]

    def find_passkey(self, id_: str) -> StoredPasskey | None:
        """Return the passkey with an id; None if there is none."""
        row = self.fetch_first(_passkeys.select().where(_passkeys.c.id == id_))
        return None if row is None else StoredPasskey(*row)

    def add_passkey(self, passkey: StoredPasskey, password: str) -> None:
        """Store a new passkey; raise ConflictError if its id exists, the account is gone or has `MAX_PASSKEYS`, or its
        password no longer has the hash `password`: a new one deletes all passkeys, even those about to be stored.
        """

        def work(connection: sa.Connection) -> None:
            lock_account(connection, passkey.player, password)
            mine = sa.select(sa.func.count()).where(_passkeys.c.player == passkey.player)
            if (connection.scalar(mine) or 0) >= MAX_PASSKEYS:
                raise ConflictError("this account cannot have another passkey")
            connection.execute(_passkeys.insert().values(passkey._asdict()))

        self.write_now(passkey.player, work)

    def record_use(self, id_: str, uses: int, now: float) -> None:
        """Store what the device has said last, and when."""
        self.write_now(id_, make_work(_passkeys.update().where(_passkeys.c.id == id_).values(uses=uses, seen=now)))

    def delete_passkey(self, player: str, id_: str) -> bool:
        """Delete a passkey of a player; return whether there was one."""
        return self.write_now(
            player, make_work(_passkeys.delete().where(_passkeys.c.player == player, _passkeys.c.id == id_))
        )
