"""The endpoints of the API: what programs can read and do, and how they are refused."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.api import http_watchers
from fourcorners.web.api.endpoints import VERBS
from fourcorners.web.api.http_watchers import MAX_WAITING, HttpWatcher
from fourcorners.web.domain.commands import Verb
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.store import StoreError
from tests.waiting import wait_until
from tests.web.client import WAIT, Browser, Server
from tests.web.program import Program, read_refusal
from tests.web.wire.raw_client import connect

SMALL = {"game": "square-off", "options": {"size": 4}}
NewProgram = Callable[..., Program]


@pytest.fixture
def new_program(request: pytest.FixtureRequest) -> Iterator[NewProgram]:
    """Return a function that creates a guest of this name, "Ada" by default; None: without an API key.

    All of them are on the server of this module, or on that of the test if it has one, and are closed after the test.
    """
    server = request.getfixturevalue("cold_server" if "cold_server" in request.fixturenames else "module_server")
    with ExitStack() as stack:
        yield lambda name="Ada": stack.enter_context(Program(server, name))


@pytest.fixture
def ada(new_program: NewProgram) -> Program:
    """A guest."""
    return new_program()


def seat_two_programs(new_program: NewProgram, **more: object) -> tuple[Program, Program, str]:
    """Return Ada's program at seat 0, who is to move, Ben's at seat 1, and the id of their new table (version 1).

    The game is Square Off of size 4. `new_program` is the fixture, `more` further fields of the request for the table.
    """
    ada, ben = new_program("Ada"), new_program("Ben")
    table = ada.begin_table("square-off", "me", "open", options={"size": 4}, **more)
    assert ben.execute(table, "sit", name="Ben") == 1
    return ada, ben, table


def test_new_guest_has_a_cleaned_name_and_reads_its_profile_without_its_key(new_program: NewProgram) -> None:
    ada = new_program(" Ada \n Lovelace")
    me = ada.fetch("GET", "/api/me")
    assert (me["name"], me["account"]) == ("Ada Lovelace", None)
    assert ada.secret not in str(me)


def test_request_without_a_key_or_with_a_malformed_one_is_refused(new_program: NewProgram) -> None:
    keyless = new_program(None)
    missing = keyless.request("GET", "/api/me")
    assert read_refusal(missing) == (401, "secret")
    assert missing.headers["www-authenticate"] == "Bearer"
    assert read_refusal(keyless.request("POST", "/api/tables", json=SMALL)) == (401, "secret")
    wrong = keyless.request("GET", "/api/me", headers={"authorization": "Bearer x"})
    assert read_refusal(wrong) == (401, "secret")
    assert wrong.headers["www-authenticate"] == "Bearer"


def test_answers_to_programs_set_no_cookie(new_program: NewProgram) -> None:
    keyless = new_program(None)
    for answer in (keyless.request("POST", "/api/players", json={}), keyless.request("GET", "/api/games")):
        assert "set-cookie" not in answer.headers


def test_browser_is_identified_by_its_cookie_but_not_when_a_page_of_another_site_sends_a_request(
    ada: Program, cold_server: Server
) -> None:
    with Browser(cold_server) as browser:
        own = browser.http.get("/api/me").json()
        assert own["id"] != ada.fetch("GET", "/api/me")["id"]
        # Browsers send the cookie along for a page of another site, but not the secret.
        for origin in ("http://elsewhere.example", "null"):
            refused = browser.http.post("/api/tables", json=SMALL, headers={"origin": origin})
            assert read_refusal(refused) == (403, "origin")
        created = browser.http.post("/api/tables", json=SMALL, headers={"origin": cold_server.url})
        assert created.status_code == 201
        own_tables = browser.http.get("/api/tables?mine=true").json()["tables"]
        assert [table["id"] for table in own_tables] == [created.json()["id"]]


def test_table_with_hidden_points_has_no_scores_and_a_game_that_cannot_be_counted_is_refused(ada: Program) -> None:
    wanted = {"game": "dots-and-boxes", "options": {"cols": 2, "rows": 1}, "seats": ["me", "me"], "hide_points": True}
    made = ada.fetch("POST", "/api/tables", **wanted)
    state = ada.fetch("GET", f"/api/tables/{made['id']}")
    assert (state["scores"], state["over"], state["settings"]["hide_points"]) == ([], False, True)
    refused = ada.request("POST", "/api/tables", json={**wanted, "game": "sqez", "options": {}})
    assert read_refusal(refused) == (422, "option")


def test_game_list_describes_every_game_and_its_options_with_valid_defaults_and_limits(ada: Program) -> None:
    """A value beyond an option's limits is refused, and a table without options has the defaults."""
    games = ada.fetch("GET", "/api/games")["games"]
    assert [game["id"] for game in games] == fc.games()
    for game in games:
        plain = fc.game(game["id"])
        assert (game["title"], game["seats"], game["hidden"]) == (plain.title, plain.seats, plain.spec.hidden)
        levels = [(level["level"], level["name"], level["blind"]) for level in game["levels"]]
        assert levels == [
            (number, level.name, level.blind) for number, level in enumerate(plain.spec.part(ComputerPlay).levels, 1)
        ]
        usual = {name: of["default"] for name, of in game["options"]["properties"].items()}
        assert fc.game(game["id"], **usual) == plain
        for name, of in game["options"]["properties"].items():
            for value in [of.get("minimum"), of.get("maximum")]:
                if value is not None:
                    # More than any option allows.
                    refused = ada.request("POST", "/api/tables", json={"game": game["id"], "options": {name: 10**6}})
                    assert read_refusal(refused) == (422, "option")
        state = ada.fetch_table(ada.begin_table(game["id"], *["me"] * plain.seats))
        assert (state["game"]["id"], state["game"]["options"]) == (game["id"], {})


