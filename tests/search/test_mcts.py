"""The order in which a node's actions are tried."""

import numpy as np
import pytest

from fourcorners.search import mcts


@pytest.mark.parametrize("priors", [[0.0] * 9, [1.0, 0, 2, 0, 1, 2, 2, 0, -1]])
def test_each_action_is_tried_once_by_prior_and_the_salt_varies_the_order_of_ties(priors: list[float]) -> None:
    actions = np.array([5, 17, 3, 900, 12, 44, 1 << 33, 7, 0], np.int64)
    worth = np.array(priors)
    orders = set()
    for salt in range(5):
        order: list[int] = []
        for _ in actions:
            last = order[-1] if order else -1
            order.append(int(actions[mcts._find_next_untried(actions, len(actions), worth, np.uint64(salt), last)]))
        assert sorted(order) == sorted(actions.tolist())
        tried = [priors[actions.tolist().index(action)] for action in order]
        assert tried == sorted(priors, reverse=True)
        orders.add(tuple(order))
    assert len(orders) > 1
