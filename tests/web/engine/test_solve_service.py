"""Exact values over the socket: only of finished games, within limits, and cancellable at once."""

import random
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import GameError, SolverLimit
from fourcorners.web.engine import solve_service
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
        progress: Callable[..., None],
        stop: threading.Event,
        every_move: bool,
    ) -> Any:
        """Report the bounds -4 and 6, and return a solution in which the first two moves are best.

        Raise `error` if it is set, and SolverLimit with these bounds once `stop` is set.
        """
        assert (seconds, memory, every_move) == (solve_service.TIME_LIMIT, solve_service.MEMORY_LIMIT, True)
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
        return SimpleNamespace(
            value=self.value, moves=moves[:2], values=values, nodes=17, nimber=None, margins=None, open_hands=False
        )


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[FakeSolver]:
    """Replace the solver of the shared server for one test, and clear its cache before and after."""
    solver = FakeSolver()
    monkeypatch.setattr(solve_service, "solver", solver)
    server.registry.solve_service._results.clear()
    yield solver
    solver.go_on.set()
    server.registry.solve_service._results.clear()


def finish_game(browser: Browser, game: str = "dots-and-boxes", **options: str) -> str:
    """Play random moves to the end of a new game between Ada and Bo at one browser; return the table's id.

    Without options the board has the size 2 x 2.
    """
    sizes = options or {"cols": "2", "rows": "2"}
    table = browser.begin(game, **sizes, seat_0="person", seat_1="person", **{"name-0": "Ada", "name-1": "Bo"})
    with browser.open_table(table) as socket:
        while not socket.state["over"]:
            if socket.state["curtain"]:
                socket.send(type="view", viewer=socket.state["seat"])
                socket.until("patch")
            socket.move(random.choice(socket.state["moves"]))
    return table


def ask(socket: Socket, ply: int, name: str = "q1") -> dict[str, Any]:
    """Ask for the exact value after `ply` plies, with the query id `name`; return the answer, of whatever state."""
    socket.send(type="solve", id=name, ply=ply)
    answer = socket.until("solve")
    assert (answer["id"], answer["ply"]) == (name, ply)
    return answer


def start(fake: FakeSolver, socket: Socket, ply: int, name: str = "q1") -> None:
    """Ask for the exact value after `ply` plies, clear `go_on` so that solving goes on, and wait until it begins."""
    fake.go_on.clear()
    socket.send(type="solve", id=name, ply=ply)
    assert fake.began.acquire(timeout=WAIT)


def test_finished_game_is_solved_at_any_ply(browser: Browser, other: Browser, fake: FakeSolver) -> None:
    table = finish_game(browser)
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        match = fc.Record.parse(browser.http.get(f"/play/{table}/record").text).match()
        answer: dict[str, Any] = {}
        for ply in range(12):
            answer = ask(socket, ply)
            position = match.positions[ply]
            assert position.seat is not None
            lead = position.scores[position.seat] - position.scores[1 - position.seat]
            worth = lead + fake.value
            assert (answer["state"], answer["seat"], answer["worth"]) == ("solved", position.seat, worth)
            assert sorted(move for move, _ in answer["moves"]) == position.moves()
            assert [worth for _, worth in answer["moves"]] == sorted((w for _, w in answer["moves"]), reverse=True)
            assert answer["moves"][0] == [position.moves()[0], worth]
        assert fake.positions == match.positions[:12]
        # Others receive the cached result.
        assert ask(watcher, 11)["worth"] == answer["worth"]
        assert len(fake.positions) == 12
        assert "over here" in ask(socket, 12)["sentence"]
        assert "12 plies" in ask(socket, 13)["sentence"]
        assert len(fake.positions) == 12


def test_progress_bounds_are_those_of_the_whole_game(browser: Browser, fake: FakeSolver) -> None:
    with browser.open_table(finish_game(browser)) as socket:
        socket.send(type="solve", id="q", ply=0)
        assert socket.until("solving", "solve") == {"type": "solving", "ply": 0, "lower": -4, "upper": 6, "nodes": 17}
        assert socket.until("solve")["state"] == "solved"


