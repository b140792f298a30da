"""The pages of the games: forms, pictures, records, and security headers."""

import json
import re
from html import unescape

import httpx
import pytest
import sqlalchemy as sa

import fourcorners as fc
from fourcorners.core import catalogue
from tests.web.client import Browser

pytestmark = pytest.mark.compiled
GAMES = fc.games()
"""The ids of all games and presets, each of which has a page."""
RECORD = """fourcorners record 1
game: square-off
options: {"size": 4}

1 0 a1
2 1 swap
3 0 b2
"""


def test_home_page_links_every_game_and_the_own_tables_only(browser: Browser, other: Browser) -> None:
    table = browser.begin_table("sqez", cols="5", rows="5", seat_1="person")
    text = browser.http.get("/").text
    for spec in catalogue.specs().values():
        assert f"/games/{spec.id}" in text
    assert f"/play/{table}" in text
    assert f"/play/{table}" not in other.http.get("/").text


@pytest.mark.parametrize("game", GAMES)
def test_rules_beside_the_board_are_the_rulebook_of_the_games_page(browser: Browser, game: str) -> None:
    rules = browser.http.get(f"/games/{game}/rules")
    assert rules.headers["content-type"].startswith("text/html")
    article = rules.text.removeprefix('<article class="rulebook" aria-label="Rulebook">').removesuffix("</article>")
    assert len(article) > 1000
    assert article in browser.http.get(f"/games/{game}").text
    assert browser.http.get("/games/nothing/rules").status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_with_its_options(browser: Browser, game: str) -> None:
    """A preset's page leaves out the options that the preset fixes or does not use."""
    answer = browser.http.get(f"/games/{game}")
    assert answer.status_code == 200
    chosen = fc.game(game)
    for field in chosen.spec.options.fields():
        preset = chosen.preset
        left_out = preset is not None and (field.name in preset.options or field.name in preset.unused)
        assert (f'name="{field.name}"' in answer.text) is not left_out


@pytest.mark.parametrize("game", GAMES)
def test_cover_of_every_game_is_drawn_in_both_themes_and_refused_in_an_unknown_one(browser: Browser, game: str) -> None:
    for theme in ("light", "dark"):
        picture = browser.http.get(f"/games/{game}/cover.svg?theme={theme}")
        assert picture.headers["content-type"] == "image/svg+xml"
        assert picture.text.startswith("<svg")
    assert browser.http.get(f"/games/{game}/cover.svg?theme=pink").status_code == 400


@pytest.mark.parametrize("game", GAMES)
def test_cover_of_every_game_shows_the_board_without_a_tray_and_is_nearly_square(browser: Browser, game: str) -> None:
    text = browser.http.get(f"/games/{game}/cover.svg").text
    size = re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', text)
    assert size is not None
    assert 0.85 < int(size[1]) / int(size[2]) < 1.15
    assert "fc-tray" not in text.partition("</style>")[2]


@pytest.mark.parametrize("game", GAMES)
def test_style_sheet_of_every_game_has_a_dark_theme_and_defines_all_variables_that_it_uses(
    browser: Browser, game: str
) -> None:
    sheet = browser.http.get(f"/games/{game}/style.css").text
    assert '[data-theme="dark"] .fc-scene{' in sheet
    names = set(re.findall(r"var\(--([a-z0-9-]+)\)", sheet))
    assert names <= set(re.findall(r"--([a-z0-9-]+):", sheet))


# For each game and preset the options with which it has the most seats.
MOST_SEATS: list[tuple[str, dict[str, object]]] = [
    ("dots-and-boxes", {}),
    ("squarin-off", {"players": 4}),
    ("squarin-off", {"players": 4, "edition": "classic"}),
    ("square-off", {}),
    ("squendo", {"players": 4}),
    ("sqez", {"players": 8}),
]


@pytest.mark.parametrize(("game", "options"), MOST_SEATS)
def test_every_seat_has_its_own_colour_in_both_themes(browser: Browser, game: str, options: dict[str, object]) -> None:
    sheet = browser.http.get(f"/games/{game}/style.css").text
    names = [name.lower() for name in fc.game(game, **options).seat_names]
    for theme in ("light", "dark"):
        values = "".join(re.findall(rf'\[data-theme="{theme}"\]{{([^}}]*)}}', sheet))
        colours = dict(re.findall(r"--seat-([a-z]+):([^;]+);", values))
        assert len({colours[name] for name in names}) == len(names)


