"""Hints and evaluations over the socket: only for the player who asks, from what they may know, and cancellable."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.game import View
from fourcorners.players.computer import Choice
from fourcorners.players.hints import Advice
from fourcorners.web.engine import services
from fourcorners.web.engine.analysis_text import Seats, describe_estimate
from fourcorners.web.engine.services import Estimate
from fourcorners.web.engine.work_queue import CpuBudget
from tests.web.client import WAIT, Browser, Server, Socket
from tests.web.engine.test_jobs import Clock
from tests.web.engine.test_solving import create_finished_game, upload_record

pytestmark = pytest.mark.compiled


class FakeSearch:
    """Stands in for the searches: records views, waits for `go_on`, and returns fixed answers or raises `error`.

    `began` and `stopped` are released once for each search that begins or is stopped.
    """

    def __init__(self) -> None:
        """Answer at once, until a test clears `go_on`."""
        self.views: list[View] = []
        self.error: Exception | None = None
        self.result = Estimate(2.6, 0.7, solved=False)
        self.began = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()

    def hint(self, view: View, *, seconds: float, nodes: int, stop: threading.Event) -> Advice:
        """Stand in for `hint`: wait as `_search` does, and advise the first legal move with a fixed reason.

        Raise `error` if it is set; fail unless the limits are those of the service.
        """
        assert (seconds, nodes) == (services.HINT_SECONDS, services.HINT_NODES)
        self._search(view, stop)
        move = view.moves()[0]
        return Advice(move, f"{move}: opens the shortest chain", 1.0, 0.9, solved=False)

    def estimate(self, view: View, stop: threading.Event) -> Estimate:
        """Stand in for `estimate`: wait as `_search` does, and return `result`; raise `error` if it is set."""
        self._search(view, stop)
        return self.result

    def _search(self, view: View, stop: threading.Event) -> None:
        """Record the view and wait until `go_on` or `stop` is set; then raise `error`, if there is one, unless stopped.

        `began` is released at the start, `stopped` if `stop` was set.
        """
        self.views.append(view)
        self.began.release()
        while not self.go_on.wait(0.005):
            if stop.is_set():
                self.stopped.release()
                return
        if self.error is not None:
            raise self.error


@pytest.fixture
def fake_search(monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[FakeSearch]:
    """Yield a stand-in for the searches of the shared server; clear its caches before and after the test.

    Searches that still wait are let go on at the end.
    """
    search = FakeSearch()
    monkeypatch.setattr(services, "hint", search.hint)
    monkeypatch.setattr(services, "estimate", search.estimate)
    engine = server.context.engine
    engine.hints.results.clear()
    engine.estimates.results.clear()
    yield search
    search.go_on.set()
    engine.hints.results.clear()
    engine.estimates.results.clear()


def begin_game(browser: Browser, game: str = "dots-and-boxes", **options: str) -> str:
    """Begin a game in which this browser plays both seats, Ada and Bo; return the table's id.

    `options` are those of the game, as text.
    """
    names = {"name-0": "Ada", "name-1": "Bo"}
    return browser.begin_table(game, **options, seat_0="person", seat_1="person", **names)


def send_query(socket: Socket, kind: str, **more: int) -> dict[str, Any]:
    """Send a query of the type "hint" or "evaluate" about the version that the socket shows; return its answer.

    `more` are further fields of the message: `ply`, which "evaluate" needs. The answer may have any `state`.
    """
    socket.send(type=kind, id="q", version=socket.state["version"], **more)
    answer = socket.receive_until(kind)
    assert answer["id"] == "q"
    return answer


def start_query(fake_search: FakeSearch, socket: Socket, kind: str, **more: int) -> None:
    """Clear `go_on` so that searches do not end, send a query with the id "q", and wait until its search has begun.

    `kind` and `more` are those of `send_query`. The answer comes once a test sets `go_on` or the query is cancelled.
    """
    fake_search.go_on.clear()
    socket.send(type=kind, id="q", version=socket.state["version"], **more)
    assert fake_search.began.acquire(timeout=WAIT)


def test_only_the_asking_page_of_a_player_receives_a_hint_and_spectators_are_refused(
    browser: Browser, other: Browser, fake_search: FakeSearch
) -> None:
    table = begin_game(browser)
    with browser.open_table(table) as socket, browser.open_table(table) as same, other.open_table(table) as watcher:
        move = socket.state["moves"][0]
        expected = {"state": "found", "move": move, "reason": "opens the shortest chain"}
        assert send_query(socket, "hint") == {"type": "hint", "id": "q", **expected}
        assert "your own turn" in send_query(watcher, "hint")["sentence"]
        # A hint to these sockets would have come before the answers to these messages.
        for onlooker in (same, watcher):
            onlooker.send(type="look", ply=0)
            onlooker.receive_until("look")
        assert not any(message["type"] == "hint" for message in same.heard)
        assert not any("move" in message for message in watcher.heard)
        # The refused query started no search.
        assert len(fake_search.views) == 1


def test_hints_are_refused_after_the_end_and_in_records(browser: Browser, fake_search: FakeSearch) -> None:
    table = browser.begin_table("square-off", size="4", seat_0="computer", seat_1="person", level_0="1", swap="false")
    with browser.open_table(table) as socket:
        socket.receive_until_mine()
        socket.send_command("resign", seat=1)
        socket.receive_until("patch")
        assert send_query(socket, "hint")["sentence"] == "The game is over."
    with browser.open_table(
        upload_record(browser, str(fc.Record.of(fc.Match(fc.game("sqez"), ["Ada", "Bo"]))))
    ) as socket:
        assert send_query(socket, "hint")["state"] == "refused"
    assert fake_search.views == []


@pytest.mark.parametrize("kind", ["hint", "evaluate"])
# {} stands for a move, and None for closing the socket.
@pytest.mark.parametrize("elsewhere", [{"type": "look", "ply": 0}, {"type": "hello", "version": None}, {}, None])
def test_looking_saying_hello_moving_or_leaving_cancels_the_search(
    browser: Browser, fake_search: FakeSearch, kind: str, elsewhere: dict[str, Any] | None
) -> None:
    with browser.open_table(begin_game(browser)) as socket:
        more = {"ply": 0} if kind == "evaluate" else {}
        start_query(fake_search, socket, kind, **more)
        if elsewhere:
            socket.send(**elsewhere)
        elif elsewhere is not None:
            socket.send(type="move", id="m", version=0, move=socket.state["moves"][0])
        # `cancelled` is the state of a query that has ended early. A closed socket receives no answer.
        if elsewhere is not None:
            assert fake_search.stopped.acquire(timeout=WAIT)
            assert socket.receive_until(kind)["state"] == "cancelled"
    if elsewhere is None:
        assert fake_search.stopped.acquire(timeout=WAIT)


def test_second_hint_query_of_a_socket_cancels_the_first(browser: Browser, fake_search: FakeSearch) -> None:
    with browser.open_table(begin_game(browser)) as socket:
        start_query(fake_search, socket, "hint")
        socket.send(type="hint", id="second", version=0)
        assert fake_search.stopped.acquire(timeout=WAIT)
        fake_search.go_on.set()
        answers = [socket.receive_until("hint") for _ in range(2)]
        assert [(answer["id"], answer["state"]) for answer in answers] == [("q", "cancelled"), ("second", "found")]


def test_query_about_an_old_version_is_left_and_one_about_a_missing_ply_refused_without_a_search(
    browser: Browser, fake_search: FakeSearch
) -> None:
    with browser.open_table(begin_game(browser)) as socket:
        socket.move(socket.state["moves"][0])
        for kind, more in (("hint", {}), ("evaluate", {"ply": 0})):
            socket.send(type=kind, id="late", version=0, **more)
            assert socket.receive_until(kind)["state"] == "cancelled"
        assert "1 plies, not 2" in send_query(socket, "evaluate", ply=2)["sentence"]
    assert fake_search.views == []


def test_player_who_asks_too_much_is_refused_in_words(
    server: Server, browser: Browser, fake_search: FakeSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.context.engine.hints.queue, "limits", services.HINT_LIMITS._replace(per_player=0))
    with browser.open_table(begin_game(browser)) as socket:
        assert send_query(socket, "hint")["sentence"] == "This server is busy. Try again in a minute."
    assert fake_search.views == []


def test_hint_query_before_the_hello_is_rejected_without_a_search(browser: Browser, fake_search: FakeSearch) -> None:
    with browser.connect(begin_game(browser)) as socket:
        socket.send(type="hint", id="q", version=0)
        assert socket.receive_next()["sentence"] == "The first message must be a hello."
    assert fake_search.views == []


def test_estimate_of_a_position_is_described_and_computed_once_for_all_viewers(
    browser: Browser, other: Browser, fake_search: FakeSearch
) -> None:
    table = begin_game(browser)
    with browser.open_table(table) as socket, other.open_table(table) as watcher:
        answer = send_query(socket, "evaluate", ply=0)
        assert answer == {
            "type": "evaluate",
            "id": "q",
            "ply": 0,
            "state": "found",
            "sentence": "Estimate: Ada wins by about 3, in 68 to 72 of 100 games.",
            "share": 0.7,
            "low": 0.68,
            "high": 0.72,
            "sides": [[0], [1]],
            "solved": False,
        }
        assert send_query(watcher, "evaluate", ply=0) == answer
        socket.move(socket.state["moves"][0])
        # The same estimate for the seat to move, now Bo, leaves Ada, whose share it is, the rest.
        assert send_query(socket, "evaluate", ply=1)["share"] == 0.3
        assert len(fake_search.views) == 2


@pytest.mark.parametrize(
    ("game", "options", "estimate", "own_seats", "sentence", "share"),
    [
        (
            "dots-and-boxes",
            {},
            Estimate(0.2, 0.5, solved=False),
            (),
            "Estimate: about even, Ada wins in 48 to 52 of 100 games.",
            0.5,
        ),
        ("dots-and-boxes", {}, Estimate(3.0, 1.0, solved=True), (0,), "You win by 3 with best play.", 1.0),
        ("dots-and-boxes", {}, Estimate(-3.0, 0.0, solved=True), (0,), "Bo wins by 3 with best play.", 0.0),
        ("dots-and-boxes", {}, Estimate(0.0, 0.5, solved=True), (0,), "A draw with best play.", 0.5),
        # Only a proof may look certain.
        (
            "square-off",
            {},
            Estimate(-2.0, 0.0, solved=False),
            (),
            "Estimate: Bo wins by about 2, in 98 of 100 games.",
            0.02,
        ),
        ("sqez", {}, Estimate(-1.0, 0.0, solved=True), (), "Bo wins with best play.", 0.0),
        ("sqez", {}, Estimate(0.4, 0.7, solved=False), (0,), "Estimate: you win in 68 to 72 of 100 games.", 0.7),
        (
            "squarin-off",
            {"players": 3},
            Estimate(1.4, 0.42, solved=False),
            (),
            "Estimate: Ada wins in 40 to 44 of 100 games.",
            0.42,
        ),
        (
            "squarin-off",
            {"players": 4, "teams": True},
            Estimate(5.0, 0.9, solved=False),
            (2,),
            "Estimate: you win by about 5, in 89 to 91 of 100 games.",
            0.9,
        ),
    ],
)
def test_estimate_is_described_in_words_with_its_chance_and_a_proof_without(
    game: str, options: dict[str, Any], estimate: Estimate, own_seats: tuple[int, ...], sentence: str, share: float
) -> None:
    match = fc.Match(fc.game(game, **options), ["Ada", "Bo", "Cy", "Di"][: options.get("players", 2)])
    answer = describe_estimate(estimate, Seats(match.position, match.names), match.position.view(0), own_seats)
    assert (answer["sentence"], answer["share"]) == (sentence, share)


def test_finished_game_is_evaluated_as_its_result_at_the_end_and_by_best_play_before(browser: Browser) -> None:
    table = create_finished_game(browser)
    with browser.open_table(table) as socket:
        last = len(socket.state["plies"])
        scores = socket.state["scores"]
        end = send_query(socket, "evaluate", ply=last)
        assert end["share"] == (1 if scores[0] > scores[1] else 0 if scores[0] < scores[1] else 0.5)
        assert end["sentence"].endswith(f"{max(scores)} : {min(scores)}.")
        # Before the last move the solver proves the result, which is that of the game: only one move is left.
        before = send_query(socket, "evaluate", ply=last - 1)
        assert (before["solved"], before["share"]) == (True, end["share"])
        # The first player wins 2 x 2 boxes by 2 with best play, whatever was played.
        assert send_query(socket, "evaluate", ply=0)["sentence"] == "Ada wins by 2 with best play."


def test_hint_of_the_real_search_is_a_legal_move_that_can_be_played(browser: Browser) -> None:
    with browser.open_table(begin_game(browser, cols="2", rows="2")) as socket:
        answer = send_query(socket, "hint")
        assert answer["move"] in socket.state["moves"]
        socket.move(answer["move"])


def test_estimate_of_a_running_game_knows_the_share_that_is_left() -> None:
    view = fc.game("dots-and-boxes", cols=5, rows=5).replay(["a1b1"]).view(1)
    estimate = services.estimate(view, threading.Event())
    assert not estimate.solved
    assert estimate.left == pytest.approx(59 / 60)
    assert estimate.nodes >= 100


def test_estimate_does_not_favour_the_side_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    class Partial:
        """A computer that expects the first player to win by 2, and the side to move by 30 more."""

        def __init__(self, **_: object) -> None:
            """Take any limits."""

        def choose(self, view: View, stop: threading.Event) -> Choice:
            margin, chance = (32.0, 0.9) if view.seat == 0 else (28.0, 0.8)
            moves = view.moves()
            return Choice(moves[0], margin, chance, (moves[0],), 100, 0.0, remaining_margin=margin)

    monkeypatch.setattr(services, "Computer", Partial)
    position = fc.game("dots-and-boxes", cols=3, rows=3).start()
    first = services.estimate(position.view(0), threading.Event())
    second = services.estimate(position.play("a1b1").view(1), threading.Event())
    assert first.value == 2.0 and first.win == pytest.approx(0.55)
    assert second.value == -2.0 and second.win == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("game", "options"), [("square-off", {"size": 12}), ("sqez", {"cols": 20, "rows": 20}), ("squendo", {"players": 4})]
)
def test_estimate_ends_with_its_budget_and_tells_how_many_simulations_it_made(
    game: str, options: dict[str, int]
) -> None:
    """However large the board is, a few slices and two random games are all that is done once the budget is used."""
    view = fc.game(game, **options).start(seed=1)
    clock = Clock(0.1)
    estimate = services.estimate(view.view(view.seat), CpuBudget(threading.Event(), 0.4, clock))
    assert not estimate.solved
    assert 1 <= estimate.nodes < services.ESTIMATE_NODES / 4
    # Each slice and each random game looks at the clock once.
    assert clock.looks < 12
    assert estimate.left > 0.9
