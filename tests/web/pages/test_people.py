"""The ladders and the public pages of accounts, as a browser without scripts sees them."""

import re

import httpx
import pytest

import fourcorners as fc
from fourcorners.web.domain.ratings import computer_identity
from fourcorners.web.domain.rows import Chair
from fourcorners.web.store import Store
from tests.web.accounts import Visit, get_player_id, register
from tests.web.stored import build_table, rate_stored_game

STRANGER = "x" * 64
"""The player id of a guest who never sends a request."""


@pytest.fixture
def seated_anna(visit: Visit, store: Store) -> httpx.Client:
    """Anna's client, signed in; she has a seat in each of three games, against a guest called "<b>Bo</b>".

    "link" runs and is unlisted, "open" runs and is public; "rated" is unlisted, and Anna has won it.
    """
    http = visit()
    player = get_player_id(http)
    register(http)
    for table, settings in {"link": {}, "open": {"visibility": "public"}, "rated": {"rated": True}}.items():
        seated = [Chair(0, "person", player, "Anna", taken=True), Chair(1, "person", STRANGER, "<b>Bo</b>", taken=True)]
        result = "seat 0 wins 5-3: all is full" if table == "rated" else ""
        row = build_table(table, game="square-off", chairs=seated, owner=player, settings=settings, result=result)
        store.add_table(row).result(30)
    rate_stored_game(store, "rated", player, STRANGER)
    return http


def test_player_page_links_all_games_for_the_player_but_only_public_ones_for_others(
    seated_anna: httpx.Client, visit: Visit
) -> None:
    own, others = seated_anna.get("/players/anna").text, visit().get("/players/Anna").text
    assert [f"/play/{table}" in own for table in ("link", "open", "rated")] == [True, True, True]
    assert [f"/play/{table}" in others for table in ("link", "open", "rated")] == [False, True, False]


def test_player_page_shows_others_the_result_of_an_unlisted_rated_game(seated_anna: httpx.Client, visit: Visit) -> None:
    others = visit().get("/players/Anna").text
    assert re.search(r'class="outcome won">won 5 : 3 <span class="change">\+[0-9]+<', others)
    # The opponent of "open" and of "rated"; "link" is not shown at all.
    assert others.count("&lt;b&gt;Bo&lt;/b&gt;") == 2


def test_points_of_a_player_at_both_partners_seats_come_first(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    register(http)
    seats = [Chair(seat, "person", player if seat % 2 else STRANGER, "", taken=True) for seat in range(4)]
    options = {"players": 4, "teams": True}
    result = "seats 0 and 2 win 5-4-5-4: all is full"
    store.add_table(
        build_table("partners", game="squarin-off", options=options, chairs=seats, owner=player, result=result)
    ).result(30)
    assert "lost 4 : 5" in http.get("/players/Anna").text


def test_an_empty_player_page_links_the_next_step_for_the_player_only(anna: httpx.Client, visit: Visit) -> None:
    own, others = anna.get("/players/anna").text, visit().get("/players/anna").text
    assert [own.count('<a href="/#games">'), others.count('<a href="/#games">')] == [1, 0]


def test_the_empty_ladder_links_the_form_for_a_rated_game(visit: Visit) -> None:
    http = visit()
    for address in ("/ladder", "/ladder/sqez"):
        assert '"/games/sqez?with=rated"' in http.get(address).text


def test_player_page_names_computers_by_their_level_and_open_seats(visit: Visit, store: Store) -> None:
    http = visit()
    player = get_player_id(http)
    register(http)
    seats = [
        Chair(0, "person", player, "Anna", taken=True),
        Chair(1, "computer:2", None, "Computer 1", taken=True),
        Chair(2, "person", None, "", taken=False),
    ]
    store.add_table(build_table("three", chairs=seats, owner=player)).result(30)
    assert "with the computer, level 2, an open seat<" in http.get("/players/Anna").text


def test_names_of_opponents_are_escaped_on_a_player_page(seated_anna: httpx.Client, visit: Visit) -> None:
    for http in (seated_anna, visit()):
        text = http.get("/players/Anna").text
        assert "&lt;b&gt;Bo&lt;/b&gt;" in text
        assert "<b>Bo" not in text


@pytest.fixture
def three_player_ladder(visit: Visit, store: Store) -> None:
    """Store the only rated game: at Sqez for three, the account Ännchen beats level 3 and a guest. It has no value."""
    http = visit()
    player = get_player_id(http)
    register(http, "Ännchen")
    rate_stored_game(store, "t", player, computer_identity("sqez", 3), STRANGER, ranks=(0, 1, 2))


# Without ?seats= the ladder is that of the smallest number of players with rated games, here 3.
@pytest.mark.usefixtures("three_player_ladder")
@pytest.mark.parametrize("path", ["/ladder", "/ladder/sqez", "/ladder/sqez?seats=3"])
def test_ladders_show_accounts_and_computer_levels_but_no_guests(visit: Visit, path: str) -> None:
    text = visit().get(path).text
    assert 'href="/players/%C3%84nnchen"' in text
    assert re.search(r'Level 3 <span class="tag">computer</span>', text)
    # The third player of the rated game, a guest without a name, could be listed only by its id.
    assert STRANGER not in text


@pytest.mark.usefixtures("three_player_ladder")
def test_ladder_for_a_number_of_players_without_rated_games_is_empty(visit: Visit) -> None:
    text = visit().get("/ladder/sqez?seats=2").text
    assert "No rated games with 2 players" in text
    assert "nnchen" not in text


def test_ladder_overview_without_any_rated_game_says_so(visit: Visit) -> None:
    assert "No rated games yet" in visit().get("/ladder").text


@pytest.mark.usefixtures("three_player_ladder")
def test_ladder_overview_lists_games_without_rated_games_below_the_ladders(visit: Visit) -> None:
    ladders, _, unrated = visit().get("/ladder").text.partition("No rated games yet")
    for game in fc.games():
        place, other = (ladders, unrated) if game == "sqez" else (unrated, ladders)
        assert f'<a href="/ladder/{game}">' in place
        assert f'<a href="/ladder/{game}">' not in other


@pytest.mark.usefixtures("three_player_ladder")
def test_number_of_players_that_cannot_be_read_selects_the_default_ladder(visit: Visit) -> None:
    answer = visit().get("/ladder/sqez?seats=%F0%9F%98%80")
    assert answer.status_code == 200
    assert 'href="/players/%C3%84nnchen"' in answer.text


@pytest.mark.parametrize("path", ["/ladder/chess", "/players/Nobody", "/players/Nobody%00"])
def test_ladder_of_an_unknown_game_and_page_of_an_unknown_player_are_not_found(visit: Visit, path: str) -> None:
    assert visit().get(path).status_code == 404


def test_account_ladder_and_player_pages_have_a_csp_and_no_inline_code_or_foreign_addresses(visit: Visit) -> None:
    http = visit()
    guests = [http.get(path) for path in ("/account", "/ladder", "/ladder/sqez")]
    register(http)
    for answer in [*guests, http.get("/account"), http.get("/players/Anna")]:
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        # w3.org is the namespace of SVG, which no browser fetches; the address of a preview picture must be absolute.
        text = answer.text.replace(f'content="{http.base_url}/static/previews/', "")
        assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son[a-z]+=|https?://(?!www\.w3\.org)", text)


def test_account_page_is_not_cached(anna: httpx.Client) -> None:
    assert anna.get("/account").headers["cache-control"] == "no-store"
