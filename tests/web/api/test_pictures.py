"""Pictures, documents and typed games over the API, previews of links, and that none of them tells what is hidden."""

import io
import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from cachetools import LRUCache
from PIL import Image

import fourcorners as fc
from fourcorners.study import rendering
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.paper import Document
from fourcorners.study.rendering import no_check
from fourcorners.study.stills import Colours, draw_still
from fourcorners.web.application import pictures, shared_analyses
from fourcorners.web.application.analysis_pictures import LINE_MEDIA_TYPES
from fourcorners.web.application.pictures import PictureOrder, describe_state, draw_table, draw_table_card, print_table
from fourcorners.web.application.table_setup import build_study
from fourcorners.web.domain.commands import Resign
from fourcorners.web.domain.results import describe_headline
from fourcorners.web.domain.rows import Chair, StoredTable
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.table import LIVE
from fourcorners.web.pages import previews
from tests.web.client import Server
from tests.web.program import Program, read_refusal
from tests.web.tables import ADA, BOB, START, apply, play_moves, seat_players

OPTIONS = {"cols": 5, "rows": 5}
NONCE = "0" * 32


@pytest.fixture
def program(cold_server: Server) -> Iterator[Program]:
    """A guest's program on a server of this test alone."""
    with Program(cold_server) as opened:
        yield opened


def test_table_is_drawn_as_every_kind_of_picture_and_as_a_document(program: Program) -> None:
    table = program.begin_table("sqez", "me", "me", options=OPTIONS)
    program.execute(table, "move", version=0, move="a1 c3")
    address = f"/api/tables/{table}"
    svg = program.request("GET", f"{address}/picture.svg", params={"theme": "dark"})
    assert svg.text == draw_still(fc.game("sqez", **OPTIONS).replay(["a1 c3"]).view(0), Colours("dark"))
    for kind, plies in (("png", 1), ("gif", 2), ("webp", 2)):
        answer = program.request("GET", f"{address}/picture.{kind}", params={"width": 100})
        image = Image.open(io.BytesIO(answer.content))
        assert (answer.headers["content-type"], image.width) == (f"image/{kind}", 100)
        assert getattr(image, "n_frames", 1) == plies
        assert answer.headers["cache-control"] == "private, no-cache"
    printed = program.request("GET", f"{address}/game.pdf", params={"paper": "letter"})
    assert printed.content.startswith(b"%PDF-") and printed.headers["content-type"] == "application/pdf"
    start = program.request("GET", f"{address}/picture.svg", params={"ply": 0})
    assert start.text != svg.text and "a1" in start.text


def test_the_preview_of_a_game_that_is_over_names_the_players_and_the_result() -> None:
    table = seat_players(fc.game("dots-and-boxes", cols=1, rows=1), ADA, BOB)
    assert describe_state(table) == "2 players, 0 moves, running."
    play_moves(table, "a1b1", "a2b2", "a1a2", "b1b2")
    assert describe_state(table) == "Ada – Player 2, 4 moves. Player 2 wins 1 : 0."
    resigned = seat_players(fc.game("sqez"), ADA, BOB)
    apply(resigned, ADA, Resign("r", 0, 0))
    assert describe_state(resigned) == "Ada – Player 2, 0 moves. Player 2 wins: Ada resigned."


