"""The ladders and the public pages of accounts, as a browser without scripts sees them."""

import re
from functools import partial

import pytest

from fourcorners.web.domain.ratings import computer_identity, rate
from fourcorners.web.domain.rows import Chair
from fourcorners.web.store import Store, rate_game
from tests.web.accounts import Visit, get_player_id, register
from tests.web.client import Server
from tests.web.stored import build_table


@pytest.fixture
def store(cold_server: Server) -> Store:
    """The store of `cold_server`, in which a test can look and write while the server runs."""
    opened: Store = cold_server.registry.store
    return opened


def test_unlisted_games_are_linked_only_for_their_players(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    register(http)
    for table, settings in {"link": {}, "open": {"visibility": "public"}, "rated": {"rated": True}}.items():
        seated = [Chair(0, "person", player, "Anna", taken=True), Chair(1, "person", "x" * 64, "<b>Bo</b>", taken=True)]
        result = "seat 0 wins 5-3: all is full" if table == "rated" else ""
        store.add_table(build_table(table, chairs=seated, owner=player, settings=settings, result=result)).result(10)
    then = partial(rate_game, table_id="rated", game="sqez", seats=2, at=7.0, rate=rate)
    store.write_now("rated", lambda connection: then(connection, parties=[[player], ["x" * 64]], ranks=[0, 1]))
    own, others = http.get("/players/anna").text, visit().get("/players/Anna").text
    assert [f"/play/{table}" in own for table in ("link", "open", "rated")] == [True, True, True]
    assert [f"/play/{table}" in others for table in ("link", "open", "rated")] == [False, True, False]
    assert others.count("&lt;b&gt;Bo&lt;/b&gt;") == 2
    assert "<b>Bo" not in own + others
    assert re.search(r'class="outcome won">won <span class="change">\+[0-9]+<', others)


def test_ladder_shows_accounts_and_computer_levels(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    assert "No rated games yet" in http.get("/ladder").text
    register(http, "Ännchen")
    parties = [[player], [computer_identity("sqez", 3)], ["x" * 64]]
    then = partial(rate_game, game="sqez", seats=3, at=7.0, parties=parties, ranks=[0, 1, 2], rate=rate)
    store.write_now("", lambda connection: then(connection, table_id="t"))
    for path in ("/ladder", "/ladder/sqez", "/ladder/sqez?seats=3"):
        text = visit().get(path).text
        assert 'href="/players/%C3%84nnchen"' in text
        assert re.search(r'Level 3 <span class="tag">computer</span>', text)
        assert "x" * 64 not in text
    assert "No rated games with 2 players" in http.get("/ladder/sqez?seats=2").text
    assert http.get("/ladder/sqez?seats=%F0%9F%98%80").status_code == 200
    assert http.get("/ladder/chess").status_code == 404
    assert http.get("/players/Nobody%00").status_code == 404


def test_pages_have_no_inline_scripts_and_the_account_is_not_cached(visit: Visit) -> None:
    http = visit()
    guests = [http.get(path) for path in ("/account", "/ladder", "/ladder/sqez")]
    register(http)
    for answer in [*guests, http.get("/account"), http.get("/players/Anna")]:
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son[a-z]+=|https?://(?!www\.w3\.org)", answer.text)
    assert http.get("/account").headers["cache-control"] == "no-store"
