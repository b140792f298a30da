"""The commands, run as somebody types them."""

import io
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

import fourcorners as fc
from fourcorners.cli import main

pytestmark = pytest.mark.compiled
COMMANDS = ("serve", "play", "solve", "show", "check", "perft", "warm")


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str, text: str = "") -> Done:
    """Run a command in this process, with a text typed."""
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
    return Done(status if isinstance(status, int) else 0, out.getvalue(), err.getvalue())


def fails(*arguments: str, text: str = "", status: int = 1) -> str:
    """Run a command that must fail with one sentence; return it."""
    done = run(*arguments, text=text)
    assert done.returncode == status, done
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("fourcorners: ")
    assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr


@pytest.fixture
def record(tmp_path: Path) -> Path:
    match = fc.Match(fc.game("square-off", size=4), date="2026-11-21")
    for move in ("b2", "b4", "c3"):
        match.play(move)
    path = tmp_path / "game.txt"
    path.write_text(str(fc.Record.of(match)))
    return path


def test_help_teaches_every_command() -> None:
    text = run("--help").stdout
    for command in COMMANDS:
        assert command in text
        helped = run(command, "--help")
        assert helped.returncode == 0
        assert "Usage:" in helped.stdout


def test_perft_counts() -> None:
    assert run("perft", "sqez", "2", "-o", "cols=5", "-o", "rows=5").stdout.startswith("64 sequences")
    divided = run("perft", "square-off", "3", "-o", "size=4", "--divide").stdout
    assert "4,272 sequences of 3 moves" in divided
    assert len(divided.splitlines()) == 17
    position = fc.game("sqez", cols=5, rows=5).start().play("a1 c3").text
    assert run("perft", "sqez", "0", "-o", "cols=5", "-o", "rows=5", "--position", position).stdout.startswith("1 ")


def test_perft_refuses_in_a_sentence() -> None:
    assert "not known" in fails("perft", "chess", "1", status=2)
    assert "3 to 20" in fails("perft", "sqez", "1", "-o", "cols=2", status=2)
    assert "is no option" in fails("perft", "sqez", "1", "-o", "cols", status=2)
    assert "there is no such option" in fails("perft", "sqez", "1", "-o", "size=8", status=2)
    fails("perft", "sqez", "1", "--position", "nonsense", status=2)


def test_check_replays_a_record(record: Path) -> None:
    assert run("check", str(record)).stdout == "Square Off: 3 moves, every one of them legal; running.\n"
    assert run("check", "-", text=record.read_text()).returncode == 0


def test_check_names_line_move_and_reason(record: Path) -> None:
    record.write_text(record.read_text().replace("c3", "b4"))
    sentence = fails("check", str(record))
    assert re.search(r"line \d+", sentence)
    assert "b4" in sentence
    assert "cannot be read" in fails("check", str(record.parent / "missing"))
    assert "cannot be read" in fails("check", str(record.parent))
    record.write_bytes(b"\xff\xfe\x00")
    assert "not text" in fails("check", str(record))


def test_check_compares_the_deck_with_its_commitment() -> None:
    match = fc.Match(fc.game("squendo"), seed=3, date="2026-11-21")
    running = run("check", "-", text=str(match.record(1))).stdout
    assert running.splitlines()[1].endswith(f"must fit the commitment {match.commitment}.")
    match.resign(0)
    text = str(match.record())
    said = run("check", "-", text=text).stdout.splitlines()
    assert said[1] == f"The deck fits the commitment that was made at the start: {match.commitment}."
    tiles = " ".join(match.deck[-2:])
    turned = " ".join(match.deck[:-3:-1])
    assert "do not fit the commitment" in fails("check", "-", text=text.replace(tiles, turned))
    assert "has no commitment" in run("check", "-", text=hidden(0)).stdout


def test_show_draws_a_record(record: Path, tmp_path: Path) -> None:
    now = run("show", str(record)).stdout
    before = run("show", str(record), "--ply", "0").stdout
    assert now != before
    assert str(fc.game("square-off", size=4).start()) in before
    picture = tmp_path / "board.svg"
    assert run("show", str(record), "--svg", str(picture), "--theme", "dark").returncode == 0
    assert picture.read_text().startswith("<svg")
    assert "0 to 3" in fails("show", str(record), "--ply", "4", status=2)
    assert "theme" in fails("show", str(record), "--svg", str(picture), "--theme", "pink", status=2)
    assert "seat" in fails("show", str(record), "--seat", "5", status=2)
    assert "cannot be written" in fails("show", str(record), "--svg", str(tmp_path))


def test_warm_compiles_everything() -> None:
    assert run("warm").stdout.startswith("All games are compiled")


