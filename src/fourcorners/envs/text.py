r"""Games in text, for language models: rules, prompts that have what a seat knows, and the moves of answers.

>>> import fourcorners as fc
>>> from fourcorners.envs import text
>>> view = fc.game(fc.games()[1], cols=1, rows=1).start().view(0)
>>> text.parse("All edges are alike.\n\nMove: A1B1", view)
'a1b1'
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fourcorners.core import arguments
from fourcorners.core.base_position import MAX_MOVE_LENGTH
from fourcorners.core.errors import GameError, IllegalMoveError, NotationError, quote
from fourcorners.core.figures import draw_rulebook
from fourcorners.core.game import Game, Position, View
from fourcorners.envs.encoding import find_game, list_actions
from fourcorners.players.computer import require_own_view
from fourcorners.study.game_words import describe_game, find_summary

Model = Callable[[str], str]
"""A language model: it answers a prompt."""
_FORM = "End your answer with a line of this form, with one legal move in place of the dots:\n\nMove: …\n"
_MOST_TRIES = 1000
_MOST_LISTED = 500  # legal moves in a prompt, beyond which it has some of them
_LINE = re.compile(rf"\bmove\b[\s\"'*_`]*[:=][\s\"'*_`]*([^\n]{{0,{MAX_MOVE_LENGTH}}})", re.IGNORECASE)
_BOXED = re.compile(rf"\\boxed\s*\{{(?=([^\n]{{0,{MAX_MOVE_LENGTH}}}))")
_COMMAND = re.compile(r"\\(?:boxed|text\w*|math\w*)")  # of TeX, around a move
_AROUND = " \t\"'`*_{}<>[]().,;!$"  # what may surround a move, and is never part of one at its ends


def rules(game: Game | str) -> str:
    """Return the rulebook of a game, or of an id, as Markdown with boards as text; raise OptionError."""
    return _draw_rules(find_game(game))


_draw_rules = lru_cache(maxsize=32)(draw_rulebook)  # its figures take as long as a short search


def prompt(view: View | Position, *, with_rules: bool = True, with_moves: bool = True) -> str:
    """Return all that a model needs to move: the rules, what the seat to move knows, and the form of the answer.

    Two views with the same text get the same prompt, and a position gets that of the seat to move. `with_rules` adds
    the rulebook to the game's summary, and `with_moves` the legal moves, or 500 of them if there are more. Raise
    GameError if the game is over, or if the view is that of another seat than the one to move.
    """
    view = require_own_view(view)
    game, seat, names = view.game, view.seat, view.seat_names
    points = (f"seat {each} ({name}) {view.scores[each]}" for each, name in enumerate(names))
    parts = [
        f"You play {describe_game(game)}. {find_summary(game)}",
        rules(game) if with_rules else "",
        f"# Your turn\n\nYou are seat {seat} ({names[seat or 0]}), and it is your turn. This is the position:",
        f"```text\n{view}\n```",
        f"The same as a line: {view.text}",
        "" if game.spec.scoring == "last-move" else f"Points: {', '.join(points)}",
        *(f"Seats {' and '.join(map(str, party))} play together." for party in game.options.parties if len(party) > 1),
        _list_moves(view) if with_moves else "",
        f"Think as long as you like. {_FORM}",
    ]
    return "\n\n".join(filter(None, parts))


def _list_moves(view: View) -> str:
    """Return the paragraph with the legal moves."""
    moves = view.moves()
    step = -(-len(moves) // _MOST_LISTED)
    shown = ", ".join(moves[::step])
    return f"Your legal moves: {shown}" if step == 1 else f"Some of your {len(moves)} legal moves: {shown}"


def parse(answer: str, view: View | Position) -> str:
    r"""Return the move in the answer of a model: that of its last line “Move: …” or last \boxed{…}, or its last line.

    JSON such as {"move": "a1b1"}, signs around the move, words after it, and other capitals do not matter. Raise
    NotationError if there is no move, or IllegalMoveError if it cannot be played, with a sentence for the model; and
    GameError as `prompt` does.
    """
    view = require_own_view(view)
    found = _find_candidates(answer)
    move = _match_move(found, view.moves())
    if move is not None:
        return move
    if not found:
        raise NotationError("the answer has no move: it must end with a line such as “Move: …”")
    view.game.spec.notation.parse(view.record, found[0])  # raises NotationError
    reason = view.why(found[0])
    if reason is not None:
        raise IllegalMoveError(found[0], reason.sentence, reason.code)
    return found[0]  # a move that is accepted, although it loses


def _find_candidates(answer: object) -> list[str]:
    """Return what the move in an answer may be, the likeliest first: with and without the words after it."""
    if not isinstance(answer, str):
        raise NotationError(f"an answer is text, not {quote(answer)}")
    lines = _LINE.findall(answer) or _BOXED.findall(answer) or answer.strip().splitlines()
    words = _COMMAND.sub("", lines[-1][:MAX_MOVE_LENGTH]).split() if lines else []
    texts = (" ".join(words[:count]).strip(_AROUND) for count in range(len(words), 0, -1))
    return [text for text in texts if text]


def _match_move(candidates: Sequence[str], moves: Collection[str]) -> str | None:
    """Return the first move that a candidate means, if need be with other capitals; None if there is none."""
    alike: dict[str, list[str]] = {}
    for move in moves:
        alike.setdefault(move.lower(), []).append(move)
    for text in candidates:
        found = [text] if text in moves else alike.get(text.lower(), [])
        if len(found) == 1:
            return found[0]
    return None


def ask(model: Model, view: View | Position, *, tries: int = 3) -> str:
    """Let a model choose a move, and tell it why an answer is refused, up to a number of tries, 1 to 1000.

    Raise the last refusal, a NotationError or IllegalMoveError; OptionError for another number of tries; and GameError
    as `prompt` does.
    """
    tries = arguments.check_int("tries", tries, 1, _MOST_TRIES)
    first = question = prompt(view)
    while True:
        answer, tries = model(question), tries - 1
        try:
            return parse(answer, view)
        except GameError as error:
            if tries <= 0:
                raise
            question = _refuse(first, error.message)


def _refuse(question: str, message: str) -> str:
    """Return a question with the sentence that says why the answer to it was refused."""
    return f"{question}\n# Your last answer was refused\n\n{message}\n\n{_FORM}"


class ParseResult(NamedTuple):
    """What `Harness.parse_response` found: the legal move, and the text of the move; None for neither."""

    legal_action: str | None
    raw_action: str | None


class Harness:
    """The three methods by which the harness of Kaggle’s game arena asks a model for moves of a game in OpenSpiel.

    Of an observation they use only `observationString`, which is the view of the seat `playerId` as text.
    """

    def __init__(self, game: Game | str) -> None:
        """Take the game that is played, or its id with its default options; raise OptionError."""
        self.game = find_game(game)

    def read_view(self, observation: Mapping[str, Any]) -> View:
        """Return the view in an observation; raise NotationError or OptionError."""
        return self.game.view(observation["observationString"], observation["playerId"])

    def get_legal_moves(self, observation: Mapping[str, Any]) -> dict[int, str]:
        """Return the legal moves by their indices, which are the actions of OpenSpiel; none if the seat cannot move."""
        view = self.read_view(observation)
        if view.is_over or view.seat != view.viewer:
            return {}
        actions, indices = list_actions(view.states)
        moves = (self.game.spec.notation.format(view.record, action) for action in actions.tolist())
        return {index: move for index, move in zip(indices.tolist(), moves, strict=True) if index >= 0}

    def make_prompt(
        self,
        observation: Mapping[str, Any],
        move_history: Sequence[str],
        previous_response: str | None = None,
        previous_action: str | None = None,
    ) -> str:
        """Return the prompt, with the reason why the previous response was refused, if there is one.

        `move_history` is not used, since the view has all that counts.
        """
        view = self.read_view(observation)
        question = prompt(view)
        if previous_response is None:
            return question
        try:
            parse(previous_response, view)
        except GameError as error:
            return _refuse(question, error.message)
        return question

    generate_prompt = make_prompt  # its name in older versions

    def parse_response(self, response: str, legal_action_strings: Sequence[str]) -> ParseResult:
        """Find the move of a response among the legal ones."""
        found = _find_candidates(response)
        return ParseResult(_match_move(found, legal_action_strings), found[0] if found else None)


def create_agent(model: Model, game: Game | str, *, tries: int = 3) -> Callable[..., dict[str, Any]]:
    """Return an agent for Kaggle’s environments, `agent(observation, configuration)`, whose moves a model chooses.

    The agent returns a dict with the action as `submission` and its move as `actionString`; or without an action, if it
    is not its turn. It raises as `ask` does, and IllegalMoveError for a move that has no index. Raise OptionError if
    there is no such game.
    """
    harness = Harness(game)

    def agent(observation: Any, configuration: object = None) -> dict[str, Any]:
        fields = observation if isinstance(observation, Mapping) else vars(observation)
        if fields.get("isTerminal") or fields["playerId"] != fields["currentPlayer"]:
            return {"submission": None, "status": "INACTIVE"}
        move = ask(model, harness.read_view(fields), tries=tries)
        action = next((index for index, text in harness.get_legal_moves(fields).items() if text == move), None)
        if action is None:
            raise IllegalMoveError(move, "it has no action", "encoding")
        return {"submission": action, "actionString": move, "status": "OK"}

    return agent
