"""The limits of a solve."""

import threading

import fourcorners as fc
from fourcorners.solve.solver import SolveBudget, create_backend, run_task


def test_explanation_names_the_limit_that_was_reached() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=1).start()
    for seconds in (None, 100.0):
        budget = SolveBudget(seconds=seconds, nodes=5)
        backend = create_backend(position.game, 1 << 16)
        assert not run_task(backend.create_task(position), backend, budget)
        assert budget.explain_limit() == "not solved within 5 nodes"
    for nodes in (None, 5):
        assert SolveBudget(seconds=0.25, nodes=nodes).explain_limit() == "not solved within 0.25 s"


def test_explanation_names_a_stop_before_any_limit() -> None:
    stop = threading.Event()
    stop.set()
    assert SolveBudget(seconds=0.0, stop=stop, nodes=0).explain_limit() == "stopped before it was solved"