def test_table_answers_during_a_game_match_the_library_and_the_request(new_program: NewProgram) -> None:
    """The position, moves, scores and record are those of the library, names and settings those of the request."""
    ada, ben, table = seat_two_programs(
        new_program, clock={"kind": "game", "seconds": 300, "increment": 2}, chat="free"
    )
    game = fc.game("square-off", size=4)
    position = game.start()
    for ply, asker in enumerate((ada, ben, ada, ben)):
        state, other = asker.fetch_table(table), (ben if asker is ada else ada).fetch_table(table)
        assert (state["seat"], state["mine"], other["mine"]) == (ply % 2, True, False)
        assert (state["seats"], other["seats"]) == ([ply % 2], [1 - ply % 2])
        # Any program can continue with the view: the library reads it as the same position.
        view = game.view(state["view"]["text"], state["view"]["seat"])
        assert view == position.view(ply % 2)
        assert (state["moves"], other["moves"]) == (position.moves(), [])
        assert view.moves() == position.moves()
        assert state["scores"] == list(position.scores)
        asker.execute(table, "move", move=position.moves()[ply])
        position = position.play(position.moves()[ply])
    state = new_program(None).fetch_table(table)
    assert state["plies"] == [[played.seat, played.move] for played in position.view(None).plies]
    assert (state["names"], state["kinds"], state["may"]) == (["Ada", "Ben"], ["person", "person"], [])
    assert state["settings"]["chat"] == "free"
    assert (state["clock"]["kind"], state["clock"]["running"], state["clock"]["increment"]) == ("game", 0, 2)
    assert state["clock"]["since"] <= state["now"]
    text = ada.request("GET", f"/api/tables/{table}/record").text
    assert fc.Record.parse(text).match().position == position


