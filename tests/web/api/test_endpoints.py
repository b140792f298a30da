"""The endpoints of the API: what programs can read and do, and how they are refused."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

import fourcorners as fc
from fourcorners.web.api import http_watchers
from fourcorners.web.api.endpoints import VERBS
from fourcorners.web.api.http_watchers import MAX_WAITING
from fourcorners.web.domain.actions import Verb
from fourcorners.web.store import StoreError
from tests.web.client import WAIT, Browser, Server
from tests.web.program import Program, refusal

SMALL = {"game": "square-off", "options": {"size": 4}}


@pytest.fixture
def program(cold_server: Server) -> Iterator[Callable[..., Program]]:
    """Return a function that creates a guest of this name on `cold_server`, "Ada" by default; None: without an API key.

    All of them share the server and are closed after the test.
    """
    with ExitStack() as stack:
        yield lambda name="Ada": stack.enter_context(Program(cold_server, name))


def seat_two(program: Callable[..., Program], **more: object) -> tuple[Program, Program, str]:
    """Return Ada's program at seat 0, who is to move, Ben's at seat 1, and the id of their new 4 × 4 table (version 1).

    `more` are further fields of the request for the table.
    """
    ada, ben = program("Ada"), program("Ben")
    table = ada.begin("square-off", "me", "open", options={"size": 4}, **more)
    assert ben.execute(table, "sit", name="Ben") == 1
    return ada, ben, table


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail if it does not within `WAIT` (30) seconds."""
    end = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_caller_is_identified_by_its_key_or_by_the_cookie_of_this_site(
    program: Callable[..., Program], cold_server: Server
) -> None:
    ada, nobody = program(" Ada \n Lovelace"), program(None)
    me = ada.fetch("GET", "/api/me")
    assert (me["name"], me["account"]) == ("Ada Lovelace", None)
    assert ada.secret not in str(me)
    assert refusal(nobody.ask("GET", "/api/me")) == (401, "secret")
    assert refusal(nobody.ask("POST", "/api/tables", json=SMALL)) == (401, "secret")
    wrong = nobody.ask("GET", "/api/me", headers={"authorization": "Bearer x"})
    assert refusal(wrong) == (401, "secret")
    assert wrong.headers["www-authenticate"] == "Bearer"
    for answer in (nobody.ask("POST", "/api/players", json={}), nobody.ask("GET", "/api/games")):
        assert "set-cookie" not in answer.headers
    with Browser(cold_server) as browser:
        own = browser.http.get("/api/me").json()
        assert own["id"] != me["id"]
        # Browsers send the cookie along for a page of another site, but not the secret.
        for headers, status in (({"origin": "http://elsewhere.example"}, 403), ({"origin": cold_server.url}, 201)):
            answer = browser.http.post("/api/tables", json=SMALL, headers=headers)
            assert answer.status_code == status
        assert answer.json()["id"] == browser.http.get("/api/tables?mine=true").json()["tables"][0]["id"]
        assert refusal(browser.http.post("/api/tables", headers={"origin": "null"})) == (403, "origin")


def test_game_list_describes_every_game_with_options_that_are_valid(program: Callable[..., Program]) -> None:
    ada = program()
    games = ada.fetch("GET", "/api/games")["games"]
    assert [game["id"] for game in games] == fc.games()
    for game in games:
        plain = fc.game(game["id"])
        assert (game["title"], game["seats"], game["hidden"]) == (plain.title, plain.seats, plain.spec.hidden)
        assert [level["level"] for level in game["levels"]] == list(range(1, len(plain.spec.levels) + 1))
        usual = {name: of["default"] for name, of in game["options"]["properties"].items()}
        assert fc.game(game["id"], **usual) == plain
        for name, of in game["options"]["properties"].items():
            for value in [of.get("minimum"), of.get("maximum")]:
                if value is not None:
                    refused = ada.ask("POST", "/api/tables", json={"game": game["id"], "options": {name: 10**6}})
                    assert refusal(refused) == (422, "option")
        state = ada.look(ada.begin(game["id"], *["me"] * plain.seats))
        assert (state["game"]["id"], state["game"]["options"]) == (game["id"], {})


