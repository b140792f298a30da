"""Environments for learning programs: batches of games, immutable states, and the standards' interfaces.

>>> import fourcorners as fc
>>> batch = fc.envs.Batch(fc.game("dots-and-boxes"), 32, seed=1)
>>> while batch.episode.min() == 0:
...     step = batch.step(batch.sample())
>>> step.rewards.shape, batch.legal_mask.shape, batch.observe().shape
((32, 2), (32, 60), (32, 7, 6, 6))

`fourcorners.envs.pettingzoo`, `.gymnasium` and `.openspiel` need the extra "envs" and are imported by name, as is
`fourcorners.envs.text`, which lets language models play.
"""

from fourcorners.envs.batch import Batch, Rollout, Step
from fourcorners.envs.encoding import Encoding, IllegalActionError
from fourcorners.envs.search import Search
from fourcorners.envs.state import State

__all__ = ["Batch", "Encoding", "IllegalActionError", "Rollout", "Search", "State", "Step"]