def test_wrong_command_is_refused_with_a_code_and_changes_nothing(new_program: NewProgram) -> None:
    ada, ben, table = seat_two_programs(new_program)
    move = ada.fetch_table(table)["moves"][0]
    assert ada.execute(table, "move", move=move) == 2
    assert read_refusal(ben.send_command(table, "move", version=1, move=move)) == (409, "stale")
    assert read_refusal(ben.send_command(table, "move", move=move)) == (422, "not-free")
    assert read_refusal(ben.send_command(table, "move", move="??")) == (400, "unreadable")
    assert read_refusal(ada.send_command(table, "move", move=move)) == (422, "not-your-turn")
    # A third guest, who has no seat, and a seat of someone else.
    assert read_refusal(new_program().send_command(table, "move", move=move)) == (403, "not-yours")
    assert read_refusal(ada.send_command(table, "resign", seat=1)) == (403, "not-yours")
    assert ada.fetch_table(table)["version"] == 2


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("resign", {}),
        ("offer-draw", {}),
        ("request-takeback", {}),
        ("answer-draw", {}),
        ("answer-takeback", {"accept": True}),
    ],
)
def test_command_without_a_seat_is_for_the_only_seat_of_the_player_on_and_off_turn(
    new_program: NewProgram, verb: str, fields: dict[str, bool]
) -> None:
    ada, ben, table = seat_two_programs(new_program)
    for mover in (ada, ben):
        mover.execute(table, "move", move=mover.fetch_table(table)["moves"][0])
    if verb.startswith("answer"):
        ada.execute(table, {"answer-draw": "offer-draw"}.get(verb, "request-takeback"))
    version = ben.execute(table, verb, **fields)
    # Ben is not to move.
    assert version == ben.fetch_table(table)["version"]
    if verb == "resign":
        assert ada.fetch_table(table)["outcome"]["winners"] == [0]


def test_command_without_a_seat_by_a_player_with_several_is_refused_with_one_sentence(new_program: NewProgram) -> None:
    ada = new_program("Ada")
    table = ada.begin_table("squarin-off", "me", "open", "me", options={"players": 3})
    for answer in (ada.send_command(table, "leave-seat"), ada.send_command(table, "rename", name="A")):
        assert read_refusal(answer) == (422, "which-seat")
        assert answer.json()["sentence"] == "Your seats are 0 and 2: name one of them as the seat."
    # Only one seat is open.
    ada.execute(table, "add-computer", kind="computer:1")
    assert read_refusal(ada.send_command(table, "resign")) == (422, "which-seat")
    ada.execute(table, "resign", seat=2)
    ada.execute(table, "resign")
    assert ada.fetch_table(table)["over"]


def test_programs_can_ask_for_undos_offer_draws_resign_and_begin_a_rematch(new_program: NewProgram) -> None:
    """Both sit at the rematch once both have asked for it."""
    ada = new_program("Ada")
    table = ada.begin_table("square-off", "me", "open", options={"size": 4})
    ben, cid = new_program("Ben"), new_program("Cid")
    ben.execute(table, "sit", seat=1)
    assert read_refusal(cid.send_command(table, "sit")) == (422, "taken")
    ada.execute(table, "move", move=ada.fetch_table(table)["moves"][0])
    ada.execute(table, "request-takeback", seat=0)
    # Seat 1 has not agreed yet to take back everything from ply 0 on.
    assert ben.fetch_table(table)["takeback_request"] == {"by": 0, "ply": 0, "missing": [1]}
    ben.execute(table, "answer-takeback", seat=1, accept=True)
    assert ben.fetch_table(table)["plies"] == []
    assert read_refusal(ada.send_command(table, "undo")) == (422, "ask-undo")
    ben.execute(table, "offer-draw", seat=1)
    ada.execute(table, "answer-draw", seat=0, accept=False)
    ada.execute(table, "resign", seat=0)
    state = ben.fetch_table(table)
    assert (state["over"], state["outcome"]["winners"], state["may"]) == (True, [1], ["rematch"])
    ben.execute(table, "rematch")
    assert ada.fetch_table(table)["rematch_request"] == {"by": 1, "missing": [0], "declined": None}
    ada.execute(table, "rematch")
    again = ada.fetch_table(table)["rematch"]
    assert ada.fetch_table(again)["names"] == ["Ben", "Ada"]


def test_programs_can_sit_down_stand_up_and_give_an_open_seat_to_a_computer(new_program: NewProgram) -> None:
    """Only the program that has set up the table can seat a computer."""
    ada, ben = new_program("Ada"), new_program("Ben")
    waiting = ada.begin_table("squendo", "me", "open", "open", options={"players": 3})
    ben.execute(waiting, "sit")
    ben.execute(waiting, "leave-seat", seat=1)
    assert read_refusal(ben.send_command(waiting, "add-computer", seat=2, kind="computer:1")) == (403, "not-yours")
    ada.execute(waiting, "add-computer", seat=2, kind="computer:1")
    assert ada.fetch_table(waiting)["kinds"][2] == "computer:1"


