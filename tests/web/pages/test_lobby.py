"""The lobby: which tables it lists, how it describes them, and how often it reads the store."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import jinja2
import pytest

import fourcorners as fc
from fourcorners.study.game_words import describe_options
from fourcorners.web.domain.ratings import Standing
from fourcorners.web.pages import lobby
from fourcorners.web.pages.lobby import Lobby
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.store import StoredTable
from tests.web.client import Browser
from tests.web.pages.test_games import RECORD
from tests.web.tables import ADA, BOB, build_row

NOW = 2_000_000_000.0
PUBLIC = {"visibility": "public"}
TIMED = {**PUBLIC, "clock": {"kind": "game", "seconds": 300, "increment": 3}}
SLOW = {**PUBLIC, "clock": {"kind": "days", "days": 3}}


def build_listed_row(
    name: str = "sqez",
    kinds: tuple[str, ...] = ("person", "open"),
    settings: dict[str, Any] | None = None,
    changed: float = NOW,
    **options: Any,
) -> StoredTable:
    """Return the row of a table of Ada for game `name`, last changed at server time `changed`, by default public."""
    row = build_row(fc.game(name, **options), kinds, now=changed, settings=settings or PUBLIC)
    return replace(row, changed=changed)


class FakeRooms:
    """The part of all rooms that the lobby uses; `reads` counts the reads of its store."""

    def __init__(self, *listed: StoredTable, here: dict[str, list[str]] | None = None) -> None:
        """Keep these tables; `here` has the ids of the players who are connected, by table id. Server time is `NOW`."""
        self.listed, self.reads = listed, 0
        self.context = self.store = self
        self.time = SimpleNamespace(now=lambda: NOW)
        self.opened = {
            table: SimpleNamespace(
                id=table, audience=SimpleNamespace(watchers=[SimpleNamespace(player=player) for player in players])
            )
            for table, players in (here or {}).items()
        }

    def list_lobby_tables(self, limit: int, *, started: bool) -> list[StoredTable]:
        """Return the first `limit` tables that have started, or that have not; count the read."""
        self.reads += 1
        return [saved for saved in self.listed if (saved.started is not None) is started][:limit]

    def list_chosen_colours(self, ids: list[str]) -> dict[str, list[tuple[int, str]]]:
        """Return what was chosen at these tables: at each of them Bob has taken seat 1 in green."""
        return {table: [(1, "G")] for table in ids}

    def list_player_standings(self, player: str) -> list[tuple[str, int, Standing]]:
        """Return the standings of Ada, who has played Sqez with two seats; no one else has any."""
        return [("squendo", 2, Standing(20.0, 4.0, 5)), ("sqez", 2, Standing(30.0, 4.0, 9))] if player == ADA else []


def build_lists(*listed: StoredTable, here: dict[str, list[str]] | None = None) -> lobby.LobbyLists:
    """Return the lobby's lists of these tables at time `NOW`; `here` has the ids of connected players by table id."""
    rooms = cast("Rooms", FakeRooms(*listed, here=here))
    return Lobby(jinja2.Template("{{ waiting | length }} {{ running | length }}")).get_lists(rooms)


def test_open_and_running_games_are_listed_separately() -> None:
    """An open game also shows the number of its open seats and the names at the others."""
    waiting, running = build_listed_row(), build_listed_row(kinds=("person", "computer:2"))
    lists = build_lists(waiting, running)
    assert [row.id for row in lists.open] == [waiting.id]
    assert [row.id for row in lists.running] == [running.id]
    assert lists.open[0].free == 1
    assert lists.open[0].seats == ("Ada",)


def test_waiting_table_whose_free_seats_are_all_reserved_is_not_listed() -> None:
    made = build_listed_row()
    # A rematch keeps such a seat for a player who has not sat down yet.
    chairs = [made.chairs[0], made.chairs[1]._replace(player=BOB, name="Bob")]
    assert build_lists(replace(made, chairs=chairs)).open == ()


