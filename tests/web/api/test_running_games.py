"""Engines say nothing about the very position of a running game between people, whatever they are asked for."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest

import fourcorners as fc
from fourcorners.core.game import View
from fourcorners.study.analysis import Analysis
from fourcorners.study.analysis_run import AnalysisLine
from fourcorners.web.application import reviews
from fourcorners.web.domain import actions
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine import services
from fourcorners.web.engine.move_service import MoveRequest
from fourcorners.web.store import StoredSet
from tests.web.accounts import register
from tests.web.client import Browser, Json, Server, Socket, StartServer
from tests.web.pages.test_reviews import review_table
from tests.web.program import Program

OPTIONS = {"cols": 3, "rows": 3}
PLAYED = ["a1b1", "b2c2", "c3d3", "a3a4"]
MIRRORED = ["c1d1", "b2c2", "a3b3", "d3d4"]


def analyse_nothing(view: View, *_: object, **__: object) -> Analysis:
    """Stand in for the search."""
    move = view.moves()[0]
    return Analysis((AnalysisLine(move, (move,), 0.0, 0.5, -9, 9, 1),), view.seat or 0, 1, 0.0, -9, 9)


@pytest.fixture
def server(start_cold: StartServer, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server of this test alone, whose searches find nothing."""
    monkeypatch.setattr(services, "analyse", analyse_nothing)
    return start_cold()


@pytest.fixture
def stranger(server: Server) -> Iterator[Program]:
    """A program without an API key."""
    with Program(server, None) as opened:
        yield opened


def begin(first: Program, second: Program, *moves: str) -> str:
    """Play the beginning of a game between two people, and return the table."""
    table = first.begin_table("dots-and-boxes", "me", "open", options=OPTIONS)
    second.execute(table, "sit", seat=1)
    for number, move in enumerate(moves):
        (first, second)[number % 2].execute(table, "move", move=move)
    return table


def is_refused(
    program: Program, *moves: str, position: str = "", game: str = "dots-and-boxes", **options: object
) -> bool:
    """Return whether the engine says nothing about a position because it belongs to a running game."""
    body = {"game": game, "options": {**OPTIONS, **options}, "position": position, "moves": list(moves)}
    answer = program.http.post("/api/analysis/lines", json=body)
    if answer.status_code == 422:
        assert answer.json()["code"] == "running" and "being played" in answer.json()["sentence"]
        return True
    assert answer.is_success, answer.text
    return False


def test_the_engine_is_off_for_the_position_and_its_images_until_the_game_goes_on(
    server: Server, stranger: Program
) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        table = begin(ada, bo, *PLAYED)
        for asking in (stranger, ada, bo):
            assert is_refused(asking, *PLAYED)
        assert is_refused(stranger, *MIRRORED)
        # Another order and other owners: the same lines are on the board.
        assert is_refused(stranger, *reversed(PLAYED))
        text = fc.game("dots-and-boxes", **OPTIONS).replay(PLAYED).text
        assert is_refused(stranger, position=f"1{text[1:]}")
        values = {"game": "dots-and-boxes", "options": OPTIONS, "moves": PLAYED}
        assert stranger.request("POST", "/api/analysis/values", json=values).json()["code"] == "running"
        # The board itself is no help, and stays.
        assert stranger.fetch("POST", "/api/analysis/board", **values)["picture"]["moves"]
        # Other positions are free, even those before and after.
        for moves in ([*PLAYED, "d1d2"], PLAYED[:3], ["b1c1", "c2d2", "a4b4", "d1d2"]):
            assert not is_refused(stranger, *moves)
        ada.execute(table, "move", move="d1d2")
        assert not is_refused(stranger, *PLAYED) and is_refused(stranger, *PLAYED, "d1d2")
        bo.execute(table, "resign", seat=1)
        assert not is_refused(stranger, *PLAYED, "d1d2")


def test_the_first_two_plies_are_free(server: Server, stranger: Program) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        table = begin(ada, bo, *PLAYED[:2])
        assert not is_refused(stranger, *PLAYED[:2])
        ada.execute(table, "move", move=PLAYED[2])
        assert is_refused(stranger, *PLAYED[:3])


