"""Positions that are set up by hand: a draft, what can be changed in it, and whether it is a position yet."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta

from fourcorners.core.contract import Editor
from fourcorners.core.errors import IllegalMoveError, NotationError
from fourcorners.core.game import Game, View
from fourcorners.core.record_view import view_record
from fourcorners.core.scene import Element, Part, Scene
from fourcorners.web.application.analysis_board import Completion
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.protocol.board_picture import MAX_MOVES, PICTURE_EXAMPLE, BoardPicture, draw_parts, draw_tokens
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields

_NO_EDITOR = "positions of this game can only be given as text"


class EditorTool(Fields, frozen=True, kw_only=True):
    """What can be changed."""

    id: str
    label: str


@example(
    draft="0 …",
    problem="",
    tool="edges",
    tools=[EditorTool(id="edges", label="Edges"), EditorTool(id="turn", label="Seat to move")],
    picture=PICTURE_EXAMPLE,
)
class EditorAnswer(Fields, frozen=True, kw_only=True):
    """A draft of a position, drawn with the changes that a tool can make as its moves."""

    draft: Annotated[str, Meta(description="The draft in one line, to be sent with the next change.")]
    problem: Annotated[str, Meta(description="Why the draft is not a valid position yet; empty if it is.")]
    tool: str
    tools: list[EditorTool]
    picture: BoardPicture


def edit_position(game: Game, draft: str, tool: str, edit: str) -> EditorAnswer:
    """Change a draft, "" for the start of the game, by hand, and describe what can be changed next.

    Raise NotationError if the draft cannot be read or the change is refused, OptionError for an unknown tool, and
    IllegalMoveError if the game has no editor.
    """
    editor = _get_editor(game)
    tools = editor.list_tools(game.options)
    tool = tool or tools[0].id
    view = _read_draft(game, draft or game.start().text)
    if edit:
        record = view_record(np.frombuffer(bytearray(view.states.tobytes()), view.states.dtype))
        view = _read_draft(game, editor.edit(record, game.options, tool, edit))
    text = view.text
    edits = editor.list_edits(view.record, tool)
    scene = _offer_edits(view.scene(), edits)
    board, tray = draw_parts(scene)
    drawn = {element.token for part in scene if part is not None for element in part.elements}
    tokens = {token for each in edits for token in each.split(" ")} if len(edits) <= MAX_MOVES else _list_first(edits)
    return EditorAnswer(
        draft=text,
        problem=_find_problem(game, text),
        tool=tool,
        tools=[EditorTool(id=each.id, label=each.label) for each in tools],
        picture=BoardPicture(
            board=board,
            tray=tray,
            text=text,
            viewer=None,
            seat=view.seat,
            seat_names=view.seat_names,
            scores=view.scores,
            facts=(),
            moves=list(edits) if len(edits) <= MAX_MOVES else None,
            labels={token: editor.label_token(token) for token in sorted(tokens - drawn)},
            pictures=draw_tokens(view.game, tokens),
            effects={},
        ),
    )


def complete_edit(game: Game, draft: str, tool: str, tokens: Sequence[str]) -> Completion:
    """Return what can follow the first tokens of a change; raise as `edit_position`."""
    editor = _get_editor(game)
    view = _read_draft(game, draft or game.start().text)
    edits = editor.list_edits(view.record, tool or editor.list_tools(game.options)[0].id)
    beginning = "".join(f"{token} " for token in tokens)
    following = {each[len(beginning) :].split(" ")[0] for each in edits if each.startswith(beginning)}
    is_whole = " ".join(tokens) in edits
    labels = {token: editor.label_token(token) for token in sorted(following)}
    return Completion(next=sorted(following), move=is_whole, labels=labels)


def _get_editor(game: Game) -> Editor:
    if game.spec.editor is None:
        raise IllegalMoveError("edit", _NO_EDITOR, "no-editor")
    return game.spec.editor


def _read_draft(game: Game, text: str) -> View:
    """Return a draft as a view of everything; raise NotationError."""
    if len(text) > game.longest_text:
        raise NotationError(f"a draft has at most {game.longest_text} characters")
    states = np.zeros(1, game.spec.rules.DTYPE)
    assert game.spec.editor is not None
    game.spec.editor.read_draft(view_record(states), game.options, text)
    return View(game, states, (), None)


def _find_problem(game: Game, text: str) -> str:
    """Return why a draft is not a position, as a sentence; empty if it is one."""
    try:
        game.position(text)
    except NotationError as error:
        # What comes before the colon quotes the draft, which people see.
        return write_sentence(error.message.rpartition(": ")[2])
    return ""


def _list_first(edits: Sequence[str]) -> set[str]:
    return {each.split(" ")[0] for each in edits}


def _offer_edits(scene: Scene, edits: Sequence[str]) -> Scene:
    """Return a scene in which exactly the elements that changes name can be chosen."""
    tokens = {token for each in edits for token in each.split(" ")}

    def offer(part: Part) -> Part:
        return part._replace(elements=tuple(_offer(element, tokens) for element in part.elements))

    return Scene(offer(scene.board), None if scene.tray is None else offer(scene.tray))


def _offer(element: Element, tokens: set[str]) -> Element:
    name = element.token if element.token in tokens else element.id
    if name not in tokens:
        return element._replace(token="", gesture="") if element.token else element
    gesture = element.gesture if element.gesture == "span" else "pick"
    return element._replace(token=name, gesture=gesture)