def test_links_to_finished_games_say_who_won_and_those_to_running_ones_nothing(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards: list[str] = []

    def draw(svg: str, *_: object, **__: object) -> bytes:
        """Stand in for the renderer."""
        cards.append(svg)
        return b"PNG"

    monkeypatch.setattr(pictures, "render_png", draw)
    table = program.begin_table("dots-and-boxes", "me", "me", options={"cols": 1, "rows": 1})
    first, second = program.fetch_table(table)["names"]
    moves = ["a1b1", "a2b2", "a1a2", "b1b2"]
    for move in moves[:3]:
        program.execute(table, "move", move=move)
    running = program.http.get(f"/play/{table}").text
    program.http.get(f"/play/{table}/preview.png")
    program.execute(table, "move", move=moves[3])
    over = program.http.get(f"/play/{table}").text
    program.http.get(f"/play/{table}/preview.png")
    assert first not in re.sub("<body.*", "", running, flags=re.DOTALL) and first not in cards[0]
    headline = f"{second} beats {first} 1 : 0"
    assert f'<meta property="og:title" content="{headline} · Dots and Boxes">' in over
    assert f'property="og:description" content="{headline}: play through' in over
    assert " beats " in cards[1] and "1\xa0:\xa00<" in cards[1] and ">Dots and Boxes, 4 moves.<" in cards[1]


def test_headlines_name_both_players_the_score_and_who_left() -> None:
    game = fc.game("dots-and-boxes", cols=3, rows=3)
    names = ["Ada", "Bo"]
    for result, headline in (
        ("seat 1 wins 1-34: all edges are drawn", "Bo beats Ada 34 : 1"),
        ("draw 4-4: all edges are drawn", "Ada and Bo draw 4 : 4"),
        ("seat 0 wins 0-3: seat 1 resigned", "Ada beats Bo, who resigned"),
        ("seat 0 wins 0-3: seat 1 ran out of time", "Ada beats Bo, who ran out of time"),
        ("", ""),
        ("abandoned", ""),
    ):
        assert describe_headline(result, names, game) == headline
    assert describe_headline("seat 0 wins 1-0: no move is left", names, fc.game("sqez")) == "Ada beats Bo"
    three = fc.game("squendo", players=3)
    found = describe_headline("seat 2 wins 1-2-5: no tile is left", ["Ada", "Bo", "Cy"], three)
    assert found == "Cy wins (Cy: 5, Bo: 2, Ada: 1)"


def test_wrong_orders_are_refused_with_what_is_allowed(program: Program) -> None:
    table = program.begin_table("sqez", "me", "me", options=OPTIONS)
    address = f"/api/tables/{table}/picture"
    for path, status in (
        ("png?ply=3", 422),
        ("png?palette=pink", 422),
        ("gif?width=5000", 400),
        ("png?width=5000", 400),
        ("png?theme=pink", 400),
        ("bmp", 404),
        ("png?last=2", 422),
        ("gif?last=0", 400),
    ):
        assert program.request("GET", f"{address}.{path}").status_code == status
    assert read_refusal(program.request("GET", "/api/tables/nothing/picture.png")) == (404, "not-found")
    assert read_refusal(program.request("GET", "/api/tables/nothing/game.pdf")) == (404, "not-found")


def test_links_have_previews_of_their_own(program: Program) -> None:
    table = program.begin_table("sqez", "me", "open", options=OPTIONS)
    lesson = list_lessons("sqez")[0].name
    for page, preview in (
        (f"/play/{table}", f"/play/{table}/preview.png"),
        (f"/learn/{lesson}", f"/learn/{lesson}/preview.png"),
    ):
        text = program.http.get(page).text
        found = re.search(r'og:image" content="([^"]*)"', text)
        assert found is not None and found[1].endswith(preview)
        answer = program.http.get(preview)
        assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert program.http.get("/play/nothing/preview.png").status_code == 404
    assert program.http.get("/learn/sqez/nothing/preview.png").status_code == 404


def test_previews_are_drawn_once_end_with_their_request_and_then_wait_for_nothing(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "_cards", LRUCache(4))
    checks: list[object] = []

    def render(*_: object, check: object, **__: object) -> bytes:
        """Stand in for the drawing."""
        checks.append(check)
        return b"card %d" % len(checks)

    monkeypatch.setattr(rendering, "render_png", render)
    monkeypatch.setattr(pictures, "render_png", render)
    monkeypatch.setattr(shared_analyses, "render_png", render)
    table = program.begin_table("sqez", "me", "me", options=OPTIONS)
    shared = program.fetch("POST", "/api/analyses", game="sqez", options=OPTIONS, nodes=[{"depth": 0}])
    addresses = [
        f"/learn/{list_lessons('sqez')[0].name}/preview.png",
        f"/play/{table}/preview.png",
        f"/play/{table}/review/preview.png",
        f"{shared['link']}/preview.png",
    ]
    cards = [program.http.get(address).content for address in addresses]
    assert cards == [b"card 1", b"card 2", b"card 3", b"card 4"]
    assert getattr(checks[0], "__name__", "") == "check" and checks[0] is not no_check
    with monkeypatch.context() as patch:
        patch.setattr(previews, "draw_in_turn", lambda *_: pytest.fail("a card that is kept waits in the queue"))
        assert [program.http.get(address).content for address in addresses] == cards
    # The card of a table is that of its last version; the oldest one is forgotten.
    program.execute(table, "move", move="a1 c3")
    assert program.http.get(addresses[1]).content == b"card 5"
    assert program.http.get(addresses[0]).content == b"card 6"


def test_typed_moves_are_checked_and_make_a_record(program: Program) -> None:
    def enter(*moves: str, **more: object) -> dict[str, object]:
        return program.fetch("POST", "/api/entries", game="sqez", options=OPTIONS, moves=list(moves), **more)

    answer = enter("a1 c3", "a1 c3", "resign")
    assert (answer["played"], answer["over"]) == (1, False)
    wrong = answer["wrong"]
    assert isinstance(wrong, dict) and (wrong["number"], wrong["move"]) == (2, "a1 c3") and wrong["reason"]
    right = enter("a1 c3", "resign", names=["Ada", "Ben"], date="2026-11-23")
    assert (right["wrong"], right["over"], right["result"]) == (None, True, "Ada wins: Ben resigned")
    record = fc.Record.parse(str(right["record"]))
    assert (record.seats, record.date, record.result) == (("Ada", "Ben"), "2026-11-23", "seat 0 wins 0-0: Ben resigned")
    assert read_refusal(program.request("POST", "/api/entries", json={"game": "nothing"})) == (422, "option")
    assert read_refusal(program.request("POST", "/api/entries", json={"game": "squendo"})) == (422, "option")


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        (
            "boards",
            {"cols": 5, "rows": 5, "boards": 6, "paper": "letter"},
            [("boards", "5", "1, 2, 3"), ("cols", "99", "whole number from"), ("pages", "x", "whole")],
        ),
        (
            "puzzles",
            {"puzzles": 3, "sheet": 2, "theme": "parity"},
            [
                ("puzzles", "61", "whole number from 1 to 60"),
                ("puzzles", "x", "whole"),
                ("sheet", "999", "whole number from 1 to"),
                ("theme", "<b>", "it must be one of"),
                ("paper", "a3", "a4"),
            ],
        ),
    ],
)
def test_sheets_are_printed_from_a_form_that_explains_its_errors(
    program: Program, name: str, right: dict[str, int | str], wrong: list[tuple[str, str, str]]
) -> None:
    assert f'action="/games/sqez/{name}.pdf"' in program.http.get("/games/sqez/print").text
    assert program.http.get(f"/games/sqez/{name}.pdf", params=right).content.startswith(b"%PDF-")
    for field, value, sentence in wrong:
        answer = program.http.get(f"/games/sqez/{name}.pdf", params={field: value})
        assert answer.status_code == 422 and sentence in answer.text
    assert program.http.get(f"/games/nothing/{name}.pdf").status_code == 404


