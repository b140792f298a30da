"""Sets of puzzles: made by a teacher, solved by pupils who type a name, and seen by anyone who has the owner's link."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

import fourcorners as fc
from fourcorners.study.puzzles.format import Puzzle
from fourcorners.web.application import puzzle_sets
from fourcorners.web.store import puzzle_sets as stored_sets
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


def test_the_owner_can_delete_a_set_and_nobody_else(module_server: Server, teacher: Browser) -> None:
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
    assert "one player may have 1 sets" in make_set(teacher, f"{GAME}/00000000").text.replace("One", "one")
    assert play(teacher, set_id, 0, "d1d2")["state"] == "done"
    assert "no more fit in" in play(teacher, set_id, 0, "d1d2", pupil="Dora")["sentence"]
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
        assert "no more fit in" in play(other, set_id, 0, "d1d2", pupil="Dora")["sentence"]
        answer = other.http.post(f"/sets/{set_id}/removal", data=marked)
        assert answer.headers["location"] == f"/sets/{set_id}/results?key={key}"
        assert play(other, set_id, 0, "d1d2", pupil="Dora")["state"] == "done"
    assert set(read_rows(teacher.http.get(f"/sets/{set_id}/results").text)) == {"Cleo", "Dora"}


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
        assert "takes no new names" in play(pupil, set_id, 0, "d1d2", pupil="Dora")["sentence"]
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