# Half an hour after the last change for an open table, an hour for a running one.
@pytest.mark.parametrize(
    ("kinds", "settings", "ago", "shown"),
    [
        (("person", "open"), PUBLIC, 1700, True),
        (("person", "open"), PUBLIC, 1900, False),
        (("person", "open"), TIMED, 1900, False),
        (("person", "open"), SLOW, 86_400, True),
        (("person", "computer:2"), PUBLIC, 3500, True),
        (("person", "computer:2"), PUBLIC, 3700, False),
        (("person", "computer:2"), SLOW, 86_400, True),
    ],
)
def test_table_without_its_players_is_listed_for_a_limited_time_unless_played_by_days(
    kinds: tuple[str, ...], settings: dict[str, Any], ago: float, shown: bool
) -> None:
    """With a player present it stays listed; a spectator changes nothing."""
    made = build_listed_row(kinds=kinds, settings=settings, changed=NOW - ago)
    lists = build_lists(made)
    assert [row.id for row in (*lists.open, *lists.running)] == ([made.id] if shown else [])
    here = build_lists(made, here={made.id: [ADA]})
    assert [row.id for row in (*here.open, *here.running)] == [made.id]
    # Bob has no seat there.
    watched = build_lists(made, here={made.id: [BOB]})
    assert len((*watched.open, *watched.running)) == int(shown)


def test_open_tables_with_their_host_present_come_first_and_count_spectators() -> None:
    tables = [build_listed_row(changed=NOW - number) for number in range(3)]
    lists = build_lists(*tables, here={tables[2].id: [ADA, BOB]})
    assert [row.id for row in lists.open] == [tables[2].id, tables[0].id, tables[1].id]
    assert [row.host_here for row in lists.open] == [True, False, False]
    assert lists.open[0].watching == 1


def test_number_of_listed_open_tables_is_limited() -> None:
    lists = build_lists(*(replace(build_listed_row(), owner=f"{n:064x}") for n in range(lobby.MAX_ROWS + 5)))
    assert len(lists.open) == lobby.MAX_ROWS


def test_open_tables_of_one_host_leave_places_to_others() -> None:
    many = [build_listed_row(changed=NOW - number) for number in range(lobby.MAX_ROWS + 5)]
    other = replace(build_listed_row(changed=NOW - 60), owner=BOB)
    lists = build_lists(*many, other, here={many[-1].id: [ADA]})
    assert [row.id for row in lists.open] == [many[-1].id, *(row.id for row in many[:3]), other.id]


def test_table_that_no_longer_loads_is_left_out() -> None:
    assert build_lists(replace(build_listed_row(), game="chess")).open == ()
    assert build_lists(replace(build_listed_row(), options={"cols": 99})).open == ()


def test_lists_are_cached_for_a_second_and_then_read_again() -> None:
    rooms, now = FakeRooms(build_listed_row()), [10.0]
    kept = Lobby(jinja2.Template("{{ waiting | length }}"), lambda: now[0])
    first = kept.get_lists(cast("Rooms", rooms))
    for _ in range(50):
        now[0] += 0.99 * lobby.CACHE_SECONDS / 50
        assert kept.get_lists(cast("Rooms", rooms)) is first
    # One read of the open tables and one of the running ones.
    assert rooms.reads == 2
    now[0] = 10.0 + lobby.CACHE_SECONDS
    assert kept.get_lists(cast("Rooms", rooms)) == first
    assert rooms.reads == 4


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("sqez", {}, "8 × 8, 2 players"),
        (
            "sqez",
            {"cols": 5, "players": 3, "sides": "shared", "strict": True},
            "5 × 8, 3 players, sides shared, strict",
        ),
        ("square-off", {"swap": False}, "8 × 8, 2 players, no swap"),
        ("squendo", {"players": 4, "take": "any"}, "4 players, taking back any"),
        ("squendo", {"colours": "YGR"}, "2 players, yellow – green"),
        ("dots-and-boxes", {"cols": 3, "rows": 4}, "3 × 4, 2 players"),
        ("squarin-off", {"blockers": [2, 4]}, "10 × 10, 2 players, blockers 2 – 4"),
        ("squarin-off", {"blockers": [3, 3]}, "10 × 10, 2 players, blockers 3 each"),
        ("squarin-off", {"cols": 2, "rows": 2, "values": "12\n34"}, "2 × 2, 2 players, custom values"),
    ],
)
def test_options_are_described_in_words(name: str, options: dict[str, Any], words: str) -> None:
    assert describe_options(fc.game(name, **options)) == words


