"""Exact values over the socket: only of finished games, within limits, and cancellable at once."""

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError, SolverLimit
from fourcorners.solvers.solver_run import compute_margin
from fourcorners.web.engine import services
from tests.web.client import WAIT, Browser, Server, Socket

pytestmark = pytest.mark.compiled


class FakeSolver:
    """Replaces the module `solver`: records positions, waits for `go_on`, then returns `value` or raises `error`.

    `began` and `stopped` are released once for each solve that begins or is stopped.
    """

    def __init__(self) -> None:
        """Answer at once, until a test clears `go_on`."""
        self.positions: list[fc.Position] = []
        self.value = 3
        self.error: Exception | None = None
        self.began = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()
        self.stopped = threading.Semaphore(0)

    def solve(
        self,
        position: fc.Position,
        *,
        seconds: float,
        memory: int,
        threads: int,
        progress: Callable[..., None],
        stop: threading.Event,
        every_move: bool,
    ) -> fc.Solution:
        """Report the bounds -4 and 6, wait for `go_on`, and return a solution with the value `value`.

        The first two moves are best, the others worse by 1. Raise `error` if it is set, and SolverLimit with these
        bounds if `stop` is set during the wait; fail unless the limits are those of the service.
        """
        limits = services.SOLVE_SECONDS, services.SOLVE_MEMORY
        assert (seconds, memory, threads, every_move) == (*limits, 1, True)
        self.positions.append(position)
        self.began.release()
        progress(-4, 6, 17, 0.1, 0.0)
        while not self.go_on.wait(0.005):
            if stop.is_set():
                self.stopped.release()
                raise SolverLimit("stopped", -4, 6, 17)
        if self.error is not None:
            raise self.error
        moves = position.moves()
        values = {move: self.value - (index > 1) for index, move in enumerate(moves)}
        final_margin = compute_margin(position, position.seat or 0) + self.value
        return fc.Solution(self.value, tuple(moves[:2]), 17, final_margin=final_margin, values=values)