@pytest.mark.parametrize("name", ["squarin-off", "dots-and-boxes"])
def test_table_has_the_levels_of_its_game_and_no_others(new_program: NewProgram, name: str) -> None:
    ada, highest = new_program(), len(fc.game(name).spec.part(ComputerPlay).levels)
    assert ada.fetch_table(ada.begin_table(name, "me", "me"))["game"]["levels"] == highest
    wanted = {"game": name, "seats": ["me", f"computer:{highest + 1}"]}
    refused = ada.request("POST", "/api/tables", json=wanted)
    assert read_refusal(refused) == (422, "option")
    assert f"computer:1 to computer:{highest}," in refused.text


def test_malformed_table_requests_create_nothing(ada: Program) -> None:
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
        assert read_refusal(ada.request("POST", "/api/tables", json=wrong)) == (422, "option")
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
        assert read_refusal(ada.request("POST", "/api/tables", json=unreadable)) == (400, "unreadable")
    assert ada.fetch("GET", "/api/tables", mine=True) == {"tables": []}


def test_new_table_has_seats_for_people_and_gives_the_caller_a_random_one(ada: Program) -> None:
    kinds = {tuple(ada.fetch_table(ada.fetch("POST", "/api/tables", **SMALL)["id"])["kinds"]) for _ in range(3)}
    assert kinds == {("person", "person")}
    # Forty tables all give the same seat once in 2 ** 39 runs.
    seated = {
        tuple(ada.fetch_table(ada.fetch("POST", "/api/tables", **SMALL, seats=["me", "open"])["id"])["seats"])
        for _ in range(40)
    }
    assert seated == {(0,), (1,)}


@pytest.mark.usefixtures("cold_server")
def test_table_list_has_the_public_tables_or_the_callers_own_with_its_seats(new_program: NewProgram) -> None:
    ada, ben = new_program("Ada"), new_program("Ben")
    public = ada.begin_table("square-off", "me", "open", visibility="public", options={"size": 4})
    hidden = ada.begin_table("square-off", "me", "open")
    [listed] = ben.fetch("GET", "/api/tables")["tables"]
    assert (listed["id"], listed["free"], listed["seats"], listed["options"]) == (public, [1], [], {"size": 4})
    assert [one["seats"] for one in ada.fetch("GET", "/api/tables")["tables"]] == [[0]]
    assert {one["id"] for one in ada.fetch("GET", "/api/tables", mine=True)["tables"]} == {public, hidden}
    assert ben.fetch("GET", "/api/tables", mine=True)["tables"] == []


def test_waiting_requests_of_players_and_visitors_are_answered_after_the_next_event(new_program: NewProgram) -> None:
    ada, ben, table = seat_two_programs(new_program)
    with ThreadPoolExecutor(4) as pool:
        waiting = [
            pool.submit(asker.fetch_table, table, since=1, wait=30) for asker in (ada, ben, ben, new_program(None))
        ]
        room = ada.server.rooms.opened[table]
        # Ben's two requests share a watcher.
        wait_until(lambda: len(room.audience.watchers) == 3)
        assert not any(one.done() for one in waiting)
        ada.execute(table, "move", version=1, move=ada.fetch_table(table)["moves"][0])
        assert [one.result(WAIT)["version"] for one in waiting] == [2, 2, 2, 2]
    # A newer version exists already.
    assert ben.fetch_table(table, since=1, wait=30)["version"] == 2


@pytest.mark.usefixtures("cold_server")
def test_waiting_request_is_answered_unchanged_after_its_time_or_when_the_server_stops(new_program: NewProgram) -> None:
    ada, ben, table = seat_two_programs(new_program)
    ada.execute(table, "move", move=ada.fetch_table(table)["moves"][0])
    assert ben.fetch_table(table, since=2, wait=0.05)["version"] == 2
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(ben.fetch_table, table, since=2, wait=30)
        watchers = ada.server._app.state.http_watchers
        wait_until(lambda: any(watcher.requests for watcher in watchers._watchers.values()))
        watchers.dismiss_all()
        assert late.result(WAIT)["version"] == 2


