"""What every game must keep: run `check` on a game of your own before you register it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar
from xml.etree import ElementTree as ET

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import GameError, IllegalMoveError, NotationError
from fourcorners.core.game import Game
from fourcorners.core.jit import Kernel
from fourcorners.core.match import Match, Record
from fourcorners.core.position import Position, View
from fourcorners.core.scene import Scene, diff_scenes, render_svg

P = ParamSpec("P")
R = TypeVar("R")

RECORD_BLOCK = re.compile(r"^```record\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HOSTILE = (
    "",
    " ",
    "a1 ",
    " a1",
    "A1",
    "é1",
    "a1\x00",
    "٣",
    "a" * 99,
    "a1  b1",
    "-1,0",
    "1e9",
    "#",
    "pass pass",
    "../..",
)
_SAMPLED_MOVES = 12


class NotConformingError(AssertionError):
    """A game breaks the contract; the message says where."""


def check(game: Game, seed: int, *, every: int = 1) -> int:
    """Play one random game and return its number of plies; raise NotConformingError.

    Everything is checked at every so many plies: texts, refusals, views, pictures, and that interpreted and compiled
    rules do the same, field by field.
    """
    rng = random.Random(seed)
    match = Match(game, seed=seed)
    scenes: dict[int | None, Scene] = {}
    plies = 0
    while not match.position.is_over:
        position = match.position
        if plies % every == 0:
            _check_position(position, rng)
            _check_twice(position, seed + plies)
            for viewer in (None, *range(game.seats)):
                view = position.view(viewer)
                scenes[viewer] = _check_view(view, scenes.get(viewer))
        match.play(rng.choice(position.moves()))
        plies += 1
        _need(plies <= game.spec.rules.MAX_PLIES, position, "the game is longer than MAX_PLIES")
    final = match.position
    outcome = final.outcome
    _need(final.moves() == [] and final.seat is None, final, "a finished game has moves or a seat to move")
    _need(outcome is not None and bool(outcome.winners) and bool(outcome.reason), final, "no outcome")
    record = Record.of(match)
    _need(Record.parse(str(record)) == record, final, "the record does not come back the same")
    _need(record.match().position == final, final, "the record replays to another position")
    return plies


def check_documents(game: Game) -> int:
    """Replay the records of the rulebook and the cover; return how many the rulebook has."""
    blocks = RECORD_BLOCK.findall(game.rulebook)
    for text in (*blocks, game.cover):
        Record.parse(text).match().position.svg()
    return len(blocks)


def _need(condition: bool, reading: Position | View, message: str) -> None:  # noqa: FBT001  # a plain predicate
    if not condition:
        where = f"{reading.game!r}, {reading.text}"
        raise NotConformingError(f"{message} (in {where})")


def _check_position(position: Position, rng: random.Random) -> None:
    game, notation = position.game, position.game.spec.notation
    before = position.states.tobytes()
    moves = position.moves()
    _need(bool(moves) and moves == sorted(set(moves)), position, "moves are missing, doubled or not sorted")
    _need(len(position.scores) == game.seats, position, "scores are not one a seat")
    _need(0 <= (position.seat if position.seat is not None else -1) < game.seats, position, "no such seat to move")
    again = game.position(position.text)
    _need(again == position and again.text == position.text, position, "the text does not come back the same")
    for move in rng.sample(moves, min(len(moves), _SAMPLED_MOVES)):
        code = notation.parse(position.record, move)
        _need(notation.format(position.record, code) == move, position, f"{move!r} is not written as it is read")
        _need(position.why(move) is None, position, f"{move!r} is legal, and refused")
        tokens = move.split(" ")
        for i, token in enumerate(tokens):
            _need(token in position.complete(tokens[:i]), position, f"{move!r} cannot be completed token by token")
        position.play(move)
    for text in (*HOSTILE, *_mutations(rng.choice(moves), rng)):
        _check_refusal(position, text, moves)
    _need(position.states.tobytes() == before, position, "reading changed the position")


def _mutations(move: str, rng: random.Random) -> Iterator[str]:
    """Spoil a move: many of these can be read but not played."""
    alphabet = "abcdefghijkRBGYox0123456789 ,-#:r"
    for _ in range(_SAMPLED_MOVES):
        at = rng.randrange(len(move))
        yield move[:at] + rng.choice(alphabet) + move[at + 1 :]
    yield move.upper()
    yield move + " " + move.rsplit(" ", maxsplit=1)[-1]
    yield " ".join(move.split(" ")[:-1])


def _check_refusal(position: Position, text: str, moves: list[str]) -> None:
    if text in moves:
        return
    reason = position.why(text)
    try:
        position.play(text)
    except (NotationError, IllegalMoveError) as error:
        _need(reason is not None and bool(reason.code and reason.sentence), position, f"no reason for {text!r}")
        if isinstance(error, IllegalMoveError):
            _need(reason == (error.code, error.reason), position, f"why and play differ about {text!r}")
    else:
        action = position.game.spec.notation.parse(position.record, text)
        _need(
            compiled_api.accepts_illegal(position.states, 0, action), position, f"{text!r} was played and is not legal"
        )


def _check_view(view: View, last: Scene | None) -> Scene:
    again = view.game.view(view.text, view.viewer)
    _need(again == view and again.text == view.text, view, "the text of the view does not come back the same")
    scene = view.scene()
    spoken = set()
    for part in (scene.board, *([scene.tray] if scene.tray else [])):
        ids = [element.id for element in part.elements]
        _need(len(ids) == len(set(ids)), view, "an element id stands twice in the picture")
        for element in part.elements:
            if element.token:
                spoken.add(element.token)
                fine = element.label and element.gesture in {"pick", "span", "carry", "drop"}
                _need(bool(fine), view, f"element {element.id} has a token and no label or no known gesture")
    ET.fromstring(render_svg(scene, view.game.spec.drawing.STYLE))  # noqa: S314  # our own picture, checked to be XML
    _need(bool(str(view)) and bool(repr(view)), view, "no text board")
    for seat, name, value in view.facts():
        fine = (seat is None or 0 <= seat < view.game.seats) and bool(name) and isinstance(value, str)
        _need(fine, view, f"the fact {name!r} is not a seat, a name and a text")
    for token in {token for move in view.offered_moves() for token in move.split(" ")} - spoken:
        _need(bool(view.game.spec.explain.label(token)), view, f"token {token!r} is neither drawn nor named")
    _need(list(view.offered_moves()) == sorted(view.offered_moves()), view, "the moves offered are not sorted")
    if last is not None:
        diff_scenes(last, scene)
    if view.game.spec.hidden and view.viewer != view.seat:
        _need(view.moves() == [], view, "a seat that is not to move sees moves")
    return scene


def _check_twice(position: Position, seed: int) -> None:
    """Compare interpreted and compiled rules from one position."""
    game, states = position.game, position.states
    rules = game.spec.rules
    dispatch.check_dtype(rules.DTYPE)
    bound = compiled_api.bound(states, 0)
    lists = [np.full(bound, -1, np.int64) for _ in range(2)]
    counts = [legal(states, 0, out) for legal, out in zip(_both(compiled_api.legal), lists, strict=True)]
    _need(counts[0] == counts[1] <= bound, position, "interpreted and compiled counts of moves differ")
    _need(bool((lists[0] == lists[1]).all()), position, "interpreted and compiled moves differ")
    rngs = [new_rng(seed) for _ in range(2)]
    picks = [int(pick(states, 0, rng)) for pick, rng in zip(_both(compiled_api.pick), rngs, strict=True)]
    _need(picks[0] == picks[1] and picks[0] in lists[0][: counts[0]], position, "picks differ or are not legal")
    after = [states.copy() for _ in range(2)]
    points = [np.zeros(rules.MAX_SEATS, np.int64) for _ in range(2)]
    for play, status, copy, out in zip(
        _both(compiled_api.play), _both(compiled_api.status), after, points, strict=True
    ):
        play(copy, 0, picks[0])
        status(copy, 0, out)
    _need(bool((points[0] == points[1]).all()), position, "interpreted and compiled points differ")
    _same_fields(position, after[0], after[1], "play")
    for seat in range(-1, game.seats):
        hidden = [after[0].copy() for _ in range(2)]
        for hide, copy in zip(_both(compiled_api.hide), hidden, strict=True):
            hide(copy, 0, seat)
        _same_fields(position, hidden[0], hidden[1], "hide")
        worlds = [hidden[0].copy() for _ in range(2)]
        for deal, copy in zip(_both(compiled_api.deal), worlds, strict=True):
            deal(copy, 0, new_rng(seed))
        _same_fields(position, worlds[0], worlds[1], "deal")
        compiled_api.hide(worlds[0], 0, seat)
        _same_fields(position, worlds[0], hidden[0], "hiding a dealt world again")


def _both(door: Kernel[P, R]) -> tuple[Callable[P, R], Callable[P, R]]:
    return door.interpreted, door


def _same_fields(position: Position, one: dispatch.States, other: dispatch.States, what: str) -> None:
    for name in one.dtype.names or ():
        _need(bool((one[name] == other[name]).all()), position, f"{what}: field {name!r} differs")


def parse_refuses(game: Game, text: object) -> bool:
    """Tell whether a text is refused as a position; raise anything but a GameError on."""
    try:
        position = game.position(text)  # type: ignore[arg-type]  # hostile on purpose
    except GameError:
        return True
    while not position.is_over and position.moves():
        position = position.play(position.moves()[0])
    return False
