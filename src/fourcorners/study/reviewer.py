"""The making of a review, in slices: proofs from the end backwards, estimates forwards, then reasons."""

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from fourcorners.core.game import Position
from fourcorners.core.narration import begin_with_move
from fourcorners.players.computer import Choice, Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.evaluation import Evaluation, Loss, Margins, find_party
from fourcorners.study.exact_values import ExactValues
from fourcorners.study.findings import Estimate, Finding, Noise, evaluate_finding, find_loss, make_finding
from fourcorners.study.labels import ERRORS, Label, judge, measure_severity
from fourcorners.study.pace import Pace
from fourcorners.study.random_games import Difference, compare_moves, compute_result, play_random_games
from fourcorners.study.statements import (
    Statement,
    contrast_moves,
    state_refutation,
    state_result,
    verify,
)

_PATIENCE = 2  # this many unproven positions in a row end the proofs
_SPREADS = 12  # the number of a game's positions at which the spread of random games is measured
_LINE = 80  # the maximum length of best play for proven results, in moves
_SHOWN_LINE = 12
_FIRST_REASONS = 16  # a seat's first error gets the budget of one of this many, since a reader waits for it
_BEST_MOVES = 3
_WORLDS, _FEWEST_WORLDS = 60, 16
_LIKELY_ERRORS = 4  # the number of likely errors to estimate first, since a reader waits


class Part(NamedTuple):
    """A reviewer's part of a game of `plies` moves, from the ply `first` on, with facts about the whole game.

    They are the total points of all seats, and the noise: how far apart two searches lie that ought to agree, in points
    and chance.
    """

    first: int
    plies: int
    all_points: float
    noise: tuple[float, float]