def test_play_against_the_computer(tmp_path: Path) -> None:
    path = tmp_path / "played.txt"
    script = "help\n?\n? a1\nwhy a1\nb2\nb2\nwhy b2\nundo\nnonsense\nb3\nboard\nresign\n"
    options = ("-o", "size=4", "--computer", "1:1", "--record", str(path))
    done = run("play", "square-off", *options, text=script)
    assert done.returncode == 0, done.stderr
    assert "Tab completes" in done.stdout
    assert "a1  a2  a3" in done.stdout
    assert "That is a whole move." in done.stdout
    assert "is not free" in done.stdout
    assert "took back" in done.stdout
    assert "cannot be read" in done.stdout
    assert "Player 0 resigned" in done.stdout
    record = fc.Record.parse(path.read_text())
    assert [line.text for line in record.lines if line.seat == 0] == ["b2", "!undo 0", "b3", "!resign"]


def test_a_whole_game_in_the_terminal() -> None:
    done = run("play", "sqez", "-o", "cols=3", "-o", "rows=3", "--people", text="a1 c3\n")
    assert "The game is over: seat 0 wins" in done.stdout


def test_hands_are_shown_to_the_seat_to_move_alone() -> None:
    hands = [set(re.findall(r"hand: (.*)", run("show", "-", text=hidden(seat)).stdout)) for seat in (0, 1)]
    done = run("play", "squendo", "--people", "--seed", "3", text="\n")
    assert "Press Enter when Player 0" in done.stdout
    assert len(re.findall(r"hand: ", done.stdout)) == 1
    assert not hands[0] & hands[1]


def hidden(seat: int) -> str:
    """Return a record that ended, of a game of hidden hands, with a seat to move."""
    match = fc.Match(fc.game("squendo"), seed=3, date="2026-11-21", nonce="")
    for _ in range(seat):
        match.play(match.position.moves()[0])
    header, _, lines = str(match.record(0)).partition("\n\n")
    shown = [row for row in header.splitlines() if not row.startswith("seen by")]
    return "\n".join([*shown, f"deck: {' '.join(match.deck)}", "", lines])


def test_leaving_is_no_error() -> None:
    done = run("play", "sqez", text="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("The game was left.\n")


def test_play_refuses_in_a_sentence() -> None:
    assert "0 to 1" in fails("play", "sqez", "--computer", "7", status=2)
    assert "1 to 7" in fails("play", "sqez", "--computer", "1:9", status=2)
    assert "exclude" in fails("play", "sqez", "--computer", "1", "--people", status=2)
    assert "cannot be written" in fails("play", "sqez", "--record", "/nowhere/at/all")


def test_a_taken_port_is_said_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is taken" in fails("serve", "--port", str(port), "--no-open")


def test_serve_says_what_is_wrong(tmp_path: Path) -> None:
    assert "no address" in fails("serve", "--host", "203.0.113.1", "--port", "0", "--no-open")
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "games")
    assert "cannot be stored" in fails("serve", "--port", "0", "--data", folder, "--no-open")


def test_serve_answers_and_a_kill_loses_nothing(tmp_path: Path) -> None:
    serve = [sys.executable, "-m", "fourcorners", "serve", "--port", "0", "--data", str(tmp_path), "--no-open"]
    table = ""
    cookies = httpx.Cookies()
    for attempt in range(2):
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
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


def test_a_terminal_without_the_signs_of_a_board_shows_question_marks(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("fourcorners record 1\ngame: sqez\n\n1 0 a1 c3\n")
    command = [sys.executable, "-m", "fourcorners", "show", str(path)]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(command, env=plain, capture_output=True, check=True)
    assert b"?" in done.stdout


def test_bytes_that_are_no_text_are_no_move() -> None:
    command = [sys.executable, "-m", "fourcorners", "play", "sqez", "--people"]
    plain = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(command, env=plain, input=b"\xff\xfe\nwhy \xff\n", capture_output=True, check=True)
    assert b"The game was left." in done.stdout


def test_a_record_that_cannot_be_written_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "no" / "game.txt"
    done = run("play", "square-off", "--people", "--record", str(path), text="b2\n")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert fc.Record.parse(done.stdout[done.stdout.index("fourcorners record") :]).lines[0].text == "b2"


def test_compiling_can_be_left(tmp_path: Path) -> None:
    """Whatever the compiler is at; the step stands for its callbacks, which lose or choke on an exception."""
    code = (
        "import os, signal, sys\n"
        "from fourcorners.cli import main, warm\n"
        "from fourcorners.web.engine.warmup import Step\n"
        "def compiling():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        for _ in range(10**6): pass\n"
        "    except KeyboardInterrupt: pass\n"
        "warm.steps = lambda: [Step('game', 'step', compiling)]\n"
        "sys.argv = ['fourcorners', 'warm']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert not done.stdout + done.stderr
