"""Time and size of pictures: whole ones, and the patches for the moves of a game."""

import functools
import gzip
import itertools
import json
import random
import statistics
from typing import Any

from benchmarks.rates import measure_cpu_seconds, round_significant
from fourcorners.core.game import Game, Position, View
from fourcorners.core.scene import diff_scenes, render_svg
from fourcorners.study import rendering
from fourcorners.study.stills import Animation, draw_film, render_game

VIEWER = 0
ANIMATION = Animation("gif", width=400, frames=60)
"""What the page offers of a table."""


def play_random_game(game: Game, seed: int = 1) -> list[Position]:
    """Return the positions of one random game, the start first; the seed determines moves and deck."""
    rng = random.Random(seed)
    positions = [game.start(seed=seed)]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    return positions


def count_gzip_bytes(text: str) -> int:
    """Return the size of a text in bytes after compression with gzip, as servers send it to browsers."""
    return len(gzip.compress(text.encode(), mtime=0))


def draw_svg(view: View) -> str:
    """Build the scene of a view and return it as one SVG document in the light theme."""
    return render_svg(view.scene(), view.game.spec.drawing.STYLE)


def measure_pictures(game: Game, rounds: int) -> dict[str, Any]:
    """Return times in ms and sizes in bytes over the positions of one random game, as seat VIEWER sees them, by name.

    The time of the animation is that of the processor, in the process that renders it as well. Whole pictures are drawn
    `rounds` times at about ten positions, patches made once for each move.
    """
    views = [position.view(VIEWER) for position in play_random_game(game)]
    scenes = [view.scene() for view in views]
    pairs = list(itertools.pairwise(scenes))
    sample = views[:: max(1, len(views) // 10)]
    drawing_seconds = [
        statistics.median(measure_cpu_seconds(functools.partial(draw_svg, view)) for _ in range(rounds))
        for view in sample
    ]
    patch_seconds = [measure_cpu_seconds(functools.partial(diff_scenes, old, new)) for old, new in pairs]
    picture_sizes = [count_gzip_bytes(draw_svg(view)) for view in sample]
    patch_sizes = [
        count_gzip_bytes(json.dumps(diff_scenes(old, new) or {}, separators=(",", ":"))) for old, new in pairs
    ]
    before = rendering.read_child_seconds()
    film_seconds = measure_cpu_seconds(functools.partial(draw_film, views, ANIMATION))
    animation = render_game(views, ANIMATION)
    return {
        "animation_frames": min(len(views), ANIMATION.frames),
        "animation_ms": round_significant(1000 * (film_seconds + rendering.read_child_seconds() - before)),
        "animation_bytes": len(animation),
        "picture_ms": round_significant(1000 * statistics.median(drawing_seconds)),
        "slowest_picture_ms": round_significant(1000 * max(drawing_seconds)),
        "largest_picture_gzip_bytes": max(picture_sizes),
        "patch_ms": round_significant(1000 * statistics.median(patch_seconds)),
        "patch_gzip_bytes": int(statistics.median(patch_sizes)),
        "largest_patch_gzip_bytes": max(patch_sizes),
    }