@pytest.fixture
def fake_solver(monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[FakeSolver]:
    """Yield a stand-in for the solver of the shared server; clear its cache of results before and after the test.

    Positions that still wait are let go on at the end.
    """
    solver = FakeSolver()
    monkeypatch.setattr(services, "solver", solver)
    server.context.engine.solutions.results.clear()
    yield solver
    solver.go_on.set()
    server.context.engine.solutions.results.clear()


def create_finished_game(browser: Browser, game: str = "dots-and-boxes", **options: str) -> str:
    """Play random moves to the end of a new game between Ada and Bo at one browser; return the table's id.

    Without options the board has the size 2 x 2. If hands are hidden, the curtain is lifted for each turn.
    """
    sizes = options or {"cols": "2", "rows": "2"}
    table = browser.begin_table(game, **sizes, seat_0="person", seat_1="person", **{"name-0": "Ada", "name-1": "Bo"})
    with browser.open_table(table) as socket:
        while not socket.state["over"]:
            if socket.state["curtain"]:
                socket.send(type="change-viewer", viewer=socket.state["seat"])
                socket.receive_until("patch")
            socket.move(random.choice(socket.state["moves"]))
    return table


def send_solve_query(socket: Socket, ply: int, name: str = "q1") -> dict[str, Any]:
    """Ask for the exact value after `ply` plies, with the query id `name`; return the answer, of any `state`."""
    socket.send(type="solve", id=name, ply=ply)
    answer = socket.receive_until("solve")
    assert (answer["id"], answer["ply"]) == (name, ply)
    return answer


def start_solving(fake_solver: FakeSolver, socket: Socket, ply: int, name: str = "q1") -> None:
    """Clear `go_on` so that solving does not end, ask for the exact value after `ply` plies, and wait until it begins.

    `name` is the query's id. The answer comes once a test sets `go_on` or the query is cancelled.
    """
    fake_solver.go_on.clear()
    socket.send(type="solve", id=name, ply=ply)
    assert fake_solver.began.acquire(timeout=WAIT)


def test_finished_game_is_solved_once_for_all_at_any_ply_before_its_end(
    browser: Browser, other: Browser, fake_solver: FakeSolver
) -> None:
    table = create_finished_game(browser)
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        match = fc.Record.parse(browser.http.get(f"/play/{table}/record").text).match()
        answer: dict[str, Any] = {}
        # 2 x 2 boxes have 12 edges.
        for ply in range(12):
            answer = send_solve_query(socket, ply)
            position = match.positions[ply]
            assert position.seat is not None
            lead = position.scores[position.seat] - position.scores[1 - position.seat]
            # The solver values the rest of the game, the answer the whole game.
            worth = lead + fake_solver.value
            assert (answer["state"], answer["seat"], answer["worth"]) == ("solved", position.seat, worth)
            # All moves, the best ones first.
            assert sorted(move for move, _ in answer["moves"]) == position.moves()
            assert [worth for _, worth in answer["moves"]] == sorted((w for _, w in answer["moves"]), reverse=True)
            assert answer["moves"][0] == [position.moves()[0], worth]
        assert fake_solver.positions == match.positions[:12]
        # Others receive the cached result.
        assert send_solve_query(watcher, 11)["worth"] == answer["worth"]
        assert len(fake_solver.positions) == 12
        # At and after the end there is nothing to solve.
        assert "over here" in send_solve_query(socket, 12)["sentence"]
        assert "12 plies" in send_solve_query(socket, 13)["sentence"]
        assert len(fake_solver.positions) == 12


def test_bounds_are_reported_before_the_solution(browser: Browser, fake_solver: FakeSolver) -> None:
    with browser.open_table(create_finished_game(browser)) as socket:
        socket.send(type="solve", id="q", ply=0)
        assert socket.receive_until("solve-progress", "solve") == {
            "type": "solve-progress",
            "ply": 0,
            "lower": -4,
            "upper": 6,
            "nodes": 17,
        }
        assert socket.receive_until("solve")["state"] == "solved"


def test_players_and_spectators_of_a_running_game_receive_no_solution_and_no_overlay(
    browser: Browser, other: Browser, fake_solver: FakeSolver
) -> None:
    table = browser.begin_table("dots-and-boxes", cols="2", rows="2", seat_0="person", seat_1="person")
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        socket.move(socket.state["moves"][0])
        for asker in (socket, watcher):
            for ply in (0, 1):
                answer = send_solve_query(asker, ply)
                assert answer["state"] == "refused"
                assert "finished games" in answer["sentence"]
                assert answer.keys() == {"type", "id", "ply", "state", "sentence"}
        assert (socket.state["revealed"], socket.state["overlay"]) == (False, None)
        assert "overlay" not in socket.heard[0]["board"]
        socket.send(type="look", ply=0)
        assert "overlay" not in socket.receive_until("look")["board"]
    assert fake_solver.positions == []


def test_taking_back_the_last_move_cancels_solving_and_makes_it_impossible(
    browser: Browser, fake_solver: FakeSolver
) -> None:
    with browser.open_table(create_finished_game(browser)) as socket:
        start_solving(fake_solver, socket, 11)
        assert socket.send_command("undo")["type"] == "done"
        assert fake_solver.stopped.acquire(timeout=WAIT)
        socket.receive_until("patch")
        answers = [message for message in socket.heard if message["type"] == "solve"]
        # The cancellation may be reported before or after the new board.
        answers = answers or [socket.receive_until("solve")]
        assert [answer["state"] for answer in answers] == ["cancelled"]
        assert not socket.state["over"]
        assert send_solve_query(socket, 11, "q2")["state"] == "refused"
    assert len(fake_solver.positions) == 1


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"type": "cancel-solve"},
        {"type": "look", "ply": 2},
        {"type": "change-viewer", "viewer": 1},
        {"type": "hello", "version": None},
    ],
)
def test_leaving_looking_changing_the_view_or_saying_hello_cancels_solving_and_caches_nothing(
    browser: Browser, fake_solver: FakeSolver, elsewhere: dict[str, Any]
) -> None:
    with browser.open_table(create_finished_game(browser)) as socket:
        start_solving(fake_solver, socket, 3)
        socket.send(**elsewhere)
        assert fake_solver.stopped.acquire(timeout=WAIT)
        answer = socket.receive_until("solve")
        assert (answer["id"], answer["state"]) == ("q1", "cancelled")
        # If the cancelled search had left its bounds in the cache, the state would be "bounds".
        fake_solver.go_on.set()
        assert send_solve_query(socket, 3, "q2")["state"] == "solved"


