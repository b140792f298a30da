"""What a solve came to, in words and as JSON."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from fourcorners.core.position import Position
from fourcorners.solve.checkpoint import SolveState
from fourcorners.solve.solution import Solution

_PACKAGES = ("fourcorners", "numpy", "numba")


@dataclass(frozen=True)
class Verdict:
    """How a solve ended: with a solution, or with bounds and the reason why there is none."""

    position: Position
    standing: SolveState
    before: SolveState
    solution: Solution | None
    why: str
    interrupted: bool
    fill: float
    threads: int
    nimber: int | None


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return all that is known, for programs; `nodes` and `seconds` are those of all runs together."""
    position, standing, solution = verdict.position, verdict.standing, verdict.solution
    is_known = standing.lower == standing.upper
    value = standing.lower if is_known else None
    return {
        "game": position.game.id,
        "options": position.game.given(),
        "position": position.text,
        "seat": position.seat,
        "scores": list(position.scores),
        "solved": solution is not None,
        "why": verdict.why or None,
        "value": value,
        "lower": standing.lower,
        "upper": standing.upper,
        "final_margin": None if value is None or position.seat is None else _lead(position) + value,
        "nimber": verdict.nimber,
        "margins": None if solution is None or solution.margins is None else list(solution.margins),
        "open_hands": None if solution is None else solution.open_hands,
        "moves": None if solution is None else list(solution.moves),
        "values": None if solution is None or not solution.values else dict(solution.values),
        "nodes": standing.nodes,
        "seconds": round(standing.seconds, 3),
        "nodes_before": verdict.before.nodes,
        "seconds_before": round(verdict.before.seconds, 3),
        "memory": standing.memory,
        "fill": round(verdict.fill, 6),
        "threads": verdict.threads,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
    }


def in_words(verdict: Verdict) -> str:
    """Say what a position is worth."""
    position, standing, solution = verdict.position, verdict.standing, verdict.solution
    if position.seat is None:
        return "The game is over: nothing is left to be won."
    lines = []
    if verdict.nimber is not None:
        lines.append(f"{_mover(position)} {_winning(standing.lower)}. The nimber is {verdict.nimber}.")
    elif standing.lower == standing.upper:
        lines.append(f"{_mover(position)} {_by(standing.lower)} from here.{_in_the_end(position, standing.lower)}")
    else:
        lines.append(
            f"{_mover(position)} is worth {standing.lower} to {standing.upper} from here: that much is proven."
        )
    if solution is not None:
        lines += _of_moves(solution)
        if solution.margins is not None:
            margins = ", ".join(f"seat {seat}: {margin:+d}" for seat, margin in enumerate(solution.margins))
            lines.append(f"How every seat's margin changes from here: {margins}.")
        if solution.open_hands:
            lines.append("This is the value of open hands: it depends on something that the seat to move cannot see.")
    elif standing.lower == standing.upper:
        lines.append("Its best moves are not known.")
    if verdict.why:
        lines.append(f"Not finished: {verdict.why}.")
    gone_on = f", {verdict.before.seconds:.1f} s of them in earlier runs" if verdict.before.nodes else ""
    full = f"memory {verdict.fill:.1%} full"
    lines.append(f"{standing.nodes:,} nodes in {standing.seconds:.2f} s{gone_on}; {full}.")
    return "\n".join(lines)


def _mover(position: Position) -> str:
    seat = position.seat or 0
    team = next(party for party in position.game.options.parties if seat in party)
    partners = "".join(f" and {other}" for other in team if other != seat)
    return f"Seat {seat}, to move,{f' with its partner{partners[4:]},' if partners else ''}"


def _winning(value: int) -> str:
    return "wins" if value > 0 else "loses"


def _by(value: int) -> str:
    if value == 0:
        return "comes out even"
    return f"{_winning(value)} by {abs(value)}"


def _lead(position: Position) -> int:
    """Return the margin of the seat to move, as the points stand."""
    seat = position.seat or 0
    others = [party for party in position.game.options.parties if seat not in party]
    return position.scores[seat] - max(position.scores[party[0]] for party in others)


def _in_the_end(position: Position, value: int) -> str:
    """Say how the game ends, if the points do not start even."""
    lead = _lead(position)
    if lead == 0:
        return ""
    end = lead + value
    result = "the game is even" if end == 0 else f"it {_by(end)}"
    return f" With the points as they stand, {_listed(position.scores)}, in the end {result}."


def _listed(scores: tuple[int, ...]) -> str:
    return " to ".join(map(str, scores))


def _of_moves(solution: Solution) -> list[str]:
    """List the best moves, or all of them by what they are worth."""
    if not solution.values:
        return [f"Best moves: {', '.join(solution.moves)}."] if solution.moves else []
    by_value: dict[int, list[str]] = {}
    for move, value in solution.values.items():
        by_value.setdefault(value, []).append(move)
    return [f"{value:+4d}: {', '.join(sorted(by_value[value]))}" for value in sorted(by_value, reverse=True)]
