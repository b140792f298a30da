"""Skeletons of the names of accounts, which are equal for names that look alike. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

# Not copied: the column must agree with what the program compares it to.
from fourcorners.core.skeletons import skeletonise

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column. Of accounts whose names look alike already, the oldest gets the skeleton, the others none."""
    op.add_column("players", sa.Column("skeleton", sa.Text, nullable=True))
    columns: list[sa.ColumnClause[object]] = [sa.column(name) for name in ("id", "name", "account", "created")]
    players = sa.table("players", *columns, sa.column("skeleton", sa.Text))
    connection = op.get_bind()
    query = sa.select(players.c.id, players.c.name).where(players.c.account.is_not(None))
    taken = set()
    for player, name in connection.execute(query.order_by(players.c.created, players.c.id)).all():
        skeleton = skeletonise(name)
        if skeleton not in taken:
            taken.add(skeleton)
            connection.execute(players.update().where(players.c.id == player).values(skeleton=skeleton))
    op.create_index("players_by_skeleton", "players", ["skeleton"], unique=True)