def test_request_of_a_client_that_has_left_waits_no_longer(
    new_program: NewProgram, cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait_for_ever(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(HttpWatcher, "wait_for_newer", wait_for_ever)
    ada, _, table = seat_two_programs(new_program)
    watchers = cold_server._app.state.http_watchers._watchers
    with connect(cold_server) as line:
        head = f"GET /api/tables/{table}?since=1&wait=30 HTTP/1.1\r\nHost: localhost\r\n"
        line.sendall(f"{head}Authorization: Bearer {ada.secret}\r\n\r\n".encode())
        wait_until(lambda: any(watcher.requests for watcher in watchers.values()))
    wait_until(lambda: not any(watcher.requests for watcher in watchers.values()))


def test_table_that_is_deleted_just_after_its_room_was_opened_is_not_found(
    new_program: NewProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _, table = seat_two_programs(new_program)
    open_room = Rooms.open

    async def open_and_delete(rooms: Rooms, table_id: str) -> Room | None:
        room = await open_room(rooms, table_id)
        assert room is not None
        rooms.context.store.delete_table(table_id).result(WAIT)
        room.session.drop()
        return room

    monkeypatch.setattr(Rooms, "open", open_and_delete)
    assert read_refusal(new_program(None).request("GET", f"/api/tables/{table}")) == (404, "not-found")
    assert read_refusal(ada.send_command(table, "resign", version=1)) == (404, "not-found")


def test_seated_program_is_present_for_a_while_after_its_last_request(
    new_program: NewProgram, cold_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages at the table show who is present. A program without a seat leaves at once."""
    ada, ben, table = seat_two_programs(new_program)
    rooms, watchers = cold_server.rooms, cold_server._app.state.http_watchers
    ada.fetch_table(table)
    with Browser(cold_server) as browser, browser.open_table(table) as socket:
        assert socket.receive_until("presence")["chairs"] == [True, True]
        new_program(None).fetch_table(table)
        # Ada's and Ben's; that of the visitor is gone already.
        assert len(watchers) == 2
        monkeypatch.setattr(http_watchers, "LINGER_SECONDS", 0.01)
        # The request starts Ben's time anew, now a short one, after which he has left; Ada's long one still runs.
        ben.fetch_table(table)
        while socket.receive_until("presence")["chairs"] != [True, False]:
            pass
        ada.fetch_table(table)
        wait_until(lambda: not len(watchers))
    wait_until(lambda: rooms.opened[table].guests.total() == 0)


@pytest.mark.usefixtures("cold_server")
def test_waiting_requests_of_one_program_for_a_table_are_limited(new_program: NewProgram) -> None:
    ada, _, table = seat_two_programs(new_program)
    with ThreadPoolExecutor(MAX_WAITING + 1) as pool:
        answers = [
            pool.submit(ada.request, "GET", f"/api/tables/{table}", params={"since": 1, "wait": 30})
            for _ in range(MAX_WAITING + 1)
        ]
        # Only the one that is refused is answered: nothing happens at the table.
        wait_until(lambda: any(one.done() for one in answers))
        [refused] = [one.result() for one in answers if one.done()]
        assert read_refusal(refused) == (429, "too-much")
        # Otherwise the block would end only after 30 seconds.
        ada.server._app.state.http_watchers.dismiss_all()


@pytest.mark.usefixtures("cold_server")
def test_tables_that_one_program_watches_are_limited(new_program: NewProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    _, ben, _ = seat_two_programs(new_program)
    monkeypatch.setattr(http_watchers, "MAX_PER_PLAYER", 1)
    # Ben still counts as present at the first table.
    other = ben.begin_table("square-off", "me", "open")
    assert read_refusal(ben.request("GET", f"/api/tables/{other}")) == (429, "too-much")


def test_size_of_a_body_and_waiting_time_are_limited(new_program: NewProgram) -> None:
    ada, _, table = seat_two_programs(new_program)
    # 64 KB and 30 seconds are allowed.
    assert read_refusal(ada.request("POST", "/api/tables", content=b"x" * 70_000)) == (413, "too-large")
    assert read_refusal(ada.request("GET", f"/api/tables/{table}", params={"wait": 31})) == (400, "unreadable")


def test_unknown_addresses_and_methods_are_answered_with_an_error_as_json(new_program: NewProgram) -> None:
    ada, _, table = seat_two_programs(new_program)
    assert read_refusal(ada.request("GET", "/api/nothing")) == (404, "not-found")
    assert read_refusal(ada.request("GET", "/api/tables/none")) == (404, "not-found")
    assert read_refusal(ada.request("GET", "/api/tables/none/record")) == (404, "not-found")
    assert (
        read_refusal(ada.request("POST", "/api/tables/none/move", json={"id": "a", "version": 0, "move": "a1"}))[0]
        == 404
    )
    assert read_refusal(ada.request("POST", f"/api/tables/{table}/fly", json={})) == (404, "not-found")
    assert read_refusal(ada.request("DELETE", "/api/tables")) == (405, "method")


def test_failures_of_the_store_or_the_program_are_answered_as_json_without_their_reason(
    ada: Program, monkeypatch: pytest.MonkeyPatch
) -> None:

    def fail(*_: object, **__: object) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(ada.server.context.store, "list_lobby_tables", fail)
    answer = ada.request("GET", "/api/tables")
    assert read_refusal(answer) == (503, "unavailable")
    assert "disk" not in answer.text
    # A ZeroDivisionError stands for a bug.
    monkeypatch.setattr(ada.server.context.store, "list_lobby_tables", lambda *_, **__: 1 // 0)
    answer = ada.request("GET", "/api/tables")
    assert read_refusal(answer) == (500, "failed")
    assert "division" not in answer.text


@pytest.mark.usefixtures("cold_server")
def test_stopping_server_refuses_commands_but_shows_tables(new_program: NewProgram) -> None:
    ada, _, table = seat_two_programs(new_program)
    ada.server.rooms.closing = True
    answer = ada.send_command(table, "resign", seat=0)
    assert read_refusal(answer) == (503, "unavailable")
    assert answer.headers["retry-after"]
    assert ada.fetch_table(table)["version"] == 1


def test_api_has_the_commands_of_the_domain() -> None:
    assert set(VERBS) == set(Verb)


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/tables", "GET, HEAD, POST"),
        ("/api/players", "POST"),
        ("/api/me", "GET, HEAD"),
        ("/api/tables/abc", "GET, HEAD"),
        ("/api/tables/abc/record", "GET, HEAD"),
        ("/api/tables/abc/move", "POST"),
        ("/games/sqez", "GET, HEAD, POST"),
    ],
)
def test_refused_method_is_answered_with_the_methods_that_the_address_accepts(
    new_program: NewProgram, path: str, methods: str
) -> None:
    answer = new_program().http.delete(path)
    assert answer.status_code == 405
    assert answer.headers.get_list("allow") == [methods]


def test_integers_may_be_written_with_a_fraction_of_zero(ada: Program) -> None:
    clock = {"kind": "game", "seconds": 300.0, "increment": 3e0}
    created = ada.request("POST", "/api/tables", json={**SMALL, "clock": clock, "order": "given"})
    assert created.status_code == 201
    table = created.json()["id"]
    assert ada.fetch_table(table)["settings"]["clock"]["seconds"] == 300
    refused = ada.request("POST", "/api/tables", json={**SMALL, "clock": {**clock, "seconds": 300.5}})
    assert read_refusal(refused) == (400, "unreadable")
    body = {"id": "c1", "version": 0.0, "seat": 0.0, "name": "Eve"}
    renamed = ada.request("POST", f"/api/tables/{table}/rename", json=body)
    assert renamed.status_code == 200, renamed.text


@pytest.mark.parametrize("query", ["viewer=null", "since=NULL", "viewer=0&viewer=0"])
def test_query_with_null_or_a_name_given_twice_is_refused(ada: Program, query: str) -> None:
    table = ada.begin_table("square-off", options={"size": 4})
    assert read_refusal(ada.request("GET", f"/api/tables/{table}?{query}")) == (400, "unreadable")
