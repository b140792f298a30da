"""How a server ends: a signal closes it cleanly, and after a kill it has everything that it acknowledged."""

import contextlib
import json
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from fourcorners.web.store import Store
from fourcorners.web.store.engine import DATABASE_FILE
from tests.web.client import WAIT, Browser, Json, Socket
from tests.web.processes import Process, add_running_table, create_browser, get_player_id

pytestmark = pytest.mark.compiled
RESTART = 1012
"""The code that closes a socket because the server restarts."""


def receive_until_closed(line: Socket) -> tuple[int, list[str]]:
    """Return the code with which a socket is closed, 0 if it was lost without one, and the types of messages before.

    Raise TimeoutError if no message arrives for `WAIT` seconds.
    """
    kinds = []
    while True:
        try:
            # Not through `Socket.receive_next`, which answers beats: the server does not listen any more.
            kinds.append(json.loads(line.connection.recv(WAIT))["type"])
        except ConnectionClosed as error:
            return (error.rcvd.code if error.rcvd else 0), kinds


def open_silent_socket(browser: Browser, table: str) -> socket.socket:
    """Return an open WebSocket to a table that has asked for 200 pictures and reads none of the answers.

    Its receive buffer is minimal, so that the server's buffers for it soon fill up. The caller closes it.
    """
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    line.connect(("127.0.0.1", browser.server.port))
    head = (
        f"GET /play/{table}/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n"
        f"Cookie: {browser.cookie()}\r\n\r\n"
    )
    line.sendall(head.encode())
    # The answer to the handshake begins with "HTTP/1.1 101".
    assert line.recv(1) == b"H"
    for message in [{"type": "hello", "version": None, "viewer": None}, *200 * [{"type": "look", "ply": 0}]]:
        text = json.dumps(message).encode()
        # A text frame (0x81) of less than 126 bytes, masked (0x80); a mask of zeros leaves the text as it is.
        line.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
    return line


def test_server_that_cannot_start_exits_with_status_1_and_one_plain_line_even_if_colours_are_forced(
    folder: Path,
) -> None:
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        # The application reads this table when it starts.
        connection.execute("DROP TABLE outages")
    process = Process(folder, FORCE_COLOR="1", TTY_COMPATIBLE="1", TTY_INTERACTIVE="1")
    try:
        status = process.child.wait(WAIT)
    finally:
        process.__exit__()
    assert status == 1, process.log
    assert process.log == "fourcorners: games cannot be read at the moment: no such table: outages\n"


def run_beside(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command on a data folder in another process."""
    command = [sys.executable, "-m", "fourcorners", *words, "--data", str(folder)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_second_server_on_a_folder_is_refused_until_the_first_one_has_ended(tmp_path: Path) -> None:
    """The operator's commands work beside a server, which keeps its files; even a killed one leaves no lock behind."""
    with Process(tmp_path) as process:
        refused = run_beside(tmp_path, "serve", "--port", "0", "--no-open")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr == (
            f"fourcorners: the games in {tmp_path} are in use: stop the server first, or name another folder with "
            "--data\n"
        )
        for words in (["tables", "list"], ["accounts", "list"], ["backup", str(tmp_path / "copy")]):
            assert run_beside(tmp_path, *words).returncode == 0
        assert (tmp_path / f"{DATABASE_FILE}-wal").exists()
        assert httpx.get(f"{process.url}/readyz", timeout=WAIT).status_code == 200
        process.kill()
        with Process(tmp_path):
            pass


@pytest.mark.parametrize("sent", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.ci)])
def test_stopped_server_says_goodbye_exits_with_status_0_and_keeps_all_moves(
    tmp_path: Path, sent: signal.Signals
) -> None:
    """A client that reads nothing does not keep it from stopping in time."""
    with Process(tmp_path) as process, create_browser(process) as one, create_browser(process) as two:
        store = Store(tmp_path)
        table = add_running_table(store, one, two)
        with one.open_table(table) as here, two.open_table(table) as there:
            silent = open_silent_socket(one, table)
            here.move("a1")
            for _ in range(20):
                # Meanwhile the answers to the silent socket fill its buffers.
                here.send(type="look", ply=0)
                here.receive_until("look")
            status = process.stop(sent)
            code, kinds = receive_until_closed(there)
            assert code == RESTART and "goodbye" in kinds
            code, kinds = receive_until_closed(here)
            assert code == RESTART and "goodbye" in kinds
            silent.close()
        assert status == 0, process.log
        assert "Traceback" not in process.log
        loaded = store.load_table(table)
        assert loaded is not None and [event.text for event in loaded.events] == ["a1"]
        store.close()


def test_killed_server_keeps_acknowledged_moves_and_does_not_charge_the_outage_to_a_clock(tmp_path: Path) -> None:
    """The next server over the same folder also still knows the browsers by their cookies."""
    moves = ["a1", "b2", "c3", "d4", "a2", "b1"]
    store = Store(tmp_path)
    with Process(tmp_path) as process, create_browser(process) as one, create_browser(process) as two:
        clock: Json = {"kind": "game", "seconds": 600, "increment": 0}
        table = add_running_table(store, one, two, settings={"clock": clock})
        acknowledged = []
        with one.open_table(table) as here, two.open_table(table) as there:
            for count, move in enumerate(moves):
                line = (here, there)[count % 2]
                while line.state["version"] < count:
                    line.receive_next()
                assert line.send_command("move", move=move)["type"] == "done"
                acknowledged.append(move)
            process.kill()
        with Process(tmp_path) as again:
            one.server = two.server = create_browser(again).server
            with one.open_table(table) as here:
                assert [move for _, move in here.state["plies"]] == acknowledged
                assert here.send_command("move", move="c1")["type"] == "done"
        loaded = store.load_table(table)
        assert loaded is not None and len(loaded.events) == len(moves) + 1
        before, last = loaded.events[-2:]
        (outage,) = store.list_outages(0.0, last.at)
        assert outage[0] < last.at
        # The part of the outage after the last move before it, in seconds; only this ran on the clock.
        lost_time = outage[1] - max(outage[0], before.at)
        # The credit also contains measured lag, at most one second.
        assert 0.0 < lost_time <= last.credit <= lost_time + 1.0
        assert get_player_id(one) == loaded.chairs[0].player
    store.close()
