"""The boxes that decided a finished game of Squarin' Off."""

from fourcorners.builtin.squarin_off import notation, rules
from fourcorners.builtin.squarin_off.rules import OWNER_SHIFT
from fourcorners.core.contract import ViewLike


def find_decisive_boxes(view: ViewLike) -> list[int]:
    """Return the boxes that the winner completed with the move after which the rivals could no longer catch up.

    Return none if the game is running or drawn, or if that move was played before the history of the view begins.
    """
    if not view.is_over:
        return []
    s = view.record
    points = s.points.tolist()
    best = max(points)
    if points.count(best) > 1:
        return []
    winner = points.index(best)
    gains, left = [0] * len(points), sum(points)
    for ply, boxes in sorted(_list_completions(view).items()):
        for box in boxes:
            value = int(s.value[box])
            gains[((int(s.box[box]) >> OWNER_SHIFT) - 1) & int(s.party_mask)] += value
            left -= value
        rival = max(gain for party, gain in enumerate(gains) if party != winner)
        if gains[winner] > rival + left:
            return boxes if ply >= 0 else []
    return []


def _list_completions(view: ViewLike) -> dict[int, list[int]]:
    """Return the owned boxes by the ply in which they were completed, -1 for before the history of the view."""
    s = view.record
    plies = {move.rpartition(" ")[2]: ply for ply, move in enumerate(view.history)}
    names = notation.list_edge_names(int(s.cols), int(s.rows))
    completions: dict[int, list[int]] = {}
    for box, byte in enumerate(s.box.tolist()):
        if byte >> OWNER_SHIFT:
            edges = (names[int(rules.get_edge(s, box, side))] for side in range(4))
            completions.setdefault(max(plies.get(edge, -1) for edge in edges), []).append(box)
    return completions
