"""What a view that was read from its line must share with the view that the line is of."""

from __future__ import annotations

import pickle
import random

import fourcorners as fc
from fourcorners.core.scene import Scene


def random_position(game: fc.Game, seed: int, plies: int) -> fc.Position:
    """Play so many random moves, or fewer if the game is over before."""
    rng = random.Random(seed)
    position = game.start(seed=seed)
    for _ in range(plies):
        if position.is_over:
            break
        position = position.play(rng.choice(position.moves()))
    return position


def compare(game: fc.Game, seed: int, plies: int) -> int:
    """Read the views of all seats and of a spectator back from their lines; return how many moves they listed."""
    position = random_position(game, seed, plies)
    listed = 0
    for viewer in (None, *range(game.seats)):
        view = position.view(viewer)
        again = game.view(view.text, viewer)
        assert again == view
        assert again.states.tobytes() == view.states.tobytes()
        assert (again.text, again.viewer, again.history) == (view.text, viewer, ())
        assert pickle.loads(pickle.dumps(again)) == again
        assert (again.seat, again.scores, again.is_over) == (view.seat, view.scores, view.is_over)
        assert again.outcome == view.outcome
        _same_moves(again, view)
        _same_pictures(again, view)
        listed += len(again.moves())
    return listed


def _same_moves(again: fc.View, view: fc.View) -> None:
    assert again.moves() == view.moves()
    assert again.offered_moves() == view.offered_moves()
    first = view.complete([])
    assert again.complete([]) == first
    assert again.complete(first[-1:]) == view.complete(first[-1:])
    for text in ("", "a1", "a1 b1", "pass", "R2ax 0,0 r0", *first[:2], *view.moves()[:2]):
        assert again.why(text) == view.why(text)


def _same_pictures(again: fc.View, view: fc.View) -> None:
    """Compare what is drawn with the same view without history, and with the other one what does not depend on it."""
    bare = fc.View(view.game, view.states, (), view.viewer)
    assert again.svg() == bare.svg()
    assert again.facts() == bare.facts()
    assert str(again) == str(view)
    assert _tokens(again.scene()) == _tokens(view.scene())
    if view.game.spec.id != "sqez":
        # There a position does not hold who drew which lines.
        assert again.facts() == view.facts()


def _tokens(scene: Scene) -> set[tuple[str, str, str]]:
    parts = (scene.board, *([scene.tray] if scene.tray else []))
    return {
        (element.id, element.token, element.gesture) for part in parts for element in part.elements if element.token
    }
