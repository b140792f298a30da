"""Nobody gets the help of an engine with a position of a running game between people."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.position import View
from fourcorners.study.analysis import Analysis
from fourcorners.study.analysis_run import AnalysisLine
from fourcorners.web.application import reviews
from fourcorners.web.domain.rows import StoreError
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine import services
from fourcorners.web.engine.move_service import MoveRequest
from fourcorners.web.store import StoredSet
from tests.web.accounts import register
from tests.web.client import Browser, Json, Server, Socket
from tests.web.pages.test_reviews import review_table
from tests.web.program import Program

OPTIONS = {"cols": 3, "rows": 3}
PLAYED = ["a1b1", "b2c2", "c3d3", "a3a4"]
MIRRORED = ["c1d1", "b2c2", "a3b3", "d3d4"]


def analyse_nothing(view: View, *_: object, **__: object) -> Analysis:
    """Stand in for the search."""
    move = view.moves()[0]
    return Analysis((AnalysisLine(move, (move,), 0.0, 0.5, -9, 9, 1),), view.seat or 0, 1, 0.0)


@pytest.fixture
def server(start_cold: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
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


def test_the_engine_is_off_for_the_position_and_what_can_follow_until_the_game_is_over(
    server: Server, stranger: Program
) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        table = begin(ada, bo, *PLAYED)
        assert is_refused(stranger, *PLAYED)
        assert is_refused(stranger, *PLAYED[:3])
        assert is_refused(stranger, *PLAYED, "b3b4", "c3c4")
        assert is_refused(stranger, *MIRRORED)
        # Another order, other owners, another number of players: the same lines are on the board.
        assert is_refused(stranger, *reversed(PLAYED))
        assert is_refused(stranger, *PLAYED, game="squarin-off", players=3, blockers=0)
        text = fc.game("dots-and-boxes", **OPTIONS).replay(PLAYED).text
        assert is_refused(stranger, position=f"1{text[1:]}")
        assert not is_refused(stranger, "b1c1", "c2d2", "a4b4", "d1d2")
        values = {"game": "dots-and-boxes", "options": OPTIONS, "moves": PLAYED}
        assert stranger.request("POST", "/api/analysis/values", json=values).json()["code"] == "running"
        # The board itself is no help, and stays.
        assert stranger.fetch("POST", "/api/analysis/board", **values)["picture"]["moves"]
        ada.execute(table, "resign", seat=0)
        assert not is_refused(stranger, *PLAYED)


def test_openings_count_for_the_players_only(server: Server, stranger: Program) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        begin(ada, bo, *PLAYED[:2])
        assert not is_refused(stranger, *PLAYED[:2])
        assert is_refused(ada, *PLAYED[:2]) and is_refused(bo, *PLAYED[:2])
        assert is_refused(ada)


def test_a_game_alone_with_the_computer_protects_nothing(server: Server, stranger: Program) -> None:
    with Program(server, "Ada") as ada:
        table = ada.begin_table("dots-and-boxes", "me", "me", options=OPTIONS)
        for move in PLAYED:
            ada.execute(table, "move", move=move)
        assert not is_refused(stranger, *PLAYED) and not is_refused(ada, *PLAYED)


def test_the_engine_is_off_for_what_lacks_a_move_of_a_running_game(server: Server, stranger: Program) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        played = [*PLAYED, "b1c1", "c2d2", "a2a3", "b3c3"]
        begin(ada, bo, *played)
        # Its best move may be the one that is missing, and then its value is that of the running game.
        for missing in played[:5]:
            assert is_refused(stranger, *(move for move in played if move != missing))
        assert is_refused(stranger, *played[1:], "d1d2")
        assert not is_refused(stranger, *played[2:])


def test_lines_of_the_engine_end_where_a_running_game_begins(
    server: Server, stranger: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = [*PLAYED, "b1c1", "c2d2", "a2a3", "b3c3"]
    on = ["d1d2", "c1d1"]

    def follow(view: View, *_: object, **__: object) -> Analysis:
        """Find three lines: one plays the moves of the game in another order, the others something else."""
        lines = ((*played[5:1:-1], *on), ("a1a2", "c1c2"), (played[3], *on))
        return Analysis(tuple(AnalysisLine(line[0], line, 0.0, 0.5, -9, 9, 1) for line in lines), 0, 1, 0.0)

    monkeypatch.setattr(services, "analyse", follow)
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        table = begin(ada, bo, *played)

        def read_lines() -> list[list[str]]:
            body = {"game": "dots-and-boxes", "options": OPTIONS, "moves": [*played[:2], *played[6:]], "lines": 3}
            answer = stranger.http.post("/api/analysis/lines", json=body)
            update = json.loads(answer.text.splitlines()[-1])
            assert update["state"] == "done"
            return [line["line"] for line in update["lines"]]

        told = read_lines()
        ada.execute(table, "resign", seat=0)
        whole = read_lines()
    # After three moves only one is missing.
    assert told == [whole[0][:3], whole[1], whole[2]] and len(whole[0]) == 6


def test_a_game_that_reaches_the_position_during_the_search_is_noticed(
    server: Server, stranger: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo:
        table = begin(ada, bo, PLAYED[0])

        def search(view: View, *arguments: object, **named: object) -> Analysis:
            """Find a move after the two have played on."""
            for number, move in enumerate(PLAYED[1:], 1):
                (ada, bo)[number % 2].execute(table, "move", move=move)
            return analyse_nothing(view, *arguments, **named)

        monkeypatch.setattr(services, "analyse", search)
        body = {"game": "dots-and-boxes", "options": OPTIONS, "moves": PLAYED}
        answer = stranger.http.post("/api/analysis/lines", json=body)
        update = json.loads(answer.text.splitlines()[-1])
        assert (update["state"], update["lines"]) == ("done", [])


@pytest.mark.parametrize("at_a_table", [False, True])
def test_a_game_that_reaches_the_position_while_it_is_solved_is_noticed(
    server: Server, stranger: Program, monkeypatch: pytest.MonkeyPatch, *, at_a_table: bool
) -> None:
    service = server.context.engine
    solve = service.solve
    body = {"game": "dots-and-boxes", "options": BOXES, "moves": IN_TWO_BOXES[:4]}
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo, Browser(server) as eve:
        table = eve.begin_table("dots-and-boxes", cols="2", rows="1", seat_0="person", seat_1="person")

        async def play_meanwhile(*arguments: Any) -> Any:
            """Solve a position while two people come to it."""
            found = await solve(*arguments)
            await asyncio.to_thread(play, ada, bo, moves=IN_TWO_BOXES[:4])
            return found

        monkeypatch.setattr(service, "solve", play_meanwhile)
        if not at_a_table:
            assert stranger.request("POST", "/api/analysis/values", json=body).json()["code"] == "running"
            return
        with eve.open_table(table) as socket:
            for move in IN_TWO_BOXES[:4]:
                socket.move(move)
            socket.send_command("resign", seat=0)
            assert "being played" in ask(socket, "solve")


def test_the_engine_says_so_if_the_database_is_lost_during_the_search(
    server: Server, stranger: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> list[object]:
        raise StoreError("the disk is full")

    def search(view: View, *arguments: object, **named: object) -> Analysis:
        """Find a move after the database is lost."""
        monkeypatch.setattr(server.context.store, "list_own_games", fail)
        return analyse_nothing(view, *arguments, **named)

    monkeypatch.setattr(services, "analyse", search)
    body = {"game": "dots-and-boxes", "options": OPTIONS, "moves": PLAYED}
    answer = stranger.http.post("/api/analysis/lines", json=body)
    update = json.loads(answer.text.splitlines()[-1])
    assert update["state"] == "refused" and "database" in update["sentence"]


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
            assert "being played" not in ask(socket, "evaluate", ply=1)
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
        running = begin(ada, bo, *played)
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
        assert repeat() == {1: usual, 3: usual, 5: usual, 7: least, 9: least}
        # Two guests cannot help somebody to win a rated game.
        assert register(eve.http, "Evelyn").status_code == 303
        assert set(repeat(rated="true").values()) == {usual}
        ada.execute(running, "resign", seat=0)
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
        running = play(ada, bo, moves=["b1c1", "a1b1", "b2c2", "c1c2"])
        told = eve.fetch("GET", path)
        assert told["sentence"].startswith("Nothing is said about moves 3 to 7 yet: a game in progress")
        moves, all_moves = told["review"]["moves"], whole["review"]["moves"]
        assert moves[:2] == [{**move, "statements": moves[move["ply"]]["statements"]} for move in all_moves[:2]]
        silent: Json = {"label": None, "evaluation": None, "loss": None, "best_moves": [], "statements": []}
        assert moves[2:] == [{**move, **silent} for move in all_moves[2:]]
        assert all(sum(player["labels"].values()) == 1 for player in told["review"]["players"])
        assert eve.fetch("POST", path) == told
        page = eve.http.get(f"/play/{finished}/review?ply=5")
        assert "Withheld:" in page.text and page.text.count("withheld") >= 5
        assert "Mistakes of" in eve.http.get(f"/play/{finished}/review/mistakes?seat=1").text
        # The move of ply 1 of the running game leads to a position of it.
        for asked in ({"ply": 4, "move": "c1c2"}, {"ply": 2, "move": "c1c2"}):
            assert eve.request("POST", f"{path}/alternatives", json=asked).json()["code"] == "running"
            attempt = {"ply": asked["ply"], "moves": [asked["move"]]}
            assert eve.request("POST", f"{path}/attempts", json=attempt).json()["code"] == "running"
            assert eve.request("POST", f"{path}/attempts", json={**attempt, "show": True}).json()["code"] == "running"
        ada.execute(running, "resign", seat=0)
        assert eve.fetch("GET", path) == whole


@pytest.mark.parametrize("kind", ["attempts", "alternatives"])
def test_a_game_that_reaches_the_position_while_a_move_is_judged_is_noticed(
    server: Server, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(reviews, "NODES", 5)
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo, Program(server, "Eve") as eve:
        finished = play(eve, moves=IN_TWO_BOXES)
        review_table(server, finished)
        service = server.context.engine
        judge = service.judge
        tables: list[str] = []

        async def play_meanwhile(*arguments: Any) -> Any:
            """Judge a move while two others come to its position."""
            found = await judge(*arguments)
            moves = IN_TWO_BOXES[:4]
            tables.append(await asyncio.to_thread(play, ada, bo, moves=moves))
            return found

        monkeypatch.setattr(service, "judge", play_meanwhile)
        asked = {"ply": 4, "move": "c1c2", "moves": ["c1c2"]}
        wanted = ("ply", "moves") if kind == "attempts" else ("ply", "move")
        path, body = f"/api/tables/{finished}/review/{kind}", {name: asked[name] for name in wanted}
        assert eve.request("POST", path, json=body).json()["code"] == "running"
        monkeypatch.setattr(service, "judge", judge)
        ada.execute(tables[0], "resign", seat=0)
        assert eve.request("POST", path, json=body).is_success


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
