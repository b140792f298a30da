"""Lessons: what the learner's moves mean, the pictures that show it, and how far players are."""

import functools
from collections.abc import Iterable, Mapping
from html import escape
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta

from fourcorners.core import catalogue
from fourcorners.core.game import Position
from fourcorners.core.scene import Element, Scene, ScenePatch, add_overlay, diff_scenes
from fourcorners.study.lessons.format import Lesson, find_lesson, list_lessons
from fourcorners.study.lessons.judge import get_position, judge_moves
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.exercises import PATCHES_DESCRIPTION, STATE_DESCRIPTION, Feedback, list_events
from fourcorners.web.application.markdown import render_paragraph
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.protocol.board_picture import PICTURE_EXAMPLE, BoardPicture, build_board_picture
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields

MAX_STEPS, MAX_LESSON_MOVES, MAX_LESSONS = 100, 60, 200


@example(
    state="done",
    feedback="That wins a point.",
    events=["Black drew a1–b1."],
    patches=[{"board": {"set": {"p-b2": {"class": "mark dark"}}}}],
    picture=PICTURE_EXAMPLE,
    next=None,
)
class LessonAnswer(Fields, frozen=True, kw_only=True):
    """What has come of the moves in a step of a lesson."""

    state: Annotated[Literal["open", "done", "wrong", "refused"], Meta(description=STATE_DESCRIPTION)]
    feedback: Feedback
    events: Annotated[list[str], Meta(description="The other players’ moves since then, as sentences.")]
    patches: Annotated[list[ScenePatch], Meta(description=PATCHES_DESCRIPTION)]
    picture: BoardPicture
    next: Annotated[str | None, Meta(description="A move that helps to solve the task; null if there is none.")]


# The answers to all moves that players are likely to try take a few megabytes.
@functools.lru_cache(maxsize=128)
def answer_moves(game_id: str, lesson_id: str, number: int, moves: tuple[str, ...]) -> LessonAnswer:
    """Judge moves in a step of a lesson, counted from 0; raise OptionError or LessonError if there is no such lesson,
    and IndexError if it has no such step.
    """
    lesson = find_lesson(game_id, lesson_id)
    verdict = judge_moves(lesson, number, moves)
    start = get_position(lesson, number)
    scenes = [draw_scene(lesson, number, position) for position in verdict.positions]
    is_refused = verdict.state == "refused"
    can_move = (is_refused or verdict.state == "open") and lesson.steps[number].has_task
    view = verdict.positions[-1].view(start.seat)
    return LessonAnswer(
        state=verdict.state,
        feedback=escape(write_sentence(verdict.feedback)) if is_refused else render_paragraph(verdict.feedback),
        events=list_events(verdict.positions[1:], start.seat),
        patches=[diff_scenes(before, after) or {} for before, after in pairwise(scenes)],
        picture=build_board_picture(view, scenes[-1], can_move=can_move),
        next=verdict.next_move or None,
    )


def add_progress(context: ServerContext, player: str, steps: Mapping[str, int]) -> dict[str, int]:
    """Store how many steps of lessons, by name, a player has done, and return the progress in all lessons; unknown
    lessons are left out. Raise StoreError.
    """
    lengths = {lesson.name: len(lesson.steps) for game_id in catalogue.games() for lesson in list_lessons(game_id)}
    done = {name: min(count, lengths[name]) for name, count in steps.items() if name in lengths and count > 0}
    if done:
        context.store.save_progress(player, done, context.time.now())
    return context.store.read_progress(player)


def find_next_lesson(game_ids: Iterable[str], progress: Mapping[str, int]) -> Lesson | None:
    """Return the first lesson of these games that is not finished; None if all are."""
    lessons = (lesson for game_id in game_ids for lesson in list_lessons(game_id))
    return next((lesson for lesson in lessons if progress.get(lesson.name, 0) < len(lesson.steps)), None)


def draw_scene(lesson: Lesson, number: int, position: Position) -> Scene:
    """Draw a position of a step, counted from 0, as the learner sees it; the first one with the step's marks."""
    step, start = lesson.steps[number], get_position(lesson, number)
    view = position.view(start.seat)
    scene = view.scene()
    if position is start and step.marks:
        elements = tuple(_mark(element, step.marks) for element in scene.board.elements)
        scene = scene._replace(board=scene.board._replace(elements=elements))
    overlay = view.overlay() if step.overlay else None
    return scene if overlay is None else add_overlay(scene, overlay)


def _mark(element: Element, tokens: tuple[str, ...]) -> Element:
    """Return an element with the class "marked" if one of the tokens, or ids, names it."""
    if element.token not in tokens and element.id not in tokens:
        return element
    return element._replace(classes=f"{element.classes} marked".strip())
