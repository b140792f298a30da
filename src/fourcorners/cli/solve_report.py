"""The report of a solve, in words and as JSON."""

import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from fourcorners.core.game import Position
from fourcorners.solvers.checkpoint import SolveState
from fourcorners.solvers.solution import Solution
from fourcorners.solvers.solver_run import compute_margin
from fourcorners.study.entry import name_seats
from fourcorners.study.results import format_score

_PACKAGES = ("fourcorners", "numpy", "numba")


@dataclass(frozen=True)
class SolveReport:
    """How a solve ended: with a solution, or with bounds and the reason why there is no solution.

    `state` is at the end of this run, `previous` at its start, which differs from nothing if a file was resumed.
    `reason` is a clause without a full stop, empty if the position was solved. `fill` is the used share of the memory,
    from 0 to 1.
    """

    position: Position
    state: SolveState
    previous: SolveState
    solution: Solution | None
    reason: str
    interrupted: bool
    fill: float
    threads: int
    nimber: int | None


def build_json(report: SolveReport) -> dict[str, Any]:
    """Return the report as JSON values by name; `nodes` and `seconds` are totals of all runs, unknown values None."""
    position, state, solution = report.position, report.state, report.solution
    value = state.lower if state.lower == state.upper else None
    final_margin = None
    if value is not None and position.seat is not None:
        final_margin = compute_margin(position, position.seat) + value
    return {
        "game": position.game.id,
        "options": position.game.given_options(),
        "position": position.text,
        "seat": position.seat,
        "scores": list(position.scores),
        "solved": solution is not None,
        "why": report.reason or None,
        "lower": state.lower,
        "upper": state.upper,
        "final_margin": final_margin,
        "remaining_margin": value,
        "nimber": report.nimber,
        "margins": None if solution is None or solution.margins is None else list(solution.margins),
        "open_hands": None if solution is None else solution.open_hands,
        "moves": None if solution is None else list(solution.moves),
        "values": None if solution is None or not solution.values else dict(solution.values),
        "nodes": state.nodes,
        "seconds": round(state.seconds, 3),
        "nodes_before": report.previous.nodes,
        "seconds_before": round(report.previous.seconds, 3),
        "memory": state.memory,
        "fill": round(report.fill, 6),
        "threads": report.threads,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
    }


def describe_report(report: SolveReport) -> str:
    """Return the report as sentences for people, one or more lines without a line feed at the end."""
    position, state, solution = report.position, report.state, report.solution
    if position.seat is None:
        return "The game is over: nothing is left to win."
    if report.nimber is not None:
        result = (
            f"wins. The nimber is {report.nimber}." if state.lower > 0 else f"loses. The nimber is {report.nimber}."
        )
    elif state.lower == state.upper:
        result = f"{_describe_margin(state.lower)} from here.{_describe_end(position, state.lower)}"
    else:
        result = f"gains between {state.lower} and {state.upper} from here; no narrower bounds are proven."
    lines = [f"{_describe_mover(position)} {result}"]
    if solution is not None:
        lines += _list_moves(solution)
        if solution.margins is not None:
            named = zip(name_seats(position), solution.margins, strict=True)
            margins = ", ".join(f"{name}: {margin:+d}" for name, margin in named)
            lines.append(f"Change of each player’s margin from here: {margins}.")
        if solution.open_hands:
            lines.append("This value assumes open hands: it depends on something that the player to move cannot see.")
    elif state.lower == state.upper:
        lines.append("Its best moves are not known.")
    if report.reason:
        lines.append(f"Not finished: {report.reason}.")
    earlier = f", {report.previous.seconds:.1f} s of them in earlier runs" if report.previous.nodes else ""
    lines.append(f"{state.nodes:,} nodes in {state.seconds:.2f} s{earlier}; memory {report.fill:.1%} full.")
    return "\n".join(lines)


def _describe_mover(position: Position) -> str:
    """Return the subject of a sentence for a game that is not over: "Red, to move, with its partner Green,"."""
    seat = position.seat or 0
    team = next(party for party in position.game.options.parties if seat in party)
    names = name_seats(position)
    partners = " and ".join(names[other] for other in team if other != seat)
    return f"{names[seat]}, to move, with its partner {partners}," if partners else f"{names[seat]}, to move,"


def _describe_margin(value: int) -> str:
    if value == 0:
        return "breaks even"
    return f"wins by {value}" if value > 0 else f"loses by {-value}"


def _describe_end(position: Position, value: int) -> str:
    """Return a sentence, with a leading space, on how a game of this `value` ends; empty if the margin is 0 now."""
    lead = compute_margin(position, position.seat or 0)
    if lead == 0:
        return ""
    score = format_score((), position.scores, position.game, [position.seat or 0])
    result = f"it {_describe_margin(lead + value)} at the end" if lead + value else "the game is a draw"
    return f" The score is {score} now, so {result}."


def _list_moves(solution: Solution) -> list[str]:
    """Return lines with the best moves, or with all moves grouped by value, the highest first; none if unknown."""
    if not solution.values:
        return [f"Best moves: {', '.join(solution.moves)}."] if solution.moves else []
    by_value: dict[int, list[str]] = {}
    for move, value in solution.values.items():
        by_value.setdefault(value, []).append(move)
    return [f"{value:+4d}: {', '.join(sorted(by_value[value]))}" for value in sorted(by_value, reverse=True)]
