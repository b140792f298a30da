"""The commands, run as typed by a user."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar, NamedTuple

import httpx
import pytest

import fourcorners as fc
from fourcorners.cli import imports, main
from fourcorners.cli.common import name_players
from fourcorners.core.record_format import MAX_RECORD_LENGTH
from fourcorners.study.drawn_record import draw_match, write_drawn_record
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.stills import Colours, draw_still

pytestmark = pytest.mark.compiled
COMMANDS = (
    "serve",
    "play",
    "solve",
    "match",
    "selfplay",
    "stats",
    "engine",
    "show",
    "check",
    "enter",
    "print",
    "report",
    "import",
    "perft",
    "warm",
    "rules",
    "backup",
    "restore",
)
GROUPS = ("tables", "accounts", "reports")


class Completed(NamedTuple):
    """The exit status of a command, and what it printed to standard output and standard error."""

    returncode: int
    stdout: str
    stderr: str


def run_command(*arguments: str, text: str = "") -> Completed:
    """Run a command in this process with `text` as its input; an exception other than SystemExit is passed on.

    The terminal has 100 columns, so that tables do not depend on the real one. An exit status that is no number is 0.
    """
    out, err = io.StringIO(), io.StringIO()
    status: object = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["fourcorners", *arguments])
        patch.setattr(sys, "stdin", io.StringIO(text))
        patch.setenv("COLUMNS", "100")
        try:
            main()
        except SystemExit as end:
            status = end.code
    return Completed(status if isinstance(status, int) else 0, out.getvalue(), err.getvalue())


def run_failing_command(*arguments: str, text: str = "", status: int = 1) -> str:
    """Run a command and return the line on standard error, which begins with "fourcorners: " and ends with a line feed.

    Assert that this is all that it prints there, and that its exit status is `status`. `text` is its input.
    """
    completed = run_command(*arguments, text=text)
    assert completed.returncode == status, completed
    assert "Traceback" not in completed.stderr
    assert completed.stderr.startswith("fourcorners: ")
    assert len(completed.stderr.strip().splitlines()) == 1
    return completed.stderr


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The path of a file of this test with the record of a running 4 × 4 game of Square Off after three moves."""
    match = fc.Match(fc.game("square-off", size=4), date="2026-11-21")
    for move in ("b2", "b4", "c3"):
        match.play(move)
    path = tmp_path / "game.txt"
    path.write_text(str(fc.Record.of(match)))
    return path


def test_commands_are_named_in_the_general_help_and_have_their_own() -> None:
    text = run_command("--help").stdout
    for command in (*COMMANDS, *GROUPS):
        # In a table: one command in each line, followed by what it does.
        assert re.search(rf"^\W*{command} +\w", text, re.MULTILINE)
        command_help = run_command(command, "--help")
        assert command_help.returncode == 0
        assert "Usage:" in command_help.stdout


def test_perft_prints_the_number_of_sequences_in_total_or_for_each_first_move() -> None:
    """It counts from the start of the game or from a given position, of which there is one sequence of no moves."""
    assert run_command("perft", "sqez", "2", "-o", "cols=5", "-o", "rows=5").stdout.startswith("64 sequences")
    divided = run_command("perft", "square-off", "3", "-o", "size=4", "--divide").stdout
    assert "4,272 sequences of 3 moves" in divided
    # 16 first moves and the total.
    counts = [int(line.rpartition(": ")[2].replace(",", "")) for line in divided.splitlines()[:-1]]
    assert (len(counts), sum(counts)) == (16, 4272)
    position = fc.game("sqez", cols=5, rows=5).start().play("a1 c3").text
    assert run_command("perft", "sqez", "0", "-o", "cols=5", "-o", "rows=5", "--position", position).stdout.startswith(
        "1 "
    )


def test_perft_reports_usage_errors_in_one_sentence() -> None:
    assert "not known" in run_failing_command("perft", "chess", "1", status=2)
    assert "3 to 20" in run_failing_command("perft", "sqez", "1", "-o", "cols=2", status=2)
    assert "is not an option" in run_failing_command("perft", "sqez", "1", "-o", "cols", status=2)
    assert "there is no such option" in run_failing_command("perft", "sqez", "1", "-o", "size=8", status=2)
    run_failing_command("perft", "sqez", "1", "--position", "nonsense", status=2)


