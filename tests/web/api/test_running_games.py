"""Nobody gets the help of an engine with a position of a running game between people."""

from collections.abc import Callable, Iterator

import pytest

import fourcorners as fc
from fourcorners.core.position import View
from fourcorners.study.analysis import Analysis
from fourcorners.study.analysis_run import AnalysisLine
from fourcorners.web.engine import analysis_service
from tests.web.client import Server
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
    monkeypatch.setattr(analysis_service, "analyse", analyse_nothing)
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


def test_no_review_and_no_set_of_puzzles_tells_about_a_running_game(server: Server) -> None:
    with Program(server, "Ada") as ada, Program(server, "Bo") as bo, Program(server, "Eve") as eve:
        running = begin(ada, bo, *PLAYED)
        repeated = eve.begin_table("dots-and-boxes", "me", "me", options=OPTIONS)
        for move in PLAYED:
            eve.execute(repeated, "move", move=move)
        eve.execute(repeated, "resign", seat=0)
        refused = eve.request("POST", f"/api/tables/{repeated}/review")
        assert refused.json()["code"] == "running" and "being played" in refused.json()["sentence"]
        text = fc.game("dots-and-boxes", **OPTIONS).replay(PLAYED).text
        item = f'dots-and-boxes {{"cols": 3, "rows": 3}}: {text}'
        answer = eve.http.post("/sets", data={"title": "Homework", "items": item})
        assert answer.status_code == 422 and "being played" in answer.text
        ada.execute(running, "resign", seat=0)
        assert eve.request("POST", f"/api/tables/{repeated}/review").is_success
