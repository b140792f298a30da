"""How long pictures take and how large they are: whole ones, and the patches that the moves of a game make."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import random
import statistics
from typing import Any

from benchmarks.rates import seconds, significant
from fourcorners.core.game import Game
from fourcorners.core.position import Position, View
from fourcorners.core.scene import diff_scenes, render_svg

VIEWER = 0


def random_line(game: Game, seed: int = 1) -> list[Position]:
    """Return the positions of one random game, the start first."""
    rng = random.Random(seed)
    line = [game.start(seed=seed)]
    while not line[-1].is_over:
        line.append(line[-1].play(rng.choice(line[-1].moves())))
    return line


def packed(text: str) -> int:
    """Return the size of a text in bytes as it is sent."""
    return len(gzip.compress(text.encode(), mtime=0))


def draw(view: View) -> str:
    """Make a scene and write it."""
    return render_svg(view.scene(), view.game.spec.drawing.STYLE)


def measure(game: Game, rounds: int) -> dict[str, Any]:
    """Return times and sizes over the positions of one random game, as one seat sees them."""
    views = [position.view(VIEWER) for position in random_line(game)]
    scenes = [view.scene() for view in views]
    pairs = list(itertools.pairwise(scenes))
    some = views[:: max(1, len(views) // 10)]
    drawing = [statistics.median(seconds(functools.partial(draw, view)) for _ in range(rounds)) for view in some]
    patching = [seconds(functools.partial(diff_scenes, old, new)) for old, new in pairs]
    sizes = [packed(draw(view)) for view in some]
    patches = [packed(json.dumps(diff_scenes(old, new) or {}, separators=(",", ":"))) for old, new in pairs]
    return {
        "picture_ms": significant(1000 * statistics.median(drawing)),
        "slowest_picture_ms": significant(1000 * max(drawing)),
        "largest_picture_gzip_bytes": max(sizes),
        "patch_ms": significant(1000 * statistics.median(patching)),
        "patch_gzip_bytes": int(statistics.median(patches)),
        "largest_patch_gzip_bytes": max(patches),
    }