def test_check_replays_a_record_from_a_file_or_from_standard_input(record: Path) -> None:
    checked = "Square Off: 3 moves, all legal. The game is not over.\n"
    assert run_command("check", str(record)).stdout == checked
    assert run_command("check", "-", text=record.read_text()).stdout == checked


def test_check_names_the_line_and_the_move_that_is_illegal(record: Path) -> None:
    # The last move repeats the one before.
    record.write_text(record.read_text().replace("c3", "b4"))
    number = record.read_text().splitlines().index("3 0 b4") + 1
    sentence = run_failing_command("check", str(record))
    assert f"line {number}" in sentence
    assert "b4" in sentence


def test_check_reports_a_file_that_cannot_be_read_or_is_not_text(record: Path) -> None:
    assert "cannot be read" in run_failing_command("check", str(record.parent / "missing"))
    assert "cannot be read" in run_failing_command("check", str(record.parent))
    record.write_bytes(b"\xff\xfe\x00")
    assert "not text" in run_failing_command("check", str(record))


def test_check_compares_the_deck_with_its_commitment_once_the_game_is_over() -> None:
    """During the game it says what the deck must match later, and without a commitment that there is none."""
    match = fc.Match(fc.game("squendo"), seed=3, date="2026-11-21")
    running = run_command("check", "-", text=str(match.record(1))).stdout
    assert running.splitlines()[1].endswith(f"must match the commitment {match.commitment}.")
    match.resign(0)
    text = str(match.record())
    lines = run_command("check", "-", text=text).stdout.splitlines()
    assert lines[1] == f"The deck matches the commitment made at the start: {match.commitment}."
    # The last two tiles of the deck, which were never drawn, change places.
    tiles = " ".join(match.deck[-2:])
    swapped = " ".join(match.deck[:-3:-1])
    assert "do not match the commitment" in run_failing_command("check", "-", text=text.replace(tiles, swapped))
    assert "has no commitment" in run_command("check", "-", text=build_record_of_hidden_hands(0)).stdout


def test_check_says_which_players_have_given_values_for_the_shuffle() -> None:
    match = fc.Match(fc.game("squendo"), date="2026-11-21", values=[None, "a" * 64])
    running = run_command("check", "-", text=str(match.record(1))).stdout
    assert running.splitlines()[1].startswith("The nonce, which is revealed at the end, must match the commitment")
    match.resign(0)
    lines = run_command("check", "-", text=str(match.record())).stdout.splitlines()
    assert lines[1] == f"The nonce matches the commitment made at the start: {match.commitment}."
    assert lines[2] == "The deck follows from the nonce and the values of the players: Blue."
    alone = fc.Match(fc.game("squendo"), values=[None, None])
    alone.resign(0)
    assert run_command("check", "-", text=str(alone.record())).stdout.endswith("of the players: none.\n")


def test_import_writes_the_record_of_a_link_a_file_or_standard_input(tmp_path: Path) -> None:
    link = "https://trmph.com/dnb/board#2,b1a2"
    completed = run_command("import", link)
    assert completed.stdout.splitlines()[-2:] == ["1 0 a1b1", "2 1 a1a2"], completed
    path, output = tmp_path / "moves.txt", tmp_path / "game.txt"
    path.write_text("1. a1b1 2. a1a2")
    arguments = ("dots-and-boxes", "-o", "cols=2", "-o", "rows=2")
    assert run_command("import", str(path), *arguments, "--output", str(output)).stdout == ""
    assert output.read_text() == completed.stdout
    assert run_command("import", "-", *arguments, text="a1b1, a1a2").stdout == completed.stdout
    assert run_command("import", str(output)).stdout == completed.stdout


def test_import_reads_the_link_of_a_puzzle_without_a_server() -> None:
    puzzle = list_puzzles("sqez")[0]
    completed = run_command("import", f"https://example.org/puzzles/{puzzle.name}")
    assert f"position: {puzzle.position.text}" in completed.stdout
    assert "leads to no puzzle" in run_failing_command("import", "https://example.org/puzzles/sqez/nothing")