def test_table_answer_matches_the_library(program: Callable[..., Program]) -> None:
    ada, ben, table = seat_two(program, clock={"kind": "game", "seconds": 300, "increment": 2}, chat="free")
    game = fc.game("square-off", size=4)
    position = game.start()
    for ply, asker in enumerate((ada, ben, ada, ben)):
        state, other = asker.look(table), (ben if asker is ada else ada).look(table)
        assert (state["seat"], state["mine"], other["mine"]) == (ply % 2, True, False)
        assert (state["seats"], other["seats"]) == ([ply % 2], [1 - ply % 2])
        view = game.view(state["view"]["text"], state["view"]["seat"])
        assert view == position.view(ply % 2)
        assert (state["moves"], other["moves"]) == (position.moves(), [])
        assert view.moves() == position.moves()
        assert state["scores"] == list(position.scores)
        asker.execute(table, "move", move=position.moves()[ply])
        position = position.play(position.moves()[ply])
    state = program(None).look(table)
    assert state["plies"] == [[played.seat, played.move] for played in position.view(None).plies]
    assert (state["names"], state["kinds"], state["may"]) == (["Ada", "Ben"], ["person", "person"], [])
    assert state["settings"]["chat"] == "free"
    assert (state["clock"]["kind"], state["clock"]["running"], state["clock"]["increment"]) == ("game", 0, 2)
    assert state["clock"]["since"] <= state["now"]
    text = ada.ask("GET", f"/api/tables/{table}/record").text
    assert fc.Record.parse(text).match().position == position


def test_repeated_command_is_done_once_and_a_wrong_one_is_refused(program: Callable[..., Program]) -> None:
    ada, ben, table = seat_two(program)
    move = {"id": "once", "version": 1, "move": ada.look(table)["moves"][0]}
    path = f"/api/tables/{table}/move"
    first = ada.ask("POST", path, json=move)
    assert first.json() == {"type": "done", "id": "once", "version": 2}
    assert ada.ask("POST", path, json=move).json() == first.json()
    assert refusal(ada.ask("POST", path, json={**move, "id": "late"})) == (409, "stale")
    assert refusal(ben.send_command(table, "move", move=move["move"])) == (422, "not-free")
    assert refusal(ben.send_command(table, "move", move="??")) == (400, "unreadable")
    assert refusal(ada.send_command(table, "move", move=move["move"])) == (422, "not-your-turn")
    assert refusal(program().send_command(table, "move", move=move["move"])) == (403, "not-yours")
    assert refusal(ada.send_command(table, "resign", seat=1)) == (403, "not-yours")
    assert ada.look(table)["version"] == 2


def test_program_can_send_every_command(program: Callable[..., Program]) -> None:
    ada = program("Ada")
    table = ada.begin("square-off", "me", "open", options={"size": 4})
    ben, cid = program("Ben"), program("Cid")
    ben.execute(table, "sit", seat=1)
    assert refusal(cid.send_command(table, "sit")) == (422, "taken")
    ada.execute(table, "move", move=ada.look(table)["moves"][0])
    ada.execute(table, "ask-undo", seat=0)
    assert ben.look(table)["undo_asked"] == {"by": 0, "ply": 0, "missing": [1]}
    ben.execute(table, "answer-undo", seat=1, accept=True)
    assert ben.look(table)["plies"] == []
    assert refusal(ada.send_command(table, "undo")) == (422, "ask-undo")
    ben.execute(table, "offer-draw", seat=1)
    ada.execute(table, "answer-draw", seat=0, accept=False)
    ada.execute(table, "resign", seat=0)
    state = ben.look(table)
    assert (state["over"], state["outcome"]["winners"], state["may"]) == (True, [1], ["again"])
    ben.execute(table, "again")
    again = ada.look(table)["again"]
    assert ada.look(again)["chairs"][1]["kept"] or ada.look(again)["chairs"][0]["kept"]
    ada.execute(again, "sit")
    assert sorted(ada.look(again)["names"]) == ["Ada", "Ben"]
    waiting = ada.begin("squendo", "me", "open", "open", options={"players": 3})
    ben.execute(waiting, "sit")
    ben.execute(waiting, "stand", seat=1)
    assert refusal(ben.send_command(waiting, "computer", seat=2, kind="computer:1")) == (403, "not-yours")
    ada.execute(waiting, "computer", seat=2, kind="computer:1")
    assert ada.look(waiting)["kinds"][2] == "computer:1"