@pytest.mark.parametrize("game", GAMES)
def test_all_steps_of_all_figures_in_the_rules_of_a_game_are_drawn(browser: Browser, game: str) -> None:
    """There is at least one figure; the number after the last one, and a step after the last one, are not found."""
    text = browser.http.get(f"/games/{game}").text
    found = re.findall(rf'src="(/games/{game}/examples/([0-9]+)\.svg\?step=([0-9]+)&amp;theme=light)"', text)
    assert found
    for address, _, _ in found:
        assert browser.http.get(unescape(address)).text.startswith("<svg")
    last = max(int(number) for _, number, _ in found)
    steps = sum(1 for _, number, _ in found if int(number) == last)
    assert browser.http.get(f"/games/{game}/examples/{last + 1}.svg").status_code == 404
    assert browser.http.get(f"/games/{game}/examples/{last}.svg?step={steps}").status_code == 404


def test_home_game_table_and_error_pages_have_no_foreign_resources_and_no_inline_code(browser: Browser) -> None:
    table = f"/play/{browser.begin_table('sqez')}"
    for address in ("/", "/games/sqez", table, "/nowhere"):
        answer = browser.http.get(address)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        # w3.org is the namespace of SVG, which no browser fetches.
        # The preview picture for other sites needs a whole address.
        own = re.sub(f"{browser.server.url}(/static/previews/|{table}/preview.png)", "", answer.text)
        assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son[a-z]+=|https?://(?!www\.w3\.org)", own)


def test_page_of_a_running_table_has_its_board_which_everyone_may_see(browser: Browser, other: Browser) -> None:
    table = browser.begin_table("square-off", seat_0="person", seat_1="person", size="4")
    assert "cell a1, free" in browser.http.get(f"/play/{table}").text
    with browser.open_table(table) as socket:
        socket.move("a1")
        for each in (browser, other):
            assert "cell a1, white man" in each.http.get(f"/play/{table}").text
        assert socket.send_command("resign", seat=0)["type"] == "done"
        assert "cell a1" not in browser.http.get(f"/play/{table}").text


def test_page_of_a_table_has_no_hand_but_its_place(browser: Browser, other: Browser) -> None:
    table = browser.begin_table("squendo", seat_0="person", seat_1="computer", level_1="1")
    with browser.open_table(table) as socket:
        assert socket.state["tray"]
        own, foreign = (each.http.get(f"/play/{table}").text for each in (browser, other))
    for text in (own, foreign):
        assert 'class="fc-board"' in text
        assert 'class="fc-tray"' not in text
    assert 'data-tray="wide"' in own
    assert 'data-tray="none"' in foreign


def test_form_with_a_wrong_option_comes_back_with_the_reason_and_what_was_typed(browser: Browser) -> None:
    answer = browser.http.post("/games/sqez", data={"cols": "99", "name-0": 'A"da <i>', "seat-0": "person"})
    assert answer.status_code == 422
    assert "3 to 20" in answer.text
    assert 'value="99"' in answer.text
    assert "A&#34;da &lt;i&gt;" in answer.text


def test_check_of_a_valid_form_answers_with_the_seats_and_their_names(browser: Browser) -> None:
    answer = browser.http.post("/games/squarin-off/check", data={"players": "4", "teams": "true"}).json()
    assert answer["ok"]
    assert answer["seats"] == len(answer["seat_names"]) == 4


def test_check_of_a_form_names_the_wrong_field(browser: Browser) -> None:
    # Three players cannot form two teams.
    answer = browser.http.post("/games/squarin-off/check", data={"players": "3", "teams": "true"}).json()
    assert (answer["ok"], answer["option"]) == (False, "teams")
    answer = browser.http.post("/games/sqez/check", data={"seat-0": "dog"}).json()
    assert (answer["ok"], answer["option"]) == (False, "seat-0")
    answer = browser.http.post("/games/sqez/check", data={"level-1": "99"}).json()
    assert (answer["ok"], answer["option"]) == (False, "level-1")


def test_only_the_free_options_of_a_preset_can_be_changed(browser: Browser) -> None:
    answer = browser.http.post("/games/dots-and-boxes/check", data={"blockers": "3"}).json()
    assert (answer["ok"], answer["option"]) == (False, "blockers")
    # An empty field stands for the default.
    assert browser.http.post("/games/dots-and-boxes/check", data={"cols": "", "rows": "3"}).json()["ok"]


@pytest.mark.parametrize("game", GAMES)
def test_default_options_can_be_parsed_from_texts_or_omitted(game: str) -> None:
    usual = fc.game(game)
    assert catalogue.parse_game(game, {}) == usual
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in usual.options.given_options().items()
    }
    assert catalogue.parse_game(game, texts) == usual


def test_seats_missing_from_the_form_are_computers_of_the_given_level(browser: Browser) -> None:
    # The form says nothing about seats 2 and 3.
    form = {"seat-0": "person", "seat-1": "computer", "level-1": "2", "players": "4", "who-begins": "order"}
    table = browser.http.post("/games/squendo", data=form).headers["location"].removeprefix("/play/")
    with browser.open_table(table) as socket:
        assert socket.state["kinds"] == ["person", "computer:2", "computer:2", "computer:2"]
        assert socket.state["names"][0] not in socket.state["names"][1:]