class _Site(BaseHTTPRequestHandler):
    """A site whose answers are fixed, by path."""

    answers: ClassVar[dict[str, tuple[int, str]]] = {}

    def do_GET(self) -> None:
        """Answer with a status and a text, or with a redirect to it."""
        status, text = self.answers.get(self.path, (404, "{}"))
        self.send_response(status)
        self.send_header("location", text if status == 302 else "")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    """The address of a site with one game, at table `t`."""
    match = fc.Match(fc.game("square-off", size=4), date="2026-11-21")
    match.play("b2")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        elsewhere = address.replace("127.0.0.1", "localhost")
        _Site.answers = {
            "/api/tables/t/record": (200, str(match.record())),
            "/api/tables/moved/record": (302, f"{address}/api/tables/t/record"),
            "/api/tables/away/record": (302, f"{elsewhere}/api/tables/t/record"),
            "/api/tables/ftp/record": (302, address.replace("http:", "ftp:")),
            "/api/tables/page/record": (200, "<html>"),
            "/api/tables/long/record": (200, f"{match.record()}{' ' * MAX_RECORD_LENGTH}"),
            "/api/tables/busy/record": (503, "{}"),
        }
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield address
        server.shutdown()


def test_import_loads_the_record_of_a_table_from_the_site_of_its_link(site: str) -> None:
    bare = site.replace("http://127.0.0.1", "localhost")  # without a scheme, a site on this computer is asked by http
    for link in (f"{site}/play/t", f"Look: <{site}/play/t/review?ply=1>.", f"{site}/play/moved", f"{bare}/play/t"):
        assert "1 0 b2" in run_command("import", link).stdout.splitlines(), link


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("none", "the site has no such game"),
        ("busy", "the site answers 503"),
        ("page", "the answer is not a record"),
        ("long", "the answer is not a record"),
        ("away", "the site answers 302"),
        ("ftp", "the site answers 302"),
    ],
)
def test_import_says_in_a_sentence_why_a_record_could_not_be_loaded(site: str, table: str, reason: str) -> None:
    message = run_failing_command("import", f"{site}/play/{table}")
    assert message == f"fourcorners: the record of '{site}/play/{table}' could not be loaded: {reason}\n"


def test_import_of_a_table_that_cannot_be_reached_fails_and_other_links_are_not_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    message = run_failing_command("import", f"http://127.0.0.1:{port}/play/t")
    assert message.endswith("could not be loaded: Connection refused\n")
    monkeypatch.setattr(imports, "build_opener", None)
    message = run_failing_command("import", "https://example.org/analysis/shared/4fQ")
    assert "nothing is loaded from" in message and "choose “Download record” and import that file" in message
    assert "a number of boxes" in run_failing_command("import", "https://trmph.com/dnb/board")


def test_import_names_the_place_of_a_wrong_move_and_usage_errors(tmp_path: Path) -> None:
    path = tmp_path / "moves.txt"
    path.write_text("1. a1b1\n2. a1b1")
    error = run_failing_command("import", str(path), "dots-and-boxes")
    assert "line 2, column 4, move 2: 'a1b1' cannot be played" in error
    assert "names no game" in run_failing_command("import", str(path), status=2)
    assert "options need a game" in run_failing_command("import", str(path), "-o", "cols=2", status=2)
    assert "cannot be read" in run_failing_command("import", str(tmp_path / "none.txt"), "sqez")
    assert "the text is of" in run_failing_command(
        "import", "trmph.com/dnb/board#5", "dots-and-boxes", "-o", "cols=3", status=2
    )
    folder = str(tmp_path)
    assert "cannot be written" in run_failing_command("import", "trmph.com/dnb/board#5", "--output", folder)


def test_check_counts_the_moves_of_variations(tmp_path: Path) -> None:
    path = tmp_path / "study.txt"
    path.write_text("fourcorners record 2\ngame: dots-and-boxes\n\n1 0 a1b1\n( 1 0 a1a2\n)\n")
    assert run_command("check", str(path)).stdout.splitlines()[1:] == [
        "The record has comments or variations, with 1 more move, which is legal."
    ]


