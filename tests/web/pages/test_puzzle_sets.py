"""Sets of puzzles: made by a teacher, solved by pupils who type a name, and seen by anyone who has the owner's link."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

import fourcorners as fc
from fourcorners.study.puzzles.format import Puzzle, PuzzleError
from fourcorners.web.application import puzzle_sets
from fourcorners.web.application.puzzle_sets import build_puzzle
from fourcorners.web.pages import puzzle_sets as set_pages
from fourcorners.web.pages.qr import draw_qr_code
from fourcorners.web.store import puzzle_sets as stored_sets
from tests.require import require
from tests.study.sample_puzzles import GAME, install_puzzles
from tests.web.client import Browser, Json, Server, StartServer
from tests.web.program import Program, read_refusal

_TEXT = fc.game(GAME, cols=2, rows=1).replay(["a1b1", "b1c1", "a2b2", "a1a2"]).text
POSITION = f'{GAME} {{"cols": 2, "rows": 1}}: {_TEXT}'


@pytest.fixture(autouse=True)
def puzzles() -> Iterator[tuple[Puzzle, ...]]:
    """The puzzles of one game."""
    with install_puzzles() as installed:
        yield installed


@pytest.fixture
def teacher(module_server: Server) -> Iterator[Browser]:
    """A guest."""
    with Browser(module_server) as browser:
        yield browser


def make_set(teacher: Browser, *lines: str, title: str = "Homework") -> httpx.Response:
    """Send the form."""
    return teacher.http.post("/sets", data={"title": title, "items": "\n".join(lines)})


def split_link(answer: httpx.Response) -> tuple[str, str]:
    """Return the set's id and the key of the owner's link from the redirect."""
    assert answer.status_code == 303, answer.text
    link = urlsplit(answer.headers["location"])
    return link.path.split("/")[2], parse_qs(link.query)["key"][0]


def play(browser: Browser, set_id: str, item: int, *moves: str, **more: str | bool) -> Json:
    """Post a pupil's move; the answer may be an error."""
    body = {"pupil": "Cleo", "item": item, "moves": list(moves), **more}
    answer: Json = browser.http.post(f"/api/sets/{set_id}", json=body).json()
    return answer


def read_rows(page: str) -> dict[str, str]:
    """Return the cells of the table of results by name."""
    return dict(re.findall(r'<th scope="row">.*? (\w+)</label></th>(.*?)</tr>', page, re.DOTALL))


def test_pupils_solve_a_set_without_an_account_and_the_owner_sees_who_solved_what(
    module_server: Server, teacher: Browser, puzzles: tuple[Puzzle, ...]
) -> None:
    first, second = puzzles[0], puzzles[1]
    lines = (f"{GAME}/{first.id}", f"https://example.org/puzzles/{GAME}/{second.id}?theme=chains", POSITION)
    set_id, key = split_link(make_set(teacher, *lines))
    with Browser(module_server) as pupil:
        assert "Your name" in pupil.http.get(f"/sets/{set_id}").text
        page = pupil.http.get(f"/sets/{set_id}", params={"name": " Cleo\n"}).text
        assert page.count('class="step" data-task="yes"') == 3
        assert play(pupil, set_id, 0)["state"] == "open"
        wrong = next(move for move in first.position.moves() if move not in first.best)
        assert play(pupil, set_id, 0, wrong)["state"] == "wrong"
        assert play(pupil, set_id, 0, first.best[0])["state"] == "done"
        assert play(pupil, set_id, 1, show=True)["state"] == "done"
        assert play(pupil, set_id, 1, second.best[0])["state"] == "done"
        solved = play(pupil, set_id, 2, "b1b2", pupil="Dora")
        assert solved["state"] in {"done", "wrong"}
        assert key not in page
        assert pupil.http.get(f"/sets/{set_id}/results?key={set_id}").status_code == 404
    results = teacher.http.get(f"/sets/{set_id}/results?key={key}").text
    rows = read_rows(results)
    assert set(rows) == {"Cleo", "Dora"}
    assert "1 of 3" in rows["Cleo"]
    assert "try 2" in rows["Cleo"]
    assert "shown" in rows["Cleo"]
    assert f"/sets/{set_id}</" in results or f'value="{module_server.url}/sets/{set_id}"' in results
    assert f'href="/sets/{set_id}/results">Homework' in teacher.http.get("/sets").text
    assert "Cleo" in teacher.http.get(f"/sets/{set_id}/results").text


