"""A position as a page shows it, with the moves that can be made on it; it needs no table."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta

from fourcorners.core.game import Game, View
from fourcorners.core.scene import Scene, render_miniature, render_part
from fourcorners.web.protocol.table_fields import (
    EFFECTS_DESCRIPTION,
    Fact,
    Fields,
    Labels,
    Svg,
    TokenPictures,
    Tray,
    Viewer,
)

_SEAT_NAMES_DESCRIPTION = "The names of the seats' colours here, by seat: seats may exchange them during a game."
MAX_MOVES = 2000
"""A message lists at most this many moves."""


class BoardPicture(Fields, frozen=True, kw_only=True):
    """A position as one seat sees it, and the moves that can be made."""

    board: Svg
    tray: Tray
    text: Annotated[str, Meta(description="What the viewer may know of the position, in one line.")]
    viewer: Viewer
    seat: Annotated[int | None, Meta(description="The seat to move; null if the game is over.")]
    seat_names: Annotated[Sequence[str], Meta(description=_SEAT_NAMES_DESCRIPTION)]
    scores: Sequence[int]
    facts: Sequence[Fact]
    moves: Annotated[Sequence[str] | None, Meta(description="The moves that can be made; null if there are too many.")]
    labels: Labels
    pictures: TokenPictures
    effects: Annotated[dict[str, str], Meta(description=EFFECTS_DESCRIPTION)]


PICTURE_EXAMPLE = BoardPicture(
    board='<svg class="part">…</svg>',
    tray=None,
    text="0 …",
    viewer=0,
    seat=0,
    seat_names=["Black", "White"],
    scores=[1, 0],
    facts=[],
    moves=[],
    labels={},
    pictures={},
    effects={},
)


def build_board_picture(view: View, scene: Scene, *, can_move: bool) -> BoardPicture:
    """Describe a view, drawn as `scene`; without `can_move` no moves are listed."""
    offered = view.offered_moves() if can_move else ()
    board, tray = draw_parts(scene)
    return BoardPicture(
        board=board,
        tray=tray,
        text=view.text,
        viewer=view.viewer,
        seat=view.seat,
        seat_names=view.seat_names,
        scores=view.scores,
        facts=view.facts(),
        moves=offered if len(offered) <= MAX_MOVES else None,
        labels=label_undrawn_tokens(view, scene, offered),
        pictures=draw_tokens(view.game, offered),
        effects=describe_effects(view, offered),
    )


def draw_parts(scene: Scene) -> tuple[str, str | None]:
    """Return the board and the tray of a scene as SVG; the tray is None if the game has none."""
    board = render_part(scene.board, "board")
    return board, None if scene.tray is None else render_part(scene.tray, "tray")


def label_undrawn_tokens(view: View, scene: Scene, offered: Sequence[str]) -> dict[str, str]:
    """Return the label of each token of the offered moves that no element of the scene shows, for buttons."""
    if not offered:
        return {}
    tokens = {token for move in offered for token in move.split(" ")}
    drawn = {element.token for part in scene if part is not None for element in part.elements}
    label = view.game.spec.explain.label
    return {token: label(token) for token in sorted(tokens - drawn)}


def draw_tokens(game: Game, texts: Iterable[str]) -> dict[str, str]:
    """Return a small picture of each token, of moves or by itself, that the game can draw."""
    draw = game.spec.presentation.draw_move
    if draw is None:
        return {}
    drawn = {token: draw(token) for token in sorted({token for text in texts for token in text.split(" ")})}
    return {token: render_miniature(part) for token, part in drawn.items() if part is not None}


def describe_effects(view: View, offered: Sequence[str]) -> dict[str, str]:
    """Return what each of the offered moves does that its tokens do not say, without moves that do nothing more."""
    describe = view.game.spec.presentation.describe_effect
    if describe is None:
        return {}
    effects = {move: describe(view.record, move) for move in offered}
    return {move: effect for move, effect in effects.items() if effect}
