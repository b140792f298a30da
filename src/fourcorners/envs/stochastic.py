"""Games with a deck as steps of the players and of chance, which draws the tiles one by one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import view_record
from fourcorners.core.encoding import Chance, DenseEncoding, Past, index_action
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game, Position, copy_states
from fourcorners.envs.encoding import Encoding, IllegalActionError
from fourcorners.envs.state import State


@dataclass(frozen=True)
class Event:
    """A move, and the tiles drawn after it so far."""

    seat: int
    index: int
    action: int
    public: int
    """The action as the other seats see it."""
    move: str
    public_move: str
    drawn: tuple[int, ...] = ()


@dataclass(frozen=True)
class Moment:
    """Where a game stands: immutable, so that a copy is the moment itself."""

    state: State | None
    """The state before the draws that are missing; None while the tiles of the start are drawn."""
    missing: int = 0
    """The number of tiles that chance has to draw before play goes on."""
    dealt: tuple[int, ...] = ()
    """The tiles drawn at the start, in order."""
    start: State | None = None
    events: tuple[Event, ...] = ()
    """The moves since `start`; the last one has not been played in `state` if draws are missing."""

    def __deepcopy__(self, memo: object) -> Self:
        return self


class StochasticGame:
    """A game whose tiles chance draws one by one; tiles are numbers."""

    def __init__(self, game: Game) -> None:
        """Take a game with a deck; raise GameError if it has no `chance.py`."""
        self.game, self.chance = game, _find_chance(game)
        self.encoding = Encoding(game)
        self.tiles = self.chance.list_tiles(game.options)
        """The tokens of the tiles, by number."""
        record = game.start(deck=self.tiles).record
        hands = [self.chance.list_hand(record, seat) for seat in range(game.seats)]
        # The deck above has tile k at place k.
        self.owners = tuple(seat for tile in range(len(self.tiles)) for seat, hand in enumerate(hands) if tile in hand)
        """The seats for which tiles are drawn at the start, in order."""

    def begin(self) -> Moment:
        """Return the moment before the first draw."""
        return Moment(None, missing=len(self.owners))

    def list_drawable(self, moment: Moment) -> list[int]:
        """List the tiles that may be drawn next, all with the same probability, ascending."""
        if moment.state is None:
            return [tile for tile in range(len(self.tiles)) if tile not in moment.dealt]
        pile = self.chance.list_pile(moment.state.position.record)
        return [tile for tile in pile if tile not in moment.events[-1].drawn]

    def play(self, moment: Moment, index: int) -> Moment:
        """Return the moment after a legal action, which may have to wait for draws; raise IllegalActionError."""
        state = moment.state
        if state is None or moment.missing:
            raise IllegalActionError("no action is legal: a tile must be drawn")
        after, position = state.after(index), state.position
        action = self.encoding.find_action(position.states, index)
        public = self.chance.mask_action(position.record, action)
        move = self.game.spec.notation.format(position.record, action)
        event = Event(state.seat or 0, index, action, public, move, self.game.spec.mask_move(move))
        missing = len(self.chance.list_pile(position.record)) - len(self.chance.list_pile(after.position.record))
        return replace(moment, state=state if missing else after, missing=missing, events=(*moment.events, event))

    def draw(self, moment: Moment, tile: int) -> Moment:
        """Return the moment after a draw, the last of which lets play go on; raise IllegalActionError."""
        if not moment.missing or tile not in self.list_drawable(moment):
            raise IllegalActionError(f"{tile} is not legal: it is not a tile that can be drawn now")
        missing, state = moment.missing - 1, moment.state
        if state is None:
            dealt = (*moment.dealt, tile)
            start = None if missing else self._deal(dealt)
            return Moment(start, missing, dealt, start)
        event = replace(moment.events[-1], drawn=(*moment.events[-1].drawn, tile))
        after = state if missing else self._advance(state, event.index, event.drawn)
        return replace(moment, state=after, missing=missing, events=(*moment.events[:-1], event))

    def _deal(self, dealt: Sequence[int]) -> State:
        """Return the state at the start, where these tiles have been drawn in this order."""
        rest = [tile for tile in range(len(self.tiles)) if tile not in dealt]
        return State(self.game.start(deck=self.name_tiles([*dealt, *rest])))

    def _advance(self, state: State, index: int, drawn: Sequence[int]) -> State:
        """Return the state after a legal action, after which these tiles are drawn in this order."""
        if not drawn:
            return state.after(index)
        states = copy_states(state.position.states)
        self.chance.place_draws(view_record(states), drawn)
        return State(Position(self.game, states, ())).after(index)

    def name_tiles(self, tiles: Iterable[int]) -> list[str]:
        """Return the tokens of tiles."""
        return [self.tiles[tile] for tile in tiles]

    def list_dealt(self, moment: Moment, seat: int) -> list[int]:
        """List the tiles that a seat has been dealt at the start, ascending."""
        return sorted(tile for tile, owner in zip(moment.dealt, self.owners, strict=False) if owner == seat)

    def list_hand(self, moment: Moment, seat: int) -> list[int]:
        """List the tiles that a seat holds, ascending, without those that are being drawn after a move."""
        if moment.state is None:
            return self.list_dealt(moment, seat)
        return self.chance.list_hand(moment.state.position.record, seat)

    def imagine(self, moment: Moment, seat: int, sample: Callable[[], float]) -> list[int]:
        """Return the actions and draws, in order, of a random game that a seat cannot tell from the one so far.

        No draw may be missing. `sample` returns random numbers from 0 up to 1. The world of now is as likely as `deal`
        of the rules makes it; then its past is found backwards, each move evenly among those that fit.
        """
        if moment.start is None or moment.state is None or moment.missing:
            raise GameError("a game can only be imagined when no tile has to be drawn", "encoding")
        states = [moment.start]
        for event in moment.events:
            states.append(self._advance(states[-1], event.index, event.drawn))
        world = copy_states(moment.state.position.states)
        compiled_api.hide(world, 0, seat)
        compiled_api.deal(world, 0, new_rng(int(sample() * 2**53)))
        hands = [tuple(self.chance.list_hand(view_record(world), other)) for other in range(self.game.seats)]
        plays: list[tuple[int, tuple[int, ...]]] = []  # actions and draws, latest first
        for before, event in zip(reversed(states[:-1]), reversed(moment.events), strict=True):
            record, past = before.position.record, Past(event.action, (), event.drawn)
            if event.seat == seat:
                hands[seat] = tuple(self.chance.list_hand(record, seat))
            else:
                pasts = self.chance.list_pasts(record, event.public, hands[event.seat])
                past = pasts[int(sample() * len(pasts))]
                hands[event.seat] = past.hand
            plays.append((past.action, past.drawn))
        queues = [list(hand) for hand in hands]
        steps = [queues[owner].pop(0) for owner in self.owners]
        state = self._deal(steps)
        for action, drawn in reversed(plays):
            index = index_action(state.position.record, action)
            steps += [index, *drawn]
            state = self._advance(state, index, drawn)
        return steps


def _find_chance(game: Game) -> Chance:
    """Return `chance.py` of a game; raise GameError if it has none."""
    chance = game.spec.part(DenseEncoding).chance
    if chance is None:
        raise GameError(f"{game.title} has no chance.py, so chance cannot draw its tiles", "encoding")
    return chance
