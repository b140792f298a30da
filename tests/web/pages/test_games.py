"""The pages of the games: forms, pictures, records, and security headers."""

import json
import re

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import InvalidStatus

import fourcorners as fc
from fourcorners.core import catalogue
from tests.web.client import Browser, Server

pytestmark = pytest.mark.compiled
GAMES = fc.games()
RECORD = """fourcorners record 1
game: square-off
options: {"size": 4}

1 0 a1
2 1 swap
3 0 b2
"""


def test_home_shows_every_game_and_own_tables(browser: Browser, other: Browser) -> None:
    table = browser.begin("sqez", cols="5", rows="5", seat_1="person")
    text = browser.http.get("/").text
    for spec in catalogue.specs().values():
        assert f"/games/{spec.id}" in text
    assert f"/play/{table}" in text
    assert f"/play/{table}" not in other.http.get("/").text


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_with_its_options(browser: Browser, game: str) -> None:
    answer = browser.http.get(f"/games/{game}")
    assert answer.status_code == 200
    chosen = fc.game(game)
    for field in chosen.spec.options.fields():
        preset = chosen.preset
        left_out = preset is not None and (field.name in preset.options or field.name in preset.unused)
        assert (f'name="{field.name}"' in answer.text) is not left_out


@pytest.mark.parametrize("game", GAMES)
def test_covers_and_style_sheets_are_served(browser: Browser, game: str) -> None:
    for theme in ("light", "dark"):
        picture = browser.http.get(f"/games/{game}/cover.svg?theme={theme}")
        assert picture.headers["content-type"] == "image/svg+xml"
        assert picture.text.startswith("<svg")
    assert browser.http.get(f"/games/{game}/cover.svg?theme=pink").status_code == 400
    sheet = browser.http.get(f"/games/{game}/style.css").text
    assert '[data-theme="dark"] .fc-scene{' in sheet
    names = set(re.findall(r"var\(--([a-z0-9-]+)\)", sheet))
    assert names <= set(re.findall(r"--([a-z0-9-]+):", sheet))


MOST_SEATS: list[tuple[str, dict[str, object]]] = [
    ("dots-and-boxes", {}),
    ("squarin-off", {"players": 4}),
    ("squarin-off", {"players": 4, "edition": "classic"}),
    ("square-off", {}),
    ("squendo", {"players": 4}),
    ("sqez", {"players": 8}),
]


@pytest.mark.parametrize(("game", "options"), MOST_SEATS)
def test_every_seat_has_its_own_colour_in_every_theme(browser: Browser, game: str, options: dict[str, object]) -> None:
    sheet = browser.http.get(f"/games/{game}/style.css").text
    names = [name.lower() for name in fc.game(game, **options).seat_names]
    for theme in ("light", "dark"):
        values = "".join(re.findall(rf'\[data-theme="{theme}"\]{{([^}}]*)}}', sheet))
        colours = dict(re.findall(r"--seat-([a-z]+):([^;]+);", values))
        assert len({colours[name] for name in names}) == len(names)


@pytest.mark.parametrize("game", GAMES)
def test_rulebook_examples_are_drawn(browser: Browser, game: str) -> None:
    text = browser.http.get(f"/games/{game}").text
    addresses = re.findall(rf'src="(/games/{game}/examples/[0-9]+\.svg\?theme=light)"', text)
    assert addresses
    for address in addresses:
        assert browser.http.get(address).text.startswith("<svg")
    assert browser.http.get(f"/games/{game}/examples/{len(addresses)}.svg").status_code == 404


def test_pages_have_no_foreign_resources_and_no_inline_code(browser: Browser) -> None:
    for address in ("/", "/games/sqez", f"/play/{browser.begin('sqez')}", "/nowhere"):
        answer = browser.http.get(address)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son[a-z]+=|https?://(?!www\.w3\.org)", answer.text)


def test_cookie_is_hidden_from_scripts_and_stays_the_same(server: Server) -> None:
    with Browser(server) as browser:
        cookie = browser.http.get("/").headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert browser.http.get("/").headers["set-cookie"] == cookie


def test_wrong_option_is_shown_with_its_reason_and_input(browser: Browser) -> None:
    answer = browser.http.post("/games/sqez", data={"cols": "99", "name-0": 'A"da <i>', "seat-0": "person"})
    assert answer.status_code == 422
    assert "3 to 20" in answer.text
    assert 'value="99"' in answer.text
    assert "A&#34;da &lt;i&gt;" in answer.text


def test_check_endpoint_names_the_wrong_option(browser: Browser) -> None:
    answer = browser.http.post("/games/squarin-off/check", data={"players": "4", "teams": "true"}).json()
    assert answer["ok"]
    assert answer["seats"] == len(answer["seat_names"]) == 4
    answer = browser.http.post("/games/squarin-off/check", data={"players": "3", "teams": "true"}).json()
    assert (answer["ok"], answer["option"]) == (False, "teams")
    answer = browser.http.post("/games/sqez/check", data={"seat-0": "dog"}).json()
    assert (answer["ok"], answer["option"]) == (False, "seat-0")
    answer = browser.http.post("/games/sqez/check", data={"level-1": "99"}).json()
    assert (answer["ok"], answer["option"]) == (False, "level-1")


def test_fixed_options_of_a_preset_cannot_be_changed(browser: Browser) -> None:
    answer = browser.http.post("/games/dots-and-boxes/check", data={"blockers": "3"}).json()
    assert (answer["ok"], answer["option"]) == (False, "blockers")
    assert browser.http.post("/games/dots-and-boxes/check", data={"cols": "", "rows": "3"}).json()["ok"]


