"""The themes of puzzles in Squarin' Off and Dots and Boxes, detected by playing on."""

from collections.abc import Mapping

from fourcorners.builtin.squarin_off.facts import count_long_chains, count_loops
from fourcorners.builtin.squarin_off.hints import count_captured_points, count_safe_edges, list_captures
from fourcorners.builtin.squarin_off.notation import parse, split_action
from fourcorners.builtin.squarin_off.strategy.chains import find_chains
from fourcorners.core.arrays import State
from fourcorners.core.game import Position
from fourcorners.study.puzzle_themes import MIXED, Task, name_true

THEMES: Mapping[str, str] = {
    "captures": "Points can be taken, and every best move takes some of them, but the order matters.",
    "double-dealing": "Every best move leaves points that it could take, to make the opponent open the next chain.",
    "sacrifice": "Every best move gives points away although there is a safe move.",
    "safe-moves": "Every best move is safe, but not every safe move is best.",
    "parity": "With the best move the opponent runs out of safe moves first; with the best other move you do.",
    "chains": "No safe move is left: it matters which chain is opened, and where.",
    "loops": "No safe move is left and there is a loop, which costs more to hand back than a chain.",
    "blocker-cut": "Every best move lays a blocker on a chain or loop of at least three boxes and so cuts it.",
    "blocker": "Every best move lays a blocker that cuts no chain.",
    MIXED: "The best moves have no other theme in common.",
}
_LONG = 3


def find_themes(task: Task) -> list[str]:
    """Return the themes of a puzzle."""
    position = task.position
    has_captures = bool(list_captures(position.states))
    has_safe_edge = count_safe_edges(position.record) > 0
    gains = task.count_gains(position.seat or 0, task.best)
    gifts = [_count_gift(after, position.seat) for after in task.list_results()]
    uses_blocker = all(move.startswith("#") for move in task.best)
    cuts = [uses_blocker and _cuts_chain(position.record, move) for move in task.best]
    return name_true(
        {
            "captures": lambda: has_captures and all(gain > 0 for gain in gains),
            "double-dealing": lambda: has_captures and not any(gains) and all(gifts),
            "sacrifice": lambda: not has_captures and has_safe_edge and all(gifts),
            "safe-moves": lambda: not has_captures and has_safe_edge and not any(gifts) and not uses_blocker,
            "parity": lambda: not has_captures and _wins_parity(task),
            "chains": lambda: not has_captures and not has_safe_edge and not uses_blocker,
            "loops": lambda: not has_safe_edge and count_loops(position.record) > 0,
            "blocker-cut": lambda: all(cuts),
            "blocker": lambda: uses_blocker and not any(cuts),
        }
    )


def _count_gift(after: Position, mover: int | None) -> int:
    """Return the points that the opponent of the mover can take at once; 0 while the mover goes on."""
    if after.seat is None or after.seat == mover:
        return 0
    return count_captured_points(after.states, tuple(list_captures(after.states)))[0]


def _cuts_chain(s: State, move: str) -> bool:
    """Return whether the box of a move with a blocker is one of a long chain or loop."""
    box, _ = split_action(s, int(parse(s, move)))
    return any(box in chain.boxes and len(chain.boxes) >= _LONG for chain in find_chains(s))


def _wins_parity(task: Task) -> bool:
    """Return whether best play makes the opponent run out of safe edges first, and the other line the mover, with a
    long chain on the board.
    """
    mover = task.position.seat
    losers = []
    for line in (task.line, task.refutation):
        end = _play_until_unsafe(task.position, line)
        losers.append(end.seat if end is not None else None)
    return count_safe_edges(task.position.record) > 0 and None not in losers and losers == [1 - (mover or 0), mover]


def _play_until_unsafe(position: Position, line: tuple[str, ...]) -> Position | None:
    """Return the first position of a line with neither a safe edge nor a capture, if it has a long chain then."""
    for move in line:
        if count_safe_edges(position.record) == 0 and not list_captures(position.states):
            return position if count_long_chains(position.record) > 0 else None
        position = position.play(move)
        if position.seat is None:
            return None
    return None
