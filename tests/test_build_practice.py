"""The pages for practice answer as the server does, to every legal move, and have puzzles from easy to hard."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import fourcorners as fc
from build_practice import (
    MOST_ANSWERS,
    PUZZLES,
    AnswerStore,
    Exercise,
    build_lesson_exercise,
    build_puzzle_exercise,
    choose_puzzles,
    count_answers,
)
from fourcorners.core.game import Position
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from fourcorners.web.application.exercises import ExerciseAnswer
from fourcorners.web.application.lessons import LessonAnswer, answer_moves
from fourcorners.web.application.puzzles import judge_puzzle

READ = ("moves", "labels", "pictures", "effects")
"""What the page reads of a picture on which moves can be made."""


class StoredExercise:
    """An exercise as a page has it, with its answers written out."""

    def __init__(self, exercise: Exercise) -> None:
        store = AnswerStore()
        store.add(exercise)
        self._page = json.loads(store.encode())
        [self.step] = self._page["steps"]

    def walk(self, answer: dict[str, Any] | None = None, moves: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
        """Yield each answer with the moves to it; the answer to giving up has None as its last move."""
        node = self.step["start"] if answer is None else answer
        yield moves, node
        if "shown" in node:
            yield (*moves, None), node["shown"]
        for move, following in node.get("moves", {}).items():
            yield from self.walk(following, (*moves, move))

    def expand(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with its texts and patches, without those that can follow."""
        kept = {name: value for name, value in node.items() if name not in {"moves", "refusals", "shown", "picture"}}
        texts: dict[str, Any] = {
            name: self._page["texts"][kept[name]] for name in ("feedback", "hint", "facts") if name in kept
        }
        patches = [self._page["patches"][number] for number in kept["patches"]]
        expanded: dict[str, Any] = {**kept, **texts, "patches": patches}
        if "play" in kept:
            expanded["play"] = [{**move, "patch": self._page["patches"][move["patch"]]} for move in kept["play"]]
        return expanded

    def list_refusals(self, node: dict[str, Any]) -> dict[str, str]:
        """Return why something cannot be chosen, by its text."""
        return {text: self._page["texts"][number] for text, number in node["refusals"].items()}


def check(exercise: Exercise, start: Position) -> None:
    """Fail unless each answer of the page is that of the server, and each legal move has one."""
    stored = StoredExercise(exercise)
    first = exercise.answer(()).picture
    assert (stored.step["board"], stored.step["tray"]) == (first.board, first.tray)
    for moves, node in stored.walk():
        answer: LessonAnswer | ExerciseAnswer
        if moves[-1:] == (None,):
            assert exercise.give_up is not None
            answer = exercise.give_up(moves[:-1])
        else:
            answer = exercise.answer(moves)
        expanded, given = stored.expand(node), json.loads(msgspec.json.encode(answer))
        assert expanded == {name: given[name] for name in expanded}
        assert {"state", "feedback", "events", "patches"} < expanded.keys()
        if answer.state == "open" and answer.picture.moves:
            position = exercise.list_positions(moves)[-1]
            assert list(node["moves"]) == position.moves()
            assert node["picture"] == {name: given["picture"][name] for name in READ if given["picture"][name]}
            for text, sentence in list(stored.list_refusals(node).items())[:5]:
                refused = exercise.answer((*moves, text))
                assert (refused.state, refused.feedback) == ("refused", sentence)
        else:
            assert "moves" not in node
    assert start == exercise.list_positions(())[0]


def list_small_puzzles(game_id: str) -> list[Puzzle]:
    """Return the puzzles with the fewest answers of a game's first ones: one with a single decision, one with more."""
    puzzles = list_puzzles(game_id)[:60]
    return [
        min((puzzle for puzzle in puzzles if bool(puzzle.later) == several), key=count_answers)
        for several in (False, True)
    ]


@pytest.mark.compiled
@pytest.mark.parametrize("game_id", fc.games())
def test_answers_in_lessons_are_those_of_the_server(game_id: str) -> None:
    lesson = min(list_lessons(game_id), key=lambda lesson: sum(step.has_task for step in lesson.steps))
    for number in range(len(lesson.steps)):
        exercise = build_lesson_exercise(lesson, number)
        assert exercise.answer(()) == answer_moves(game_id, lesson.id, number, ())
        check(exercise, exercise.list_positions(())[0])


@pytest.mark.compiled
@pytest.mark.parametrize("game_id", fc.games())
def test_answers_in_puzzles_are_those_of_the_server(game_id: str) -> None:
    for puzzle in list_small_puzzles(game_id):
        exercise = build_puzzle_exercise(puzzle)
        assert exercise.answer(()) == judge_puzzle(puzzle, (), gives_up=False)
        check(exercise, puzzle.position)


@pytest.mark.compiled
@pytest.mark.parametrize("game_id", fc.games())
def test_each_game_has_puzzles_from_easy_to_hard(game_id: str) -> None:
    puzzles, ratings = choose_puzzles(game_id), [puzzle.rating for puzzle in list_puzzles(game_id)]
    chosen = [puzzle.rating for puzzle in puzzles]
    assert len(set(puzzles)) == PUZZLES == 50
    assert chosen == sorted(chosen)
    middle = sorted(ratings)[len(ratings) // 2]
    assert chosen[0] < sorted(ratings)[len(ratings) // 10] <= middle < chosen[-1]
    assert max(map(count_answers, puzzles)) <= MOST_ANSWERS
    assert 10 <= sum(bool(puzzle.later) for puzzle in puzzles) < PUZZLES


def test_answers_can_stand_in_a_script_element() -> None:
    store = AnswerStore()
    store.add(build_lesson_exercise(list_lessons("squarin-off")[0], 0))
    assert "<" not in store.encode()
