"""Files of lessons: what they may contain, and what is said about a wrong one."""

import subprocess
import sys

import pytest

import fourcorners as fc
from fourcorners.study.lessons.format import LessonError, find_lesson, list_lessons, parse_lesson

GAME = fc.game("dots-and-boxes", cols=2, rows=1)
HEAD = 'title = "A"\nsummary = "B."\nminutes = 1\n'
READ_AT_ONCE = """
import os, sys, threading
import fourcorners as fc
from fourcorners.study.lessons.format import parse_lesson

GAME, TEXT, THREADS = fc.game("sqez"), sys.argv[1], 8
sys.setswitchinterval(1e-6)
for _ in range(30):
    child = os.fork()
    if not child:
        barrier = threading.Barrier(THREADS)
        def read():
            barrier.wait()
            parse_lesson(GAME, "1-rules.toml", TEXT)
        threads = [threading.Thread(target=read) for _ in range(THREADS)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("a process has crashed")
"""


def test_every_game_has_a_lesson_on_its_rules_and_three_to_six_others() -> None:
    for name in fc.games():
        if name == "cram":  # a game of another package, where that is installed
            continue
        lessons = list_lessons(name)
        assert lessons[0].id == "rules" and lessons[0].minutes == 2
        assert 3 <= len(lessons) - 1 <= 6


def test_lessons_are_in_the_order_of_their_files_and_are_found_by_their_ids() -> None:
    ids = [lesson.id for lesson in list_lessons("dots-and-boxes")]
    assert ids == ["rules", "chains", "double-dealing", "chain-rule", "loops"]
    assert find_lesson("dots-and-boxes", "loops").name == "dots-and-boxes/loops"


def test_a_preset_has_lessons_of_its_own() -> None:
    assert not set(list_lessons("dots-and-boxes")) & set(list_lessons("squarin-off"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rules.toml", "", "'rules.toml': a lesson's file is called like 2-long-chains.toml"),
        ("1-Rules.toml", "", "a lesson's file is called like"),
        ("1-rules.toml", "title = ", "dots-and-boxes/rules: Invalid value"),
        ("1-rules.toml", HEAD, "steps: Field required"),
        ("1-rules.toml", HEAD + "steps = []", "a lesson has at least one step"),
        (
            "1-rules.toml",
            HEAD + '[[steps]]\ntext = "A."\nmove = "a1b1"',
            "steps.0.move: Extra inputs are not permitted",
        ),
        (
            "1-rules.toml",
            HEAD + '[[steps]]\ntext = "A."\naccept = 3',
            r"steps\.0\.accept.*: Input should be a valid array",
        ),
        ("1-rules.toml", HEAD + 'options = { cols = 99 }\n[[steps]]\ntext = "A."', "cols: 99 is not allowed"),
    ],
)
def test_wrong_file_is_refused_with_the_reason(name: str, text: str, message: str) -> None:
    with pytest.raises(LessonError, match=message):
        parse_lesson(GAME, name, text)


def test_threads_of_a_new_process_can_read_lessons_at_once() -> None:
    text = f'{HEAD}[[steps]]\ntext = "A."\naccept = ["a1b2"]\n[[steps.claims]]\nsays = "B."\npoints = 1'
    subprocess.run([sys.executable, "-c", READ_AT_ONCE, text], check=True, timeout=300)


def test_unknown_lesson_is_refused() -> None:
    with pytest.raises(LessonError, match="there is none with this name in sqez"):
        find_lesson("sqez", "chains")


def test_step_has_the_options_of_the_lesson_or_its_own_and_goes_on_with_those_before_it() -> None:
    text = (
        f'{HEAD}options = {{ cols = 3 }}\n[[steps]]\ntext = "A."\n[[steps]]\ntext = "B."\noptions = {{ cols = 4 }}\n'
        'moves = []\n[[steps]]\ntext = "C."'
    )
    lesson = parse_lesson(GAME, "1-rules.toml", text)
    assert [game.given_options()["cols"] for game in lesson.games] == [3, 4, 4]
