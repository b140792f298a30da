"""The list from which teachers pick puzzles for a set: filters, a page of small boards, and what has been picked."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fourcorners.core.errors import GameError
from fourcorners.study.puzzles.choice import list_themes
from fourcorners.study.puzzles.format import Puzzle, find_puzzle, list_puzzles
from fourcorners.web.application.puzzle_sets import MAX_ITEMS
from fourcorners.web.application.puzzles import list_games_with_puzzles, name_theme
from fourcorners.web.pages.miniatures import describe_miniatures, draw_miniature
from fourcorners.web.pages.puzzles import describe_task

PAGE_LENGTH = 10
PICK = "pick-"
"""The prefix of the names of the boxes that mark puzzles."""
_LEVELS = ("easy", "medium", "hard")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


def add_picks(form: Mapping[str, str]) -> tuple[str, str]:
    """Return the text of a form, one item on each line, with what was picked below it, and a sentence if not all of
    that fits. Puzzles that are listed already, or do not exist, are left out.
    """
    lines = [line.strip() for line in form.get("items", "").splitlines() if line.strip()]
    marked = [name.removeprefix(PICK) for name in form if name.startswith(PICK)]
    wanted = dict.fromkeys([*marked, *form.get("all", "").split()[:PAGE_LENGTH]])
    picked = [name for name in wanted if name not in lines and _is_puzzle(name)]
    free = max(0, MAX_ITEMS - len(lines))
    sentence = f"A set has up to {MAX_ITEMS} items, so not all puzzles were added." if len(picked) > free else ""
    return "\n".join([*lines, *picked[:free]]), sentence


def _is_puzzle(name: str) -> bool:
    game_id, _, puzzle_id = name.partition("/")
    try:
        find_puzzle(game_id, puzzle_id)
    except GameError:
        return False
    return True


def describe_picker(form: Mapping[str, str], items: str) -> dict[str, Any]:
    """Return what the page shows of the list: the choices of `game`, `theme`, `level` and `page` in a form or query,
    the first ones by default, and the puzzles on that page that are not in the text `items`, the easiest first.
    """
    games = list_games_with_puzzles()
    if not games:
        return {"games": []}
    game = next((game for game in games if game.id == form.get("game")), games[0])
    puzzles = list_puzzles(game.id)
    themes = list_themes(puzzles)
    theme = form.get("theme", "") if form.get("theme") in themes else ""
    level = form.get("level", "") if form.get("level") in _LEVELS else ""
    listed = set(items.split())
    found = [
        puzzle
        for puzzle in _select_level(puzzles, level)
        if puzzle.name not in listed and (not theme or theme in puzzle.themes)
    ]
    last = max(1, -(-len(found) // PAGE_LENGTH))
    page = min(int(form["page"]) if _NUMBER.fullmatch(form.get("page", "")) else 1, last)
    shown = found[(page - 1) * PAGE_LENGTH : page * PAGE_LENGTH]
    return {
        "games": [(each.id, each.title) for each in games],
        "themes": [(each, name_theme(each)) for each in themes],
        "levels": [(each, each.capitalize()) for each in _LEVELS],
        "game": game.id,
        "theme": theme,
        "level": level,
        "page": page,
        "pages": last,
        "count": len(found),
        "puzzles": [_describe(puzzle) for puzzle in shown],
        **describe_miniatures({game.id}),
    }


def _select_level(puzzles: Sequence[Puzzle], level: str) -> list[Puzzle]:
    """Return the third of a game's puzzles that has a level, or all without one, the easiest first."""
    ordered = sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))
    if not level:
        return ordered
    number, count = _LEVELS.index(level), len(_LEVELS)
    return ordered[number * len(ordered) // count : (number + 1) * len(ordered) // count]


def _describe(puzzle: Puzzle) -> dict[str, Any]:
    position = puzzle.position
    return {
        "name": puzzle.name,
        "board": draw_miniature(puzzle.game, position.view(position.seat)),
        "task": describe_task(puzzle),
        "rating": puzzle.rating,
        "themes": ", ".join(map(name_theme, puzzle.themes)),
    }
