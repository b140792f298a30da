"""Links to this server that are pasted where a record can be: they are found in the store, and never fetched."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

import fourcorners as fc
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.lessons.judge import get_position
from fourcorners.study.public_links import read_public_link
from fourcorners.study.puzzles.format import list_puzzles
from tests.web.client import StartServer
from tests.web.program import Program

OPTIONS = {"cols": 1, "rows": 1}
MOVES = ["a1b1", "a2b2", "a1a2", "b1b2"]


@pytest.fixture
def program(start_cold: StartServer) -> Iterator[Program]:
    """A program on a server of this test alone."""
    with Program(start_cold()) as opened:
        yield opened


def begin(program: Program, *moves: str) -> str:
    """Play a game, and return its table."""
    table = program.begin_table("dots-and-boxes", "me", "me", options=OPTIONS)
    for move in moves:
        program.execute(table, "move", move=move)
    return table


def paste(program: Program, text: str) -> tuple[int, str]:
    """Paste a text on the page of the analysis board; return the status, and where it leads or what the page says."""
    answer = program.http.post("/analysis", data={"text": text}, headers={"origin": str(program.http.base_url)})
    if answer.status_code == 303:
        return 303, answer.headers["location"]
    return answer.status_code, answer.text


def paste_at_home(program: Program, text: str) -> tuple[int, str]:
    """Do what `paste` does in the field of the home page."""
    answer = program.http.post("/records", data={"text": text}, headers={"origin": str(program.http.base_url)})
    return answer.status_code, answer.headers.get("location", answer.text)


def test_the_home_page_opens_links_of_this_site_and_pasted_records(program: Program) -> None:
    base = str(program.http.base_url).rstrip("/")
    table, running = begin(program, *MOVES), begin(program, MOVES[0])
    for name, address in ((table, f"/play/{table}"), (f"{table}?ply=2", f"/play/{table}?ply=2"), (running, None)):
        assert paste_at_home(program, f"See <{base}/play/{name}>.") == (303, address or f"/play/{running}")
    puzzle = list_puzzles("sqez")[0]
    status, address = paste_at_home(program, f"{base}/puzzles/{puzzle.name}")
    assert status == 303 and urlsplit(address).path == "/analysis/sqez"
    record = program.http.get(f"/play/{table}/record").text
    for text in (record, f"Look at this:\n\n{record}", "https://trmph.com/dnb/board#5,f7f5g8"):
        status, address = paste_at_home(program, text)
        assert (status, address.partition("/play/")[0]) == (303, "")
        assert program.http.get(f"{address}/record").text.startswith("fourcorners")
    for text, sentence in (
        ("a1b1 <b>", "Paste a record or a link. Moves and positions open on the analysis board"),
        (f"{base}/play/missing", "This cannot be opened: there is no game at this link"),
        ("https://elsewhere.example/play/abc", "nothing is loaded from"),
        (" ", "Paste a record or a link, or choose a file."),
    ):
        status, page = paste_at_home(program, text)
        assert status == 422 and sentence in page, text
    assert ">a1b1 &lt;b&gt;</textarea>" in paste_at_home(program, "a1b1 <b>")[1]


def test_the_analysis_board_opens_links_of_this_site_at_the_shown_move(program: Program) -> None:
    base = str(program.http.base_url).rstrip("/")
    table = begin(program, *MOVES)
    for path, ply in (("", ""), ("?ply=2", "?ply=2"), ("/review?ply=3", "?ply=3"), ("/review/moves/1", "?ply=1")):
        assert paste(program, f"See <{base}/play/{table}{path}>.") == (303, f"/play/{table}/analysis{ply}")
    shared = program.fetch("POST", "/api/analyses", game="dots-and-boxes", options=OPTIONS, nodes=[{"depth": 0}])
    for link in (shared["link"], shared["embed"]):
        assert paste(program, f"{base}{link}") == (303, shared["link"])
    puzzle, lesson = list_puzzles("sqez")[0], list_lessons("sqez")[0]
    for name, position in (
        (f"puzzles/{puzzle.name}", puzzle.position),
        (f"learn/{lesson.name}", get_position(lesson, 0)),
    ):
        status, address = paste(program, f"{base}/{name}")
        assert status == 303 and urlsplit(address).path == "/analysis/sqez"
        assert parse_qs(urlsplit(address).query)["position"] == [position.text]
        assert program.http.get(address).status_code == 200


def test_a_link_that_leads_nowhere_or_to_a_running_game_or_elsewhere_is_refused_in_one_sentence(
    program: Program,
) -> None:
    base = str(program.http.base_url).rstrip("/")
    running = begin(program, *MOVES[:2])
    for link, sentence in (
        (f"{base}/play/nothing", "This cannot be opened: there is no game at this link"),
        (f"{base}/embed/nothing", "there is no analysis at this link"),
        (f"{base}/puzzles/sqez/nothing", "this link leads to no puzzle"),
        (f"{base}/learn/sqez/nothing", "this link leads to no lesson"),
        (f"{base}/play/{running}", "This game is still running"),
        (f"https://example.org/play/{running}", "nothing is loaded from"),
        (f"{base}/ladder", "it leads to a page"),
    ):
        status, page = paste(program, link)
        assert status == 422 and sentence in page, link


def test_the_moves_of_a_linked_game_are_typed_by_its_link(program: Program) -> None:
    base = str(program.http.base_url).rstrip("/")
    table = begin(program, *MOVES)
    body = {"game": "dots-and-boxes", "options": OPTIONS, "typed": 0}
    answer = program.fetch("POST", "/api/entries", **body, moves=[f"{base}/play/{table}?ply=2"])
    assert (answer["moves"], answer["over"], answer["wrong"]) == (MOVES, True, None)
    nodes = [{"depth": 0}, {"depth": 1, "move": "a1b1"}, {"depth": 2, "move": "a1a2"}, {"depth": 2, "move": "a2b2"}]
    shared = program.fetch("POST", "/api/analyses", game="dots-and-boxes", options=OPTIONS, nodes=nodes)
    answer = program.fetch("POST", "/api/entries", **body, moves=[f"{base}{shared['link']}"])
    assert answer["moves"] == ["a1b1", "a1a2"]
    puzzle = list_puzzles("dots-and-boxes")[0]
    hidden = program.begin_table("squendo", "me", "me")
    for link, sentence in (
        (f"/play/{program.begin_table('sqez', 'me', 'me')}", "a game of sqez: choose that game first"),
        (f"/puzzles/{puzzle.name}", "leads to a position: open it on the analysis board"),
        (f"/play/{hidden}", "a game with its own tiles"),
        ("/play/nothing", "no game at this link"),
    ):
        refused = program.request("POST", "/api/entries", json={**body, "moves": [f"{base}{link}"]})
        assert refused.status_code == 422 and sentence in refused.json()["sentence"], link


def test_the_preview_and_the_code_of_a_link_to_an_earlier_position_are_those_of_that_position(program: Program) -> None:
    table = begin(program, *MOVES)
    assert f"play/{table}/preview.png?ply=2" in program.http.get(f"/play/{table}?ply=2").text
    cards = [
        program.http.get(f"/play/{table}/preview.png{query}").content for query in ("", "?ply=2", "?ply=4", "?ply=x")
    ]
    assert cards[0] == cards[2] == cards[3] != cards[1]
    codes = {program.http.get(f"/play/{table}/qr.svg{query}").text for query in ("", "?ply=2", "?ply=<")}
    assert len(codes) == 2


def test_a_command_needs_no_server_to_read_the_link_of_a_puzzle() -> None:
    puzzle = list_puzzles("sqez")[0]
    record = read_public_link(f"https://example.org/puzzles/{puzzle.name}")
    assert record is not None and fc.Record.replay(str(record)).position.text == puzzle.position.text
    assert read_public_link("https://example.org/play/table") is None
    with pytest.raises(fc.GameError, match="leads to no puzzle"):
        read_public_link("https://example.org/puzzles/sqez/nothing")
