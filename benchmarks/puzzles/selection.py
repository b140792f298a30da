"""Choosing puzzles among candidates: their themes, their difficulty, and a variety of both."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

import fourcorners as fc
from benchmarks.puzzles.candidates import Candidate, ask_levels
from benchmarks.puzzles.sets import list_level_ratings
from fourcorners.study.puzzle_themes import MIXED, Task
from fourcorners.study.puzzles.format import Puzzle
from fourcorners.study.puzzles.identity import compute_id
from fourcorners.study.teaching import Teaching

_RATINGS = range(400, 3401, 10)
_USUAL_RATING, _RATING_SPREAD = 1500, 500
"""What ratings are like before any level is asked: their mean and standard deviation."""
_BAND = 200
"""Puzzles whose ratings are in one band of this many points count as equally hard."""


def estimate_rating(solved: Mapping[str, float], level_ratings: list[int]) -> int:
    """Return the most likely rating, in Elo points, given how often levels, by their numbers, find a best move.

    A player solves a puzzle of the same rating in half of the cases, as if the two had played a game.
    """

    def measure(rating: int) -> float:
        """Return the logarithm of how likely the results are, with that of the rating itself."""
        likelihood = -(((rating - _USUAL_RATING) / _RATING_SPREAD) ** 2) / 2
        for number, share in solved.items():
            win = 1 / (1 + 10 ** ((rating - level_ratings[int(number) - 1]) / 400))
            likelihood += share * math.log(win) + (1 - share) * math.log(1 - win)
        return likelihood

    return max(_RATINGS, key=measure)


def create_puzzle(game_id: str, candidate: Candidate) -> Puzzle:
    """Return the puzzle of a candidate, with its themes and rating."""
    game = fc.game(game_id, **candidate.options)
    position = game.position(candidate.position)
    best, line = tuple(candidate.best), tuple(candidate.line)
    task = Task(position, best, line, tuple(candidate.refutation))
    detector = game.spec.part(Teaching).puzzle_themes
    return Puzzle(
        id=compute_id(position),
        game=game,
        text=candidate.position,
        best=best,
        value=candidate.value,
        next_value=candidate.next_value,
        themes=tuple(detector.find_themes(task)) if detector is not None else (),
        rating=estimate_rating(candidate.solved, list_level_ratings(game)),
        source=candidate.source,
        line=line,
    )


def rate_again(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle with the rating that the present levels give it: they have to find the move of each decision."""
    solved: dict[str, float] = {}
    for decision in puzzle.list_main_decisions():
        # The history would let players go on with an earlier search.
        position = puzzle.game.position(puzzle.position.play_line(decision.after).text)
        for level, share in ask_levels(position, list(decision.best)).items():
            solved[level] = solved.get(level, 1.0) * share
    return replace(puzzle, rating=estimate_rating(solved, list_level_ratings(puzzle.game)))


def choose_varied(puzzles: Iterable[Puzzle], count: int) -> list[Puzzle]:
    """Choose up to `count` puzzles, preferring themes, difficulties and boards that are rare so far.

    They are sorted as in a file.
    """
    waiting = list(puzzles)
    chosen: list[Puzzle] = []
    used: Counter[object] = Counter()
    while waiting and len(chosen) < count:
        best = max(waiting, key=lambda puzzle: sum(1 / (1 + used[trait]) for trait in _list_traits(puzzle)))
        waiting.remove(best)
        chosen.append(best)
        used.update(_list_traits(best))
    return sort_puzzles(chosen)


def sort_puzzles(puzzles: Iterable[Puzzle]) -> list[Puzzle]:
    """Return puzzles in the order of a file: by rating, then by id."""
    return sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))


def _list_traits(puzzle: Puzzle) -> list[object]:
    """Return what should differ between puzzles."""
    themes = [theme for theme in puzzle.themes if theme != MIXED]
    return [*themes, puzzle.rating // _BAND, puzzle.game]