def test_running_game_is_not_solved(browser: Browser, other: Browser, fake: FakeSolver) -> None:
    table = browser.begin("dots-and-boxes", cols="2", rows="2", seat_0="person", seat_1="person")
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        socket.move(socket.state["moves"][0])
        for asker in (socket, watcher):
            for ply in (0, 1):
                answer = ask(asker, ply)
                assert answer["state"] == "refused"
                assert "finished games" in answer["sentence"]
                assert answer.keys() == {"type", "id", "ply", "state", "sentence"}
        assert (socket.state["revealed"], socket.state["overlay"]) == (False, None)
        assert "overlay" not in socket.heard[0]["board"]
        socket.send(type="look", ply=0)
        assert "overlay" not in socket.until("look")["board"]
    assert fake.positions == []


def test_solving_is_cancelled_when_the_last_move_is_taken_back(browser: Browser, fake: FakeSolver) -> None:
    with browser.open_table(finish_game(browser)) as socket:
        start(fake, socket, 11)
        assert socket.send_command("undo")["type"] == "done"
        assert fake.stopped.acquire(timeout=WAIT)
        socket.until("patch")
        answers = [message for message in socket.heard if message["type"] == "solve"]
        # The cancellation may be reported before or after the new board.
        answers = answers or [socket.until("solve")]
        assert [answer["state"] for answer in answers] == ["left"]
        assert not socket.state["over"]
        assert ask(socket, 11, "q2")["state"] == "refused"
    assert len(fake.positions) == 1


@pytest.mark.parametrize(
    "elsewhere",
    [{"type": "leave"}, {"type": "look", "ply": 2}, {"type": "view", "viewer": 1}, {"type": "hello", "version": None}],
)
def test_looking_elsewhere_cancels_solving(browser: Browser, fake: FakeSolver, elsewhere: dict[str, Any]) -> None:
    with browser.open_table(finish_game(browser)) as socket:
        start(fake, socket, 3)
        socket.send(**elsewhere)
        assert fake.stopped.acquire(timeout=WAIT)
        answer = socket.until("solve")
        assert (answer["id"], answer["state"]) == ("q1", "left")
        # The cancelled search has left nothing in the cache.
        fake.go_on.set()
        assert ask(socket, 3, "q2")["state"] == "solved"


def test_second_solve_query_cancels_the_first(browser: Browser, fake: FakeSolver) -> None:
    with browser.open_table(finish_game(browser)) as socket:
        start(fake, socket, 3, "first")
        socket.send(type="solve", id="second", ply=4)
        assert fake.stopped.acquire(timeout=WAIT)
        fake.go_on.set()
        answers = [socket.until("solve") for _ in range(2)]
        assert [(answer["id"], answer["state"]) for answer in answers] == [("first", "left"), ("second", "solved")]


def test_disconnecting_cancels_solving(browser: Browser, fake: FakeSolver) -> None:
    table = finish_game(browser)
    with browser.open_table(table) as socket:
        start(fake, socket, 3)
    assert fake.stopped.acquire(timeout=WAIT)


def test_number_of_waiting_queries_is_limited_and_cancelled_ones_make_room(
    browser: Browser, fake: FakeSolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solve_service, "MAX_WAITING", 1)
    table = finish_game(browser)
    sockets = [browser.open_table(table) for _ in range(solve_service.THREADS + 2)]
    try:
        for ply in range(solve_service.THREADS):
            start(fake, sockets[ply], ply)
        waiting, late = sockets[-2:]
        waiting.send(type="solve", id="w", ply=7)
        waiting.send(type="why", text="x")
        waiting.until("why")
        answer = ask(late, 8)
        assert (answer["state"], "Too many" in answer["sentence"]) == ("refused", True)
        # A waiting query can be cancelled too, which makes room for another.
        waiting.send(type="leave")
        assert waiting.until("solve")["state"] == "left"
        late.send(type="solve", id="again", ply=8)
        fake.go_on.set()
        assert late.until("solve")["state"] == "solved"
        assert [len(position.history) for position in fake.positions] == [0, 1, 8]
    finally:
        for socket in sockets:
            socket.__exit__()


