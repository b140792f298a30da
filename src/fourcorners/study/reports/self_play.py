"""Games of a level against itself, reproducible by a seed, with the choices and chances at each ply."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from fourcorners.core.game import Game
from fourcorners.players.engine_match import Side, change_seed

_SALT = 0x9E3779B97F4A7C15  # spreads seeds over 64 bits


class SelfPlayGame(NamedTuple):
    """One game.

    `choices` is the number of legal moves at each ply. `chances` are the first party's chances of winning before each
    of the last plies, in the view of both players (see `_Outlook`); empty unless there are two parties and the level
    looks ahead. `leads` is the first party's margin in points before each ply and at the end; empty unless there are
    two parties and points. `shares` are the parties' shares of the win.
    """

    number: int
    opening: tuple[str, ...]
    choices: tuple[int, ...]
    chances: tuple[float, ...]
    leads: tuple[int, ...]
    shares: tuple[float, ...]
    scores: tuple[int, ...]

    @property
    def plies(self) -> int:
        return len(self.choices)


def play_games(
    game: Game,
    side: Side,
    count: int,
    plies: int,
    seed: int,
    jobs: int,
    stop: threading.Event | None = None,
    progress: Callable[[int], object] = bool,
) -> list[SelfPlayGame]:
    """Play this many games, some in parallel; each depends only on its number and the seed.

    The first `plies` moves are random unless they would end the game. `progress` is called with the number of finished
    games. After `stop` is set, only the finished games are returned. Raise OptionError for limits that a Computer
    refuses.
    """
    numbers: Iterator[int] = iter(range(count))
    found: list[SelfPlayGame] = []
    futures: set[Future[SelfPlayGame | None]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(futures) < jobs and not (stop is not None and stop.is_set()):
                number = next(numbers, None)
                if number is None:
                    break
                futures.add(pool.submit(_play_game, game, side, number, plies, seed, stop))
            if not futures:
                return sorted(found)
            done, futures = wait(futures, return_when=FIRST_COMPLETED)
            found += [played for future in done if (played := future.result()) is not None]
            progress(len(found))


class _Outlook:
    """The two parties' estimates of the first one's chance of winning.

    With little search, the player to move is too confident, so the estimate of one player alone would make the lead
    change with every move. The mean of both players' latest estimates has no such bias.
    """

    def __init__(self) -> None:
        self._last: dict[int, float] = {}

    def update(self, party: int, win: float, *, is_proven: bool) -> float | None:
        """Add a party's (0 or 1) estimate of its chance; return the first party's chance, None until both have one.

        A proven chance counts for both.
        """
        chance = 1 - win if party else win
        self._last |= {0: chance, 1: chance} if is_proven else {party: chance}
        return sum(self._last.values()) / 2 if len(self._last) == 2 else None


def _play_game(
    game: Game, side: Side, number: int, plies: int, seed: int, stop: threading.Event | None
) -> SelfPlayGame | None:
    """Play one game; None if `stop` was set before its end."""
    rng = random.Random(f"{seed}/{number}")
    position = game.start(seed=rng.getrandbits(32))
    parties = game.options.parties
    players = [
        side.create_computer((seed * _SALT + 1009 * number) % (1 << 64) ^ (seat + 1)) for seat in range(game.seats)
    ]
    is_pair, looks_ahead = len(parties) == 2, side.level.nodes > 0
    choices: list[int] = []
    chances: list[float] = []
    leads: list[int] = []
    outlook = _Outlook()
    while position.seat is not None:
        seat, moves = position.seat, position.moves()
        choices.append(len(moves))
        if is_pair and game.spec.scoring == "points":
            leads.append(_measure_lead(position.scores, parties))
        if len(choices) <= plies:
            following = position.play(rng.choice(moves))
            if not following.is_over:
                position = following
                continue
        if is_pair and looks_ahead:
            choice = players[seat].choose(position, stop)
            move = choice.move
            chance = outlook.update(int(seat in parties[1]), choice.win, is_proven=choice.solved)
            if chance is not None:
                chances.append(chance)
        else:
            move = players[seat].choose_move(position, stop)
        change_seed(players[seat])
        if stop is not None and stop.is_set():
            return None
        position = position.play(move)
    if is_pair and game.spec.scoring == "points":
        leads.append(_measure_lead(position.scores, parties))
    winners = set(position.outcome.winners) if position.outcome else set()
    winning = [party for party in parties if winners & set(party)]
    shares = tuple(1 / len(winning) if party in winning else 0.0 for party in parties)
    opening = position.history[: max(plies, 1)]
    return SelfPlayGame(number, opening, tuple(choices), tuple(chances), tuple(leads), shares, position.scores)


def _measure_lead(scores: tuple[int, ...], parties: tuple[tuple[int, ...], ...]) -> int:
    """Return the points of the first of two parties minus those of the other; partners share their points."""
    return scores[parties[0][0]] - scores[parties[1][0]]
