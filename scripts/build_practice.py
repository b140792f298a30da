"""Write the pages for practice of the documentation site to `build/docs/exercises`.

They are the lessons, and puzzles of each game, with the app's own templates and scripts. What the server would answer
is drawn in advance and stored in the pages, so that they need no server: `scripts/practice` has what replaces it.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup

import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners.core.game import Position, View
from fourcorners.study.lessons import judge as lesson_judge
from fourcorners.study.lessons.format import Lesson, list_lessons
from fourcorners.study.puzzles import judge as puzzle_judge
from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from fourcorners.web.application.exercises import ExerciseAnswer
from fourcorners.web.application.lessons import LessonAnswer, answer_moves
from fourcorners.web.application.puzzles import judge_puzzle
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.pages import pictures
from fourcorners.web.pages.lessons import describe_lesson
from fourcorners.web.pages.puzzles import describe_first_board, describe_step

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "src/fourcorners/web/static"
SOURCES = ROOT / "scripts/practice"
TARGET = ROOT / "build/docs/exercises"
PAGE = ROOT / "build/docs/practice.md"
"""The page of the site that leads here."""
STYLES = ("page.css", "play.css", "exercise.css", "learn.css")
SCRIPTS = ("index.js", "lesson.js", "puzzles.js")
PUZZLES = 50
PARTS = 10
"""They are chosen from this many parts of equal size, from easy to hard."""
SEVERAL = 2
"""How many puzzles of each part have several moves to find, if it has as many."""
MOST_ANSWERS = 150
"""The most answers to moves in a puzzle: those of Sqez can have a thousand, which makes pages large."""
UNREAD = ("picture", "proven", "best", "line", "to_find")
"""What the pages do not read of answers; patches lead to the picture."""
TEXTS = ("feedback", "hint", "facts")
ESBUILD = (
    ROOT / "node_modules/.bin/esbuild",
    "--bundle",
    "--minify",
    # A classic script: browsers load no module from a folder on a disk.
    "--format=iife",
    "--target=es2022",
    "--log-level=warning",
    "--entry-names=[name]",
    "--asset-names=[name]",
    "--loader:.woff2=file",
    "--loader:.svg=file",
)

Moves = tuple[str, ...]


class Exercise(NamedTuple):
    """A position with something to find: what the server answers to moves and to giving up, None if no one can, and
    which positions it shows.
    """

    answer: Callable[[Moves], LessonAnswer | ExerciseAnswer]
    give_up: Callable[[Moves], ExerciseAnswer] | None
    list_positions: Callable[[Moves], Sequence[Position]]


class AnswerStore:
    """The answers of a page. What occurs often is stored once, and answers have its number."""

    def __init__(self) -> None:
        self._patches: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._steps: list[dict[str, Any]] = []
        self._difficulties: list[int] = []

    def add(self, exercise: Exercise, difficulty: int | None = None) -> None:
        """Add an exercise with all answers to legal moves."""
        picture = exercise.answer(()).picture
        start = self._draw(exercise, ())
        self._steps.append({"board": picture.board, "tray": picture.tray, "start": start})
        if difficulty is not None:
            self._difficulties.append(difficulty)

    def encode(self) -> str:
        """Return all of it as JSON, which can stand in a script element."""
        content = {
            "steps": self._steps,
            "patches": [json.loads(patch) for patch in self._patches],
            "texts": list(self._texts),
            "difficulties": self._difficulties,
        }
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")

    def _draw(self, exercise: Exercise, moves: Moves) -> dict[str, Any]:
        """Return the answer to some moves, with all that can follow."""
        answer = exercise.answer(moves)
        stored = self._shorten(answer)
        if answer.state != "open" or not answer.picture.moves:
            return stored
        picture = answer.picture
        names = [name for name in ("moves", "labels", "pictures", "effects") if getattr(picture, name)]
        stored["picture"] = {name: getattr(picture, name) for name in names}
        position = exercise.list_positions(moves)[-1]
        stored["moves"] = {move: self._draw(exercise, (*moves, move)) for move in position.moves()}
        view = position.view(picture.viewer)
        refusals = ((text, position.why(text)) for text in list_refused(view))
        stored["refusals"] = {
            text: self._number(self._texts, escape(write_sentence(reason.sentence)))
            for text, reason in refusals
            if reason is not None
        }
        if exercise.give_up is not None:
            stored["shown"] = self._shorten(exercise.give_up(moves))
        return stored

    def _shorten(self, answer: LessonAnswer | ExerciseAnswer) -> dict[str, Any]:
        """Return what the pages read of an answer."""
        fields = {name: value for name, value in msgspec.to_builtins(answer).items() if name not in UNREAD}
        fields |= {name: self._number(self._texts, fields[name]) for name in TEXTS if name in fields}
        fields["patches"] = [self._store_patch(patch) for patch in fields["patches"]]
        if "play" in fields:
            fields["play"] = [{**move, "patch": self._store_patch(move["patch"])} for move in fields["play"]]
        return fields

    def _store_patch(self, patch: Any) -> int:
        return self._number(self._patches, json.dumps(patch, separators=(",", ":")))

    @staticmethod
    def _number(texts: dict[str, int], text: str) -> int:
        return texts.setdefault(text, len(texts))


def list_refused(view: View) -> Iterator[str]:
    """Yield what someone can choose that begins no move: a single place, or one for something carried.

    Whatever else is not allowed, such as a pair of corners without a rectangle, gets a sentence that is true of all.
    """
    offered = view.offered_moves()
    first = {move.split(" ")[0] for move in offered}
    elements = [element for part in view.scene() if part is not None for element in part.elements if element.token]
    yield from (element.token for element in elements if element.token not in first)
    begun = {tuple(move.split(" ")[:2]) for move in offered}
    for carried in (element.token for element in elements if element.gesture == "carry" and element.token in first):
        places = (element.token for element in elements if element.gesture == "drop")
        yield from (f"{carried} {place}" for place in places if (carried, place) not in begun)


def choose_puzzles(game_id: str) -> list[Puzzle]:
    """Return puzzles from easy to hard: of each tenth of those with few answers, those with the fewest, some with
    several moves to find.
    """
    counts = {puzzle: count_answers(puzzle) for puzzle in list_puzzles(game_id)}
    small = sorted((puzzle for puzzle in counts if counts[puzzle] <= MOST_ANSWERS), key=lambda puzzle: puzzle.rating)
    chosen: list[Puzzle] = []
    for number in range(PARTS):
        part = small[number * len(small) // PARTS : (number + 1) * len(small) // PARTS]
        part.sort(key=counts.__getitem__)
        several = [puzzle for puzzle in part if puzzle.later][:SEVERAL]
        chosen += [*several, *(puzzle for puzzle in part if puzzle not in several)][: PUZZLES // PARTS]
    return sorted(chosen, key=lambda puzzle: puzzle.rating)


def count_answers(puzzle: Puzzle) -> int:
    """Count the legal moves in all decisions of a puzzle."""
    return sum(len(puzzle.position.play_line(decision.after).moves()) for decision in (puzzle.first, *puzzle.later))


def build_lesson_exercise(lesson: Lesson, number: int) -> Exercise:
    """Return a step of a lesson, counted from 0, as an exercise."""
    return Exercise(
        lambda moves: answer_moves(lesson.game.id, lesson.id, number, moves),
        None,
        lambda moves: lesson_judge.judge_moves(lesson, number, moves).positions,
    )


def build_puzzle_exercise(puzzle: Puzzle) -> Exercise:
    """Return a puzzle as an exercise."""
    return Exercise(
        lambda moves: judge_puzzle(puzzle, moves, gives_up=False),
        lambda moves: judge_puzzle(puzzle, moves, gives_up=True),
        lambda moves: puzzle_judge.judge_moves(puzzle, moves).positions,
    )


def name_lesson(lesson: Lesson) -> str:
    """Return the file of the page of a lesson."""
    return f"{lesson.game.id}-{lesson.id}.html"


def name_puzzles(game_id: str) -> str:
    """Return the file of the page of a game's puzzles."""
    return f"{game_id}-puzzles.html"