def test_limits_refusals_and_failures_are_reported_in_words_and_failures_are_not_cached(
    browser: Browser, fake_solver: FakeSolver
) -> None:
    with browser.open_table(create_finished_game(browser)) as socket:
        fake_solver.error = SolverLimit("too little time", -4, 6, 1234)
        answer = send_solve_query(socket, 0)
        assert answer["state"] == "bounds"
        assert answer["sentence"] == "Not solved within 2 s and 64 MB: for Ada the result lies between −4 and +6."
        assert answer["detail"] == "1,234 positions searched."
        # Equal bounds are the exact value; only the values of the single moves are missing.
        fake_solver.error = SolverLimit("too little time for every move", 2, 2, 9)
        answer = send_solve_query(socket, 1)
        assert (answer["state"], answer["moves"]) == ("solved", [])
        assert "Not every move" in answer["detail"]
        fake_solver.error = GameError("only two seats can be solved")
        assert send_solve_query(socket, 2)["sentence"] == "Only two seats can be solved."
        fake_solver.error = ZeroDivisionError("a bug")
        assert send_solve_query(socket, 3)["sentence"] == "Something went wrong on the server. Try again."
        # The same position again.
        fake_solver.error = None
        assert send_solve_query(socket, 3)["state"] == "solved"


def upload_record(browser: Browser, text: str) -> str:
    """Upload the text of a record to study; return the table's id. Fail if the record is refused."""
    answer = browser.http.post("/records", files={"record": ("game.txt", text.encode(), "text/plain")})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/play/")


def test_uploaded_record_is_solved_and_the_chains_of_each_position_are_outlined(
    browser: Browser, fake_solver: FakeSolver
) -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=3, rows=1), ["Ada", "Bo"])
    for move in ("a1b1", "a2b2", "b2c2", "c2d2", "b1c1"):
        match.play(move)
    with browser.open_table(upload_record(browser, str(fc.Record.of(match)))) as socket:
        assert (socket.state["revealed"], socket.state["overlay"]) == (True, "Chains")
        assert "chain of 2 boxes, joined to others: b1 a1" in socket.state["board"]
        socket.send(type="look", ply=0)
        assert "chain of" not in socket.receive_until("look")["board"]
        # The fake solver's 3, at 0 : 0.
        assert send_solve_query(socket, 5)["sentence"] == "Solved: Bo wins by 3."


def test_game_with_hidden_hands_is_solved_after_its_end_but_not_as_an_unfinished_record(
    browser: Browser, fake_solver: FakeSolver
) -> None:
    table = create_finished_game(browser, "squendo", players="2")
    text = browser.http.get(f"/play/{table}/record").text
    with browser.open_table(table) as socket:
        last = len(socket.state["plies"]) - 1
        answer = send_solve_query(socket, last)
        assert answer["state"] == "solved"
        assert len(answer["moves"]) > 0
        # The hand of the seat to move is shown as well.
        socket.send(type="look", ply=last)
        hand = socket.receive_until("look")["tray"]
        assert any(f'data-token="{move.split(" ")[0]}"' in hand for move, _ in answer["moves"])
    # The record of the same game, cut off after five moves and without its result.
    head, _, moves = text.partition("\n\n")
    shorter = "\n".join(moves.splitlines()[:5])
    unfinished = "\n".join(line for line in head.splitlines() if not line.startswith("result"))
    asked = len(fake_solver.positions)
    with browser.open_table(upload_record(browser, f"{unfinished}\n\n{shorter}\n")) as socket:
        assert socket.state["study"] and not socket.state["revealed"]
        assert "hidden" in send_solve_query(socket, 3)["sentence"]
    assert len(fake_solver.positions) == asked


# Margins and nimbers of starting positions, from the rules.
@pytest.mark.parametrize(
    ("game", "options", "sentence", "best"),
    [
        ("dots-and-boxes", {"cols": 2, "rows": 2}, "Solved: Ada wins by 2.", 2),
        ("dots-and-boxes", {"cols": 3, "rows": 2}, "Solved: Bo wins by 2.", -2),
        ("dots-and-boxes", {"cols": 4, "rows": 1}, "Solved: a draw.", 0),
        ("sqez", {"cols": 4, "rows": 4}, "Solved: Ada, to move, wins, nimber 1.", 1),
        ("sqez", {"cols": 5, "rows": 5}, "Solved: Ada, to move, loses, nimber 0.", -1),
    ],
)
def test_known_values_are_described_correctly_and_every_move_is_listed(
    browser: Browser, server: Server, game: str, options: dict[str, int], sentence: str, best: int
) -> None:
    match = fc.Match(fc.game(game, **options), ["Ada", "Bo"])
    with browser.open_table(upload_record(browser, str(fc.Record.of(match)))) as socket:
        answer = send_solve_query(socket, 0)
        assert answer["sentence"] == sentence
        assert (answer["worth"], answer["moves"][0][1]) == (best, best)
        assert sorted(move for move, _ in answer["moves"]) == match.position.moves()