def test_only_the_owner_can_delete_a_set(module_server: Server, teacher: Browser) -> None:
    set_id, key = split_link(make_set(teacher, f"{GAME}/00000000"))
    with Browser(module_server) as other:
        assert other.http.post(f"/sets/{set_id}/delete", data={"key": "x"}).status_code == 404
        assert other.http.post(f"/sets/{set_id}/delete", data={"key": key}).status_code == 303
    assert teacher.http.get(f"/sets/{set_id}").status_code == 404
    assert play(teacher, set_id, 0)["code"] == "not-found"
    assert module_server.context.store.list_results(set_id) == []


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ((), "it must have 1 to 30"),
        (("x",), "an item is a puzzle as GAME/ID"),
        ((f"{GAME}/zzzzzzzz",), "there is none with this id"),
        ((f"{GAME}/rules#99",), "the lesson has"),
        ((f"{GAME}: hello",), "cannot be used"),
        ((f'{GAME} {{"cols": 99}}: 0',), "cannot be used"),
        ((f"{GAME} {{x}}: 0",), "cannot be used"),
        (("squendo: 0",), "cannot be used"),
        ((f'{GAME} {{"cols": 1, "rows": 1}}: 0 1,0 -/||/-',), "cannot be used"),
        (tuple([f"{GAME}/00000000"] * 31), "it must have 1 to 30"),
        (tuple([POSITION] * 11), "10 are allowed"),
        ((f'{GAME} {{"cols": {"[" * 985}{"]" * 985}}}: x',), "cannot be used"),
    ],
)
def test_what_cannot_be_in_a_set_is_refused_and_the_form_keeps_it(
    teacher: Browser, lines: tuple[str, ...], sentence: str
) -> None:
    answer = make_set(teacher, *lines)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "Homework" in answer.text


