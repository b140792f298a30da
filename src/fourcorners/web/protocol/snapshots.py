"""What a browser is sent of a table: the whole picture, or the small difference to what it was sent before."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from fourcorners.core.position import View
from fourcorners.core.scene import Overlay, Scene, add_overlay, diff_scenes, render_part
from fourcorners.web.application.chat_rules import PHRASES
from fourcorners.web.domain.actions import may
from fourcorners.web.domain.table import Sight, Table

MOST_MOVES = 2000


class Picture:
    """The board of one version as it is seen: by one seat where seats know different things, by everybody elsewhere."""

    def __init__(self, table: Table, viewer: int | None) -> None:
        self.view = table.match.position.view(viewer)
        self.scene, self.overlay = _scene(table, self.view)
        self.ply = len(self.view.plies)
        self.facts = self.view.facts()

    def since(self, old: Picture) -> dict[str, Any]:
        """Return what turns an older picture into this one."""
        # Not kept: thousands of tables with all their plies twice would be much for the collector to look through.
        before, after = old.view.plies, self.view.plies
        start = next((at for at, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), None)
        if start is None:
            start = min(len(before), len(after))
        plies = {"plies_from": start, "plies": [list(ply) for ply in after[start:]]}
        return {"patch": diff_scenes(old.scene, self.scene) or {}, **plies}


class Frame:
    """One version of a table as one kind of browser sees it; it never changes, and many sockets share it."""

    def __init__(self, table: Table, owner: str, sight: Sight, now: float, picture: Picture) -> None:
        match = table.match
        self.version = table.version
        self.sight = sight
        self.picture = picture
        self.mine = table.may_move(owner)
        self.turn_of = "" if table.seat is None else match.names[table.seat]
        may_list = self.mine and (not table.hidden or sight.viewer == match.seat)
        self.offered = self.picture.view.offered_moves() if may_list else ()
        outcome = match.outcome
        self._state: dict[str, Any] = {
            "viewer": sight.viewer,
            "seat": table.seat,
            "mine": self.mine,
            "over": table.is_over,
            "outcome": outcome and {"winners": list(outcome.winners), "reason": outcome.reason},
            "result": match.result,
            "scores": list(match.position.scores),
            "out": list(match.out),
            "seats": list(table.held(owner)),
            "facts": picture.facts,
            "ply": picture.ply,
            "moves": list(self.offered) if len(self.offered) <= MOST_MOVES else None,
            "labels": self._labels(),
            **_among_people(table, owner, now),
            "curtain": sight.curtain,
            "revealed": table.revealed,
            "overlay": picture.overlay and picture.overlay.name,
        }
        self._introduction = {
            "game": {
                "id": match.game.id,
                "title": match.game.title,
                "seats": match.game.seats,
                "seat_names": list(match.game.seat_names),
                "options": match.game.given_options(),
                "hidden": table.hidden,
                "teams": [list(side) for side in match.game.options.parties],
            },
            "study": table.study,
            "confirm": bool(table.saved.settings.get("confirm")),
            "settings": table.saved.settings,
            "clock_label": table.control.label,
            "host": owner == table.saved.owner,
            "phrases": list(PHRASES),
        }

    def label(self, token: str) -> str:
        """Name a token for a button."""
        return self.picture.view.game.spec.explain.label(token)

    def _labels(self) -> dict[str, str]:
        if not self.offered:
            return {}
        tokens = {token for move in self.offered for token in move.split(" ")}
        parts = [part for part in self.picture.scene if part is not None]
        drawn = {element.token for part in parts for element in part.elements}
        return {token: self.label(token) for token in sorted(tokens - drawn)}

    def complete(self, tokens: list[str]) -> dict[str, Any]:
        """Say what may follow these tokens, and whether they are a move."""
        following = self.picture.view.complete(tokens) if self.offered else []
        labels = self._state["labels"]
        return {
            "type": "complete",
            "tokens": tokens,
            "next": following,
            "move": " ".join(tokens) in self.offered,
            "labels": {token: labels[token] for token in following if token in labels},
        }

    def why(self, text: str) -> dict[str, Any]:
        """Say why a move or its beginning is refused here."""
        answer: dict[str, Any] = {"type": "why", "text": text, "code": None, "sentence": None}
        if self._state["over"]:
            return {**answer, "code": "game-over", "sentence": "the game is over"}
        if not self.turn_of:
            return {**answer, "code": "not-started", "sentence": "the game begins when every seat is taken"}
        if not self.mine:
            return {**answer, "code": "not-your-turn", "sentence": f"it is the turn of {self.turn_of}"}
        reason = self.picture.view.why(text)
        if reason is not None:
            answer.update(code=reason.code, sentence=reason.sentence)
        return answer

    @property
    def data(self) -> dict[str, Any]:
        """All of it but the pictures."""
        plies = [list(ply) for ply in self.picture.view.plies]
        return {"version": self.version, **self._state, "plies": plies, **self._introduction}

    @cached_property
    def whole(self) -> str:
        """The message that holds everything."""
        board, tray = drawn(self.picture.scene)
        return as_text({"type": "state", "board": board, "tray": tray, **self.data})

    def is_on(self, version: int | None, wish: int | None) -> bool:
        """Tell whether who has this version, as that seat sees it, has this very frame on the screen."""
        return version == self.version and wish == self.sight.viewer

    def since(self, old: Frame, changes: dict[str, Any]) -> str:
        """Return the message that turns an older frame into this one, given what has changed in the picture."""
        message = {"type": "patch", "from": old.version, "version": self.version}
        return as_text({**message, **self._state, **changes})


class Frames:
    """What one version of a table looks like: one frame for all who see the same."""

    def __init__(self, version: int) -> None:
        self.version = version
        self._frames: dict[tuple[str, int | None, bool], Frame] = {}
        self._pictures: dict[int | None, Picture] = {}

    def frame(self, table: Table, owner: str, wish: int | None, now: float) -> Frame:
        """Return the frame of a browser that asks for a seat's sight."""
        sight = table.sight(owner, wish)
        key = (owner if table.concerns(owner) else "", sight.viewer, sight.curtain)
        if key not in self._frames:
            seen_by = sight.viewer if table.hidden else None
            if seen_by not in self._pictures:
                self._pictures[seen_by] = Picture(table, seen_by)
            self._frames[key] = Frame(table, owner, sight, now, self._pictures[seen_by])
        return self._frames[key]


