"""The analysis board over the API: positions, the engine, the editor, and analyses that are shared."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from unittest.mock import AsyncMock

import httpx
import pytest

import fourcorners as fc
from fourcorners.core.game import View
from fourcorners.study.analysis import Analysis
from fourcorners.study.analysis_run import AnalysisLine, AnalysisProgress
from fourcorners.web.api import analysis
from fourcorners.web.application import shared_analyses
from fourcorners.web.application.running_games import build_refusal
from fourcorners.web.engine import services
from fourcorners.web.pages import analysis as pages_of_analysis
from tests import servers
from tests.waiting import wait_until
from tests.web.client import WAIT, Json, StartServer
from tests.web.processes import ROOT
from tests.web.program import Program, read_refusal

SMALL = {"game": "dots-and-boxes", "options": {"cols": 2, "rows": 2}}
GAME = fc.game("dots-and-boxes", cols=2, rows=2)
START = {"depth": 0}


@pytest.fixture
def program(start_cold: StartServer) -> Iterator[Program]:
    """A program without an API key on a server of this test alone, which takes everything as compiled."""
    server = start_cold()
    server.context.warmup._missing = frozenset()
    with Program(server, None) as opened:
        yield opened


class FakeAnalysis:
    """Stands in for the search: records views, reports once, and waits for `go_on` or until it is stopped."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.was_stopped = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def __call__(
        self,
        view: View,
        lines: int,
        seconds: float,
        nodes: int,
        *,
        stop: threading.Event,
        progress: Callable[[AnalysisProgress], None],
    ) -> Analysis:
        assert 0 < seconds <= 20 and nodes > 0
        self.views.append(view)
        moves = view.moves()[:lines]
        found = tuple(AnalysisLine(move, (move,), 1.5, 0.6, -4, 4, 10) for move in moves)
        progress(AnalysisProgress(10, 0.1, 0.5, found, -9, 9))
        while not self.go_on.wait(0.005):
            if stop.is_set():
                self.was_stopped.set()
                break
        return Analysis(found, view.seat or 0, 20, 0.2, -9, 9)


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> FakeAnalysis:
    """The search of all servers, in place of the real one."""
    fake = FakeAnalysis()
    monkeypatch.setattr(services, "analyse", fake)
    return fake


def read_lines(program: Program, **body: object) -> list[Json]:
    """Return all updates of the engine about a position."""
    answer = program.http.post("/api/analysis/lines", json=body)
    assert answer.headers["content-type"] == "application/x-ndjson", answer.text
    return [json.loads(line) for line in answer.text.splitlines() if line]


def test_any_position_is_drawn_with_its_moves_words_and_result(program: Program) -> None:
    answer = program.fetch("POST", "/api/analysis/board", **SMALL, moves=["a1b1", "a2b2"])
    position = GAME.replay(["a1b1", "a2b2"])
    assert answer["position"] == position.text and answer["picture"]["moves"] == position.moves()
    assert (answer["words"], answer["result"], answer["hands"]) == ("drew a2–b2", "", [])
    again = program.fetch("POST", "/api/analysis/board", **SMALL, position=position.text, moves=[])
    assert again["picture"]["moves"] == position.moves() and again["words"] == ""
    line = []
    while not position.is_over:
        line.append(position.moves()[0])
        position = position.play(line[-1])
    over = program.fetch("POST", "/api/analysis/board", **SMALL, moves=["a1b1", "a2b2", *line])
    assert over["picture"]["seat"] is None and "wins" in over["result"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"moves": ["a1b1", "a1b1"]}, "drawn"),
        ({"moves": ["nonsense"]}, "edge"),
        ({"position": "nonsense"}, "not a position"),
        ({"options": {"cols": 99}}, "cols"),
        ({"game": "chess"}, "chess"),
    ],
)
def test_what_is_no_position_is_refused_in_one_sentence(program: Program, body: Json, reason: str) -> None:
    answer = program.request("POST", "/api/analysis/board", json={**SMALL, **body})
    assert answer.status_code == 422
    sentence = answer.json()["sentence"]
    assert reason in sentence and sentence.endswith(".") and not sentence.endswith("..")