def test_malformed_table_requests_create_nothing(program: Callable[..., Program]) -> None:
    ada = program()
    for wrong in (
        {"game": "chess"},
        {"game": "square-off", "options": {"size": 5}},
        {"game": "square-off", "options": {"size": "4"}},
        {"game": "square-off", "options": {"no": 1}},
        {"game": "square-off", "seats": ["me"]},
        {"game": "square-off", "seats": ["me", "computer:99"]},
        {"game": "square-off", "seats": ["me", "computer:61s"]},
        {"game": "square-off", "seats": ["me", "person"]},
    ):
        assert refusal(ada.ask("POST", "/api/tables", json=wrong)) == (422, "option")
    for unreadable in (
        {},
        {"game": 1},
        {**SMALL, "seats": "me"},
        {**SMALL, "seats": ["me"] * 9},
        {**SMALL, "clock": {"kind": "game", "seconds": 1}},
        {**SMALL, "clock": {"kind": "days", "days": 1, "seconds": 5}},
        {**SMALL, "visibility": "secret"},
        {**SMALL, "colour": "red"},
    ):
        assert refusal(ada.ask("POST", "/api/tables", json=unreadable)) == (400, "unreadable")
    assert ada.fetch("GET", "/api/tables", mine=True) == {"tables": []}


def test_new_table_is_for_two_people_and_gives_the_caller_a_random_seat(program: Callable[..., Program]) -> None:
    ada = program()
    kinds = {tuple(ada.look(ada.fetch("POST", "/api/tables", **SMALL)["id"])["kinds"]) for _ in range(3)}
    assert kinds == {("person", "person")}
    # Forty tables all give the same seat once in 2 ** 39 runs.
    seated = {
        tuple(ada.look(ada.fetch("POST", "/api/tables", **SMALL, seats=["me", "open"])["id"])["seats"])
        for _ in range(40)
    }
    assert seated == {(0,), (1,)}


def test_table_list_has_the_public_tables_or_the_callers_own(program: Callable[..., Program]) -> None:
    ada, ben = program("Ada"), program("Ben")
    public = ada.begin("square-off", "me", "open", visibility="public", options={"size": 4})
    hidden = ada.begin("square-off", "me", "open")
    [listed] = ben.fetch("GET", "/api/tables")["tables"]
    assert (listed["id"], listed["free"], listed["seats"], listed["options"]) == (public, [1], [], {"size": 4})
    assert [one["seats"] for one in ada.fetch("GET", "/api/tables")["tables"]] == [[0]]
    assert {one["id"] for one in ada.fetch("GET", "/api/tables", mine=True)["tables"]} == {public, hidden}
    assert ben.fetch("GET", "/api/tables", mine=True)["tables"] == []


def test_waiting_request_ends_with_the_next_event_its_time_or_the_server(program: Callable[..., Program]) -> None:
    ada, ben, table = seat_two(program)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(asker.look, table, since=1, wait=30) for asker in (ada, ben, ben, program(None))]
        room = ada.server.registry.rooms[table]
        # Ben's two requests share a watcher.
        wait_until(lambda: len(room.audience.watchers) == 3)
        assert not any(one.done() for one in waiting)
        ada.execute(table, "move", version=1, move=ada.look(table)["moves"][0])
        assert [one.result(WAIT)["version"] for one in waiting] == [2, 2, 2, 2]
    assert ben.look(table, since=1, wait=30)["version"] == 2
    assert ben.look(table, since=2, wait=0.05)["version"] == 2
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(ben.look, table, since=2, wait=30)
        watchers = ada.server._app.state.http_watchers
        wait_until(lambda: any(watcher.requests for watcher in watchers._watchers.values()))
        watchers.dismiss_all()
        assert late.result(WAIT)["version"] == 2