class Reviewer:
    """A reviewer of the plies between positions, with the players' `names`.

    `findings` are by ply, and so are `statements`, which explain errors.
    """

    def __init__(
        self,
        positions: Sequence[Position],
        names: Sequence[str],
        pace: Pace,
        seed: int | None,
        part: Part | None = None,
    ) -> None:
        """Prepare a review of a whole match or a part of it.

        With a seed, estimates limited by nodes alone are reproducible.
        """
        self.positions, self._names, self._pace, self._seed = positions, names, pace, seed
        self.game = positions[0].game
        moves = [after.last_move_text for after in positions[1:]]
        first, count = (0, len(moves)) if part is None else (part.first, part.plies)
        self.findings = [
            make_finding(self.game, position, move, ply, count)
            for ply, (position, move) in enumerate(zip(positions, moves, strict=False), first)
        ]
        self.statements: dict[int, tuple[Statement, ...]] = {}
        self.all_points = self._count_all_points() if part is None else part.all_points
        self._is_plain = not self.game.spec.hidden and len(self.game.options.parties) == 2
        self._exact = ExactValues(self.game, 2 if pace.nodes is None else 1)
        self._end: Margins | None = None  # the value of the last position
        self._noise = Noise() if part is None else Noise(part.noise)
        self._computer = Computer(seconds=pace.seconds, nodes=pace.nodes, seed=seed)
        self._final: Estimate | None = None

    def run(self) -> Iterator[None]:
        """Make the review; yield after every step that found something."""
        yield from self._estimate_likely_errors()
        yield from self._prove_backwards()
        yield from self._estimate_forwards()
        yield from self._explain_errors()

    @property
    def is_complete(self) -> bool:
        """Whether every move except forced ones is judged and every error explained."""
        for ply, finding in enumerate(self.findings):
            if not finding.is_forced and self.find_loss(ply) is None:
                return False
            if self.label(ply) in ERRORS and ply not in self.statements:
                return False
        return True

    def _count_all_points(self) -> float:
        """Return the total points of all seats, or the expected total if the game ended early."""
        if self.game.spec.scoring == "last-move":
            return 0.0
        last = self.positions[-1]
        if not last.is_over:
            # Labels must not depend on hidden tiles.
            return fmean(play_random_games(last.view(), self._seed or 0).totals)
        return float(sum(last.scores[party[0]] for party in self.game.options.parties))

    # Results.

    def find_loss(self, ply: int) -> Loss | None:
        """Return the loss of a ply's move; None if it is not known yet."""
        return find_loss(self.findings[ply], self._get_margins_after(ply), self._noise.levels, self._noise.favour)

    def evaluate(self, ply: int) -> Evaluation | None:
        """Return the evaluation of the position before a ply; None if there is none yet."""
        return evaluate_finding(self.findings[ply], self._noise.levels)

    def label(self, ply: int) -> Label | None:
        """Return the label of a ply's move; None if it has not been judged yet."""
        if self.findings[ply].is_forced:
            return Label.FORCED
        loss = self.find_loss(ply)
        return None if loss is None else judge(loss, self.all_points)

    def _get_margins_after(self, ply: int) -> Margins | None:
        return self.findings[ply + 1].exact if ply + 1 < len(self.findings) else self._end

    # Proofs.

    def _prove_backwards(self) -> Iterator[None]:
        """Solve the positions from the last one back, until two in a row take too long."""
        self._end = self._prove(self.positions[-1])
        failures = int(self._end is None)
        for ply, finding in reversed(tuple(enumerate(self.findings))):
            if failures == _PATIENCE or not self._pace.has_time_for_proofs:
                break
            finding.exact = self._prove(finding.position)
            failures = 0 if finding.exact is not None else failures + 1
            if finding.exact is not None:
                yield
                yield from self._explain_first_error(ply)

    def _prove(self, position: Position) -> Margins | None:
        return self._exact.find_margins(position, self._pace.allot_proof())

    # Estimates.

    def _estimate_forwards(self) -> Iterator[None]:
        """Estimate the unproven positions in order, and compare their moves."""
        open_plies = [
            ply for ply, finding in enumerate(self.findings) if finding.before is None and self._needs_estimate(finding)
        ]
        self._measure_spreads(open_plies)
        for number, ply in enumerate(open_plies):
            if not self._pace.has_time_for_estimates:
                return
            # Every ply but the last also needs an estimate of the better move.
            self._computer.seconds = self._pace.allot_estimate(2 * (len(open_plies) - number) + 1)
            self._estimate_ply(ply)
            yield
            yield from self._explain_first_error(max(0, ply - 1) if self._is_plain else ply)
        last = open_plies[-1] if open_plies else None
        if last is not None and last + 1 == len(self.findings) and self._is_plain and self._end is None:
            self._final = self._search(self.positions[-1], self.positions[-1].seat or 0)
            self._compare(last)
            yield

    def _estimate_likely_errors(self) -> Iterator[None]:
        """Estimate the likely errors first, where plies are judged one by one.

        They are the moves that do worst, in a few games, against the moves of the best level that does not search.
        """
        simple = [
            number for number, level in enumerate(self.game.spec.part(ComputerPlay).levels, 1) if level.nodes == 0
        ]
        if self._is_plain or not simple:
            return
        rival, losses = Computer(simple[-1], seed=self._seed or 0), {}
        for ply, finding in enumerate(self.findings):
            choice = rival.choose(finding.position, self._pace.stop).move
            if choice != finding.move and not (finding.is_forced or finding.may_use_exact):
                losses[ply] = self._compare_with(finding, choice, _FEWEST_WORLDS).margin
        for ply in sorted(losses, key=lambda ply: -losses[ply])[:_LIKELY_ERRORS]:
            self._measure_spreads([ply])
            self._computer.seconds = self._pace.allot_estimate(2 * len(self.findings) + 1)
            self._estimate_ply(ply)
            yield
            yield from self._explain_first_error(ply)

    def _needs_estimate(self, finding: Finding) -> bool:
        return finding.exact is None or not finding.may_use_exact

    def _measure_spreads(self, plies: list[int]) -> None:
        """Measure the spread of random games at some of these plies, and use it for the plies after them."""
        spread, step = 0.0, -(-len(plies) // _SPREADS) if plies else 1
        for number, ply in enumerate(plies):
            if number % step == 0 and not self._pace.is_stopped:
                view = self.positions[ply].view(self.findings[ply].seat)
                spread = play_random_games(view, self._seed or ply).spread
            self.findings[ply].spread = spread

    def _estimate_ply(self, ply: int) -> None:
        """Search a position as its mover saw it, then compare the move before it if that is now possible."""
        finding = self.findings[ply]
        choice = self._choose(finding.position)
        finding.before, finding.choice, finding.line = _to_estimate(choice), choice.move, choice.line
        finding.best_moves = (choice.move,)
        if self._is_plain:
            if ply and self._needs_estimate(self.findings[ply - 1]):
                self._compare(ply - 1)
            if self._get_margins_after(ply) is not None:
                self._compare(ply)
        elif choice.move != finding.move:
            self._play_on(finding)

    def _choose(self, position: Position) -> Choice:
        return self._computer.choose(position, self._pace.stop)

    def _search(self, position: Position, seat: int) -> Estimate:
        """Return the estimate of a position, which may be over, for a seat; for two parties with open hands."""
        margins = None if position.seat is not None else self._exact.find_margins(position, self._pace.allot_proof())
        if margins is not None:
            return Estimate(*compute_result(self.game, position.scores, seat), decided=True)
        estimate = _to_estimate(self._choose(position))
        return estimate if position.seat in find_party(self.game, seat) else estimate.negate()

    def _get_estimate_after(self, ply: int) -> Estimate | None:
        """Return the value of the position after a ply to that ply's mover; None if it is not known."""
        seat, margins = self.findings[ply].seat, self._get_margins_after(ply)
        if margins is not None:
            win = 1.0 if margins[seat] > 0 else 0.5 if margins[seat] == 0 else 0.0
            return Estimate(float(margins[seat]), win, decided=True)
        if ply + 1 == len(self.findings):
            after, mover = self._final, self.positions[-1].seat
        else:
            after, mover = self.findings[ply + 1].before, self.findings[ply + 1].seat
        if after is None:
            return None
        return after if mover in find_party(self.game, seat) or ply + 1 == len(self.findings) else after.negate()

    def _compare(self, ply: int) -> None:
        """Compare a move with the search's choice by searches after both; if they are the same, measure the noise."""
        finding = self.findings[ply]
        if finding.before is None or finding.played is not None or finding.is_forced:
            return
        finding.played = self._get_estimate_after(ply)
        if finding.played is None:
            return
        party, after = find_party(self.game, finding.seat), finding.position.play(finding.choice)
        if finding.choice == finding.move:
            if not (finding.before.decided or finding.played.decided):
                self._noise.add(finding.before, finding.played, passes=after.seat not in party)
        else:
            finding.best = self._search(after, finding.seat)
            if not (finding.best.decided or finding.played.decided):
                finding.swing = (after.seat in party) - (self.positions[ply + 1].seat in party)

    def _play_on(self, finding: Finding) -> None:
        """Compare a move with the search's choice in games played on from both, in worlds possible for the mover."""
        slot = self._computer.seconds
        end = math.inf if slot is None else self._pace.elapsed_seconds + slot

        def is_stopped() -> bool:
            return self._pace.is_stopped or self._pace.elapsed_seconds >= end

        finding.difference = self._compare_with(finding, finding.choice, _WORLDS, is_stopped)

    def _compare_with(
        self, finding: Finding, move: str, worlds: int, is_stopped: Callable[[], bool] = lambda: False
    ) -> Difference:
        """Return the advantage of another move over the one played, in games played on from both."""
        view, parse = finding.position.view(finding.seat), self.game.spec.notation.parse
        actions = int(parse(view.record, move)), int(parse(view.record, finding.move))
        return compare_moves(view, actions, self._seed or 0, worlds, is_stopped)

    def judge_first_ply(self, exact: Margins | None, best_moves: tuple[str, ...]) -> None:
        """Judge and explain the move of the first ply.

        `exact` are the proven final margins of its position, if known, and `best_moves` known best moves there, which
        are proven if there are margins.
        """
        finding, after = self.findings[0], self.positions[1]
        finding.best_moves = best_moves
        if exact is not None:
            self._exact.remember(finding.position, exact)
            best = exact[finding.seat]
            self._end = self._exact.match_margin(finding.position, after, best, self._pace.allot_proof())
        self._end = self._end or self._prove(after)
        if self._end is not None:
            finding.exact = self._prove(finding.position)
        if self._needs_estimate(finding):
            self._measure_spreads([0])
            self._computer.seconds = self._pace.allot_estimate(4)
            self._estimate_ply(0)
            if self._is_plain and self._end is None:
                self._final = self._search(after, finding.seat)
                self._compare(0)
        if self.label(0) not in {Label.BEST, Label.FORCED}:
            self.statements[0] = self.explain(finding, finding.move, self._end)

    # Reasons.

    def _explain_first_error(self, ply: int) -> Iterator[None]:
        """Find reasons for the error of a ply unless another error of the same seat has some.

        A reader waits for text while the review is being made.
        """
        finding = self.findings[ply]
        if self.label(ply) in ERRORS and all(self.findings[each].seat != finding.seat for each in self.statements):
            statements = self.explain(finding, finding.move, self._get_margins_after(ply), _FIRST_REASONS)
            if statements:
                self.statements[ply] = statements
                yield

    def _explain_errors(self) -> Iterator[None]:
        """Find reasons for the other errors, the worst first, and the best moves of all proven positions."""
        # An apparent error may no longer be one, because the noise of the searches is known better by now.
        self.statements = {ply: found for ply, found in self.statements.items() if self.label(ply) in ERRORS}
        unexplained = set(range(len(self.findings))) - self.statements.keys()
        losses = {ply: self.find_loss(ply) for ply in unexplained if self.label(ply) in ERRORS}
        severity = {ply: measure_severity(loss, self.all_points) for ply, loss in losses.items() if loss is not None}
        worst_first = sorted(severity, key=lambda ply: (-severity[ply], ply))
        for number, ply in enumerate(worst_first):
            if self._pace.is_stopped:
                return
            finding, reasons = self.findings[ply], len(worst_first) - number
            self.statements[ply] = self.explain(finding, finding.move, self._get_margins_after(ply), reasons)
            yield

    def explain(self, finding: Finding, move: str, after: Margins | None, reasons: int = 1) -> tuple[Statement, ...]:
        """Find the best moves of a position, unless known, and state why a move is worse, in verified sentences.

        `after` are the proven margins after the move, if any; `reasons` is the number of moves still to be explained.
        """
        is_proven = finding.exact is not None and finding.may_use_exact
        if is_proven and not finding.best_moves:
            finding.best_moves = self._prove_best_moves(finding.position, reasons)
        if move in finding.best_moves:
            return ()
        if is_proven and finding.exact is not None and after is not None:
            statements = self._explain_by_proof(finding, move, after, reasons)
        elif finding.best_moves:
            statements = self._explain_by_estimate(finding, move)
        else:
            return ()
        return tuple(each for each in statements if each is not None and not verify(each, finding.position))

    def _prove_best_moves(self, position: Position, reasons: int) -> tuple[str, ...]:
        """Return proven best moves of a position; none if the proof takes too long.

        If there are too many moves to try them all, the search's choice is the only candidate.
        """
        budget = self._pace.allot_reason(reasons)
        found = self._exact.find_best_moves(position, budget, (), _BEST_MOVES)
        if not found and self._pace.has_time_for_reasons:
            self._computer.seconds = self._pace.allot_search(reasons)
            likely = self._choose(position).move
            found = self._exact.find_best_moves(position, self._pace.allot_reason(reasons), (likely,), 1)
        return tuple(found)

    def _explain_by_proof(
        self, finding: Finding, move: str, after: Margins, reasons: int
    ) -> Sequence[Statement | None]:
        """State how the game ends with best play after a move and, if known, after the best one, and why."""
        position, names = finding.position, self._names

        def find_line(played: str) -> list[str]:
            return self._exact.find_line(position.play(played), self._pace.allot_reason(reasons), _LINE)

        line = find_line(move)
        on_move = [state_result(position, names, move, after, line), state_refutation(position, names, move, line)]
        if not finding.best_moves or finding.exact is None:
            return on_move
        better = finding.best_moves[0]
        result = state_result(position, names, better, finding.exact, find_line(better), "Better is ")
        of_move, of_better = self._contrast(position, move, better)
        return [*on_move, *of_move, result, *of_better]

    def _explain_by_estimate(self, finding: Finding, move: str) -> Sequence[Statement | None]:
        """State the opponent's gain after a move, a move that seems better, and why."""
        position, better = finding.position, finding.best_moves[0]
        replies = () if self.game.spec.hidden else self._find_reply(finding, move)
        shown = finding.line[:_SHOWN_LINE] if finding.line[:1] == (better,) else (better,)
        result = Statement(f"{begin_with_move(position, better)} looks better, but that is an estimate.", shown)
        of_move, of_better = self._contrast(position, move, better)
        return [state_refutation(position, self._names, move, replies), *of_move, result, *of_better]

    def _contrast(self, position: Position, move: str, better: str) -> tuple[list[Statement], list[Statement]]:
        """Return facts about both moves; none if the time is up, as they take a moment on large boards."""
        return contrast_moves(position, move, better) if self._pace.has_time_for_reasons else ([], [])

    def _find_reply(self, finding: Finding, move: str) -> tuple[str, ...]:
        """Return the moves that searches expect in the turn after a move, at most _SHOWN_LINE of them.

        There are fewer if the time is up, and none if it is up before the first search or the game is over.
        """
        position = finding.position.play(move)
        line: list[str] = []
        seat = position.seat
        # The engine names one move at a time, so that a turn of several moves takes several searches.
        while position.seat is not None and position.seat == seat and len(line) < _SHOWN_LINE:
            if not self._pace.has_time_for_reasons:
                break
            reply = self._choose(position).move
            line.append(reply)
            position = position.play(reply)
        return tuple(line)


def _to_estimate(choice: Choice) -> Estimate:
    return Estimate(choice.final_margin, choice.win, choice.solved)
