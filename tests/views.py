"""Checks of views that were parsed from text: what they must share with the original views."""

import pickle
import random

import fourcorners as fc
from fourcorners.core.scene import Scene
from tests.reference import REFERENCES, draw_setup


def create_random_game(name: str, seed: int) -> fc.Game:
    """Return a game with random options, which the seed determines, or a preset with its default options."""
    options = draw_setup(name, random.Random(seed))[1] if name in REFERENCES else {}
    return fc.game(name, **options)


def play_random_moves(game: fc.Game, seed: int, plies: int) -> fc.Position:
    """Return the position after random plies, or at the end of a shorter game; the seed also shuffles the deck."""
    rng = random.Random(seed)
    position = game.start(seed=seed)
    for _ in range(plies):
        if position.is_over:
            break
        position = position.play(rng.choice(position.moves()))
    return position


def check_round_trips(game: fc.Game, seed: int, plies: int) -> int:
    """Parse every seat's and a spectator's view of a random position from its text; return how many moves they list.

    Assert that each parsed view equals the original and behaves like it, but for its missing history. `seed` and
    `plies` are those of `play_random_moves`.
    """
    position = play_random_moves(game, seed, plies)
    count = 0
    for viewer in (None, *range(game.seats)):
        view = position.view(viewer)
        parsed = game.view(view.text, viewer)
        assert parsed == view
        assert parsed.states.tobytes() == view.states.tobytes()
        assert (parsed.text, parsed.viewer, parsed.history) == (view.text, viewer, ())
        assert pickle.loads(pickle.dumps(parsed)) == parsed
        assert (parsed.seat, parsed.scores, parsed.is_over) == (view.seat, view.scores, view.is_over)
        assert parsed.outcome == view.outcome
        _check_moves(parsed, view)
        _check_pictures(parsed, view)
        count += len(parsed.moves())
    return count


def _check_moves(parsed: fc.View, view: fc.View) -> None:
    """Assert that both views list, complete and explain the same moves."""
    assert parsed.moves() == view.moves()
    assert parsed.offered_moves() == view.offered_moves()
    first = view.complete([])
    assert parsed.complete([]) == first
    assert parsed.complete(first[-1:]) == view.complete(first[-1:])
    for text in ("", "a1", "a1 b1", "pass", "R2ax 0,0 r0", *first[:2], *view.moves()[:2]):
        assert parsed.why(text) == view.why(text)


def _check_pictures(parsed: fc.View, view: fc.View) -> None:
    """Assert that `parsed` has the picture and facts of `view` without history, and the tokens and text of `view`."""
    bare = fc.View(view.game, view.states, (), view.viewer)
    assert parsed.svg() == bare.svg()
    assert parsed.facts() == bare.facts()
    assert str(parsed) == str(view)
    assert _list_tokens(parsed.scene()) == _list_tokens(view.scene())
    if view.game.spec.id != "sqez":
        # In Sqez, only the history says who drew which lines.
        assert parsed.facts() == view.facts()


def _list_tokens(scene: Scene) -> set[tuple[str, str, str]]:
    """Return id, token and gesture of all elements, of board and tray, that can be used for a move."""
    parts = (scene.board, *([scene.tray] if scene.tray else []))
    return {
        (element.id, element.token, element.gesture) for part in parts for element in part.elements if element.token
    }
