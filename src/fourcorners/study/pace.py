"""The division of a review's time or nodes among proofs, estimates and reasons."""

import threading

from fourcorners.core.slices import Budget
from fourcorners.solvers.solver_run import SolveBudget

_PROOF_SHARE, _ESTIMATE_SHARE, _REASON_SHARE = 0.35, 0.8, 0.95
"""The shares of the time after which no new proofs, estimates and reasons begin."""
_ONE_PROOF_SHARE = 0.25
"""The largest share of the time for proofs that one position may take."""
_SOLVER_NODES = 400
"""The number of nodes of a proof for each simulation of an estimate, which gives proofs about fifty times as long."""
_LEAST_SECONDS = 0.02


class Pace:
    """The limits of one review: seconds in all, simulations for each estimate, or both, and an event that stops it."""

    def __init__(
        self,
        seconds: float | None,
        nodes: int | None,
        stop: threading.Event | None,
        proof_shares: tuple[float, float] = (_PROOF_SHARE, _ONE_PROOF_SHARE),
    ) -> None:
        """Start the clock. `proof_shares` are the share of time for proofs, and the share of that for one position."""
        self._proof_share, self._one_proof_share = proof_shares
        self.seconds = seconds
        self.nodes = nodes
        self.stop = stop
        self._clock = Budget(None, seconds, stop)

    @property
    def elapsed_seconds(self) -> float:
        """The time since the start, without compilation."""
        return self._clock.elapsed_seconds

    @property
    def is_stopped(self) -> bool:
        """Whether the review was stopped."""
        return self._clock.is_stopped

    def _has_time(self, share: float) -> bool:
        """Return whether the review is not stopped and has not used this share of its time."""
        return not self.is_stopped and (self.seconds is None or self.elapsed_seconds < share * self.seconds)

    @property
    def has_time_for_proofs(self) -> bool:
        return self._has_time(self._proof_share)

    @property
    def has_time_for_estimates(self) -> bool:
        return self._has_time(_ESTIMATE_SHARE)

    @property
    def has_time_for_reasons(self) -> bool:
        return self._has_time(_REASON_SHARE)

    def allot_proof(self) -> SolveBudget:
        """Return the budget of one proof."""
        if self.seconds is None:
            return self._allot(None)
        share = self._proof_share * self.seconds
        return self._allot(min(share - self.elapsed_seconds, self._one_proof_share * share))

    def allot_reason(self, reasons: int) -> SolveBudget:
        """Return the budget for one of three parts of explaining a move, if `reasons` moves are to be explained."""
        if self.seconds is None:
            return self._allot(None)
        return self._allot((_REASON_SHARE * self.seconds - self.elapsed_seconds) / (3 * max(1, reasons)))

    def allot_search(self, reasons: int) -> float | None:
        """Return the seconds to search for a likely best move, a part of those for a reason; None without a limit."""
        if self.seconds is None:
            return None
        return max(_LEAST_SECONDS, (_REASON_SHARE * self.seconds - self.elapsed_seconds) / (6 * max(1, reasons)))

    def _allot(self, seconds: float | None) -> SolveBudget:
        nodes = None if self.nodes is None else _SOLVER_NODES * self.nodes
        return SolveBudget(None if seconds is None else max(_LEAST_SECONDS, seconds), self.stop, nodes=nodes)

    def allot_estimate(self, searches: int) -> float | None:
        """Return the seconds of one estimate, if `searches` are still to come; None without a limit."""
        if self.seconds is None:
            return None
        return max(_LEAST_SECONDS, (_ESTIMATE_SHARE * self.seconds - self.elapsed_seconds) / max(1, searches))
