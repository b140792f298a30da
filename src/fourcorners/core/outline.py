"""Outlines: what everybody sees on a board, so that positions can be compared whatever way they are turned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_SLACK_SHARE = 3
"""At most one point of so many may be missing."""
Point = tuple[int, int, str]
"""A place on the board, in whole coordinates, and what is there, such as "edge"."""


class Outline(NamedTuple):
    """What is on a board, without anything that a game hides, and without what advice does not depend on.

    `points` lie from 0 to `width` and `height`; a board that `floats` has no edges, so only the distances count. During
    a game points are added, as a rule, by one move at most `step`; up to `slack` of them may disappear again. Each of
    `renamings` maps the third parts of points to others for which the same moves are good, such as the other colours.
    """

    points: frozenset[Point]
    width: int
    height: int
    step: int = 1
    floats: bool = False
    slack: int = 0
    renamings: tuple[Mapping[str, str], ...] = ()

    def list_images(self) -> Iterator[Outline]:
        """Yield this outline turned and mirrored in all eight ways, with its names as they are and renamed."""
        for names in ({}, *self.renamings):
            points = [(x, y, names.get(what, what)) for x, y, what in self.points]
            for is_transposed in (False, True):
                width, height = (self.height, self.width) if is_transposed else (self.width, self.height)
                turned = [(y, x, what) for x, y, what in points] if is_transposed else points
                for left in (False, True):
                    for low in (False, True):
                        image = frozenset(
                            (width - x if left else x, height - y if low else y, what) for x, y, what in turned
                        )
                        yield self._replace(points=image, width=width, height=height)

    def continues(self, earlier: Outline, most: int) -> bool:
        """Return whether some image of this has all points of an earlier outline, and at most `most` others."""
        return earlier.leads_to(self.list_images(), most)

    def leads_to(self, images: Iterable[Outline], most: int, missing: int = 0) -> bool:
        """Return whether some image of a later outline has all points of this one, except `missing` of them, and at
        most `most` points more than this one. To compare it with many outlines, list its images once.
        """
        slack = min(self.slack, len(self.points) // _SLACK_SHARE) + missing
        return any(
            image.floats == self.floats
            and -slack <= len(image.points) - len(self.points) <= most
            and image.contains(self, slack)
            for image in images
        )

    def contains(self, other: Outline, slack: int = 0) -> bool:
        """Return whether all points of another outline but `slack` are here, in the same place or, if it floats, moved
        somehow.
        """
        if not self.floats:
            return (self.width, self.height) == (other.width, other.height) and len(other.points - self.points) <= slack
        # One of so many points is here if at most `slack` are missing.
        anchors = sorted(other.points)[: slack + 1]
        moves = {(x - x0, y - y0) for x0, y0, what in anchors for x, y, found in self.points if found == what}
        missing = (sum((x + dx, y + dy, what) not in self.points for x, y, what in other.points) for dx, dy in moves)
        return not other.points or any(count <= slack for count in missing)
