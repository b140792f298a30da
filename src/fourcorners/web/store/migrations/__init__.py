"""Alembic migrations, which bring a database of an earlier version to the current schema."""