def begin_open_table(browser: Browser, **form: str) -> str:
    """Set up a table of Square Off where Ada waits at seat 0 for an opponent; return its id.

    `form` overrides and adds fields of the form; by default the table is public.
    """
    fields = {"seat-0": "person", "seat-1": "open", "name-0": "Ada", "visibility": "public", **form}
    return browser.begin_table("square-off", **fields)


@pytest.mark.compiled
def test_unlisted_tables_tables_without_an_open_seat_and_studies_are_not_listed(
    browser: Browser, other: Browser
) -> None:
    """The form of a table without an open seat asks in vain for a public one. A public table is listed on each page."""
    public = begin_open_table(browser)
    unlisted = begin_open_table(browser, visibility="link")
    # Visibility is ignored, and not stored, for a table at which no one else can sit down.
    full = [
        browser.begin_table("square-off", visibility="public", **{"seat-0": "person", "seat-1": kind})
        for kind in ("person", "computer")
    ]
    study = browser.http.post("/records", data={"record": RECORD}).headers["location"].removeprefix("/play/")
    other.server.forget_lists()
    for address in ("/lobby", "/lobby/lists", "/"):
        text = other.http.get(address).text
        assert f"/play/{public}" in text
        for table in (unlisted, *full, study):
            assert table not in text


@pytest.mark.compiled
def test_player_names_are_escaped_in_the_lobby_and_on_the_home_page(browser: Browser, other: Browser) -> None:
    begin_open_table(browser, **{"name-0": "<img src=x>\"'"})
    other.server.forget_lists()
    for address in ("/lobby", "/lobby/lists", "/"):
        text = other.http.get(address).text
        assert "<img src=x" not in text
        assert "&lt;img src=x&gt;" in text


@pytest.mark.compiled
def test_table_moves_to_the_running_games_when_it_is_full_and_disappears_when_it_is_over(
    browser: Browser, other: Browser
) -> None:
    table = begin_open_table(browser, clock="300+3", rated="true", chat="free")
    other.server.forget_lists()
    waiting, running = read_lists(other)
    assert table in waiting
    assert table not in running
    card = waiting[waiting.index(table) :].partition("</li>")[0]
    for words in ("5 min + 3 s", "1 open seat", "rated", "free chat", "Ada"):
        assert words in card
    with other.open_table(table) as socket:
        assert socket.send_command("sit", seat=None, name="Bob")["type"] == "done"
        other.server.forget_lists()
        waiting, running = read_lists(other)
        assert table not in waiting
        assert "Bob" in running[running.index(table) :].partition("</li>")[0]
        while not socket.state["started"]:
            socket.receive_next()
        assert socket.send_command("resign", seat=socket.state["seats"][0])["type"] == "done"
    other.server.forget_lists()
    assert table not in other.http.get("/lobby").text


def read_lists(browser: Browser) -> tuple[str, str]:
    """Return the HTML of the lobby's open games (with what precedes them) and of its running games."""
    waiting, _, running = browser.http.get("/lobby/lists").text.partition('id="running-games"')
    return waiting, running


@pytest.mark.compiled
def test_unchanged_lists_are_answered_with_304_and_changed_ones_with_a_new_etag(browser: Browser) -> None:
    answer = browser.http.get("/lobby/lists")
    again = browser.http.get("/lobby/lists", headers={"if-none-match": answer.headers["etag"]})
    # Tables of other tests may have left the lobby in between.
    if answer.headers["etag"] == again.headers["etag"]:
        assert (again.status_code, again.text) == (304, "")
    begin_open_table(browser)
    browser.server.forget_lists()
    changed = browser.http.get("/lobby/lists", headers={"if-none-match": answer.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != answer.headers["etag"]


@pytest.mark.compiled
def test_game_with_a_friend_is_an_unlisted_table_that_another_player_can_join(browser: Browser, other: Browser) -> None:
    assert 'href="/games/sqez?with=friend"' in browser.http.get("/").text
    fields = {"seat-0": "person", "seat-1": "open"}
    table = browser.http.post("/games/sqez", data=fields).headers["location"].removeprefix("/play/")
    with browser.open_table(table) as ada, other.open_table(table) as bob:
        assert not ada.state["started"]
        assert sorted(chair["mine"] for chair in ada.state["chairs"]) == [False, True]
        assert ada.state["settings"]["visibility"] == "link"
        assert bob.send_command("sit", seat=None, name="Bob")["type"] == "done"
