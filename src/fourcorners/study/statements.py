"""Sentences about moves, each with the line of play behind it and the numbers that the line proves."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.errors import GameError
from fourcorners.core.game import Position
from fourcorners.core.narration import begin_with_move, name_move
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.hint_claims import NO_QUANTITIES, Claim, Hint, find_unproven
from fourcorners.solvers.solver_run import compute_margin
from fourcorners.study.evaluation import Margins, find_party
from fourcorners.study.teaching import Teaching

_MOST_FACTS = 2


class Check(NamedTuple):
    """A number proven by a line of play, which starts at the position before the move.

    `kind` is one of these:

    - points: the gain of `seat` by the line, except its first `since` moves
    - moves: the number of legal moves after it
    - quantity: the game's count after it, under the name `quantity`
    - margin: the margin of `seat` at the end of the game, which the line reaches
    - value: that margin with best play after the line, as found by the solver
    """

    kind: str
    number: int
    line: tuple[str, ...]
    seat: int | None = None
    quantity: str = ""
    since: int = 0


class Statement(NamedTuple):
    """A sentence about a move, a line to step through that begins with the move, and the proofs of its numbers.

    `theme` names the underlying knowledge, as in a game's facts; it is empty for sentences about results.
    """

    text: str
    line: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    theme: str = ""


def verify(statement: Statement, position: Position) -> list[str]:
    """List the faults of a statement about a position: illegal lines and false checks, without using the solver."""
    problems = [] if _play_line(position, statement.line) else [f"the line {statement.line} is illegal"]
    for check in statement.checks:
        end = _play_line(position, check.line)
        if end is None:
            problems.append(f"the line {check.line} is illegal")
        elif check.kind != "value" and _evaluate(check, position, end) != check.number:
            problems.append(f"{check} is false")
    return problems


def _play_line(position: Position, line: Iterable[str]) -> Position | None:
    """Return the position after a line of moves; None if one of them is illegal."""
    try:
        for move in line:
            position = position.play(move)
    except GameError:
        return None
    return position


def _evaluate(check: Check, start: Position, end: Position) -> int | None:
    """Return the true number of a check; None if there is none."""
    seat = check.seat or 0
    if check.kind == "points":
        middle = _play_line(start, check.line[: check.since])
        return None if middle is None else end.scores[seat] - middle.scores[seat]
    if check.kind == "moves":
        return len(end.moves())
    if check.kind == "margin":
        return compute_margin(end, seat) if end.is_over else None
    facts = end.game.spec.part(Teaching).facts_of_moves
    count = None if facts is None else facts.QUANTITIES.get(check.quantity)
    return None if count is None else int(count(end.record))


def list_facts(position: Position, move: str) -> list[Hint]:
    """List the effects of a move that its mover may know: the game's facts, or else its hint.

    Facts that play does not confirm are left out.
    """
    spec, view = position.game.spec, position.view(position.seat)
    action = int(spec.notation.parse(view.record, move))
    of_moves, hints = spec.part(Teaching).facts_of_moves, spec.part(ComputerPlay).hints
    facts: Sequence[Hint] = ()
    if of_moves is not None:
        facts = of_moves.list_facts(view, action)
    elif hints is not None:
        facts = [hints.hint(view, action)]
    quantities = NO_QUANTITIES if of_moves is None else of_moves.QUANTITIES
    return [fact for fact in facts if not find_unproven(fact, np.array(position.states), quantities)]


def list_costs(position: Position, move: str) -> list[Hint]:
    """List the facts about a move that speak against it."""
    return [fact for fact in list_facts(position, move) if not fact.is_vague and not is_merit(position, fact)]


def list_merits(position: Position, move: str) -> list[Hint]:
    """List the facts about a move that speak for it."""
    return [fact for fact in list_facts(position, move) if not fact.is_vague and is_merit(position, fact)]


def is_merit(position: Position, fact: Hint) -> bool:
    """Return whether a fact speaks for a move.

    It does if the game says so, or if the mover gains points or a rival loses some, and no rival gains any.
    """
    own = find_party(position.game, position.seat or 0)
    gains = [(claim.seat in own, claim.number) for claim in fact.claims if claim.seat is not None]
    if any(number > 0 for is_own, number in gains if not is_own):
        return fact.is_merit
    return fact.is_merit or any(number > 0 if is_own else number < 0 for is_own, number in gains)


def contrast_moves(position: Position, played: str, better: str) -> tuple[list[Statement], list[Statement]]:
    """State the effects of a move and of a better one that the other does not have: a few sentences on each, or none.

    Statements about the move only speak against it, and none blames the better one; statements that speak for the
    better one come first.
    """
    of_played = list_facts(position, played)
    of_better = [fact for fact in list_facts(position, better) if not fact.is_fault]
    common = {fact.text for fact in of_played} & {fact.text for fact in of_better}
    costs = list_costs(position, played)
    of_better.sort(key=lambda fact: fact.is_vague)
    played_statements, better_statements = (
        [_state_fact(position, move, fact) for fact in facts if fact.text not in common][:_MOST_FACTS]
        for move, facts in ((played, costs), (better, of_better))
    )
    return played_statements, better_statements


def _state_fact(position: Position, move: str, fact: Hint) -> Statement:
    """Return a fact about a move as a sentence."""
    checks = tuple(_build_check(position, claim) for claim in fact.claims)
    line = max((check.line for check in checks), key=len, default=(move,))
    return Statement(
        f"{begin_with_move(position, move)} {fact.text}.", line if line[:1] == (move,) else (move,), checks, fact.theme
    )


def _build_check(position: Position, claim: Claim) -> Check:
    """Return the check of a claim, with its line as moves; the line must be legal."""
    states = position.states.copy()
    record = dispatch.view_record(states)
    line = []
    for action in claim.line:
        line.append(position.game.spec.notation.format(record, action))
        compiled_api.play(states, 0, action)
    kind = "quantity" if claim.quantity else "moves" if claim.seat is None else "points"
    return Check(kind, claim.number, tuple(line), claim.seat, claim.quantity)


def state_result(
    position: Position, names: Sequence[str], move: str, margins: Margins, line: Sequence[str], how: str = ""
) -> Statement:
    """State how the game ends with best play after a move.

    `margins` are the proven final margins by seat, and `line` is best play after the move.

    `how` are words before the move.
    """
    seat, whole = position.seat or 0, (move, *line)
    end = _play_line(position, whole)
    is_whole = end is not None and end.is_over
    check = Check("margin" if is_whole else "value", margins[seat], whole if is_whole else (move,), seat)
    result = _describe_result(position, names, seat, margins)
    name = f"{how}{name_move(position, move)}" if how else begin_with_move(position, move)
    return Statement(f"{name}: with best play, {result}.", whole, (check,))


def _describe_result(position: Position, names: Sequence[str], seat: int, margins: Margins) -> str:
    """Say in a clause how a game with these final margins ends for a seat."""
    game, margin = position.game, margins[seat]
    if margin == 0:
        return "the game is drawn" if len(game.options.parties) == 2 else f"{names[seat]} shares the win"
    if game.spec.scoring == "last-move":
        return f"{names[seat]} {'wins' if margin > 0 else 'loses'}"
    if margin < 0 and len(game.options.parties) > 2:
        return f"{names[seat]} ends {-margin} behind the winner"
    return f"{names[seat]} {'wins' if margin > 0 else 'loses'} by {abs(margin)}"


def state_refutation(position: Position, names: Sequence[str], move: str, replies: Sequence[str]) -> Statement | None:
    """State the opponent's gain by replies to a move before the turn passes.

    Return None if there is none, or if the mover keeps the turn.
    """
    seat = position.seat or 0
    after = _play_line(position, (move,))
    if after is None or after.seat is None or after.seat in find_party(position.game, seat):
        return None
    rival, line, names_of_line, state = after.seat, [], [], after
    for reply in replies:
        if state.seat != rival:
            break
        following = _play_line(state, (reply,))
        if following is None:
            return None
        line.append(reply)
        names_of_line.append(name_move(state, reply))
        state = following
    gain = state.scores[rival] - after.scores[rival]
    if position.game.spec.scoring == "last-move" or gain <= 0:
        return None
    points = "1 point" if gain == 1 else f"{gain} points"
    check = Check("points", gain, (move, *line), rival, since=1)
    listed = ", ".join(names_of_line[:6]) + (", …" if len(line) > 6 else "")
    return Statement(
        f"After {name_move(position, move)}, {names[rival]} gains {points} with {listed}.", (move, *line), (check,)
    )