def test_page_to_enter_a_game_needs_a_game_that_exists(program: Program) -> None:
    assert "sqez" in program.http.get("/enter").text
    assert 'data-game="sqez"' in program.http.get("/enter", params={"game": "sqez", **OPTIONS}).text
    assert program.http.get("/enter", params={"game": "sqez", "cols": "99"}).status_code == 422
    assert program.http.get("/enter", params={"game": "nothing"}).status_code == 422


def seat_match(match: fc.Match) -> StoredTable:
    """Return the row of a running table of Ada and Bob with the deck and moves of a match."""
    chairs = [Chair(seat, PERSON, player, f"Player {seat}", taken=True) for seat, player in enumerate((ADA, BOB))]
    # The seal of the deck, which the record tells, is no picture.
    row = build_study(match, ADA, START)
    return replace(row, kind=LIVE, id="table", nonce=NONCE, chairs=chairs, started=START)


def find_other_deck(match: fc.Match, viewer: int | None) -> fc.Match:
    """Return a match with the same moves, of which a viewer (None: a spectator) saw the same, but another deck, so
    that another seat has other tiles.
    """
    rng = random.Random(1)
    for _ in range(200):
        deck = list(match.deck)
        first, second = rng.sample(range(len(deck)), 2)
        deck[first], deck[second] = deck[second], deck[first]
        try:
            twin = fc.Match(match.game, deck=deck, date=match.date)
            for event in match.events:
                twin.play(event.text)
        except fc.GameError:
            continue
        pairs = zip(match.positions, twin.positions, strict=True)
        same = all(a.view(viewer).states.tobytes() == b.view(viewer).states.tobytes() for a, b in pairs)
        seats = [seat for seat in (0, 1) if seat != viewer]
        views = [[each.position.view(seat).states.tobytes() for seat in seats] for each in (match, twin)]
        if same and views[0] != views[1]:
            return twin
    raise AssertionError("no other deck was found")


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_no_picture_preview_or_document_of_a_running_game_tells_what_its_viewer_may_not_know(
    viewer: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games that differ only in hidden information become the same bytes; what differs is seen by someone else."""
    # What is sent to the renderer decides on what comes back, byte for byte.
    monkeypatch.setattr(pictures, "render_png", lambda svg, *_, **__: svg.encode())
    monkeypatch.setattr(rendering, "render_png", lambda svg, *_, **__: svg.encode())
    monkeypatch.setattr(rendering, "render_animation", lambda film, *_, **__: repr(film).encode())
    monkeypatch.setattr(Document, "render", lambda self, **_: f"{self.title}{self.pages}{self.pictures}".encode())
    match = fc.Match(fc.game("squendo"), seed=4, date="2026-11-23")
    for _ in range(5):
        match.play(match.position.moves()[0])
    player = "someone" if viewer is None else (ADA, BOB)[viewer]

    def draw(row: StoredTable, asker: str) -> list[bytes]:
        orders = [
            PictureOrder(kind, ply, seat)
            for kind in ("svg", "png", "gif", "webp")
            for ply in (None, 3)
            for seat in (None, 0, 1)
        ]
        orders.append(PictureOrder("gif", last=2))
        drawn = [draw_table(row, asker, order, no_check) for order in orders]
        return [
            *drawn,
            draw_table_card(row, "", None, no_check),
            draw_table_card(row, "Review", 3, no_check),
            *(print_table(row, asker, "Cleo", seat, "a4", no_check) for seat in (None, 0, 1)),
        ]

    one, other = seat_match(match), seat_match(find_other_deck(match, viewer))
    assert draw(one, player) == draw(other, player)
    if viewer is not None:
        # The test can fail: the opponent, who knows other tiles, sees another picture.
        opponent = (BOB, ADA)[viewer]
        assert draw(one, opponent) != draw(other, opponent)


def test_a_printed_game_names_its_players_and_the_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who has no name yet is "You" on the page, but not on paper."""
    monkeypatch.setattr(Document, "render", lambda self, **_: str(self.pages).encode())
    match = fc.Match(fc.game("sqez", **OPTIONS), ["You", "Ben"], date="2026-11-23")
    while not match.is_over:
        match.play(match.position.moves()[0])
    assert match.outcome is not None
    (winner,) = match.outcome.winners
    seats = enumerate(zip((ADA, BOB), ("You", "Ben"), strict=True))
    chairs = [Chair(seat, PERSON, player, name, taken=True) for seat, (player, name) in seats]
    row = replace(seat_match(match), nonce="", chairs=chairs)
    printed = print_table(row, ADA, "Ada", None, "a4", no_check).decode()
    assert "Ada (graphite) – Ben (" in printed
    assert f"('Result', '{('Ada', 'Ben')[winner]} wins; " in printed
    assert "You" not in printed and "seat" not in printed


def test_an_analysed_position_is_drawn_with_its_marks_and_the_line_as_an_animation(program: Program) -> None:
    body = {"game": "sqez", "options": OPTIONS, "moves": ["a1 c3"], "marks": [["circle b2"], ["arrow a1 e5"]]}
    style = {"theme": "dark", "palette": "high-contrast"}
    svg = program.request("POST", "/api/analysis/picture.svg", json=body | {"style": style})
    view = fc.game("sqez", **OPTIONS).replay(["a1 c3"]).view(1)
    assert svg.text == draw_still(view, Colours(**style), [fc.Mark("arrow", ("a1", "e5"))])
    assert svg.headers["content-disposition"] == 'inline; filename="sqez-analysis.svg"'
    for kind, plies in (("png", 1), ("gif", 2), ("webp", 2)):
        answer = program.request("POST", f"/api/analysis/picture.{kind}", json=body | {"style": {"width": 100}})
        image = Image.open(io.BytesIO(answer.content))
        assert (answer.headers["content-type"], image.width) == (f"image/{kind}", 100)
        assert getattr(image, "n_frames", 1) == plies
    printed = program.request("POST", "/api/analysis/picture.pdf", json=body | {"comment": "Leaves two regions."})
    assert printed.content.startswith(b"%PDF-") and printed.headers["content-type"] == "application/pdf"


def test_what_one_seat_knows_can_be_drawn_in_every_kind(program: Program) -> None:
    game = fc.game("squendo")
    text = game.start(seed=3).view(0).text
    for kind, media in LINE_MEDIA_TYPES.items():
        answer = program.request("POST", f"/api/analysis/picture.{kind}", json={"game": "squendo", "position": text})
        assert (answer.status_code, answer.headers["content-type"]) == (200, media)


def test_wrong_orders_for_pictures_of_an_analysis_are_refused(program: Program) -> None:
    body = {"game": "sqez", "options": OPTIONS}
    for kind, wrong, refusal in (
        ("bmp", {}, (404, "not-found")),
        ("png", {"marks": [["blob a1"]]}, (422, "option")),
        ("png", {"style": {"palette": "pink"}}, (422, "option")),
        ("png", {"style": {"width": 5000}}, (400, "unreadable")),
        ("svg", {"moves": ["a1 z9"]}, (422, "off-board")),
    ):
        answer = program.request("POST", f"/api/analysis/picture.{kind}", json=body | wrong)
        assert read_refusal(answer) == refusal