def test_limits_and_failures_are_reported_in_words(browser: Browser, fake: FakeSolver) -> None:
    with browser.open_table(finish_game(browser)) as socket:
        fake.error = SolverLimit("too little time", -4, 6, 1234)
        answer = ask(socket, 0)
        assert answer["state"] == "bounds"
        assert answer["sentence"] == "Not solved within 5 s and 64 MB: for Ada the result lies between −4 and +6."
        assert answer["detail"] == "1,234 positions searched."
        fake.error = SolverLimit("too little time for every move", 2, 2, 9)
        answer = ask(socket, 1)
        assert (answer["state"], answer["moves"]) == ("solved", [])
        assert "Not every move" in answer["detail"]
        fake.error = GameError("only two seats can be solved")
        assert ask(socket, 2)["sentence"] == "Only two seats can be solved."
        fake.error = ZeroDivisionError("a bug")
        assert ask(socket, 3)["sentence"] == "Something went wrong on the server. Try again."
        fake.error = None
        assert ask(socket, 3)["state"] == "solved"


def test_query_before_the_hello_is_rejected(browser: Browser, fake: FakeSolver) -> None:
    with browser.connect(finish_game(browser)) as socket:
        socket.send(type="solve", id="q", ply=0)
        assert socket.next()["sentence"] == "the first message must be a hello"
    assert fake.positions == []


def upload(browser: Browser, text: str) -> str:
    """Upload the text of a record to study; return the table's id. Fail if the record is refused."""
    answer = browser.http.post("/records", files={"record": ("game.txt", text.encode(), "text/plain")})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/play/")


def test_uploaded_record_is_solved_and_its_chains_outlined(browser: Browser, fake: FakeSolver) -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=3, rows=1), ["Ada", "Bo"])
    for move in ("a1b1", "a2b2", "b2c2", "c2d2", "b1c1"):
        match.play(move)
    with browser.open_table(upload(browser, str(fc.Record.of(match)))) as socket:
        assert (socket.state["revealed"], socket.state["overlay"]) == (True, "Chains")
        assert "chain of 2 boxes, joined to others: b1 a1" in socket.state["board"]
        socket.send(type="look", ply=0)
        assert "chain of" not in socket.until("look")["board"]
        assert ask(socket, 5)["sentence"] == "Solved: Bo wins by 3."


def test_game_with_hidden_hands_is_solved_only_after_the_match(browser: Browser, fake: FakeSolver) -> None:
    table = finish_game(browser, "squendo", players="2")
    text = browser.http.get(f"/play/{table}/record").text
    with browser.open_table(table) as socket:
        last = len(socket.state["plies"]) - 1
        answer = ask(socket, last)
        assert answer["state"] == "solved"
        assert len(answer["moves"]) > 0
        # The hand of the seat to move is shown as well.
        socket.send(type="look", ply=last)
        hand = socket.until("look")["tray"]
        assert any(f'data-token="{move.split(" ")[0]}"' in hand for move, _ in answer["moves"])
    head, _, moves = text.partition("\n\n")
    shorter = "\n".join(moves.splitlines()[:5])
    unfinished = "\n".join(line for line in head.splitlines() if not line.startswith("result"))
    asked = len(fake.positions)
    with browser.open_table(upload(browser, f"{unfinished}\n\n{shorter}\n")) as socket:
        assert socket.state["study"] and not socket.state["revealed"]
        assert "hidden" in ask(socket, 3)["sentence"]
    assert len(fake.positions) == asked


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
def test_known_values_are_described_correctly(
    browser: Browser, server: Server, game: str, options: dict[str, int], sentence: str, best: int
) -> None:
    match = fc.Match(fc.game(game, **options), ["Ada", "Bo"])
    with browser.open_table(upload(browser, str(fc.Record.of(match)))) as socket:
        answer = ask(socket, 0)
        assert answer["sentence"] == sentence
        assert (answer["worth"], answer["moves"][0][1]) == (best, best)
        assert sorted(move for move, _ in answer["moves"]) == match.position.moves()