def create_environment() -> jinja2.Environment:
    """Return the app's templates, with the frame of these pages in place of the app's."""
    loader = jinja2.FileSystemLoader([SOURCES, ROOT / "src/fourcorners/web/templates"])
    environment = jinja2.Environment(loader=loader, autoescape=True)
    environment.globals |= {
        "asset": lambda name: name,
        "name_lesson": name_lesson,
        "name_puzzles": name_puzzles,
        "palettes": pictures.list_palettes(),
        "version": fc.__version__,
    }
    return environment


def render_lesson(lesson: Lesson) -> str:
    """Return the page of a lesson."""
    answers = AnswerStore()
    for number in range(len(lesson.steps)):
        answers.add(build_lesson_exercise(lesson, number))
    context = describe_lesson(lesson.game.id, lesson.id)
    steps = [{**step, "question": {"step": number}, "analysis": ""} for number, step in enumerate(context["steps"])]
    return _render_exercises("lesson.html", {**context, "steps": steps}, answers)


def render_puzzles(game_id: str) -> str:
    """Return the page of the puzzles of a game."""
    answers, steps = AnswerStore(), []
    puzzles = choose_puzzles(game_id)
    for number, puzzle in enumerate(puzzles):
        answers.add(build_puzzle_exercise(puzzle), puzzle.rating)
        step = describe_step(puzzle, {"step": number, "puzzle": puzzle.id})
        steps.append({**step, "name": f"{number + 1}", "link": f"#{number + 1}"})
    return _render_exercises("puzzles.html", {**describe_first_board(puzzles[0]), "steps": steps}, answers)