def test_show_prints_the_board_at_the_end_or_at_a_ply(record: Path) -> None:
    game = fc.game("square-off", size=4)
    assert str(game.replay(["b2", "b4", "c3"])) in run_command("show", str(record)).stdout
    assert str(game.start()) in run_command("show", str(record), "--ply", "0").stdout


def test_show_draws_the_board_as_svg_in_a_theme(record: Path, tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    assert run_command("show", str(record), "--svg", str(picture), "--theme", "dark").returncode == 0
    position = fc.game("square-off", size=4).replay(["b2", "b4", "c3"])
    assert picture.read_text() == draw_still(position.view(position.seat), Colours("dark"))


def test_show_reports_errors_in_one_sentence(record: Path, tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    assert "0 to 3" in run_failing_command("show", str(record), "--ply", "4", status=2)
    assert "theme" in run_failing_command("show", str(record), "--svg", str(picture), "--theme", "pink", status=2)
    assert "seat" in run_failing_command("show", str(record), "--seat", "5", status=2)
    # The path of the picture is a folder.
    assert "cannot be written" in run_failing_command("show", str(record), "--svg", str(tmp_path))


def test_show_draws_a_game_to_step_through_up_to_a_ply_and_says_where(record: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "game.json"
    completed = run_command("show", str(record), "--ply", "2", "--picture", str(drawn))
    assert completed.stderr == f"Wrote {drawn}.\n"
    steps = json.loads(drawn.read_text(encoding="utf-8"))["steps"]
    assert [step["words"] for step in steps] == [
        "",
        "White placed a white man on b2.",
        "Black placed a black man on b4.",
    ]
    refused = run_failing_command("show", str(record), "--palette", "pink", "--picture", str(drawn), status=2)
    assert "palette" in refused


def test_show_draws_a_hidden_game_as_a_spectator_or_a_seat_saw_it(tmp_path: Path) -> None:
    match = fc.Match(fc.game("squendo"), seed=0, nonce="")
    path, drawn = tmp_path / "game.txt", tmp_path / "game.json"
    match.play(match.position.moves()[0])
    match.resign(1)
    path.write_text(str(match.record()))
    for options, seat in (((), None), (("--seat", "1"), 1)):
        assert run_command("show", str(path), "--picture", str(drawn), *options).returncode == 0
        names = name_players(match.position, match.names)
        assert drawn.read_text(encoding="utf-8") == write_drawn_record(draw_match(match, names, seat=seat))


def test_warm_says_at_its_end_that_all_games_are_compiled() -> None:
    assert run_command("warm").stdout.startswith("All games are compiled")


def test_game_against_the_computer_can_be_played_with_help_undo_and_resignation_and_is_recorded(tmp_path: Path) -> None:
    """What is not a legal move is reported, and is not recorded."""
    path = tmp_path / "played.txt"
    script = "help\n?\n? a1\nwhy a1\nb2\nb2\nwhy b2\nundo\nnonsense\nb3\nboard\nresign\n"
    options = ("-o", "size=4", "--computer", "1:1", "--record", str(path))
    completed = run_command("play", "square-off", *options, text=script)
    assert completed.returncode == 0, completed.stderr
    assert "Tab completes" in completed.stdout
    assert "a1  a2  a3" in completed.stdout
    assert "That is a complete move." in completed.stdout
    assert "is not free" in completed.stdout
    assert "took a move back" in completed.stdout
    assert "'nonsense' is not a move" in completed.stdout
    assert "The game is over. You resigned." in completed.stdout
    # Seat 0 is the person. The second b2, which was not free any more, and "nonsense" are missing.
    record = fc.Record.parse(path.read_text())
    assert [line.text for line in record.lines if line.seat == 0] == ["b2", "!undo 0", "b3", "!resign"]


def test_game_of_two_people_ends_with_its_result() -> None:
    completed = run_command("play", "sqez", "-o", "cols=3", "-o", "rows=3", "--people", text="a1 c3\n")
    assert "The game is over. Player 1 (graphite) wins; " in completed.stdout


def test_player_who_is_alone_at_the_screen_is_addressed_but_named_in_the_record(tmp_path: Path) -> None:
    path = tmp_path / "played.txt"
    options = ("-o", "cols=3", "-o", "rows=3", "--computer", "1:1", "--record", str(path))
    completed = run_command("play", "sqez", *options, text="a1 c3\n")
    assert "You (" in completed.stdout
    assert "Player" not in completed.stdout
    assert "The game is over. You win; " in completed.stdout
    record = path.read_text()
    assert "You" not in record
    assert fc.Record.parse(record).seats == ("Player 1", "Computer 1")


def test_check_and_show_name_the_winner_with_the_points_first(tmp_path: Path) -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=1, rows=1), ["Ada", "Ben"])
    for move in ("a1b1", "a2b2", "a1a2", "b1b2"):
        match.play(move)
    path = tmp_path / "game.txt"
    path.write_text(str(match.record()))
    won = "Ben wins 1 : 0; all edges are drawn."
    assert run_command("check", str(path)).stdout == f"Dots and Boxes: 4 moves, all legal. {won}\n"
    shown = run_command("show", str(path)).stdout
    assert shown.endswith(f"Dots and Boxes, after 4 moves. Ada: 0 points, Ben: 1 point. {won}\n")
    assert "after 1 move." in run_command("show", str(path), "--ply", "1").stdout
    picture = tmp_path / "board.svg"
    assert run_command("show", str(path), "--picture", str(picture)).stderr == f"Wrote {picture}.\n"


def test_show_prints_the_hand_of_the_seat_to_move_only() -> None:
    # The hands at the start; the first move plays a tile of seat 0.
    hands = ("R2ax R4x B1o B4o", "R3x B0x B2ao G2ax")
    for seat, hand in enumerate(hands):
        shown = re.findall(r"hand: (.*)", run_command("show", "-", text=build_record_of_hidden_hands(seat)).stdout)
        assert shown == [hand]


def test_play_waits_for_enter_and_then_shows_one_hand_only() -> None:
    # Without Enter the input ends before any hand is shown.
    assert "hand: " not in run_command("play", "squendo", "--people", "--seed", "3", text="").stdout
    completed = run_command("play", "squendo", "--people", "--seed", "3", text="\n")
    assert "Press Enter when Player 1" in completed.stdout
    assert len(re.findall(r"hand: ", completed.stdout)) == 1


def build_record_of_hidden_hands(seat: int) -> str:
    """Return the record of a game of Squendo, with its deck but no commitment, in which `seat` (0 or 1) is to move."""
    match = fc.Match(fc.game("squendo"), seed=3, date="2026-11-21", nonce="")
    for _ in range(seat):
        match.play(match.position.moves()[0])
    # A running game has no record with the deck; so this adds it to one without.
    header, _, lines = str(match.record(0)).partition("\n\n")
    rows = [row for row in header.splitlines() if not row.startswith("seen by")]
    return "\n".join([*rows, f"deck: {' '.join(match.deck)}", "", lines])


def test_end_of_input_leaves_the_game_with_status_0() -> None:
    completed = run_command("play", "sqez", text="")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.endswith("You left the game.\n")


def test_play_reports_usage_errors_and_an_unusable_record_file_in_one_sentence() -> None:
    assert "0 to 1" in run_failing_command("play", "sqez", "--computer", "7", status=2)
    assert "1 to 8" in run_failing_command("play", "sqez", "--computer", "1:9", status=2)
    assert "1 to 27" in run_failing_command("play", "squarin-off", "--computer", "1:28", status=2)
    assert "1 to 28" in run_failing_command("play", "dots-and-boxes", "--computer", "1:29", status=2)
    assert "not both" in run_failing_command("play", "sqez", "--computer", "1", "--people", status=2)
    assert "cannot be written" in run_failing_command("play", "sqez", "--record", "/nowhere/at/all")


def test_serve_reports_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is in use" in run_failing_command("serve", "--port", str(port), "--no-open")


def test_serve_reports_an_address_of_another_machine_and_an_unusable_folder(tmp_path: Path) -> None:
    assert "not an address" in run_failing_command("serve", "--host", "203.0.113.1", "--port", "0", "--no-open")
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "games")
    assert "cannot be stored" in run_failing_command("serve", "--port", "0", "--data", folder, "--no-open")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--database", "games"], "--database or FOURCORNERS_DATABASE is not a database address"),
        (["--database", "postgresql://host:port/games"], "--database or FOURCORNERS_DATABASE is not"),
        (["--redis", "redis://host:port"], "--redis or FOURCORNERS_REDIS is not a Redis address"),
        (["--redis", "redis://me:a@b@host"], "--redis or FOURCORNERS_REDIS is not a Redis address"),
        (["--redis", "redis://host?nothing=1"], "--redis or FOURCORNERS_REDIS is not a Redis address"),
        (["--host", "a..b"], "'a..b' is not an address on which this computer can listen"),
        (["--host", ""], "'' is not an address on which this computer can listen"),
    ],
)
def test_serve_names_the_option_that_is_wrong(tmp_path: Path, options: list[str], words: str) -> None:
    sentence = run_failing_command("serve", "--port", "0", "--data", str(tmp_path), "--no-open", *options)
    assert words in sentence