@pytest.mark.parametrize("game", GAMES)
def test_default_options_can_be_parsed_from_texts(game: str) -> None:
    usual = fc.game(game)
    assert catalogue.parse(game, {}) == usual
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in usual.options.given_options().items()
    }
    assert catalogue.parse(game, texts) == usual


def test_seats_missing_from_the_form_are_computers(browser: Browser) -> None:
    form = {"seat-0": "person", "seat-1": "computer", "level-1": "2", "players": "4", "who-begins": "order"}
    table = browser.http.post("/games/squendo", data=form).headers["location"].removeprefix("/play/")
    with browser.open_table(table) as socket:
        assert socket.state["kinds"] == ["person", "computer:2", "computer:2", "computer:2"]
        assert len(set(socket.state["names"])) > 1


def test_random_seats_let_either_player_begin(browser: Browser) -> None:
    first = set()
    for _ in range(20):
        table = browser.begin(
            "sqez", cols="4", rows="4", seat_0="person", seat_1="computer", **{"who-begins": "random"}
        )
        text = browser.http.get(f"/play/{table}/record").text
        first.add(json.loads(re.findall(r"seats: (.*)", text)[0])[0])
        if len(first) == 2:
            return
    pytest.fail("the same player began twenty times")


def test_names_are_cleaned_and_escaped(browser: Browser) -> None:
    table = browser.begin(
        "sqez", seat_1="person", **{"name-0": "  <b>A\u202e\n\tda</b>  " + "x" * 200, "name-1": "\x00"}
    )
    with browser.open_table(table) as socket:
        assert socket.state["names"][0].startswith("<b>A da</b> xxx")
        assert len(socket.state["names"][0]) == 60
        assert socket.state["names"][1] == "Player 2"
    assert "&lt;b&gt;A da" in browser.http.get("/").text


def test_uploaded_record_can_be_studied(browser: Browser) -> None:
    answer = browser.http.post("/records", data={"record": RECORD})
    assert answer.status_code == 303
    with browser.open_table(answer.headers["location"].removeprefix("/play/")) as socket:
        assert socket.state["plies"] == [[0, "a1"], [1, "swap"], [0, "b2"]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RECORD.replace("b2", "a1"), "line 7"),
        ("", "begins with"),
        ("\x00\xff" * 1000, "begins with"),
        (RECORD.replace("square-off", "chess"), "not known"),
        (RECORD + "\n" * 6000, "lines"),
        (RECORD.replace('{"size": 4}', "[" * 50_000), "JSON"),
        (RECORD.replace("1 0 a1", "1 7 a1"), "line 5"),
        (RECORD.replace("options", 'seats: ["a", "\\ud800"]\noptions'), "60 characters"),
    ],
)
def test_malformed_record_is_refused_with_a_reason(browser: Browser, text: str, reason: str) -> None:
    answer = browser.http.post("/records", files={"record": ("x.txt", text.encode(), "text/plain")})
    assert answer.status_code == 422
    assert "This record cannot be opened" in answer.text
    assert reason in answer.text


def test_unknown_addresses_and_methods_have_an_error_page(browser: Browser) -> None:
    for address in (
        "/nowhere",
        "/games/chess",
        "/play/nothing",
        "/play/nothing/record",
        "/games/chess/cover.svg",
        "/static/x",
    ):
        answer = browser.http.get(address)
        assert answer.status_code == 404
        assert "<h1>" in answer.text
    assert browser.http.post("/games/chess", data={}).status_code == 404
    assert browser.http.put("/games/sqez").status_code == 405
    with browser.connect("nothing") as socket:
        assert socket.receive_close_code() == 4404


def test_cross_origin_requests_are_refused(browser: Browser) -> None:
    table = browser.begin("sqez")
    for origin in ("https://elsewhere.example", "null", "http://[", f"http://127.0.0.1:{browser.server.port}.example"):
        assert browser.http.post("/games/sqez", data={}, headers={"origin": origin}).status_code == 403
        with pytest.raises(InvalidStatus):
            browser.connect(table, origin)
    own = f"http://127.0.0.1:{browser.server.port}"
    assert browser.http.post("/games/sqez", data={}, headers={"origin": own}).status_code == 303
    browser.connect(table, own).__exit__()


def test_health_is_ok_once_everything_is_compiled(browser: Browser) -> None:
    assert browser.http.get("/healthz").json() == {"status": "ok", "ready": True, "database": True}


@pytest.mark.parametrize("odd", ['a={"x":1}', 'b="open', "c", "d[0]=1", "é=ü"])
def test_malformed_foreign_cookies_are_ignored(browser: Browser, odd: str) -> None:
    headers = {b"cookie": f"{odd}; {browser.cookie()}".encode("latin-1")}
    assert f"{browser.cookie()};" in httpx.get(f"{browser.server.url}/", headers=headers).headers["set-cookie"]


def test_invalid_example_numbers_are_not_found(browser: Browser) -> None:
    for number in ("99", "9" * 5000, "-1", "x", "²"):
        assert browser.http.get(f"/games/sqez/examples/{number}.svg").status_code == 404


def test_failure_to_store_a_table_is_reported(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise sa.exc.OperationalError("insert", {}, Exception("database is locked"))

    monkeypatch.setattr("fourcorners.web.store.schema.tables.insert", fail)
    answer = browser.http.post("/games/square-off", data={})
    assert answer.status_code == 503
    assert "could not be stored" in answer.text