def test_form_offers_the_level_that_suits_the_visitor(browser: Browser) -> None:
    def read_chosen(game: str) -> list[str]:
        text = browser.http.get(f"/games/{game}").text
        return re.findall(r'<option value="([^"]*)" data-help="[^"]*" selected>', text)

    assert set(read_chosen("square-off")) == {"1"}
    table = browser.begin_table("square-off", seat_1="computer", level_1="4", **{"who-begins": "order"})
    with browser.open_table(table) as socket:
        socket.send_command("resign", seat=0)
    # One lost game is no reason for an easier level.
    assert set(read_chosen("square-off")) == {"4"}
    assert set(read_chosen("sqez")) == {"1"}


def test_random_seats_let_either_player_begin(browser: Browser) -> None:
    first = set()
    # Twenty equal tables in a row happen once in 2 ** 19 runs.
    for _ in range(20):
        table = browser.begin_table(
            "sqez", cols="4", rows="4", seat_0="person", seat_1="computer", **{"who-begins": "random"}
        )
        text = browser.http.get(f"/play/{table}/record").text
        first.add(json.loads(re.findall(r"seats: (.*)", text)[0])[0])
        if len(first) == 2:
            return
    pytest.fail("the same player began twenty times")


def test_typed_names_are_cleaned_cut_to_60_characters_and_escaped(browser: Browser) -> None:
    """A name of which nothing is left is replaced by the usual one."""
    table = browser.begin_table(
        "sqez", seat_1="person", **{"name-0": "  <b>A\u202e\n\tda</b>  " + "x" * 200, "name-1": "\x00"}
    )
    with browser.open_table(table) as socket:
        assert socket.state["names"][0].startswith("<b>A da</b> xxx")
        assert len(socket.state["names"][0]) == 60
        assert socket.state["names"][1] == "Player 2"
    assert "&lt;b&gt;A da" in browser.http.get("/").text


def test_pasted_record_opens_as_a_table_with_its_moves(browser: Browser) -> None:
    answer = browser.http.post("/records", data={"record": RECORD})
    assert answer.status_code == 303
    with browser.open_table(answer.headers["location"].removeprefix("/play/")) as socket:
        assert socket.state["plies"] == [[0, "a1"], [1, "swap"], [0, "b2"]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RECORD.replace("b2", "a1"), "line 7"),
        ("\x00\xff" * 1000, "not a text file"),
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


def test_an_empty_file_is_refused_like_an_empty_field(browser: Browser) -> None:
    answer = browser.http.post("/records", files={"record": ("x.txt", b"", "text/plain")})
    assert answer.status_code == 422
    assert "Paste a record or a link, or choose a file." in answer.text


def test_unknown_addresses_have_an_error_page(browser: Browser) -> None:
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


def test_method_that_an_address_does_not_have_is_refused(browser: Browser) -> None:
    assert browser.http.put("/games/sqez").status_code == 405


def test_socket_of_an_unknown_table_is_closed_as_not_found(browser: Browser) -> None:
    with browser.connect("nothing") as socket:
        assert socket.receive_close_code() == 4404


def test_health_check_says_ready_once_everything_is_compiled(browser: Browser) -> None:
    assert browser.http.get("/healthz").json() == {
        "status": "ok",
        "ready": True,
        "database": True,
        "version": fc.__version__,
    }


@pytest.mark.parametrize("odd", ['a={"x":1}', 'b="open', "c", "d[0]=1", "é=ü"])
def test_own_cookie_is_read_after_a_malformed_foreign_one(browser: Browser, odd: str) -> None:
    headers = {b"cookie": f"{odd}; {browser.cookie()}".encode("latin-1")}
    # The page renews the cookie with the same secret; a visitor without one would get a new secret.
    assert f"{browser.cookie()};" in httpx.get(f"{browser.server.url}/", headers=headers).headers["set-cookie"]


def test_invalid_example_numbers_are_not_found(browser: Browser) -> None:
    for number in ("99", "9" * 5000, "-1", "x", "²"):
        assert browser.http.get(f"/games/sqez/examples/{number}.svg").status_code == 404
        assert browser.http.get("/games/sqez/examples/0.svg", params={"step": number}).status_code == 404


def test_failure_to_store_a_table_is_reported_with_status_503(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise sa.exc.OperationalError("insert", {}, Exception("database is locked"))

    monkeypatch.setattr("fourcorners.web.store.schema.tables.insert", fail)
    answer = browser.http.post("/games/square-off", data={})
    assert answer.status_code == 503
    assert "The database is not available" in answer.text
