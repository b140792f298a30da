"""The operator's commands, on a folder and on PostgreSQL, beside a running server."""

import json
import os
import shlex
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import fourcorners as fc
from fourcorners.cli import app
from fourcorners.web.auth.security_log import label_account
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime import background_tasks
from fourcorners.web.store import Store
from tests.servers import create_database, find_postgresql_programs
from tests.web.client import Browser, Server
from tests.web.disk import fill_disk
from tests.web.processes import add_running_table
from tests.web.stored import build_event, build_summary, build_table


def run_command(*words: str, stdin: str | None = None) -> Result:
    """Run a command in this process with `stdin` as its input; the result has an exit status, output and exception.

    An exception of the command is not raised. `stdout`, `stderr` and `output`, which is both, are texts.
    """
    return CliRunner().invoke(app, list(words), input=stdin)


@pytest.fixture
def data_options(tmp_path: Path) -> tuple[str, str]:
    """Return the options that name the test's own folder, in which `store` and `server` also keep their games."""
    return "--data", str(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store in the test's own folder, and close it at the end."""
    opened = Store(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Yield a server in the test's own folder that polls its database 20 times a second and warms up nothing."""
    monkeypatch.setattr(Warmup, "start", lambda _: None)
    monkeypatch.setattr(background_tasks, "VERSIONS_EVERY", 0.05)
    with Server(tmp_path) as started:
        yield started


def test_tables_are_listed_last_changed_first_with_id_game_state_and_players(
    store: Store, data_options: tuple[str, str]
) -> None:
    store.add_table(build_table("one", changed=5.0)).result()
    store.add_table(build_table("two", changed=9.0, result="seat 1 wins", turn=None)).result()
    listed = [line.split("\t") for line in run_command("tables", "list", *data_options).stdout.splitlines()]
    assert [(line[0], line[1], line[3]) for line in listed] == [
        ("two", "sqez", "seat 1 wins"),
        ("one", "sqez", "ß0 to move"),
    ]
    assert listed[0][4] == "ß0, ß1"


def test_table_list_can_be_limited_to_running_games_or_to_the_last_changed_ones(
    store: Store, data_options: tuple[str, str]
) -> None:
    store.add_table(build_table("one", changed=5.0)).result()
    store.add_table(build_table("two", changed=9.0, result="seat 1 wins", turn=None)).result()
    running = run_command("tables", "list", "--running", *data_options).stdout.splitlines()
    assert [line.split("\t")[0] for line in running] == ["one"]
    last = run_command("tables", "list", "--limit", "1", *data_options).stdout.splitlines()
    assert [line.split("\t")[0] for line in last] == ["two"]


def test_deck_and_nonce_of_a_running_game_are_exported_only_with_the_option_everything(
    store: Store, data_options: tuple[str, str]
) -> None:
    match = fc.Match(fc.game("squendo"))
    table = build_table("hidden", game="squendo", options={}, deck=list(match.deck), nonce="cafe" * 8)
    store.add_table(table).result()
    for command in ("show", "export"):
        completed = run_command("tables", command, "hidden", *data_options)
        assert completed.exit_code == 0, completed.stderr
        assert "cafe" not in completed.stdout
        assert "deck" not in completed.stdout
    everything = json.loads(run_command("tables", "export", "hidden", "--everything", *data_options).stdout)
    assert everything["deck"] == list(match.deck)
    assert everything["chairs"][0]["player"] == "o"


def test_closed_game_ends_for_connected_players_and_cannot_be_closed_again(
    server: Server, store: Store, data_options: tuple[str, str]
) -> None:
    with Browser(server) as one, Browser(server) as two:
        table = add_running_table(store, one, two)
        with one.open_table(table) as socket:
            assert run_command("tables", "close", table, *data_options).stdout == f"table {table} has been closed\n"
            # The server notices the change when it polls its database.
            while not socket.state["over"]:
                socket.receive_next()
            assert socket.send_command("move", move="a1")["type"] == "refused"
    again = run_command("tables", "close", table, *data_options)
    assert (again.exit_code, again.stderr) == (1, f"fourcorners: table {table} is over already\n")


def test_game_is_deleted_only_after_confirmation_or_by_option_and_disconnects_its_players(
    server: Server, store: Store, data_options: tuple[str, str]
) -> None:
    with Browser(server) as one, Browser(server) as two:
        table = add_running_table(store, one, two)
        with one.open_table(table) as socket:
            # The answer to the question is no.
            assert run_command("tables", "delete", table, *data_options, stdin="n\n").exit_code == 1
            assert store.load_table(table) is not None
            assert run_command("tables", "delete", table, "--yes", *data_options).exit_code == 0
            assert socket.receive_close_code() == 4404
        assert one.http.get(f"/play/{table}").status_code == 404
    assert run_command("tables", "show", table, *data_options).stderr == f"fourcorners: there is no table {table!r}\n"


def test_account_is_listed_exported_without_secrets_and_deleted_by_any_spelling_of_its_name(
    store: Store, data_options: tuple[str, str]
) -> None:
    """The list has its name and the time, in UTC, since when the player is known."""
    player, secret = "a" * 64, "b" * 64
    store.register_account(player, "Ada", "the hash", 1.0, player, secret)
    store.add_table(build_table("one", owner=player)).result()
    listed = f"Ada\t1970-01-01 00:00:01\t{label_account(player)}\n"
    assert run_command("accounts", "list", *data_options).stdout == listed
    exported = run_command("accounts", "export", "ada", *data_options).stdout
    assert json.loads(exported)["tables"] == ["one"]
    assert not any(text in exported for text in ("the hash", player, secret))
    assert run_command("accounts", "delete", "ada", "--yes", *data_options).stdout == (
        "the account Ada has been deleted; it had played at or set up 1 table\n"
    )
    assert store.find_account("Ada") is None
    assert run_command("accounts", "export", "ada", *data_options).stderr == "fourcorners: there is no account 'ada'\n"


def test_new_password_replaces_the_old_one_and_signs_out_all_devices(
    server: Server, store: Store, data_options: tuple[str, str]
) -> None:
    """A password that is too short is refused, and the new one is not printed."""
    with Browser(server) as ada:
        form = {"new-name": "Ada", "new-password": "first secret 1", "new-password-again": "first secret 1"}
        ada.http.post("/account/register", data=form)
        player = store.find_account("Ada")
        assert player is not None and len(store.list_sessions(player.id)) == 1
        store.replace_recovery_codes(player.id, ["code"], 1.0, store.read_password_hash(player.id) or "")
        bad = run_command("accounts", "set-password", "Ada", *data_options, stdin="short\n")
        assert (bad.exit_code, bad.stderr) == (1, "fourcorners: A password must have 8 to 200 characters.\n")
        completed = run_command("accounts", "set-password", "Ada", *data_options, stdin="second secret 2\n")
        assert completed.exit_code == 0 and "secret 2" not in completed.output
        assert store.list_sessions(player.id) == [] and store.count_recovery_codes(player.id) == 0
    # Only a sign-in that succeeds creates a session.
    for password, sessions in (("first secret 1", 0), ("second secret 2", 1)):
        with Browser(server) as again:
            again.http.post("/account/sign-in", data={"name": "Ada", "password": password})
            assert len(store.list_sessions(player.id)) == sessions


def test_report_is_listed_without_control_characters_until_it_is_settled_once(
    store: Store, data_options: tuple[str, str]
) -> None:
    store.add_table(build_table("one")).result()
    store.add_report("one", None, "r", "", "he\x1b[2Jcheats", 60.0).result()
    assert (
        run_command("reports", "list", *data_options).stdout
        == "1\tone\t1970-01-01 00:01:00\t(the table)\the [2Jcheats\n"
    )
    assert run_command("reports", "settle", "1", *data_options).exit_code == 0
    assert run_command("reports", "list", *data_options).stdout == ""
    assert run_command("reports", "settle", "1", *data_options).exit_code == 1


@pytest.fixture
def backup(server: Server, store: Store, data_options: tuple[str, str], tmp_path: Path) -> Path:
    """The path of a backup of the running `server`, which has since stored a second event of the only table, "one"."""
    file = tmp_path / "kept" / "backup.db"
    file.parent.mkdir()
    store.add_table(build_table("one")).result()
    store.append_event("one", build_event(1), build_summary(1)).result()
    assert run_command("backup", str(file), *data_options).exit_code == 0
    store.append_event("one", build_event(2), build_summary(2)).result()
    return file


def test_backup_is_one_file_which_the_next_backup_does_not_overwrite_by_default(
    backup: Path, data_options: tuple[str, str]
) -> None:
    before = backup.read_bytes()
    assert run_command("backup", str(backup), *data_options).exit_code == 1
    assert backup.read_bytes() == before
    assert [path.name for path in backup.parent.iterdir()] == ["backup.db"]


def test_backup_is_not_restored_over_the_games_of_a_running_server(
    backup: Path, store: Store, data_options: tuple[str, str]
) -> None:
    refused = run_command("restore", str(backup), "--force", *data_options)
    assert "are in use: stop the server first" in refused.stderr
    assert store.read_versions(["one"]) == {"one": 2}


def test_backup_never_takes_the_place_of_the_database_or_of_a_device(
    store: Store, data_options: tuple[str, str], tmp_path: Path
) -> None:
    database = tmp_path / "fourcorners.db"
    before = database.stat().st_ino
    for command in (["backup", str(database), "--force"], ["restore", str(database), "--force"]):
        refused = run_command(*command, *data_options)
        assert refused.exit_code == 1 and "is the database itself" in refused.stderr
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is not a file" in run_command("backup", str(pipe), "--force", *data_options).stderr
    assert database.stat().st_ino == before and stat.S_ISFIFO(pipe.stat().st_mode)
    assert store.read_versions(["one"]) == {}


@pytest.mark.parametrize("place", ["nowhere/backup", "x" * 300])
def test_backup_that_cannot_be_written_is_reported_in_a_sentence_that_names_it(
    store: Store, data_options: tuple[str, str], tmp_path: Path, place: str
) -> None:
    refused = run_command("backup", str(tmp_path / place), *data_options)
    assert refused.exit_code == 1 and f"{tmp_path / place} could not be written: " in refused.stderr
    assert store.read_versions(["one"]) == {}


def test_backup_is_made_and_read_from_a_full_disk(store: Store, data_options: tuple[str, str], tmp_path: Path) -> None:
    """A folder that is full can still be listed; only the new file needs room."""
    store.add_table(build_table("one")).result()
    store.close()
    with fill_disk():
        assert run_command("tables", "list", *data_options).stdout.startswith("one\t")
        refused = run_command("backup", str(tmp_path / "copy"), *data_options)
        assert refused.exit_code == 1 and "could not be written" in refused.stderr
    assert not (tmp_path / "copy").exists()


def test_backups_and_exports_are_for_their_owner_only(
    store: Store, data_options: tuple[str, str], tmp_path: Path
) -> None:
    """A file that is replaced loses the rights that others had to it."""
    store.add_table(build_table("one")).result()
    store.register_account("a" * 64, "Ada", "the hash", 1.0, "a" * 64, "b" * 64)
    folder, before = tmp_path / "other", os.umask(0)
    try:
        old = tmp_path / "old"
        old.write_text("")
        commands = [
            ["backup", str(tmp_path / "copy")],
            ["backup", str(old), "--force"],
            ["tables", "export", "one", "--to", str(tmp_path / "one.txt")],
            ["tables", "export", "one", "--everything", "--to", str(tmp_path / "one.txt")],
            ["accounts", "export", "Ada", "--to", str(tmp_path / "ada.json")],
            ["tables", "export-for-puzzles", str(tmp_path / "puzzles")],
        ]
        (tmp_path / "ada.json").write_text("an older export")
        for command in commands:
            assert run_command(*command, *data_options).exit_code == 0, command
        for _ in range(2):
            assert run_command("restore", str(old), "--force", "--data", str(folder)).exit_code == 0
    finally:
        os.umask(before)
    files = [*(tmp_path / name for name in ("copy", "old", "one.txt", "ada.json")), *folder.iterdir()]
    assert len(files) == 6 and {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {stat.S_IMODE(made.stat().st_mode) for made in (folder, tmp_path / "puzzles")} == {0o700}


def test_backup_of_a_running_server_is_restored_to_another_folder_and_over_its_games_only_by_force(
    backup: Path, tmp_path: Path
) -> None:
    """The games that it replaces are kept in another file."""
    other = tmp_path / "other"
    assert run_command("restore", str(backup), "--data", str(other)).exit_code == 0
    again = Store(other)
    loaded = again.load_table("one")
    assert loaded is not None and [kept.version for kept in loaded.events] == [1]
    again.add_table(build_table("two")).result()
    again.close()
    assert run_command("restore", str(backup), "--data", str(other)).exit_code == 1
    # What a restore that was killed has left.
    (other / "restore.part").mkdir()
    (other / "restore.part" / "fourcorners.db").write_bytes(b"half a copy")
    assert run_command("restore", str(backup), "--force", "--data", str(other)).exit_code == 0
    again = Store(other)
    assert again.load_table("one") is not None and again.load_table("two") is None
    again.close()
    before = sqlite3.connect(other / "fourcorners.before-restore.db")
    assert before.execute("SELECT count(*) FROM tables").fetchone() == (2,)
    before.close()
    assert sorted(path.name for path in other.iterdir()) == ["fourcorners.before-restore.db", "fourcorners.db"]


# None stands for a database of another program.
@pytest.mark.parametrize("content", [b"", b"no database at all, whatever it is called", None])
def test_file_that_is_not_a_backup_is_refused_even_by_force_and_the_games_stay(
    store: Store, data_options: tuple[str, str], tmp_path: Path, content: bytes | None
) -> None:
    store.add_table(build_table("one")).result()
    file = tmp_path / "file"
    if content is None:
        other = sqlite3.connect(file)
        other.execute("CREATE TABLE something (x)")
        other.close()
    else:
        file.write_bytes(content)
    completed = run_command("restore", str(file), "--force", *data_options)
    assert completed.exit_code == 1
    assert completed.stderr.startswith("fourcorners: ")
    assert "Traceback" not in completed.output
    assert store.load_table("one") is not None


def test_commands_fail_where_there_are_no_games_and_create_nothing(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for words in (["tables", "list"], ["accounts", "list"], ["reports", "list"], ["backup", str(tmp_path / "x")]):
        completed = run_command(*words, "--data", str(nowhere))
        assert completed.exit_code == 1 and "there are no games in" in completed.stderr
    assert list(tmp_path.iterdir()) == []


def test_tables_in_postgresql_are_listed_by_option_or_environment_variable(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with create_database(postgresql) as address:
        store = Store(address)
        store.add_table(build_table("one")).result()
        assert run_command("tables", "list", "--database", address).stdout.startswith("one\t")
        monkeypatch.setenv("FOURCORNERS_DATABASE", address)
        assert run_command("tables", "list").stdout.startswith("one\t")
        store.close()


def test_commands_that_backup_and_restore_print_for_postgresql_copy_its_tables(tmp_path: Path, postgresql: str) -> None:
    """They are those of PostgreSQL's own programs; `backup` and `restore` fail and do not repeat the password."""
    with create_database(postgresql) as address, create_database(postgresql) as second:
        store = Store(address)
        store.add_table(build_table("one")).result()
        with_password = address.replace("postgres@", "postgres:sesame@")
        completed = run_command("backup", str(tmp_path / "dump"), "--database", with_password)
        assert completed.exit_code == 1 and "sesame" not in completed.output
        # "fourcorners: a sentence: the command"
        command = shlex.split(completed.stderr.partition(": ")[2].partition(": ")[2])
        program = find_postgresql_programs() / command[0]
        if not program.exists():
            pytest.skip("this PostgreSQL comes without pg_dump")
        subprocess.run([program, *command[1:]], check=True)
        completed = run_command("restore", str(tmp_path / "dump"), "--database", second)
        command = shlex.split(completed.stderr.partition(": ")[2].partition(": ")[2])
        subprocess.run([find_postgresql_programs() / command[0], *command[1:]], check=True)
        again = Store(second)
        assert again.load_table("one") is not None
        again.close()
        store.close()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("command", ["accounts", "reports", "tables"])
@pytest.mark.parametrize("limit", ["0", "1000001", "99999999999999999999"])
def test_number_of_listed_rows_is_limited(data_options: tuple[str, str], command: str, limit: str) -> None:
    refused = run_command(command, "list", "--limit", limit, *data_options)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--limit" in refused.stderr
    assert run_command(command, "list", "--limit", "1000000", *data_options).exit_code == 0