def test_a_game_alone_with_the_computer_protects_nothing(server: Server, stranger: Program) -> None:
    with Program(server, "Ada") as ada:
        table = ada.begin_table("dots-and-boxes", "me", "me", options=OPTIONS)
        for move in PLAYED:
            ada.execute(table, "move", move=move)
        assert not is_refused(stranger, *PLAYED) and not is_refused(ada, *PLAYED)


def ask(socket: Socket, query: str, **more: int) -> str:
    """Send a query about the last position of a table and return the sentence of its answer."""
    ply = {} if query == "hint" else {"ply": len(socket.state["plies"])}
    version = {} if query == "solve" else {"version": socket.state["version"]}
    socket.send(type=query, id=query, **{**ply, **version, **more})
    return str(socket.receive_until(query).get("sentence", ""))


@pytest.mark.compiled
def test_other_tables_give_no_help_with_a_running_game_during_a_game_nor_after_it(server: Server) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo, Browser(server) as eve:
        running = begin(ada, bo, *PLAYED)
        form = {"cols": "3", "rows": "3", "seat_0": "person", "seat_1": "person", "name-0": "Eve", "name-1": "Eva"}
        with eve.open_table(eve.begin_table("dots-and-boxes", **form)) as socket:
            for move in MIRRORED:
                socket.move(move)
            assert "being played" in ask(socket, "hint") and "being played" in ask(socket, "evaluate")
            socket.send_command("resign", seat=0)
            assert "being played" in ask(socket, "solve") and "being played" in ask(socket, "evaluate")
            assert "being played" not in ask(socket, "evaluate", ply=3)
            ada.execute(running, "resign", seat=0)
            assert "being played" not in ask(socket, "solve") + ask(socket, "evaluate")