def test_moves_that_are_too_many_to_list_are_completed_token_by_token(program: Program) -> None:
    large = {"game": "sqez", "options": {"cols": 12, "rows": 12}}
    assert program.fetch("POST", "/api/analysis/board", **large)["picture"]["moves"] is None
    following = program.fetch("POST", "/api/analysis/complete", **large, tokens=["a1"])
    assert "c3" in following["next"] and not following["move"]
    assert program.fetch("POST", "/api/analysis/complete", **large, tokens=["a1", "c3"])["move"]


def test_the_engine_streams_what_it_finds_and_remembers_it(program: Program, search: FakeAnalysis) -> None:
    updates = read_lines(program, **SMALL, moves=["a1b1"], lines=2)
    assert updates[-1]["state"] == "done" and updates[-1]["share"] == 1.0
    best = updates[-1]["lines"][0]
    assert (best["line"], best["seats"], best["lower"], best["upper"]) == ([best["move"]], [1], -4, 4)
    assert len(updates[-1]["lines"]) == 2
    assert read_lines(program, **SMALL, moves=["a1b1"], lines=2)[-1] == updates[-1]
    assert len(search.views) == 1


def test_the_engine_stops_when_the_page_goes_away(program: Program, search: FakeAnalysis) -> None:
    search.go_on.clear()
    with program.http.stream("POST", "/api/analysis/lines", json=SMALL) as answer:
        first = next(line for line in answer.iter_lines() if line)
        assert json.loads(first)["state"] == "running"
    wait_until(search.was_stopped.is_set)


@pytest.mark.ci
def test_the_shipped_proxy_compresses_scripts_and_passes_lines_on_as_they_are_found(
    program: Program, search: FakeAnalysis
) -> None:
    port = servers.find_free_port()
    behind = [f"127.0.0.1:{program.server.port}"]
    search.go_on.clear()
    with (
        servers.run_caddy(ROOT / "Caddyfile", port, behind),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"accept-encoding": "gzip"}, timeout=WAIT) as http,
    ):
        assert http.get("/static/play.js").headers["content-encoding"] == "gzip"
        with http.stream("POST", "/api/analysis/lines", json=SMALL) as answer:
            # The search goes on until the client leaves.
            assert json.loads(next(filter(None, answer.iter_lines())))["state"] == "running"
    wait_until(search.was_stopped.is_set)