def test_sets_names_and_pupils_have_bounds(teacher: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_set(teacher, f"{GAME}/00000000", title="  ").status_code == 422
    monkeypatch.setattr(stored_sets, "MAX_PUPILS", 1)
    monkeypatch.setattr(stored_sets, "MAX_SETS", 1)
    set_id, _ = split_link(make_set(teacher, f"{GAME}/00000000"))
    assert "can have at most 1 sets" in make_set(teacher, f"{GAME}/00000000").text
    assert play(teacher, set_id, 0, "d1d2")["state"] == "done"
    assert "set is full" in play(teacher, set_id, 0, "d1d2", pupil="Dora")["sentence"]
    assert play(teacher, set_id, 0, "d1d2", pupil=" \n")["sentence"] == "Type your name first."
    assert "the numbers are 0 to 0" in play(teacher, set_id, 1, "d1d2")["sentence"]


def test_the_owner_removes_names_and_they_make_room(
    module_server: Server, teacher: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_sets, "MAX_PUPILS", 3)
    set_id, key = split_link(make_set(teacher, f"{GAME}/00000000"))
    for name in ("Cleo", "Rude", "Ruder"):
        assert play(teacher, set_id, 0, "d1d2", pupil=name)["state"] == "done"
    marked = {"name-Rude": "on", "name-Ruder": "on", "key": key}
    with Browser(module_server) as other:
        assert other.http.post(f"/sets/{set_id}/removal", data=marked | {"key": "x"}).status_code == 404
        assert "set is full" in play(other, set_id, 0, "d1d2", pupil="Dora")["sentence"]
        answer = other.http.post(f"/sets/{set_id}/removal", data=marked)
        assert answer.headers["location"] == f"/sets/{set_id}/results?key={key}"
        assert play(other, set_id, 0, "d1d2", pupil="Dora")["state"] == "done"
    assert set(read_rows(teacher.http.get(f"/sets/{set_id}/results").text)) == {"Cleo", "Dora"}


def test_a_puzzle_that_is_no_longer_there_is_left_out_of_a_set_and_the_page_says_so(
    module_server: Server, teacher: Browser, puzzles: tuple[Puzzle, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_id, _ = split_link(make_set(teacher, f"{GAME}/{puzzles[0].id}\n{GAME}/{puzzles[1].id}"))

    def build_known(item: dict[str, Any]) -> Puzzle:
        if item["puzzle"] in gone:
            raise PuzzleError(item["puzzle"], "there is none")
        return build_puzzle(item)

    gone = {puzzles[0].id}
    monkeypatch.setattr(set_pages, "build_puzzle", build_known)
    text = teacher.http.get(f"/sets/{set_id}?name=Cleo").text
    assert "1 puzzle of this set is no longer available." in text
    assert text.count('class="step" data-task') == 1 and "&#34;item&#34;:1" in text.replace(" ", "")
    gone.add(puzzles[1].id)
    answer = teacher.http.get(f"/sets/{set_id}?name=Cleo")
    assert answer.status_code == 404 and "no longer has any of the puzzles in this set" in answer.text


def test_a_closed_set_takes_no_answers_and_one_for_listed_names_no_new_ones(
    module_server: Server, teacher: Browser, puzzles: tuple[Puzzle, ...]
) -> None:
    set_id, key = split_link(make_set(teacher, f"{GAME}/{puzzles[0].id}"))
    wrong = next(move for move in puzzles[0].position.moves() if move not in puzzles[0].best)

    def admit(whom: str) -> None:
        answer = teacher.http.post(f"/sets/{set_id}/admission", data={"admits": whom, "key": key})
        assert answer.headers["location"] == f"/sets/{set_id}/results?key={key}"

    with Browser(module_server) as pupil:
        assert play(pupil, set_id, 0, wrong)["state"] == "wrong"
        assert pupil.http.post(f"/sets/{set_id}/admission", data={"admits": "none"}).status_code == 404
        assert teacher.http.post(f"/sets/{set_id}/admission", data={"admits": "x"}).status_code == 400
        admit("listed")
        assert "accepts no new names" in play(pupil, set_id, 0, "d1d2", pupil="Dora")["sentence"]
        assert "&#39;Dora&#39; is not on the list" in pupil.http.get(f"/sets/{set_id}?name=Dora").text
        assert 'class="step"' in pupil.http.get(f"/sets/{set_id}?name=Cleo").text
        assert play(pupil, set_id, 0, "d1d2")["state"] == "done"
        admit("none")
        for body in ({}, {"pupil": "Dora"}, {"show": True}):
            assert play(pupil, set_id, 0, "d1d2", **body)["sentence"] == "This set is closed."
        assert "This set is closed." in pupil.http.get(f"/sets/{set_id}?name=Cleo").text
        admit("all")
        assert play(pupil, set_id, 0, "d1d2", pupil="Dora")["state"] == "done"


def test_one_network_adds_fewer_names_than_a_set_takes_and_a_class_fits_besides(start_cold: StartServer) -> None:
    """The addresses of a network count together, and each set by itself."""
    server = start_cold(proxies="127.0.0.1")
    with Browser(server) as teacher:
        ids = [split_link(make_set(teacher, f"{GAME}/00000000"))[0] for _ in range(2)]

        def add_name(set_id: str, name: str, address: str) -> int:
            body = {"pupil": name, "item": 0, "moves": ["d1d2"]}
            headers = {"x-forwarded-for": address}
            return teacher.http.post(f"/api/sets/{set_id}", json=body, headers=headers).status_code

        strangers = [add_name(ids[0], f"Stranger {n}", f"2001:db8:1:7::{n:x}") for n in range(41)]
        assert strangers == [200] * 40 + [429]
        assert add_name(ids[0], "Stranger 1", "2001:db8:1:7::99") == 200
        assert add_name(ids[1], "Pupil", "2001:db8:1:7::99") == 200
        assert [add_name(ids[0], f"Pupil {n}", "198.51.100.7") for n in range(36)] == [200] * 36


def test_programs_close_a_set_and_remove_names_with_the_key(module_server: Server, teacher: Browser) -> None:
    set_id, key = split_link(make_set(teacher, f"{GAME}/00000000"))
    for name in ("Cleo", "Rude"):
        play(teacher, set_id, 0, "d1d2", pupil=name)
    with Program(module_server, None) as program:
        wrong: list[tuple[str, str, Json]] = [
            ("GET", "", {"params": {"key": "x"}}),
            ("POST", "/admission", {"json": {"key": "x", "admits": "none"}}),
            ("POST", "/removal", {"json": {"key": "x", "pupils": ["Cleo"]}}),
        ]
        for method, path, sent in wrong:
            assert read_refusal(program.request(method, f"/api/sets/{set_id}{path}", **sent)) == (404, "not-found")
        assert program.fetch("GET", f"/api/sets/{set_id}", key=key) == {
            "id": set_id,
            "title": "Homework",
            "admits": "all",
            "pupils": ["Cleo", "Rude"],
        }
        removed = program.fetch("POST", f"/api/sets/{set_id}/removal", pupils=[" Rude\0", "Unknown"], key=key)
        assert removed["pupils"] == ["Cleo"]
        assert program.fetch("POST", f"/api/sets/{set_id}/admission", admits="none", key=key)["admits"] == "none"
    assert play(teacher, set_id, 0, "d1d2")["code"] == "set"


def test_a_set_expires(module_server: Server, teacher: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_sets, "LIFETIME", 0.0)
    set_id, _ = split_link(make_set(teacher, f"{GAME}/00000000"))
    assert teacher.http.get(f"/sets/{set_id}").status_code == 404
    store = module_server.context.store
    store.delete_expired_sets(module_server.context.time.now())
    assert store.load_set(set_id, 0.0) is None


def test_the_page_of_a_puzzle_leads_to_a_form_that_has_it(teacher: Browser) -> None:
    text = teacher.http.get(f"/puzzles/{GAME}/00000000").text
    found = re.search(r'href="(/sets\?items=[^"]+)"', text)
    assert found is not None
    assert f">{GAME}/00000000</textarea>" in teacher.http.get(found[1]).text


def pick(teacher: Browser, **fields: str) -> str:
    """Send the form of the list, and return the page with the list that follows."""
    answer = teacher.http.post("/sets/pick", data=fields)
    assert answer.status_code == 200
    return answer.text


def list_picks(page: str) -> list[str]:
    """Return the names of the puzzles that a page offers."""
    return re.findall(r'name="pick-([^"]+)"', page)


def read_items(page: str) -> list[str]:
    """Return the lines of the set's text."""
    found = re.search(r'<textarea id="set-items"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert found is not None
    return found[1].split()


def test_puzzles_are_picked_one_by_one_and_ten_at_once_and_what_is_picked_leaves_the_list(
    teacher: Browser, puzzles: tuple[Puzzle, ...]
) -> None:
    page = teacher.http.get("/sets").text
    names = [puzzle.name for puzzle in sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))]
    assert list_picks(page) == names[:10]
    page = pick(teacher, title="Homework", items="a line", **{f"pick-{names[1]}": "on"})
    assert 'value="Homework"' in page and "2 of 30 items in your set" in page
    assert read_items(page) == ["a", "line", names[1]]
    assert list_picks(page) == [names[0], *names[2:11]]
    ten = re.search(r'name="all" value="([^"]+)"', page)
    assert ten is not None and ten[1].split() == list_picks(page)
    page = pick(teacher, items=names[1], all=ten[1])
    assert read_items(page) == [names[1], names[0], *names[2:11]]
    assert list_picks(page) == names[11:]
    # What is marked when the set is made belongs to it.
    data = {"title": "Homework", "items": names[0], f"pick-{names[1]}": "on"}
    set_id, _ = split_link(teacher.http.post("/sets", data=data))
    assert len(require(teacher.server.context.store.load_set(set_id, 0.0)).items) == 2


def test_list_is_filtered_by_theme_and_difficulty_and_has_pages_that_exist(
    teacher: Browser, puzzles: tuple[Puzzle, ...]
) -> None:
    names = [puzzle.name for puzzle in sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))]
    for level, part in (("easy", names[:4]), ("medium", names[4:8]), ("hard", names[8:]), ("no-level", names[:10])):
        assert list_picks(teacher.http.get(f"/sets?game={GAME}&level={level}").text) == part
    theme = puzzles[0].themes[-1]
    wanted = {puzzle.name for puzzle in puzzles if theme in puzzle.themes}
    assert set(list_picks(pick(teacher, game=GAME, theme=theme))) <= wanted
    assert list_picks(pick(teacher, game="chess", theme="no-theme", page="2")) == names[10:]
    for number in ("99", "0", "-1", "x", "99999999999"):
        expected = names[10:] if number == "99" else names[:10]
        assert list_picks(pick(teacher, page=number)) == expected


