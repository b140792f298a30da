"""A server with an empty cache: what can be played before anything is compiled, and what waits."""

import random
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tests.web.client import Socket
from tests.web.processes import HeldProcess, create_browser


def play_at_random(socket: Socket) -> int:
    """Play random moves whenever this browser may move, until the game is over; return the number of plies."""
    rng = random.Random(1)
    socket.receive_until_mine()
    while not socket.state["over"]:
        socket.move(rng.choice(socket.state["moves"]))
        socket.receive_until_mine()
    return len(socket.state["plies"])


GAMES = [
    ("sqez", {"cols": "5", "rows": "5"}),
    ("square-off", {"size": "4"}),
    ("squarin-off", {"cols": "3", "rows": "3"}),
    ("squendo", {}),
]


@pytest.mark.compiled
def test_two_people_and_a_level_that_does_not_search_play_whole_games_before_anything_is_compiled(
    tmp_path: Path,
) -> None:
    with HeldProcess(tmp_path, NUMBA_DISABLE_JIT="0") as process, create_browser(process) as browser:
        for game, options in GAMES:
            opponents = [{"seat_1": "computer", "level_1": "1"}]
            if game != "squendo":  # two people at one screen would have to hide their hands from each other
                opponents.append({"seat_1": "person"})
            for opponent in opponents:
                table = browser.begin_table(game, **options, **opponent)
                with browser.open_table(table) as socket:
                    assert play_at_random(socket) >= 2
        assert browser.http.get("/healthz").json()["ready"] is False
        for theme in ("light", "dark"):
            for game, _ in GAMES:
                assert browser.http.get(f"/games/{game}/cover.svg?theme={theme}").status_code == 200
    assert not list((tmp_path / "cache").rglob("*.nbc"))


def test_hints_and_levels_that_search_wait_with_progress_and_come_once_they_are_compiled(tmp_path: Path) -> None:
    with HeldProcess(tmp_path, NUMBA_DISABLE_JIT="1") as process, create_browser(process) as browser:
        table = browser.begin_table("sqez", cols="4", rows="4", seat_1="computer", level_1="4")
        with browser.open_table(table) as socket:
            preparing = next(message for message in socket.heard if message["type"] == "preparing")
            assert set(preparing["features"]) >= {"hint", "evaluate", "solve"}
            assert all(0 <= share < 1 for share in preparing["features"].values())
            # The game that is open is compiled first.
            compiling = tmp_path / "compiling"
            wait_until(lambda: compiling.exists() and compiling.read_text() == "sqez")
            socket.send(type="hint", id="h", version=socket.state["version"])
            assert socket.receive_until("hint", "preparing")["type"] == "preparing"
            process.release()
            assert socket.receive_until("hint")["state"] == "found"


def test_computer_of_a_level_that_searches_says_that_its_level_is_being_prepared_and_then_moves(tmp_path: Path) -> None:
    with HeldProcess(tmp_path, NUMBA_DISABLE_JIT="1") as process, create_browser(process) as browser:
        table = browser.begin_table("sqez", cols="6", rows="6", seat_1="computer", level_1="4")
        with browser.open_table(table) as socket:
            socket.move(socket.state["moves"][0])
            progress = socket.receive_until("computer-progress")
            assert progress["preparing"]
            assert (progress["seat"], progress["simulations"]) == (1, 0)
            assert 0 <= progress["share"] < 1
            process.release()
            socket.receive_until_mine()
            assert len(socket.state["plies"]) == 2
            # A page that comes later has nothing to wait for.
            with browser.open_table(table) as later:
                assert not [message for message in later.heard if message["type"] == "preparing"]
