"""What a learner's moves mean."""

import fourcorners as fc
from fourcorners.study.lessons.format import Lesson, find_lesson, parse_lesson
from fourcorners.study.lessons.judge import get_position, judge_moves

CHAIN = "0 0,0 ---/|_._._./---"
TASK = 'good = "Good."\notherwise = "No."\n'


def build_lesson(step: str, *, options: str = "{ cols = 3, rows = 1 }") -> Lesson:
    """Return a lesson of Dots and Boxes whose steps are these lines of TOML."""
    head = f'title = "A"\nsummary = "B."\nminutes = 1\noptions = {options}\n'
    return parse_lesson(fc.game("dots-and-boxes"), "1-test.toml", head + step)


def judge(step: str, *moves: str) -> tuple[str, str]:
    """Return state and feedback of moves in the first step."""
    verdict = judge_moves(build_lesson(f'[[steps]]\ntext = "A."\nposition = "{CHAIN}"\n{step}'), 0, moves)
    return verdict.state, verdict.feedback


def test_listed_move_solves_the_task_and_another_one_does_not() -> None:
    accept = f'accept = ["b1b2"]\n{TASK}'
    assert judge(accept) == ("open", "")
    assert judge(accept, "b1b2") == ("done", "Good.")
    assert judge(accept, "d1d2") == ("wrong", "No.")
    assert judge(accept, "b1b2", "nonsense") == ("done", "Good.")  # what follows counts nothing


def test_illegal_move_is_refused_with_the_reason_of_the_game() -> None:
    state, feedback = judge(f'accept = ["b1b2"]\n{TASK}', "a1a2")
    assert (state, feedback) == ("refused", "edge a1a2 is already drawn")
    assert judge(f'accept = ["b1b2"]\n{TASK}', "z9" * 50)[0] == "refused"


def test_condition_counts_points_gifts_choices_and_tokens() -> None:
    for condition, accepted in [
        ("{}", {"b1b2", "c1c2", "d1d2"}),
        ("{ least_gain = 1 }", {"b1b2"}),
        ("{ most_gift = 1 }", {"b1b2", "d1d2"}),
        ("{ least_gift = 2 }", {"c1c2"}),
        ('{ token = "d1d2" }', {"d1d2"}),
        ("{ choices = 2 }", {"b1b2", "c1c2", "d1d2"}),
        ("{ choices = 3 }", set()),
    ]:
        found = {move for move in ("b1b2", "c1c2", "d1d2") if judge(f"accept = {condition}\n{TASK}", move)[0] == "done"}
        assert found == accepted, condition


def test_points_are_collected_in_one_turn() -> None:
    collect = f"collect = 3\n{TASK}"
    assert judge(collect, "b1b2") == ("open", "1 of 3. Go on.")
    assert judge(collect, "b1b2", "c1c2", "d1d2") == ("done", "Good.")
    assert judge(collect, "b1b2", "d1d2") == ("wrong", "No.")


def test_wrong_move_has_its_own_feedback_and_is_refuted() -> None:
    wrong = 'accept = ["b1b2"]\nwrong = [{ moves = ["d1d2"], text = "Look.", then = ["b1b2", "c1c2"] }]\n'
    verdict = judge_moves(build_lesson(f'[[steps]]\ntext = "A."\nposition = "{CHAIN}"\n{wrong}{TASK}'), 0, ("d1d2",))
    assert (verdict.state, verdict.feedback, len(verdict.positions)) == ("wrong", "Look.", 4)
    assert verdict.positions[-1].scores == (0, 3)


def test_reply_is_played_and_the_next_step_goes_on_from_there() -> None:
    first = f'[[steps]]\ntext = "A."\nposition = "{CHAIN}"\naccept = ["d1d2"]\nreply = ["b1b2"]\n{TASK}'
    lesson = build_lesson(f'{first}[[steps]]\ntext = "B."')
    verdict = judge_moves(lesson, 0, ("d1d2",))
    assert [position.ply_count for position in verdict.positions] == [0, 1, 2]
    assert get_position(lesson, 1) == verdict.positions[-1]


def test_step_without_a_task_accepts_no_moves() -> None:
    assert judge("", "b1b2") == ("open", "")


def test_next_move_follows_the_solution_and_nothing_else() -> None:
    lesson = find_lesson("dots-and-boxes", "rules")
    assert judge_moves(lesson, 4, ()).next_move == "b1b2"
    assert judge_moves(lesson, 4, ("b1b2",)).next_move == "c1c2"
    assert judge_moves(lesson, 4, ("b1b2", "c1c2", "d1d2")).next_move == ""


def test_verdict_about_a_hidden_game_uses_the_hand_of_the_learner() -> None:
    lesson = find_lesson("squendo", "triples")
    assert [get_position(lesson, number).seat for number in range(3)] == [1, 0, 0]
