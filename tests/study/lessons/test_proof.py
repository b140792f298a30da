"""Every lesson can be played and tells the truth, and a false one is reported."""

from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.study.lessons.format import LessonError, list_lessons, parse_lesson
from fourcorners.study.lessons.proof import check_lesson

LESSONS = [lesson for name in fc.games() for lesson in list_lessons(name)]
HEAD = 'title = "A"\nsummary = "B."\nminutes = 1\noptions = { cols = 3, rows = 1 }\n'
STEP = '[[steps]]\nposition = "0 0,0 ---/|_._._./---"\n'
TASK = 'accept = ["b1b2"]\ngood = "Good."\notherwise = "No."\nhint = "Left."\n'


@pytest.mark.compiled
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_lesson_can_be_played_and_what_play_can_prove_is_true(lesson: object) -> None:
    assert check_lesson(lesson, by_solving=False) >= 0  # type: ignore[arg-type]


@pytest.mark.compiled
@pytest.mark.parametrize("name", fc.games())
def test_claims_about_best_play_are_proven_by_the_solver(name: str) -> None:
    for lesson in list_lessons(name):
        check_lesson(lesson)


def test_required_subjects_have_claims_that_a_solver_proves() -> None:
    solved = {
        lesson.name
        for lesson in LESSONS
        if any(step.best or any(claim.needs_solver for claim in step.claims) for step in lesson.steps)
    }
    assert {
        "dots-and-boxes/double-dealing",
        "dots-and-boxes/chain-rule",
        "squarin-off/cut-a-string",
        "squarin-off/give-nothing",
        "sqez/count",
        "sqez/regions",
    } <= solved


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (f'text = "You take three."\n{TASK}', "'three' in 'You take three.' is neither claimed nor one of the rules"),
        (
            f'text = "You take two."\n{TASK}claims = [{{ says = "take two", after = ["b1b2"], points = 2 }}]',
            "the claim 'take two' is false: points is 1, not 2",
        ),
        (
            f'text = "Take it."\n{TASK}claims = [{{ says = "take four", after = ["b1b2"], points = 1 }}]',
            "no text says 'take four'",
        ),
        (
            f'text = "Take it."\n{TASK}claims = [{{ says = "Take it", after = ["b1b2"] }}]',
            "the claim 'Take it' needs exactly one of points, total",
        ),
        (f'text = "A."\n{TASK}marks = ["q1"]', r"\['q1'\] are no places of the board"),
        (f'text = "A."\n{TASK}'.replace("b1b2", "a1a2"), "the solution is refused"),
        (f'text = "A."\n{TASK}'.replace('otherwise = "No."\n', ""), "nothing is said about the wrong move c1c2"),
        (f'text = "A."\n{TASK}'.replace('hint = "Left."\n', ""), "a task needs the texts good and hint"),
        (f'text = "A."\n{TASK}wrong = [{{ token = "b1b2", text = "Never." }}]', "'Never.' is never said"),
        (f'text = "A."\n{TASK}collect = 2', "it has two tasks"),
        (f'text = "<b>A</b>"\n{TASK}', "is not one paragraph of Markdown"),
        (f'text = "A."\n{TASK}reply = ["d1d2", "b1b2"]', "'b1b2' cannot be played"),
        ('text = "A."\nmoves = ["a1a2"]', "step 1: 'a1a2' cannot be played"),
    ],
)
def test_lesson_that_cannot_be_played_or_is_not_true_is_reported(step: str, message: str) -> None:
    lesson = parse_lesson(fc.game("dots-and-boxes"), "1-test.toml", HEAD + STEP + step)
    with pytest.raises(LessonError, match=message):
        check_lesson(lesson, by_solving=False)


def test_example_in_the_documentation_is_a_lesson() -> None:
    text = (Path(__file__).parents[3] / "docs/lessons.md").read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    lesson = parse_lesson(fc.game("dots-and-boxes"), "3-example.toml", example)
    assert check_lesson(lesson, by_solving=False) == 1


@pytest.mark.compiled
def test_false_claim_about_the_best_moves_is_reported() -> None:
    step = f'text = "A."\n{TASK}best = true'.replace("b1b2", "d1d2")
    lesson = parse_lesson(fc.game("dots-and-boxes"), "1-test.toml", HEAD + STEP + step)
    with pytest.raises(LessonError, match=r"the best moves are \['b1b2'\], but it accepts \['d1d2'\]"):
        check_lesson(lesson)


def test_step_after_one_with_several_accepted_moves_needs_its_own_position() -> None:
    steps = f'{STEP}text = "A."\n{TASK}'.replace('["b1b2"]', '["b1b2", "d1d2"]') + '[[steps]]\ntext = "B."'
    with pytest.raises(LessonError, match="it needs its own position"):
        check_lesson(parse_lesson(fc.game("dots-and-boxes"), "1-test.toml", HEAD + steps), by_solving=False)


def test_rule_that_no_text_contains_is_reported() -> None:
    head = HEAD + 'rules = ["two players"]\n'
    with pytest.raises(LessonError, match="no text contains the rule 'two players'"):
        check_lesson(parse_lesson(fc.game("dots-and-boxes"), "1-test.toml", head + STEP + f'text = "A."\n{TASK}'))
