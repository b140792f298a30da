"""The puzzle of the day on the home page, streaks, and the link that challenges a friend."""

import datetime as dt
from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.study.cards import fits_title
from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from fourcorners.web.application.daily import count_streak, find_daily
from fourcorners.web.domain.clocks import DAY, ServerTime
from fourcorners.web.pages.previews import _draw_puzzle, write_puzzle_card
from tests.require import require
from tests.study.sample_puzzles import GAME, install_puzzles
from tests.web.accounts import register
from tests.web.client import Browser, Server, StartServer
from tests.web.program import Program

NOON = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC).timestamp()
NAME_OF_NO_ONE = "Ada-is-a-fool"


@pytest.fixture
def puzzles() -> Iterator[tuple[Puzzle, ...]]:
    """The puzzles of one game."""
    with install_puzzles() as installed:
        yield installed


class Calendar:
    """A server whose day a test chooses."""

    def __init__(self, start_cold: StartServer) -> None:
        self.now = NOON
        self.server = start_cold(server_time=ServerTime(0.0, lambda: self.now, lambda: self.now))

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of the day."""
        return require(find_daily(self.now)).puzzle

    def answer(self, browser: Browser, *moves: str, **more: bool) -> int | None:
        """Try a move in the puzzle of the day, and return the streak that the server answers with."""
        body = {"game": GAME, "puzzle": self.puzzle.id, "moves": list(moves), **more}
        streak: int | None = browser.http.post("/api/puzzles", json=body).json()["streak"]
        return streak


@pytest.fixture
def calendar(start_cold: StartServer, puzzles: tuple[Puzzle, ...]) -> Calendar:
    """A server with a calendar, at noon of a day, and the puzzles of one game."""
    assert puzzles
    return Calendar(start_cold)


def find_wrong_move(puzzle: Puzzle) -> str:
    """Return a move that is not among the best."""
    return next(move for move in puzzle.position.moves() if move not in puzzle.best)


def test_games_take_turns_by_date() -> None:
    games = [game_id for game_id in fc.games() if list_puzzles(game_id)]
    days = [require(find_daily(NOON + number * DAY)) for number in range(len(games))]
    assert [daily.day for daily in days][:3] == ["2026-11-29", "2026-11-30", "2026-12-01"]
    assert sorted(daily.puzzle.game.id for daily in days) == sorted({game_id.split("/")[0] for game_id in games})
    assert find_daily(NOON + DAY / 2 - 1) == days[0]


@pytest.mark.parametrize(
    ("found", "streak"),
    [
        ([], 0),
        (["2026-11-29"], 1),
        (["2026-11-28"], 1),
        (["2026-11-27"], 0),
        (["2026-11-29", "2026-11-28", "2026-11-26"], 2),
        (["2026-12-02", "2026-12-01", "2026-11-30", "2026-11-29"], 1),
    ],
)
def test_a_streak_is_days_in_a_row_up_to_today_or_while_today_is_open_to_yesterday(
    found: list[str], streak: int
) -> None:
    assert count_streak(found, dt.date(2026, 11, 29)) == streak


def test_a_streak_grows_by_what_is_found_at_any_try_and_ends_with_a_day_without(calendar: Calendar) -> None:
    with Browser(calendar.server) as ada, Browser(calendar.server) as bo:
        assert calendar.answer(ada, calendar.puzzle.best[0]) == 1
        calendar.now += DAY
        assert "Your streak: 1 day<" in ada.http.get("/").text
        assert calendar.answer(ada, find_wrong_move(calendar.puzzle)) is None
        assert "Solve it" in ada.http.get("/").text
        assert calendar.answer(ada, calendar.puzzle.best[0], helped=True) == 2
        text = ada.http.get("/").text
        assert "Your streak: 2 days<" in text and "1 player has solved it today" in text and "Solved" in text
        # The others see the same puzzle, and how many have found it.
        assert f'href="/puzzles/{calendar.puzzle.name}?from=daily"' in bo.http.get("/").text
        assert calendar.answer(bo, calendar.puzzle.best[0]) == 1
        assert "2 players have solved it today" in bo.http.get("/").text
        calendar.now += 2 * DAY
        text = ada.http.get("/").text
        assert "Your streak" not in text and "No one has solved it yet" in text
        assert calendar.answer(ada, calendar.puzzle.best[0]) == 1


def test_a_solution_that_was_shown_is_not_found_and_other_puzzles_do_not_count(
    calendar: Calendar, puzzles: tuple[Puzzle, ...]
) -> None:
    with Browser(calendar.server) as browser:
        other = next(puzzle for puzzle in puzzles if puzzle != calendar.puzzle)
        body = {"game": GAME, "puzzle": other.id, "moves": [other.best[0]]}
        assert browser.http.post("/api/puzzles", json=body).json()["streak"] is None
        assert calendar.answer(browser, show=True) == 0
        assert calendar.answer(browser, calendar.puzzle.best[0]) == 0
        text = browser.http.get("/").text
        assert "Not solved" in text and "No one has solved it yet" in text


def test_a_solution_that_was_shown_ends_a_streak_on_its_day(calendar: Calendar) -> None:
    with Browser(calendar.server) as ada:
        assert calendar.answer(ada, calendar.puzzle.best[0]) == 1
        calendar.now += DAY
        assert "Your streak: 1 day<" in ada.http.get("/").text
        assert calendar.answer(ada, show=True) == 0
        assert "Your streak" not in ada.http.get("/").text


def test_the_puzzle_of_the_day_before_still_counts_just_after_midnight(calendar: Calendar) -> None:
    with Browser(calendar.server) as ada, Browser(calendar.server) as bo:
        before = calendar.puzzle
        body = {"game": GAME, "puzzle": before.id, "moves": [before.best[0]]}
        calendar.now += DAY / 2 + 60  # a minute after midnight
        assert calendar.puzzle != before
        assert ada.http.post("/api/puzzles", json=body).json()["streak"] == 1
        assert calendar.server.context.store.count_finders("2026-11-29") == 1
        assert calendar.answer(ada, calendar.puzzle.best[0]) == 2
        calendar.now += 2 * 3600
        assert bo.http.post("/api/puzzles", json=body).json()["streak"] is None


def test_a_link_to_the_puzzle_of_an_earlier_day_does_not_call_it_that_of_today(calendar: Calendar) -> None:
    address = f"/puzzles/{calendar.puzzle.name}?from=daily"
    with Browser(calendar.server) as ada:
        assert "Puzzle of the day" in ada.http.get(address).text
        calendar.now += DAY
        assert "Puzzle of the day" not in ada.http.get(address).text


def test_visitor_without_an_identity_has_no_streak(calendar: Calendar) -> None:
    with Program(calendar.server, None) as keyless:
        body = {"game": GAME, "puzzle": calendar.puzzle.id, "moves": [calendar.puzzle.best[0]]}
        assert keyless.http.post("/api/puzzles", json=body).json()["streak"] is None
    assert calendar.server.context.store.count_finders("2026-11-29") == 0


def test_challenge_names_an_account_and_nothing_that_only_the_link_says(
    cold_server: Server, puzzles: tuple[Puzzle, ...]
) -> None:
    address = f"/puzzles/{puzzles[0].name}"
    with Browser(cold_server) as ada, Browser(cold_server) as bo:
        assert f'data-challenge="{address}?by="' in ada.http.get(address).text
        register(ada.http, "Ada")
        assert f'data-challenge="{address}?by=Ada"' in ada.http.get(address).text
        text = bo.http.get(f"{address}?by=ADA").text
        assert '<a href="/players/Ada">Ada</a> challenges you: can you solve it?' in text
        assert '<meta property="og:title" content="Ada challenges you: can you solve it?">' in text
        assert f"{address[1:]}/preview.png?by=Ada" in text
        for by in ("", NAME_OF_NO_ONE, 500 * "x"):
            text = bo.http.get(address, params={"by": by}).text
            assert "A friend challenges you: can you solve it?" in text
            assert by == "" or by not in text
        for other in (ada.http.get(f"{address}?by=Ada"), bo.http.get(address)):
            assert "challenges you" not in other.text


def test_preview_of_a_challenge_says_who_challenges(
    cold_server: Server, puzzles: tuple[Puzzle, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def draw(_: Puzzle, challenger: str, **__: object) -> bytes:
        drawn.append(challenger)
        return f"card of {challenger}".encode()

    monkeypatch.setattr(f"{_draw_puzzle.__module__}._draw_puzzle", draw)
    address = f"/puzzles/{puzzles[0].name}/preview.png"
    with Browser(cold_server) as ada, Browser(cold_server) as bo:
        register(ada.http, "Ada")
        names = {"": "", "Ada": "Ada", "ada": "Ada", NAME_OF_NO_ONE: "A friend", "another": "A friend"}
        expected = {f"?by={by}" if by else "": name for by, name in names.items()}
        # Caches may keep a card for all, so it is the same for the challenger.
        for visitor in (bo, ada):
            for query, name in expected.items():
                assert visitor.http.get(address + query).text == f"card of {name}"
    # What shows the same is drawn once.
    assert sorted(drawn) == ["", "A friend", "Ada"]


@pytest.mark.parametrize("name", ["", "Ada", "A friend", "Alexandra-Nikolajewna-Romanowa", 30 * "x"])
def test_a_card_of_a_challenge_has_the_whole_name_and_question(puzzles: tuple[Puzzle, ...], name: str) -> None:
    title, text = write_puzzle_card(puzzles[0], name)
    assert fits_title(title)
    assert name in f"{title} {text}" and ("an you solve it?" in title) == bool(name)
