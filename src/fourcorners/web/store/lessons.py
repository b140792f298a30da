"""Store how far players are in lessons."""

from collections.abc import Mapping

import sqlalchemy as sa

from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, upsert

_lessons, _players = schema.lesson_progress, schema.players


class LessonStore(Database):
    """Progress in lessons: by the name of a lesson, GAME/ID, the number of its steps that are done."""

    def save_progress(self, player: str, steps: Mapping[str, int], at: float) -> None:
        """Store how many steps of lessons a player has done, where they are more than before; raise StoreError."""
        self.write_now(player, lambda connection: _merge(connection, player, steps, at))

    def read_progress(self, player: str) -> dict[str, int]:
        """Return by lesson how many steps a player has done, the latest lesson first; raise StoreError."""
        mine = sa.select(_lessons.c.lesson, _lessons.c.steps).where(_lessons.c.player == player)
        return dict(self.fetch_all(mine.order_by(_lessons.c.at.desc(), _lessons.c.lesson)))

    def delete_guest_progress(self, before: float) -> None:
        """Delete the progress that players without an account made before a server time; raise StoreError."""
        accounts = sa.select(_players.c.id).where(_players.c.account.is_not(None))
        old = _lessons.delete().where(_lessons.c.at < before, _lessons.c.player.not_in(accounts))
        self.write_now("", lambda connection: connection.execute(old).rowcount)


def transfer_progress(connection: sa.Connection, guest: str, player: str, at: float) -> None:
    """Give an account what a guest has done, in the caller's transaction; of each lesson the larger number stays."""
    _merge(connection, player, _read(connection, guest), at)
    connection.execute(_lessons.delete().where(_lessons.c.player == guest))


def _merge(connection: sa.Connection, player: str, steps: Mapping[str, int], at: float) -> None:
    """Store larger numbers than before, in the caller's transaction."""
    before = _read(connection, player)
    for lesson, count in sorted(steps.items()):
        if count > before.get(lesson, 0):
            upsert(connection, _lessons, {"player": player, "lesson": lesson, "steps": count, "at": at})


def _read(connection: sa.Connection, player: str) -> dict[str, int]:
    """Return the progress of a player, whose rows are locked until the transaction ends."""
    query = sa.select(_lessons.c.lesson, _lessons.c.steps).where(_lessons.c.player == player).with_for_update()
    return {row.lesson: row.steps for row in connection.execute(query)}