def _render_exercises(template: str, context: dict[str, Any], answers: AnswerStore) -> str:
    game = {**context["game"], "style": f"{context['game']['id']}.css"}
    stored = Markup(answers.encode())  # noqa: S704  # JSON without "<"
    return create_environment().get_template(template).render({**context, "game": game, "answers": stored})


def write_game(game_id: str, folder: Path) -> None:
    """Write the pages of a game, with its style sheet and covers, into a folder."""
    files = {f"{game_id}.css": pictures.build_style_sheet(game_id)}
    files |= {f"{game_id}-{theme}.svg": pictures.draw_cover(game_id, theme, "", "") for theme in ("light", "dark")}
    files |= {name_lesson(lesson): render_lesson(lesson) for lesson in list_lessons(game_id)}
    files[name_puzzles(game_id)] = render_puzzles(game_id)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def list_games() -> list[dict[str, Any]]:
    """List the games with what the pages have of each."""
    return [
        {"id": game_id, "title": catalogue.game(game_id).title, "lessons": list_lessons(game_id), "puzzles": PUZZLES}
        for game_id in fc.games()
    ]


def write_entrance() -> Iterator[str]:
    """Yield the links to these pages, in Markdown for a page beside their folder."""
    yield "[Open the lessons and puzzles](exercises/index.html)"
    yield "\n".join(
        f"* {game['title']}: [{len(game['lessons'])} lessons](exercises/index.html#{game['id']}),"
        f" [{game['puzzles']} puzzles](exercises/{name_puzzles(game['id'])})"
        for game in list_games()
    )


def bundle(folder: Path) -> None:
    """Write the scripts, style sheets and fonts of the pages into a folder."""
    entries: Iterable[Path] = (*(SOURCES / name for name in SCRIPTS), *(STATIC / name for name in STYLES))
    entries = (*entries, SOURCES / "practice.css", STATIC / "theme.js")
    subprocess.run([*ESBUILD, *entries, f"--outdir={folder}"], check=True)  # noqa: S603  # nothing in it is input
    shutil.copyfile(STATIC / "icon.svg", folder / "icon.svg")


def main() -> None:
    """Write all pages anew, and the links to them."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    bundle(TARGET)
    index = create_environment().get_template("index.html").render(games=list_games())
    (TARGET / "index.html").write_text(index, encoding="utf-8")
    # Sqez, the last game, takes longest.
    with ProcessPoolExecutor() as processes:
        for _ in processes.map(write_game, reversed(fc.games()), [TARGET] * len(fc.games())):
            pass
    with PAGE.open("a", encoding="utf-8") as page:
        page.writelines(f"\n{part}\n" for part in write_entrance())


if __name__ == "__main__":
    main()
