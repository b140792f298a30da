"""The protocol of a table's socket as it is documented: an example of every message in both directions."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from fourcorners.web.protocol import client_messages, server_messages

ADDRESS = "/play/{table}/live"
WORDS = (
    "The socket that the pages use is open to programs: JSON text, one message a frame, at most "
    f"{client_messages.LONGEST_MESSAGE // 1024} KB. "
    "Send `hello` first; the answer is a `state`, and from then on every event comes as a `patch`. "
    "Answer each `beat` with the same. A command has an `id` of your own and the `version` for which it was made, "
    "and is answered by `done`, `refused` or `stale`; sent again with the same id it is done once. "
    "A program names itself with `Authorization: Bearer SECRET` when it connects."
)

_COMMAND = {"id": "c1", "version": 12}

SAID: tuple[tuple[type[BaseModel], tuple[dict[str, Any], ...]], ...] = (
    (client_messages.Hello, ({"type": "hello"}, {"type": "hello", "version": 12, "viewer": 0})),
    (client_messages.Move, ({"type": "move", **_COMMAND, "move": "c4"},)),
    (
        client_messages.Deed,
        (
            {"type": "sit", **_COMMAND, "seat": None, "name": "Ada"},
            {"type": "stand", **_COMMAND, "seat": 1},
            {"type": "computer", **_COMMAND, "seat": 1, "kind": "computer:3"},
            {"type": "resign", **_COMMAND, "seat": 0},
            {"type": "offer-draw", **_COMMAND, "seat": 0},
            {"type": "answer-draw", **_COMMAND, "seat": 1, "accept": True},
            {"type": "ask-undo", **_COMMAND, "seat": 0},
            {"type": "answer-undo", **_COMMAND, "seat": 1, "accept": False},
            {"type": "undo", **_COMMAND},
        ),
    ),
    (client_messages.Again, ({"type": "again", **_COMMAND},)),
    (client_messages.Plan, ({"type": "plan", "seat": 0, "version": 12, "ply": 9, "lines": [[None, "c4"]]},)),
    (
        client_messages.Try,
        ({"type": "try", "seat": 0, "line": ["b2"]}, {"type": "try", "seat": 0, "line": [None], "tokens": []}),
    ),
    (client_messages.Say, ({"type": "say", "phrase": 0}, {"type": "say", "text": "Good luck!"})),
    (client_messages.Report, ({"type": "report", "number": 3, "text": "This is rude."},)),
    (client_messages.Beat, ({"type": "beat", "now": 1795279143.25},)),
    (client_messages.Look, ({"type": "look", "ply": 3},)),
    (client_messages.Complete, ({"type": "complete", "tokens": ["a1"]},)),
    (client_messages.Why, ({"type": "why", "text": "c4"},)),
    (client_messages.See, ({"type": "view", "viewer": 1},)),
    (client_messages.Solve, ({"type": "solve", "id": "q1", "ply": 9},)),
    (client_messages.Hint, ({"type": "hint", "id": "q2", "version": 12},)),
    (client_messages.Evaluate, ({"type": "evaluate", "id": "q3", "version": 12, "ply": 9},)),
    (client_messages.Leave, ({"type": "leave"},)),
)
"""What may be said, each message with examples."""

TABLE: dict[str, Any] = {
    "version": 12,
    "viewer": 0,
    "seat": 1,
    "mine": False,
    "seats": [0],
    "started": True,
    "over": False,
    "outcome": None,
    "result": "running",
    "scores": [1, 0],
    "out": [],
    "names": ["Ada", "Computer 3"],
    "kinds": ["person", "computer:3"],
    "chairs": [{"taken": True, "mine": True, "kept": False}, {"taken": True, "mine": False, "kept": False}],
    "clock": {"kind": "game", "left": [290.5, 300.0], "running": 1, "since": 1795279140.0, "increment": 3, "days": 0},
    "draw": None,
    "undo_asked": None,
    "may": ["resign", "undo"],
    "again": None,
    "commitment": None,
    "nonce": None,
    "moved": None,
    "facts": [[0, "marks", "5"], [None, "to play", "6"]],
    "moves": [],
}
"""A table as the asker may know it."""

GAME: dict[str, Any] = {
    "id": "a-game",
    "title": "A Game",
    "seats": 2,
    "seat_names": ["light", "dark"],
    "options": {"size": 4},
    "hidden": False,
    "teams": [[0], [1]],
}
"""A game as it is played at a table."""

_PICTURED = {**TABLE, "ply": 2, "labels": {"pass": "Pass"}, "curtain": False, "revealed": False, "overlay": None}
_SVG = '<svg class="part">…</svg>'

TOLD: tuple[tuple[type[server_messages.Told], dict[str, Any]], ...] = (
    (
        server_messages.State,
        {
            "type": "state",
            **_PICTURED,
            "board": _SVG,
            "tray": None,
            "plies": [[0, "c4"], [1, "b2"]],
            "game": GAME,
            "study": False,
            "confirm": False,
            "settings": {"clock": {"kind": "game", "seconds": 300, "increment": 3}, "visibility": "link"},
            "clock_label": "5 min + 3 s",
            "host": True,
            "phrases": ["Hello!"],
        },
    ),
    (
        server_messages.Patch,
        {
            "type": "patch",
            "from": 11,
            **_PICTURED,
            "patch": {"board": {"set": {"p-b2": {"class": "mark dark"}}}},
            "plies_from": 1,
            "plies": [[1, "b2"]],
        },
    ),
    (server_messages.BeatTold, {"type": "beat", "now": 1795279143.25}),
    (server_messages.Done, {"type": "done", "id": "c1", "version": 13}),
    (
        server_messages.Refused,
        {"type": "refused", "id": "c1", "code": "not-your-turn", "sentence": "it is the turn of Ben"},
    ),
    (server_messages.Stale, {"type": "stale", "id": "c1"}),
    (server_messages.Bad, {"type": "bad", "sentence": "the first message is a hello"}),
    (server_messages.Here, {"type": "here", "chairs": [True, False], "watching": 2}),
    (server_messages.PlanTold, {"type": "plan", "seat": 0, "lines": [[None, "c4"]], "movers": [[None, 0]]}),
    (
        server_messages.TryTold,
        {
            "type": "try",
            "seat": 0,
            "line": ["b2"],
            "tokens": None,
            "board": _SVG,
            "tray": None,
            "mover": 0,
            "moves": ["c4"],
            "labels": {},
        },
    ),
    (
        server_messages.ChatTold,
        {
            "type": "chat",
            "lines": [
                {
                    "number": 1,
                    "name": "Ada",
                    "seat": 0,
                    "text": "Hello!",
                    "mine": True,
                    "who": "5a1f",
                    "at": 1795279100.5,
                },
            ],
        },
    ),
    (server_messages.Reported, {"type": "reported", "taken": True}),
    (server_messages.Preparing, {"type": "preparing"}),
    (server_messages.Ready, {"type": "ready"}),
    (server_messages.Bye, {"type": "bye", "sentence": "The server restarts; come back in a moment."}),
    (server_messages.Thinking, {"type": "thinking", "seat": 1, "simulations": 1200, "share": 0.4}),
    (
        server_messages.LookTold,
        {"type": "look", "ply": 1, "board": _SVG, "tray": None, "facts": [[0, "marks", "1"]], "scores": [0, 0]},
    ),
    (server_messages.CompleteTold, {"type": "complete", "tokens": ["a1"], "next": ["b1"], "move": False, "labels": {}}),
    (server_messages.WhyTold, {"type": "why", "text": "c4", "code": "taken", "sentence": "c4 is taken"}),
    (
        server_messages.SolveTold,
        {
            "type": "solve",
            "id": "q1",
            "ply": 9,
            "state": "solved",
            "sentence": "Solved: you win by 1.",
            "detail": "1,204 positions searched.",
            "seat": 0,
            "worth": 1,
            "counts": "margin",
            "moves": [["c4", 1], ["d4", -1]],
        },
    ),
    (server_messages.Solving, {"type": "solving", "ply": 9, "lower": -3, "upper": 2, "nodes": 800}),
    (
        server_messages.HintTold,
        {"type": "hint", "id": "q2", "state": "found", "move": "c4", "reason": "it closes a square"},
    ),
    (
        server_messages.EvaluateTold,
        {
            "type": "evaluate",
            "id": "q3",
            "ply": 9,
            "state": "found",
            "sentence": "You are expected to win by about 2.",
            "detail": "Chances 70 : 30",
            "share": 0.7,
            "sides": [[0], [1]],
            "solved": False,
        },
    ),
)
"""What is told, each message with an example."""
