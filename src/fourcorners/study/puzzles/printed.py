"""Puzzles for paper: the task, and the solution for the back of the page, in words."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fourcorners.core.errors import OptionError
from fourcorners.core.game import Position, View
from fourcorners.core.narration import begin_with_move, name_move, spell_count
from fourcorners.study.puzzles.format import Decision
from fourcorners.study.puzzles.knowledge import describe_facts, describe_known_pieces

_MOST_NAMES = 4


class PaperPuzzle(NamedTuple):
    """A puzzle for print: the solver's view, the task, the best moves, and the continuation."""

    view: View
    task: str
    solution: str
    line: str = ""


def describe_puzzle(
    position: Position,
    best: Sequence[str],
    value: int,
    next_value: int,
    line: Sequence[str] = (),
    later: Sequence[Decision] = (),
) -> PaperPuzzle:
    """Describe a puzzle for its solver, the seat to move: the task, and the solution for the back of the page.

    `best` are all the best moves. Each wins a margin of `value` from here to the end, and any other move at most
    `next_value`; in a game without points they are 1 and -1. `line` is best play, and `later` are the decisions along
    it after the first one. Raise OptionError if the game is over.
    """
    seat, game = position.seat, position.game
    if seat is None:
        raise OptionError("position", "a finished game is not a puzzle")
    name = position.seat_names[seat]
    name = f"{name[:1].upper()}{name[1:]}"
    moves = _list_best(position, best, begin_with_move)
    if game.spec.scoring == "points":
        party = next(party for party in game.options.parties if seat in party)
        lead = position.scores[seat] - max(points for other, points in enumerate(position.scores) if other not in party)
        task = f"{name} to move: {_name_goal(lead + value)}."
        solution = f"{moves}: {_name_result(lead + value)}. Every other move: {_name_best_result(lead + next_value)}."
    else:
        task = f"{name} to move: win."
        solution = f"{moves}. Every other move loses."
    facts = describe_facts(position, seat)
    facts = f"{facts}." if facts else ""
    count = f"Find {spell_count(1 + len(later), 'move')}." if later else ""
    task = " ".join(filter(None, [task, count, facts, *describe_known_pieces(position)]))
    solution = " ".join([solution, *_describe_later(position, later)])
    play = f"Best play: {_list_line(position, line)}" if len(line) > 1 else ""
    return PaperPuzzle(position.view(seat), task, solution, play)


def _list_best(position: Position, best: Sequence[str], name_first: Callable[[Position, str], str] = name_move) -> str:
    """Name the best moves of a position. Long lists end with a count, as words are much longer than notation."""
    names = [name_first(position, best[0]), *(name_move(position, move) for move in best[1:])]
    shown = names if names == list(best) else names[:_MOST_NAMES]
    more = len(names) - len(shown)
    return " or ".join(shown) + (f" or {more} more like these" if more else "")


def _list_line(position: Position, line: Sequence[str]) -> str:
    """Name the moves of a line from a position on."""
    names = []
    for move in line:
        names.append(name_move(position, move))
        position = position.play(move)
    return (", " if names == list(line) else "; ").join(names)


def _describe_later(start: Position, later: Sequence[Decision]) -> list[str]:
    """Name the best moves in the later decisions of a puzzle, each after the best defence."""
    sentences, played = [], 1
    for decision in later:
        position = start.play_line(decision.after)
        before = start.play_line(decision.after[:played])
        replies = _list_line(before, decision.after[played:])
        after = f"Then, after {replies}" if replies else "Then"
        sentences.append(f"{after}: {_list_best(position, decision.best)}.")
        played = len(decision.after) + 1
    return sentences


def _name_goal(margin: int) -> str:
    """Name the final margin to reach."""
    if not margin:
        return "reach a draw"
    return f"win by {margin}" if margin > 0 else f"lose by no more than {-margin}"


def _name_result(margin: int) -> str:
    """Name a margin at the end."""
    if not margin:
        return "a draw"
    return f"{'winning' if margin > 0 else 'losing'} by {abs(margin)}"


def _name_best_result(margin: int) -> str:
    """Name the best margin that can be reached at the end."""
    if not margin:
        return "a draw at best"
    return f"winning by at most {margin}" if margin > 0 else f"losing by at least {-margin}"
