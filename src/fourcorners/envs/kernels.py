"""Compiled steps of many games: record i of an array is that of game i, and so are row i and entry i of the others.

A kernel with `low` and `high` works on the games from `low` up to, but not including, `high`, so that threads can share
a batch; it slices the arrays first, since a loop from 0 is a fifth faster than one from `low`, which could be negative
for all that the compiler knows. A step is shared differently: see `lead_step` and `help_out`.

A seat of -1 means that the game is over. Programs can write to all arrays but the records, so no kernel trusts the
others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch, encoding
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.atomics import Words, fetch_add, load, store
from fourcorners.core.bits import ONE, ZERO, mix
from fourcorners.core.jit import jitable_no_alloc, jitable_wraparound, kernel_no_alloc
from fourcorners.envs.rewards import write_rewards

OVER, TRUNCATED = -1, -2
"""What `read_state` writes in place of a seat to move."""

SAMPLE, CHECK, CHECK_SAMPLES, ADVANCE = 0, 1, 2, 3
"""The tasks that threads share."""
NEXT, FINISHED, TASK, FAILED, BOARD_SIZE = 0, 8, 16, 24, 32
"""Words of a board, each in its own line of the cache, and their number."""
PART = 2048
"""The number of games that a thread takes at a time."""
PATIENCE = 400_000  # loads, about half a millisecond: waking a thread takes 50 to 200 microseconds
ILLEGAL = -2
"""What a check writes in place of the action of the rules."""

Indices = NDArray[np.int64]


class Rules(NamedTuple):
    """What all games of a batch have in common."""

    start: States
    """(1,): the record from which games start; its hidden information, if any, is dealt for each."""
    start_mask: NDArray[np.bool_]
    """(count_actions,): the mask of every start; empty if there are no masks, or if they depend on the deal."""
    parties: NDArray[np.int64]
    """(seats,): the party of each seat."""
    settings: NDArray[np.int64]
    """(3,): the number of parties, the kind of rewards, and 1 if games start again by themselves."""
    seed: NDArray[np.uint64]
    """(1,)"""


class Games(NamedTuple):
    """The games of a batch."""

    states: States
    lanes: NDArray[np.int64]
    """The number of each game, which with the seed and the episode determines its random numbers."""
    episodes: NDArray[np.int64]
    rngs: NDArray[np.uint64]
    seats: NDArray[np.int8]
    masks: NDArray[np.bool_]
    """(n, count_actions), or (n, 0) without masks."""
    done: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    """(n, seats)"""
    points: NDArray[np.int64]
    """(n, MAX_SEATS): the points at the end of the game that ended last."""
    truncations: NDArray[np.int64]
    """How often each game was truncated."""
    finals: States
    """Where a game ended in the last step, its final record; (0,) unless games start again by themselves."""


class Shared(NamedTuple):
    """What the threads that step a batch share, besides the rules and the games."""

    samples: Indices
    """(n,): the indices of random legal actions."""
    actions: Indices
    """(n,): the indices to be played, unless they are the samples."""
    codes: Actions
    """(n,): the actions of the rules to be played; scratch space."""
    board: Words
    """(BOARD_SIZE,): the first game that no thread has taken yet (NEXT), how many are finished (FINISHED), the present
    task (TASK), and whether an illegal index was found (FAILED)."""


@jitable_wraparound
def seed_rng(seed: np.uint64, lane: int, episode: int) -> np.uint64:
    """Return the state of the random generator with which an episode of a game begins."""
    word = mix(mix(mix(seed) ^ np.uint64(lane)) ^ np.uint64(episode))
    return ONE if word == ZERO else word


@jitable_no_alloc
def _find_seat(games: Games, i: int) -> int:
    """Return the seat to move in game i, -1 if it is over or pauses."""
    s = games.states[i]
    return -1 if games.seats[i] < 0 or dispatch.is_over(s) else dispatch.to_move(s)


@jitable_no_alloc
def _start(rules: Rules, games: Games, i: int) -> None:
    """Let game i start."""
    games.states[i] = rules.start[0]
    games.rngs[i] = seed_rng(rules.seed[0], games.lanes[i], games.episodes[i])
    s = games.states[i]
    dispatch.deal(s, games.rngs[i : i + 1])
    games.seats[i] = dispatch.to_move(s)
    if len(rules.start_mask) > 0:
        for index in range(len(rules.start_mask)):
            games.masks[i, index] = rules.start_mask[index]
    elif games.masks.shape[1] > 0:
        encoding.mask_actions(s, games.masks[i])


@jitable_no_alloc
def _clear_rewards(games: Games, i: int) -> None:
    """Set the rewards of game i to 0."""
    for seat in range(games.rewards.shape[1]):
        games.rewards[i, seat] = 0.0


@jitable_no_alloc
def _play(rules: Rules, games: Games, i: int, action: int) -> None:
    """Play a legal action in game i."""
    s = games.states[i]
    seat = dispatch.to_move(s)
    games.done[i] = games.truncated[i] = False
    _clear_rewards(games, i)
    dispatch.play(s, action)
    is_over = dispatch.is_over(s)
    if not is_over and encoding.can_index_all(s):
        games.seats[i] = dispatch.to_move(s)
        if games.masks.shape[1] > 0:
            encoding.update_mask(s, action, seat, games.masks[i])
        return
    games.done[i] = True
    if is_over:
        dispatch.points(s, games.points[i])
        write_rewards(games.points[i], rules.parties, rules.settings[0], rules.settings[1], games.rewards[i])
    else:
        games.truncated[i] = True
        games.truncations[i] += 1
    if rules.settings[2] == 0:
        games.seats[i] = -1
        encoding.clear_mask(games.masks[i])
        return
    games.finals[i] = games.states[i]
    games.episodes[i] += 1
    _start(rules, games, i)


@jitable_no_alloc
def _cut(games: Games, low: int, high: int) -> Games:
    """Return some of the games."""
    return Games(
        games.states[low:high],
        games.lanes[low:high],
        games.episodes[low:high],
        games.rngs[low:high],
        games.seats[low:high],
        games.masks[low:high],
        games.done[low:high],
        games.truncated[low:high],
        games.rewards[low:high],
        games.points[low:high],
        games.truncations[low:high],
        games.finals[low:high],
    )


@kernel_no_alloc
def start(rules: Rules, games: Games, low: int, high: int) -> None:
    """Let games start."""
    games = _cut(games, low, high)
    for i in range(len(games.states)):
        _start(rules, games, i)


@kernel_no_alloc
def refresh(games: Games, low: int, high: int) -> None:
    """Make the seats and the masks anew from the records."""
    games = _cut(games, low, high)
    for i in range(len(games.states)):
        s = games.states[i]
        is_over = dispatch.is_over(s)
        games.seats[i] = -1 if is_over else dispatch.to_move(s)
        if is_over:
            encoding.clear_mask(games.masks[i])
        elif games.masks.shape[1] > 0:
            encoding.mask_actions(s, games.masks[i])


@jitable_no_alloc
def _sample(games: Games, out: Indices) -> None:
    """Do what `sample` does."""
    for i in range(len(out)):
        out[i] = -1
        if _find_seat(games, i) >= 0:
            s = games.states[i]
            out[i] = encoding.index_action(s, dispatch.pick(s, games.rngs[i : i + 1]))


@jitable_no_alloc
def _check(games: Games, actions: Indices, codes: Actions) -> int:
    """Write the actions of the rules into `codes`, -1 where the game is over; return -1 or the first illegal index."""
    for i in range(len(codes)):
        codes[i] = -1
        if _find_seat(games, i) >= 0:
            codes[i] = encoding.action_at(games.states[i], actions[i])
            if codes[i] < 0:
                return i
    return -1


@jitable_no_alloc
def _advance(rules: Rules, games: Games, codes: Actions) -> None:
    """Play the actions of the rules, in the games that are not over."""
    for i in range(len(codes)):
        if codes[i] >= 0:
            _play(rules, games, i, codes[i])
        else:
            _clear_rewards(games, i)


@kernel_no_alloc
def sample(games: Games, out: Indices) -> None:
    """Write the index of a random legal action of each game into `out`, (n,); -1 where the game is over."""
    _sample(games, out)


@kernel_no_alloc
def step(rules: Rules, games: Games, actions: Indices, codes: Actions) -> int:
    """Play one action in each game that is not over; return -1.

    Check first: if the index of an action is not legal, return the number of its game, and play none. `codes`, (n,), is
    scratch space.
    """
    bad = _check(games, actions, codes)
    if bad < 0:
        _advance(rules, games, codes)
    return bad


@kernel_no_alloc
def advance(rules: Rules, games: Games, codes: Actions, low: int, high: int) -> None:
    """Play the actions of the rules, checked before, in each game that is not over (-1)."""
    _advance(rules, _cut(games, low, high), codes[low:high])


@jitable_no_alloc
def _do_parts(rules: Rules, games: Games, shared: Shared) -> bool:
    """Do parts of the present task until none is left; return whether there was one."""
    n, done = len(shared.codes), 0
    while load(shared.board, NEXT) < n:
        low = fetch_add(shared.board, NEXT, PART)
        high = min(n, low + PART)
        if low >= n:
            break
        some, codes, task = _cut(games, low, high), shared.codes[low:high], shared.board[TASK]
        if task == SAMPLE:
            _sample(some, shared.samples[low:high])
        elif task == ADVANCE:
            _advance(rules, some, codes)
        else:
            actions = shared.samples if task == CHECK_SAMPLES else shared.actions
            bad = _check(some, actions[low:high], codes)
            if bad >= 0:
                shared.board[FAILED] = 1
                codes[bad] = ILLEGAL
        done += high - low
    if done > 0:
        fetch_add(shared.board, FINISHED, done)
    return done > 0


@jitable_no_alloc
def _lead(rules: Rules, games: Games, shared: Shared, task: int) -> None:
    """Do a task in all games, together with the threads that are within `help_out`."""
    board, n = shared.board, len(shared.codes)
    board[TASK], board[FINISHED] = task, 0
    store(board, NEXT, 0)
    _do_parts(rules, games, shared)
    while load(board, FINISHED) < n:
        pass


@kernel_no_alloc
def lead_sample(rules: Rules, games: Games, shared: Shared) -> None:
    """Do what `sample` does, into `shared.samples`; share the work with the threads that are within `help_out`."""
    _lead(rules, games, shared, SAMPLE)


@kernel_no_alloc
def lead_step(rules: Rules, games: Games, shared: Shared, check: int) -> int:
    """Do what `step` does, with what the task `check` checks; share the work with the threads within `help_out`."""
    shared.board[FAILED] = 0
    _lead(rules, games, shared, check)
    if shared.board[FAILED] > 0:
        for i in range(len(shared.codes)):
            if shared.codes[i] == ILLEGAL:
                return i
    _lead(rules, games, shared, ADVANCE)
    return -1


@kernel_no_alloc
def help_out(rules: Rules, games: Games, shared: Shared) -> None:
    """Do parts of what another thread shares, until there has been none for a while (PATIENCE)."""
    idle = 0
    while idle < PATIENCE:
        idle = 0 if _do_parts(rules, games, shared) else idle + 1


@kernel_no_alloc
def rollout(
    rules: Rules,
    games: Games,
    steps: int,
    totals: NDArray[np.float64],
    ended: NDArray[np.int64],
    low: int,
    high: int,
) -> None:
    """Play random legal actions, `steps` in each game that does not end for good.

    Add the rewards to `totals`, (n, seats), and the number of games that ended to `ended`, (n,).
    """
    games, totals, ended = _cut(games, low, high), totals[low:high], ended[low:high]
    for i in range(len(games.states)):
        s = games.states[i]
        for _ in range(steps):
            if _find_seat(games, i) < 0:
                break
            _play(rules, games, i, dispatch.pick(s, games.rngs[i : i + 1]))
            if games.done[i]:
                ended[i] += 1
                for seat in range(len(rules.parties)):
                    totals[i, seat] += games.rewards[i, seat]


@kernel_no_alloc
def find_longest(games: Games) -> int:
    """Return the longest buffer that the legal actions of a game may need."""
    longest = 1
    for i in range(len(games.states)):
        longest = max(longest, dispatch.bound(games.states[i]))
    return longest


@jitable_no_alloc
def _list_legal(games: Games, i: int, buffer: Actions) -> int:
    """Write the legal actions of game i into `buffer`; return their number, 0 if it is over."""
    return 0 if _find_seat(games, i) < 0 else dispatch.legal(games.states[i], buffer)


@kernel_no_alloc
def count_legal(games: Games, buffer: Actions, offsets: Indices) -> None:
    """Write where the list of each game begins into `offsets`, (n + 1,), and where the last one ends."""
    offsets[0] = 0
    for i in range(len(games.states)):
        offsets[i + 1] = offsets[i] + _list_legal(games, i, buffer)


@kernel_no_alloc
def list_legal(games: Games, buffer: Actions, offsets: Indices, out: Indices) -> None:
    """Write the indices of the legal actions of all games, one after the other, into `out`."""
    for i in range(len(games.states)):
        s = games.states[i]
        for k in range(_list_legal(games, i, buffer)):
            out[offsets[i] + k] = encoding.index_action(s, buffer[k])


@kernel_no_alloc
def choose(games: Games, buffer: Actions, choices: Indices, codes: Actions) -> tuple[int, int]:
    """Write the action with the number `choices[i]` in the list of game i into `codes`, (n,), -1 where it is over.

    Return (-1, 0), or the first game whose list has no such number, and the length of its list.
    """
    for i in range(len(games.states)):
        codes[i], count = -1, _list_legal(games, i, buffer)
        if count > 0:
            if not 0 <= choices[i] < count:
                return i, count
            codes[i] = buffer[choices[i]]
    return -1, 0


@kernel_no_alloc
def write_scores(games: Games, out: NDArray[np.int64]) -> None:
    """Write the present points into `out`, (n, MAX_SEATS)."""
    for i in range(len(out)):
        dispatch.points(games.states[i], out[i])


@kernel_no_alloc
def write_planes(games: Games, seat: int, out: NDArray[np.float32], low: int, high: int) -> None:
    """Write the planes of each game for a seat (-1: the seat to move, or 0) into `out`, (n, planes, cells)."""
    games, out = _cut(games, low, high), out[low:high]
    for i in range(len(games.states)):
        to_move = _find_seat(games, i)
        viewer = seat if seat >= 0 else max(0, to_move)
        encoding.write_planes(games.states[i], viewer, out[i])
        encoding.fill_plane(out[i], out.shape[1] - 1, np.float32(viewer == to_move))


@kernel_no_alloc
def hide(games: Games, seat: int, copies: States, low: int, high: int) -> None:
    """Write the records as a seat (-1: the seat to move, or 0) knows them into `copies`, (n,)."""
    games, copies = _cut(games, low, high), copies[low:high]
    for i in range(len(games.states)):
        copies[i] = games.states[i]
        dispatch.hide(copies[i], seat if seat >= 0 else max(0, _find_seat(games, i)))


@jitable_no_alloc
def _read_state(s: State, facts: Indices) -> None:
    """Do what `read_state` does."""
    dispatch.points(s, facts[2:])
    facts[0], facts[1] = OVER, 0
    if not dispatch.is_over(s):
        if encoding.can_index_all(s):
            facts[0], facts[1] = dispatch.to_move(s), dispatch.bound(s)
        else:
            facts[0] = TRUNCATED


@kernel_no_alloc
def read_state(states: States, facts: Indices) -> None:
    """Write into `facts`, (2 + MAX_SEATS,): the seat to move, a bound for the number of legal actions, the points."""
    _read_state(states[0], facts)


@kernel_no_alloc
def play_index(states: States, index: int, facts: Indices) -> bool:
    """Play the action of an index in `states[0]`, and update its `facts`; return whether it was legal.

    If it is not, nothing changes.
    """
    if facts[0] < 0:
        return False
    s = states[0]
    action = encoding.action_at(s, index)
    if action < 0:
        return False
    dispatch.play(s, action)
    _read_state(s, facts)
    return True