def test_one_client_can_ask_so_much_at_once(
    program: Program, search: FakeAnalysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = services.ANALYSIS_LIMITS._replace(per_player=1)
    monkeypatch.setattr(program.server.context.engine.analyses.queue, "limits", limits)
    search.go_on.clear()
    with Program(program.server) as known, known.http.stream("POST", "/api/analysis/lines", json=SMALL) as answer:
        lines = answer.iter_lines()
        # As long as these lines are read, the answer goes on.
        assert next(filter(None, lines))
        updates = read_lines(known, **SMALL, moves=["a1b1"])
        assert updates[-1]["state"] == "refused" and "Too many" in updates[-1]["sentence"]


def test_a_game_that_is_over_has_nothing_to_analyse(program: Program) -> None:
    position = GAME.start()
    while not position.is_over:
        position = position.play(position.moves()[0])
    for path in ("lines", "values"):
        answer = program.request("POST", f"/api/analysis/{path}", json={**SMALL, "position": position.text})
        assert read_refusal(answer) == (422, "game-over")


def test_an_analysis_of_open_hands_uses_only_what_the_seat_to_move_may_know(
    program: Program, search: FakeAnalysis
) -> None:
    game = fc.game("squendo")
    start = game.start(seed=4)
    board = program.fetch("POST", "/api/analysis/board", game="squendo", position=start.text)
    assert [hand["seat"] for hand in board["hands"]] == [0, 1]
    read_lines(program, game="squendo", position=start.text)
    [view] = search.views
    assert view == start.view(0)
    hidden = set(start.text.split("; ")[1].split(" ")[2].split(","))
    assert not any(tile in view.text for tile in hidden)


def test_a_view_is_analysed_but_not_played_on_and_shows_nothing_else(program: Program, search: FakeAnalysis) -> None:
    game = fc.game("squendo")
    start = game.start(seed=4)
    view = start.view(0)
    body = {"game": "squendo", "position": view.text}
    board = program.fetch("POST", "/api/analysis/board", **body)
    assert board["picture"]["moves"] == [] and board["hands"] == [] and board["position"] == view.text
    move = view.moves()[0]
    assert read_refusal(program.request("POST", "/api/analysis/board", json={**body, "moves": [move]})) == (
        422,
        "hidden",
    )
    text = json.dumps(board)
    hidden = set(start.text.split("; ")[1].split(" ")[2].split(","))
    assert not any(tile in text for tile in hidden)
    assert read_lines(program, **body)[-1]["state"] == "done"
    assert search.views == [view]
    assert read_refusal(program.request("POST", "/api/analysis/values", json=body)) == (422, "hidden")
    saved = program.request("POST", "/api/analyses", json={**body, "nodes": [START]})
    assert saved.status_code == 422 and "without hidden information" in saved.json()["sentence"]


def test_a_tree_is_shared_unchanged_and_opens_for_everybody(program: Program) -> None:
    nodes = [
        {"depth": 0, "comment": "Where it begins."},
        {"depth": 1, "move": "a1b1", "marks": ["good", "arrow a1b1 b1c1"]},
        {"depth": 2, "move": "b1c1", "comment": "Two\nlines."},
        {"depth": 1, "move": "a2b2", "evaluation": "seat 0: margin 1, exact, win 1, 20 nodes"},
    ]
    shared = program.fetch("POST", "/api/analyses", **SMALL, nodes=nodes)
    text = program.http.get(f"/api/analyses/{shared['id']}").text
    tree = fc.Record.parse(text).open_tree()
    assert [(node.depth, node.move) for node in tree.nodes] == [(0, ""), (1, "a1b1"), (2, "b1c1"), (1, "a2b2")]
    assert tree.node(("a1b1", "b1c1")).comment == "Two\nlines."
    written = program.fetch("POST", "/api/analysis/record", **SMALL, nodes=nodes)
    assert written["text"] == text
    page = program.http.get(shared["link"])
    assert page.status_code == 200 and "Where it begins." in page.text
    assert program.http.get("/analysis/shared/AAAAAAAAAAAAAAAA").status_code == 404
    assert read_refusal(program.request("GET", "/api/analyses/AAAAAAAAAAAAAAAA")) == (404, "not-found")


def read_opened(program: Program, address: str) -> Json:
    """Return the analysis that a page opens with."""
    found = re.search(r'<script type="application/json" id="opened">(.*?)</script>', program.http.get(address).text)
    assert found is not None
    opened: Json = json.loads(found[1])
    return opened


TINY = {"game": "dots-and-boxes", "options": {"cols": 2, "rows": 1}}
LATE = [
    START,
    {"depth": 1, "move": "a1b1"},
    {"depth": 2, "move": "b1c1"},
    {"depth": 3, "move": "a2b2"},
    {"depth": 4, "move": "b2c2", "comment": "Three edges are left.", "marks": ["circle a1a2"]},
    {"depth": 2, "move": "a1a2"},
]


def test_a_link_opens_at_the_shown_move_with_its_values_which_were_proven_when_it_was_shared(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = program.fetch("POST", "/api/analyses", **TINY, nodes=LATE, shown=4, values=True)
    solved = program.fetch("POST", "/api/analysis/values", **TINY, moves=["a1b1", "b1c1", "a2b2", "b2c2"])
    moves = [[each["move"], each["value"]] for each in solved["moves"]]
    assert len(moves) == 3
    cards: list[str] = []

    def draw(svg: str, *_: object, **__: object) -> bytes:
        """Stand in for the renderer."""
        cards.append(svg)
        return b"PNG"

    monkeypatch.setattr(shared_analyses, "render_png", draw)
    for address in (shared["link"], shared["embed"]):
        opened = read_opened(program, address)
        assert opened["nodes"][opened["shown"]]["comment"] == "Three edges are left."
        assert (opened["values"]["moves"], opened["values"]["sentence"]) == (moves, solved["sentence"])
    assert '<meta property="og:description" content="Three edges are left.">' in program.http.get(shared["link"]).text
    assert program.http.get(f"{shared['link']}/preview.png").status_code == 200
    assert "Three edges are left." in cards[0] and 'aria-label="circle a1a2"' in cards[0] and "value-so-" in cards[0]
    # A game that is being played now has the position.
    monkeypatch.setattr(pages_of_analysis, "find_shared", AsyncMock(return_value=[True]))
    opened = read_opened(program, shared["embed"])
    assert opened["values"] is None and opened["shown"] == 4
    program.http.get(f"{shared['link']}/preview.png")
    assert "value-so-" not in cards[1] and "Three edges are left." in cards[1]


def test_a_link_from_before_opens_at_the_start_and_its_picture_is_that_of_the_end(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = program.fetch("POST", "/api/analyses", **TINY, nodes=LATE)
    opened = read_opened(program, shared["link"])
    assert (opened["shown"], opened["values"]) == (0, None)
    cards: list[str] = []

    def draw(svg: str, *_: object, **__: object) -> bytes:
        """Stand in for the renderer."""
        cards.append(svg)
        return b"PNG"

    monkeypatch.setattr(shared_analyses, "render_png", draw)
    program.http.get(f"{shared['link']}/preview.png")
    assert "Three edges are left." in cards[0]


def test_values_that_the_engine_must_not_tell_are_left_out_when_an_analysis_is_shared(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = AsyncMock(side_effect=build_refusal())
    monkeypatch.setattr(analysis, "refuse_help", refusal)
    shared = program.fetch("POST", "/api/analyses", **TINY, nodes=LATE, shown=5, values=True)
    opened = read_opened(program, shared["link"])
    assert (opened["nodes"][opened["shown"]]["move"], opened["values"]) == ("a1a2", None)
    refusal.assert_awaited_once()


def test_a_picture_has_the_values_that_the_page_shows(program: Program) -> None:
    body = {**TINY, "moves": ["a1b1"], "values": [{"move": "b1c1", "value": -2}, {"move": "a1a2", "value": 2}]}
    svg = program.request("POST", "/api/analysis/picture.svg", json=body).text
    assert ">−2</text>" in svg and ">+2</text>" in svg and svg.count('id="value-') == 2
    commented = {**body, "comment": "Ada\x01 <must>\nopen.\ufffe"}
    captioned = program.request("POST", "/api/analysis/picture.svg", json=commented).text
    assert ">Ada &lt;must&gt; open.</text>" in captioned and svg in captioned
    many = [{"move": "b1c1", "value": 1}] * 5001
    assert program.request("POST", "/api/analysis/picture.svg", json={**body, "values": many}).status_code == 400


def test_only_the_viewer_can_be_framed_and_it_sets_no_cookie(program: Program) -> None:
    shared = program.fetch("POST", "/api/analyses", **SMALL, nodes=[START, {"depth": 1, "move": "a1b1"}])
    embedded = program.http.get(shared["embed"])
    assert "frame-ancestors *" in embedded.headers["content-security-policy"]
    assert "set-cookie" not in embedded.headers
    for path in (shared["link"], "/analysis", "/"):
        assert "frame-ancestors 'none'" in program.http.get(path).headers["content-security-policy"]


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ([], "at least its start"),
        ([START, {"depth": 2, "move": "a1b1"}], "one deeper"),
        ([START, START], "at depth 0"),
        ([START, {"depth": 1, "move": "a1b1"}, {"depth": 1, "move": "a1b1"}], "twice"),
        ([START, {"depth": 1, "move": "z9"}], "edge"),
        ([{"depth": 0, "marks": ["star a1"]}], "star"),
        ([{"depth": 0, "comment": "\x07"}], "printable"),
        ([{"depth": 0, "evaluation": "seat 7: margin 1, exact, win 1, 20 nodes"}], "seat 0 to 1"),
    ],
)
def test_a_wrong_tree_is_refused_in_one_sentence(program: Program, nodes: list[Json], reason: str) -> None:
    answer = program.request("POST", "/api/analysis/record", json={**SMALL, "nodes": nodes})
    assert answer.status_code == 422 and reason in answer.json()["sentence"]


def test_moves_of_a_game_stay_the_main_line_of_its_analysis(program: Program) -> None:
    match = fc.Match(GAME, ["Ada", "Bo"])
    for move in ("a1b1", "b1c1"):
        match.play(move)
    nodes = [START, {"depth": 1, "move": "a1b1"}, {"depth": 2, "move": "b1c1"}, {"depth": 2, "move": "a2b2"}]
    record = str(match.record())
    text = program.fetch("POST", "/api/analysis/record", **SMALL, record=record, nodes=nodes)["text"]
    assert fc.Record.parse(text).seats == ("Ada", "Bo")
    wrong = program.request("POST", "/api/analysis/record", json={**SMALL, "record": record, "nodes": nodes[:2]})
    assert wrong.status_code == 422


@pytest.mark.parametrize("name", fc.games())
def test_every_game_can_be_edited_and_a_refusal_loses_nothing(program: Program, name: str) -> None:
    answer = program.fetch("POST", "/api/analysis/edit", game=name)
    assert answer["problem"] == "" and len(answer["tools"]) > 1
    for tool in answer["tools"]:
        shown = program.fetch("POST", "/api/analysis/edit", game=name, position=answer["draft"], tool=tool["id"])
        assert shown["draft"] == answer["draft"]
        wrong = {"game": name, "position": answer["draft"], "tool": tool["id"], "edit": "nonsense"}
        refused = program.request("POST", "/api/analysis/edit", json=wrong)
        assert refused.status_code == 422 and refused.json()["sentence"].endswith(".")
        # On large boards the page asks for the changes one token at a time.
        following = program.fetch("POST", "/api/analysis/edit/complete", game=name, tool=tool["id"])
        assert set(following["labels"]) == set(following["next"])


def test_an_edge_is_drawn_and_removed_and_the_box_belongs_to_the_seat_to_move(program: Program) -> None:
    draft = ""
    for edge in ("a1b1", "a2b2", "a1a2", "b1b2"):
        draft = program.fetch("POST", "/api/analysis/edit", **SMALL, position=draft, tool="edges", edit=edge)["draft"]
    assert GAME.position(draft).scores == (1, 0)
    owner = program.fetch("POST", "/api/analysis/edit", **SMALL, position=draft, tool="owners")
    [box] = owner["picture"]["moves"]
    changed = program.fetch("POST", "/api/analysis/edit", **SMALL, position=draft, tool="owners", edit=box)
    assert GAME.position(changed["draft"]).scores == (0, 1)
    removed = program.fetch("POST", "/api/analysis/edit", **SMALL, position=draft, tool="edges", edit="a1b1")
    assert GAME.position(removed["draft"]).scores == (0, 0)


def test_a_draft_says_why_it_is_no_position_yet(program: Program) -> None:
    draft, answer = "", {}
    for cell in ("a1", "b2"):
        answer = program.fetch("POST", "/api/analysis/edit", game="square-off", position=draft, tool="white", edit=cell)
        draft = answer["draft"]
    assert "one more" in answer["problem"]
    answer = program.fetch("POST", "/api/analysis/edit", game="square-off", position=draft, tool="black", edit="c3")
    assert answer["problem"] == "" and fc.game("square-off").position(answer["draft"]).seat == 1
