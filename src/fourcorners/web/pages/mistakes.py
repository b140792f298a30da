"""The page on which a player looks for better moves than those of a reviewed game."""

from typing import Any

from markupsafe import Markup

from fourcorners.core.game import Game
from fourcorners.study import wording
from fourcorners.study.alternatives import list_mistakes
from fourcorners.study.html_report import LessonLink, render_move
from fourcorners.study.labels import Label
from fourcorners.study.lessons.format import find_lesson_about
from fourcorners.study.move_review import MoveReview
from fourcorners.study.review import Review
from fourcorners.study.statements import list_facts
from fourcorners.study.teaching import Teaching
from fourcorners.web.pages import pictures

_ARTICLES: dict[Label | None, str] = {
    Label.INACCURACY: "an inaccuracy",
    Label.MISTAKE: "a mistake",
    Label.BLUNDER: "a blunder",
}
MOST_EXERCISES = 60
"""A page has at most this many exercises."""


def build_mistakes_page(
    review: Review, table_id: str, seat: int, *, everything: bool, first_ply: int | None = None
) -> dict[str, Any]:
    """Return what the page shows of the mistakes of a seat, with inaccuracies if `everything` is wanted. It begins with
    the one at `first_ply`, if there is one.
    """
    path = f"/play/{table_id}/review"
    found = list_mistakes(review, seat, inaccuracies=everything)
    place = next((number for number, move in enumerate(found) if move.ply == first_ply), 0)
    start = max(0, place - MOST_EXERCISES + 1)
    mistakes = found[start : start + MOST_EXERCISES]
    names = wording.list_names(review)
    choices = [
        {"path": f"{path}/mistakes?seat={other + 1}", "label": "Yours" if name == wording.YOU else f"Those of {name}"}
        for other, name in enumerate(names)
        if other != seat
    ]
    if not everything and len(list_mistakes(review, seat, inaccuracies=True)) > len(found):
        choices.append({"path": f"{path}/mistakes?seat={seat + 1}&inaccuracies=1", "label": "Inaccuracies, too"})
    context = _build_page(review, table_id, [_describe_mistake(review, move) for move in mistakes], place - start)
    is_own = names[seat] == wording.YOU
    title = "Your mistakes" if is_own else f"Mistakes of {names[seat]}"
    context |= {"title": title, "noun": "Mistake", "nouns": "mistakes", "choices": choices}
    player = review.players[seat]
    link = find_lesson_about_errors(review.record.game, player.theme)
    none = "No mistakes were found in your moves." if is_own else f"No mistakes were found in {names[seat]}’s moves."
    ending = "That was the last one." if mistakes else none
    return context | {"ending": ending, "lesson": link and {**link._asdict(), "advice": player.advice}}


def build_tries_page(review: Review, table_id: str, move: MoveReview) -> dict[str, Any]:
    """Return what the page shows of the position before a move, where any other one can be tried."""
    step = {
        "ply": move.ply,
        "text": Markup("{} played <code>{}</code>. Which other move do you want to try?").format(
            _get_name(review, move), move.move
        ),
        "hint": "",
    }
    context = _build_page(review, table_id, [step])
    title = f"Why not another move {move.ply + 1}?"
    back = f"/play/{table_id}/review?ply={move.ply + 1}#shown"
    return context | {
        "path": back,
        "title": title,
        "noun": "Move",
        "nouns": "moves",
        "choices": [],
        "ending": "",
        "lesson": None,
    }


def _build_page(review: Review, table_id: str, steps: list[dict[str, Any]], first: int = 0) -> dict[str, Any]:
    """Return what both pages show: the exercises, and the board of the one that is shown first."""
    position = review.positions[steps[first]["ply"] if steps else -1]
    board = pictures.describe_board(review.record.game, position.view(position.seat).scene())
    path = f"/play/{table_id}/review"
    for step in steps:
        number = step["ply"] + 1
        more = {"name": f"move {number}", "link": f"{path}?ply={number}#shown"}
        step |= {"question": {"ply": step["ply"]}, **more}
    return {"table_id": table_id, "path": path, "steps": steps, "first": first, **board}


def _describe_mistake(review: Review, move: MoveReview) -> dict[str, Any]:
    """Return the exercise for a mistake: what was played, what it lost, and a hint at a better move."""
    lost = "" if move.loss is None else wording.format_loss(move.loss, has_points=wording.has_points(review))
    basis = "" if move.loss is None or move.loss.exact else ", by estimate"
    played = render_move(review.positions[move.ply], move.move)
    text = Markup("Move {}: {} played {}, {} that lost {}{}. Find a better move.").format(
        move.ply + 1, _get_name(review, move), played, _ARTICLES.get(move.label, "a mistake"), lost, basis
    )
    return {"ply": move.ply, "text": text, "hint": _find_hint(review, move)}


def _get_name(review: Review, move: MoveReview) -> str:
    return review.players[move.seat].name


def _find_hint(review: Review, move: MoveReview) -> str:
    """Return what a better move does, without naming it, or the advice on the theme of the mistake."""
    facts = list_facts(review.positions[move.ply], move.best_moves[0])
    if facts:
        return f"A better move {facts[0].text}."
    of_moves = review.record.game.spec.part(Teaching).facts_of_moves
    theme = next((statement.theme for statement in move.statements if statement.theme), "")
    return "" if of_moves is None else of_moves.THEMES.get(theme, "")


def find_lesson_about_errors(game: Game, theme: str) -> LessonLink | None:
    """Return the lesson of a game that teaches a theme of errors; None if there is none."""
    lesson = find_lesson_about(game.id, theme)
    return None if lesson is None else LessonLink(lesson.name, lesson.title)
