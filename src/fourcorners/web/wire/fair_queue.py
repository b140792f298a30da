"""The event loop is shared out in small pieces: whoever sends much waits for whoever sends little."""

import asyncio
import time
from collections import deque
from typing import Protocol

_CREDIT, _SHARE = 0.004, 0.5
"""Seconds of work that are done at once, and the share of the time that they may take in the long run."""
_LIGHT_SECONDS, _HEAVY_SECONDS = 0.004, 0.001
"""How long light and heavy members work in one turn of the event loop; each turn does at least one piece of both."""


class Member(Protocol):
    """A connection with bytes that wait. Only the queue and the guard set `is_queued`; `address` is the IP address of
    its client.
    """

    is_queued: bool
    address: str

    @property
    def is_light(self) -> bool:
        """Whether it has sent little lately, so that it goes before the others."""

    def advance(self) -> bool:
        """Do one piece of work, at most about a millisecond, and return whether more can be done at once."""


class Rotation:
    """A queue in which addresses take turns, and the members of an address among themselves."""

    def __init__(self) -> None:
        self._by_address: dict[str, deque[Member]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_address)

    def add(self, member: Member) -> None:
        """Put a member behind the others of its address, and a new address behind all others."""
        self._by_address.setdefault(member.address, deque()).append(member)

    def pop(self) -> Member:
        """Remove and return the next member; raise StopIteration if there is none."""
        address = next(iter(self._by_address))
        members = self._by_address.pop(address)
        member = members.popleft()
        if members:
            self._by_address[address] = members  # behind the others
        return member


class FairQueue:
    """The connections that have work to do, for one event loop.

    Small pieces are done at once (`enter`), as long as all of them together take no more than `_SHARE` of the time.
    Everything else waits for its turn of the event loop, between which messages of others are answered.
    """

    def __init__(self) -> None:
        self._light: deque[Member] = deque()
        self._heavy = Rotation()
        self._is_scheduled = False
        self._turn_ended = False
        self._credit = _CREDIT
        self._counted_at = time.perf_counter()

    def enter(self) -> float:
        """Return the time at which work begins that may be done at once and ends with `leave`, or 0.0: it must wait."""
        now = time.perf_counter()
        self._credit = min(_CREDIT, self._credit + (now - self._counted_at) * _SHARE)
        self._counted_at = now
        return now if self._credit > 0.0 else 0.0

    def leave(self, began: float) -> None:
        """Count work that began when `enter` returned this time."""
        self._credit -= time.perf_counter() - began

    def add(self, member: Member) -> None:
        """Let a member advance in its turn, unless it waits for that already."""
        if member.is_queued:
            return
        member.is_queued = True
        if member.is_light:
            self._light.append(member)
        else:
            self._heavy.add(member)
        self._schedule()

    def end_turn(self) -> None:
        """End the turn after the current piece of work, because that has started something longer."""
        self._turn_ended = True

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._run_turn)

    def _run_turn(self) -> None:
        """Let members advance for a few milliseconds, and continue in the next turn of the event loop."""
        self._is_scheduled = self._turn_ended = False
        try:
            self._work_for_a_turn()
        finally:
            if self._light or self._heavy:
                self._schedule()

    def _work_for_a_turn(self) -> None:
        end = time.perf_counter() + _LIGHT_SECONDS
        while self._light:
            self._advance(self._light.popleft())
            if time.perf_counter() > end:
                break
        end = time.perf_counter() + _HEAVY_SECONDS
        while self._heavy:
            self._advance(self._heavy.pop())
            if self._turn_ended or time.perf_counter() > end:
                break

    def _advance(self, member: Member) -> None:
        member.is_queued = False
        if member.advance():
            self.add(member)