class Messages:
    """What turns older frames into newer ones, each written once for all who have the same."""

    def __init__(self) -> None:
        self._messages: dict[tuple[Frame, Frame], str] = {}
        self._changes: dict[tuple[Picture, Picture], dict[str, Any]] = {}

    def between(self, old: Frame | None, frame: Frame) -> str:
        """Return what turns the frame that a browser has into another; where it has none, all of it."""
        if old is None:
            return frame.whole
        if (old, frame) not in self._messages:
            pictures = old.picture, frame.picture
            if pictures not in self._changes:
                self._changes[pictures] = frame.picture.since(old.picture)
            self._messages[old, frame] = frame.since(old, self._changes[pictures])
        return self._messages[old, frame]


def _among_people(table: Table, owner: str, now: float) -> dict[str, Any]:
    """Return what there is beside the board: who sits where, the clocks, and what is asked and may be done."""
    match, asked = table.match, table.undo_asked
    return {
        "names": list(match.names),
        "kinds": list(table.kinds),
        "started": table.started is not None,
        "chairs": [
            {"taken": chair.taken, "mine": chair.player == owner, "kept": chair.player is not None and not chair.taken}
            for chair in table.chairs
        ],
        "clock": table.clocks(now),
        "draw": match.draw_offer,
        "undo_asked": asked and {"by": asked.seat, "ply": asked.ply, "missing": list(table.undo_missing)},
        "may": may(table, owner),
        "again": table.again,
        "commitment": match.commitment or None,
        "nonce": (match.nonce or None) if match.is_over else None,
        "moved": table.moved,
    }


def _scene(table: Table, view: View) -> tuple[Scene, Overlay | None]:
    """Draw a view, with what the game lays over the board for those who study it, where they may."""
    overlay = view.overlay() if table.revealed else None
    scene = view.scene()
    return (scene if overlay is None else add_overlay(scene, overlay)), overlay


def drawn(scene: Scene) -> tuple[str, str | None]:
    """Write a scene's parts as SVG."""
    board = render_part(scene.board, "board")
    return board, None if scene.tray is None else render_part(scene.tray, "tray")


def look(table: Table, viewer: int | None, ply: int) -> dict[str, Any]:
    """Show an earlier position; of a finished game as the seat to move saw it, for nothing is hidden any more."""
    position = table.match.positions[ply]
    if table.hidden and table.revealed and position.seat is not None:
        viewer = position.seat
    view: View = position.view(viewer)
    board, tray = drawn(_scene(table, view)[0])
    facts, scores = view.facts(), list(view.scores)
    return {"type": "look", "ply": ply, "board": board, "tray": tray, "facts": facts, "scores": scores}


def as_text(message: dict[str, Any]) -> str:
    """Write a message."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