def test_picks_that_do_not_fit_in_or_exist_are_left_out(teacher: Browser, puzzles: tuple[Puzzle, ...]) -> None:
    lines = "\n".join(f"line{number}" for number in range(29))
    page = pick(teacher, items=lines, all=f"{puzzles[0].name} {puzzles[1].name}")
    assert read_items(page)[29:] == [puzzles[0].name]
    assert "A set has up to 30 items, so not all puzzles were added." in page
    # A set is not made without what was marked for it.
    answer = teacher.http.post(
        "/sets",
        data={"title": "x", "items": lines, f"pick-{puzzles[0].name}": "on"} | {f"pick-{puzzles[1].name}": "on"},
    )
    assert answer.status_code == 422
    assert "A set has up to 30 items, so not all puzzles were added." in answer.text
    page = pick(teacher, all=f"{GAME}/zzzzzzzz ../x {puzzles[0].name} {puzzles[0].name}", **{"pick-<b>": "on"})
    assert read_items(page) == [puzzles[0].name]
    assert teacher.http.get("/sets/pick").headers["location"] == "/sets"


def test_results_alone_are_for_the_owner_and_come_again_only_if_they_have_changed(
    teacher: Browser, module_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    set_id, key = split_link(make_set(teacher, puzzles[0].name))
    address = f"/sets/{set_id}/results/table"
    with Browser(module_server) as stranger:
        assert stranger.http.get(address).status_code == 404
        first = stranger.http.get(address, params={"key": key})
        assert "No one has tried it yet." in first.text and "<html" not in first.text
        headers = {"if-none-match": first.headers["etag"]}
        assert stranger.http.get(address, params={"key": key}, headers=headers).status_code == 304
        play(stranger, set_id, 0, puzzles[0].best[0])
        second = stranger.http.get(address, params={"key": key}, headers=headers)
        assert read_rows(second.text).keys() == {"Cleo"}
        assert f'value="{key}"' in second.text


def test_qr_code_has_the_pupils_link(teacher: Browser, puzzles: tuple[Puzzle, ...]) -> None:
    set_id, _ = split_link(make_set(teacher, puzzles[0].name))
    expected = draw_qr_code(f"{teacher.server.url}/sets/{set_id}")
    assert teacher.http.get(f"/sets/{set_id}/qr.svg").text == expected
    assert teacher.http.get("/sets/nothing/qr.svg").status_code == 404