def test_a_computer_at_another_table_plays_its_worst_in_a_position_of_a_running_game(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = [*PLAYED, "b1c1", "c2d2", "a2a3", "b3c3", "a1a2", "d1d2"]
    strengths: dict[int, Strength] = {}

    async def find_move(request: MoveRequest, *_: object) -> str:
        """Play the game's own next move."""
        ply = len(request.view.plies)
        strengths[ply] = request.strength
        return played[ply]

    monkeypatch.setattr(server.context.move_service, "find_move", find_move)
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo, Browser(server) as eve:
        form = {"cols": "3", "rows": "3", "seat_0": "person", "seat_1": "open"}

        def repeat(**more: str) -> dict[int, Strength]:
            """Play the same game against the computer, and return how strong it was."""
            strengths.clear()
            with eve.open_table(eve.begin_table("dots-and-boxes", **form, **more)) as socket:
                socket.send_command("add-computer", seat=1, kind="computer:5")
                while not socket.state["started"]:
                    socket.receive_next()
                for ply in range(0, len(played), 2):
                    socket.move(played[ply])
                    while len(socket.state["plies"]) < ply + 2:
                        socket.receive_next()
                socket.send_command("resign", seat=0)
            return dict(strengths)

        usual, least = Strength(5), Strength(1)
        early = begin(ada, bo, *played[:5])
        running = begin(ada, bo, *played[:9])
        assert repeat() == {1: usual, 3: usual, 5: usual, 7: usual, 9: least}
        # Two guests cannot help someone to win a rated game.
        assert register(eve.http, "Evelyn").status_code == 303
        monkeypatch.setattr(actions, "explain_unrated_computer", lambda *_, **__: "")
        assert set(repeat(rated="true", clock="600+5").values()) == {usual}
        for table in (early, running):
            ada.execute(table, "resign", seat=0)
        assert set(repeat().values()) == {usual}


BOXES = {"cols": 2, "rows": 1}
IN_TWO_BOXES = ("a1b1", "b1c1", "a2b2", "a1a2", "b1b2", "b2c2", "c1c2")


def play(*players: Program, moves: Sequence[str]) -> str:
    """Play moves on two boxes, one player after the other, and return the table."""
    table = players[0].begin_table("dots-and-boxes", "me", *["open"] * (len(players) - 1) or ["me"], options=BOXES)
    for seat, player in enumerate(players[1:], 1):
        player.execute(table, "sit", seat=seat)
    position = fc.game("dots-and-boxes", **BOXES).start()
    for move in moves:
        players[(position.seat or 0) % len(players)].execute(table, "move", move=move)
        position = position.play(move)
    return table


@pytest.mark.parametrize("is_alone", [False, True])
def test_a_review_withholds_what_a_running_game_shares_until_it_is_over(
    server: Server, monkeypatch: pytest.MonkeyPatch, *, is_alone: bool
) -> None:
    monkeypatch.setattr(reviews, "NODES", 5)
    names = ("Ada", "Bo", "Eve", "Mallory")
    with ExitStack() as stack:
        ada, bo, eve, mallory = (stack.enter_context(Program(server, name)) for name in names)
        finished = play(*([eve] if is_alone else [eve, mallory]), moves=IN_TWO_BOXES)
        path = f"/api/tables/{finished}/review"
        whole = review_table(server, finished)
        # Mirrored, this is the position after the fourth move of the game that is over.
        running = play(ada, bo, moves=["b1c1", "a1b1", "b2c2", "c1c2"])
        told = eve.fetch("GET", path)
        assert told["sentence"].startswith("Nothing is said about moves 4 to 5 yet: a game in progress")
        moves, all_moves = told["review"]["moves"], whole["review"]["moves"]
        silent: Json = {"label": None, "evaluation": None, "loss": None, "best_moves": [], "statements": []}
        assert moves == [{**move, **silent} if move["ply"] in {3, 4} else move for move in all_moves]
        assert sum(sum(player["labels"].values()) for player in told["review"]["players"]) == len(all_moves) - 2
        assert eve.fetch("POST", path) == told
        page = eve.http.get(f"/play/{finished}/review?ply=5")
        assert "Withheld:" in page.text and page.text.count("withheld") >= 2
        title = "Mistakes of" if is_alone else "Your mistakes"
        assert title in eve.http.get(f"/play/{finished}/review/mistakes?seat=1").text
        asked = {"ply": 4, "move": "c1c2"}
        assert eve.request("POST", f"{path}/alternatives", json=asked).json()["code"] == "running"
        attempt = {"ply": 4, "moves": ["c1c2"]}
        assert eve.request("POST", f"{path}/attempts", json=attempt).json()["code"] == "running"
        assert eve.request("POST", f"{path}/attempts", json={**attempt, "show": True}).json()["code"] == "running"
        ada.execute(running, "resign", seat=0)
        assert eve.fetch("GET", path) == whole


@pytest.mark.compiled
def test_no_set_of_puzzles_tells_about_a_running_game(server: Server) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo, Program(server, "Eve") as eve:
        running = begin(ada, bo, *PLAYED)
        text = fc.game("dots-and-boxes", **OPTIONS).replay(PLAYED).text
        item = f'dots-and-boxes {{"cols": 3, "rows": 3}}: {text}'
        answer = eve.http.post("/sets", data={"title": "Homework", "items": item})
        assert answer.status_code == 422 and "being played" in answer.text
        # A set that was made before the game is as silent.
        solved = {"best": ["d1d2"], "value": 1, "next_value": 0, "game": "dots-and-boxes", "options": OPTIONS}
        end = 2 * server.context.time.now()
        server.context.store.add_set(StoredSet("s", "eve", "", "Old", [{**solved, "position": text}], 0.0, end))
        path, asked = "/api/sets/s", {"pupil": "Eve", "item": 0}
        assert eve.request("POST", path, json={**asked, "moves": ["d1d2"]}).json()["code"] == "running"
        assert eve.request("POST", path, json={**asked, "show": True}).json()["code"] == "running"
        assert eve.fetch("POST", path, **asked)["state"] == "open"
        ada.execute(running, "resign", seat=0)
        assert eve.fetch("POST", path, **asked, moves=["d1d2"])["state"] == "done"
        assert "being played" not in eve.http.post("/sets", data={"title": "Homework", "items": item}).text
