"""The example bot plays whole games over the network, against another bot and against the computer."""

import ast
import http.client
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

import pytest

import fourcorners as fc
from tests.web.client import Server
from tests.web.example_bot import EXAMPLE, load_example_bot
from tests.web.program import Program

pytestmark = pytest.mark.compiled
GAME_TIMEOUT = 240.0
"""The seconds after which a test gives up waiting for the end of a game."""


@pytest.fixture(scope="module")
def example() -> Any:
    """The example bot imported as a module, shared by the tests of this file."""
    return load_example_bot()


def test_example_has_at_most_sixty_lines() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 60


def test_example_needs_nothing_but_the_package() -> None:
    nodes = list(ast.walk(ast.parse(EXAMPLE.read_text(encoding="utf-8"))))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"fourcorners"}


@pytest.mark.parametrize(("name", "options"), [("square-off", {"size": 4}), ("squendo", {})])
def test_two_bots_find_each_other_and_play_a_game_to_the_end(
    server: Server, example: Any, name: str, options: dict[str, Any]
) -> None:
    """Afterwards anyone sees the game with all moves, as the library replays it from its record."""
    game = fc.game(name, **options)
    bots = [example.Bot(server.url, f"Bot {number}", level=1) for number in range(2)]
    tables = [bot.find_table(game) for bot in bots]
    # The second bot joins the first bot's table from the lobby.
    assert tables[0] == tables[1]
    with ThreadPoolExecutor(2) as pool:
        played_games = [pool.submit(bot.play, tables[0]) for bot in bots]
        results = [played_game.result(GAME_TIMEOUT) for played_game in played_games]
    assert results[0] == results[1] != "running"
    with Program(server, None) as visitor:
        state = visitor.fetch_table(tables[0])
        record = fc.Record.parse(visitor.request("GET", f"/api/tables/{tables[0]}/record").text)
    assert (state["over"], state["out"], state["result"]) == (True, [], results[0])
    position = record.match().position
    assert position.is_over
    assert [[played.seat, played.move] for played in position.view(None).plies] == state["plies"]
    # One event for the second bot, who sat down, and one for each move.
    assert state["version"] == 1 + len(state["plies"])


def test_bot_waits_and_asks_again_after_a_lost_response_so_that_no_move_is_lost_or_played_twice(
    server: Server, example: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bot's pauses, in seconds, which take no time here.
    pauses: list[float] = []
    monkeypatch.setattr(example.time, "sleep", pauses.append)

    answered = 0

    @contextmanager
    def lose_responses(*args: Any, **options: Any) -> Iterator[http.client.HTTPResponse]:
        """Send a request and yield the response; raise ConnectionResetError instead of every third one, after the
        server has processed the request.
        """
        nonlocal answered
        with urlopen(*args, **options) as response:
            answered += 1
            if answered % 3 == 0:
                response.read()
                raise ConnectionResetError
            yield response

    monkeypatch.setattr(example, "urlopen", lose_responses)
    bot = example.Bot(server.url, "Bot", level=1)
    game = fc.game("square-off", size=4)
    seats = ["me", "computer:1"]
    table = bot.request("POST", "/api/tables", game=game.id, options=game.given_options(), seats=seats)["id"]
    result = bot.play(table)
    state = bot.request("GET", f"/api/tables/{table}")
    assert (state["over"], state["result"]) == (True, result)
    # Nothing was done twice: there are as many events as moves.
    assert state["version"] == len(state["plies"])
    assert pauses