def test_restarted_server_shows_a_player_the_games_of_a_killed_one(tmp_path: Path) -> None:
    serve = [sys.executable, "-m", "fourcorners", "serve", "--port", "0", "--data", str(tmp_path), "--no-open"]
    table = ""
    cookies = httpx.Cookies()
    # The first server is killed, the second one is stopped.
    for attempt in range(2):
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            # The first line that the server prints names its address, with the free port that it has chosen.
            url = re.findall(r"http://\S+/", process.stdout.readline())[0]
            with httpx.Client(base_url=url, cookies=cookies, timeout=60) as client:
                home = client.get("/")
                if attempt == 0:
                    answer = client.post("/games/sqez", data={"seat-0": "person", "seat-1": "person"})
                    table, cookies = answer.headers["location"], client.cookies
                else:
                    assert table in home.text
                    assert client.get(f"{table}/record").text.startswith("fourcorners record 1")
            process.send_signal(signal.SIGKILL if attempt == 0 else signal.SIGINT)
            process.wait(30)


def test_characters_that_a_terminal_cannot_show_become_question_marks(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("fourcorners record 1\ngame: sqez\n\n1 0 a1 c3\n")
    command = [sys.executable, "-m", "fourcorners", "show", str(path)]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    completed = subprocess.run(command, env=plain, capture_output=True, check=True)
    assert b"?" in completed.stdout


def test_input_that_is_not_utf8_does_not_end_the_game() -> None:
    command = [sys.executable, "-m", "fourcorners", "play", "sqez", "--people"]
    plain = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    completed = subprocess.run(command, env=plain, input=b"\xff\xfe\nwhy \xff\n", capture_output=True, check=True)
    # As at the end of any input, after both lines.
    assert b"You left the game." in completed.stdout


def test_record_that_cannot_be_written_at_the_end_is_printed_instead(tmp_path: Path) -> None:
    path = tmp_path / "no" / "game.txt"
    completed = run_command("play", "square-off", "--people", "--record", str(path), text="b2\n")
    assert completed.returncode == 1
    assert "cannot be written" in completed.stderr
    assert fc.Record.parse(completed.stdout[completed.stdout.index("fourcorners record") :]).lines[0].text == "b2"


def test_interrupt_during_compilation_exits_at_once_with_status_130(tmp_path: Path) -> None:
    # The function stands for callbacks of the compiler, which would swallow a KeyboardInterrupt.
    code = (
        "import os, signal, sys\n"
        "import fourcorners as fc\n"
        "from fourcorners.cli import main\n"
        "def compiling(*games, progress):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        for _ in range(10**6): pass\n"
        "    except KeyboardInterrupt: pass\n"
        "fc.warm = compiling\n"
        "sys.argv = ['fourcorners', 'warm']\n"
        "main()\n"
    )
    completed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert completed.returncode == 130
    assert not completed.stdout + completed.stderr