def test_program_is_present_for_a_while_after_its_last_request(
    program: Callable[..., Program], cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben, table = seat_two(program)
    registry, watchers = cold_server.registry, cold_server._app.state.http_watchers
    ada.look(table)
    with Browser(cold_server) as browser, browser.open_table(table) as socket:
        assert socket.until("here")["chairs"] == [True, True]
        program(None).look(table)
        assert len(watchers) == 2
        monkeypatch.setattr(http_watchers, "LINGER_SECONDS", 0.01)
        ben.look(table)
        while socket.until("here")["chairs"] != [True, False]:
            pass
        ada.look(table)
        wait_until(lambda: not len(watchers))
    wait_until(lambda: registry.rooms[table].guests == 0)


def test_number_size_and_waiting_time_of_requests_are_limited(
    program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben, table = seat_two(program)
    with ThreadPoolExecutor(MAX_WAITING + 1) as pool:
        answers = [
            pool.submit(ada.ask, "GET", f"/api/tables/{table}", params={"since": 1, "wait": 30})
            for _ in range(MAX_WAITING + 1)
        ]
        wait_until(lambda: any(one.done() for one in answers))
        [refused] = [one.result() for one in answers if one.done()]
        assert refusal(refused) == (429, "too-much")
        ada.server._app.state.http_watchers.dismiss_all()
    monkeypatch.setattr(http_watchers, "MAX_PER_PLAYER", 1)
    other = ben.begin("square-off", "me", "open")
    assert refusal(ben.ask("GET", f"/api/tables/{other}")) == (429, "too-much")
    assert refusal(ada.ask("POST", "/api/tables", content=b"x" * 70_000)) == (413, "too-large")
    assert refusal(ada.ask("GET", f"/api/tables/{table}", params={"wait": 31})) == (400, "unreadable")


def test_errors_are_answered_as_json(program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch) -> None:
    ada, _, table = seat_two(program)
    assert refusal(ada.ask("GET", "/api/nothing")) == (404, "not-found")
    assert refusal(ada.ask("GET", "/api/tables/none")) == (404, "not-found")
    assert refusal(ada.ask("GET", "/api/tables/none/record")) == (404, "not-found")
    assert refusal(ada.ask("POST", "/api/tables/none/move", json={"id": "a", "version": 0, "move": "a1"}))[0] == 404
    assert refusal(ada.ask("POST", f"/api/tables/{table}/fly", json={})) == (404, "not-found")
    assert refusal(ada.ask("DELETE", "/api/tables")) == (405, "method")

    def broken(*_: object, **__: object) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(ada.server.registry.store, "list_lobby_tables", broken)
    answer = ada.ask("GET", "/api/tables")
    assert refusal(answer) == (503, "unavailable")
    assert "disk" not in answer.text
    monkeypatch.setattr(ada.server.registry.store, "list_lobby_tables", lambda *_, **__: 1 // 0)
    assert refusal(ada.ask("GET", "/api/tables")) == (500, "failed")


def test_stopping_server_refuses_commands_but_shows_tables(program: Callable[..., Program]) -> None:
    ada, _, table = seat_two(program)
    ada.server.registry.closing = True
    answer = ada.send_command(table, "resign", seat=0)
    assert refusal(answer) == (503, "unavailable")
    assert answer.headers["retry-after"]
    assert ada.look(table)["version"] == 1


def test_api_offers_every_verb_of_the_domain() -> None:
    assert set(VERBS) == set(Verb)
