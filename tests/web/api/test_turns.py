"""Which games wait for a player."""

from collections.abc import Iterator

import pytest

from tests.web.client import Browser, Server, seat_two

_Turns = dict[str, object]


@pytest.fixture
def cold_browsers(cold_server: Server) -> Iterator[tuple[Browser, Browser]]:
    """The browsers of two players at a server of this test."""
    with Browser(cold_server) as first, Browser(cold_server) as second:
        yield first, second


def ask(browser: Browser, besides: str = "") -> _Turns:
    """Return the answer to a browser."""
    answer = browser.http.get("/api/turns", params={"besides": besides})
    assert answer.status_code == 200
    fields: _Turns = answer.json()
    return fields


def test_games_of_people_wait_in_the_order_in_which_the_turn_came(cold_browsers: tuple[Browser, Browser]) -> None:
    ada, bob = cold_browsers
    assert ask(ada) == {"count": 0, "next": None}
    # No one waits at a computer, nor at a table that no one has joined.
    ada.begin_table("sqez", **{"seat-0": "person", "seat-1": "computer"})
    ada.begin_table("sqez", **{"seat-0": "person", "seat-1": "open"})
    assert ask(ada)["count"] == 0
    tables = []
    for _ in range(3):
        first, second = seat_two(ada, bob)
        tables.append(first.table)
        with first, second:
            if len(tables) == 2:
                first.receive_until_mine()
                first.move(first.state["moves"][0])
    assert ask(ada) == {"count": 2, "next": tables[0]}
    assert ask(ada, tables[0]) == {"count": 1, "next": tables[2]}
    assert ask(bob) == {"count": 1, "next": tables[1]}
    with ada.open_table(tables[0]) as socket:
        assert socket.send_command("resign", seat=0)["type"] == "done"
    assert ask(ada) == {"count": 1, "next": tables[2]}
