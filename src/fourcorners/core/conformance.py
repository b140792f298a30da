"""The contract of a game as checks: run `check_declaration` and `check_game` on your game."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import ParamSpec, TypeVar
from xml.etree import ElementTree as ET

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import States
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import check_dtype, view_record
from fourcorners.core.errors import IllegalMoveError, NotationError
from fourcorners.core.figures import draw_step, list_figures
from fourcorners.core.game import Game, Position, View
from fourcorners.core.hidden_information import HiddenInformation
from fourcorners.core.jit import Kernel
from fourcorners.core.match import Match, Record
from fourcorners.core.narration import narrate
from fourcorners.core.presentation import Presentation
from fourcorners.core.scene import Scene, diff_scenes, render_svg
from fourcorners.core.spec import Spec

P = ParamSpec("P")
R = TypeVar("R")

EXPLANATION_ID = re.compile(r"[a-z]+(?:-[a-z]+)*")
# fmt: off
HOSTILE_MOVES = ("", " ", "a1 ", " a1", "A1", "é1", "a1\x00", "٣", "a" * 99,
    "a1  b1", "-1,0", "1e9", "#", "pass pass", "../..")
# fmt: on
_SAMPLED_MOVES = 12  # the number of checked moves of a position, and of texts made by changing one letter of a move
_OPTIONAL_FUNCTIONS = (
    "list_offered_moves",
    *(each.name for kind in (Presentation, HiddenInformation) for each in fields(kind)),
)


class NotConformingError(AssertionError):
    """A game breaks the contract; the message says where."""


def check_declaration(spec: Spec) -> None:
    """Check that a game's declarations match the names in its modules; raise NotConformingError."""

    def need_names(module: str, names: tuple[str, ...], capability: str, *, declared: bool) -> None:
        """Raise NotConformingError unless the module has all of these names if `declared`, and otherwise none."""
        for name in names:
            if hasattr(getattr(spec, module), name) != declared:
                declares, has = ("declares", "has no") if declared else ("does not declare", "has")
                raise NotConformingError(f"{spec.id} {declares} {capability}, but its {module} module {has} {name}")

    need_names("rules", ("hide", "deal", "can_play"), "hidden information", declared=spec.hidden)
    need_names("notation", ("read_view",), "hidden information", declared=spec.hidden)
    hidden = {} if spec.hidden_information is None else vars(spec.hidden_information)
    declared = {"list_offered_moves": spec.list_offered_moves, **vars(spec.presentation), **hidden}
    for module in ("notation", "drawing", "explain"):
        for name in _OPTIONAL_FUNCTIONS:
            function = getattr(getattr(spec, module), name, None)
            # Otherwise it would never be called.
            if function is not None and declared.get(name) is not function:
                raise NotConformingError(f"{spec.id} has {name} in its {module} module, but its Spec does not use it")
    kinds = [type(part) for part in spec.parts]
    for part in spec.parts:
        if kinds.count(type(part)) > 1:
            raise NotConformingError(f"{spec.id} declares more than one {type(part).__name__}")
        for fault in part.list_faults(spec):
            raise NotConformingError(f"{spec.id} {fault}")
    for preset, preset_spec in spec.preset_specs.items():
        # The stubs find a function by the dtype of a record, which the presets of a game share.
        if preset_spec.list_modules() != spec.list_modules():
            raise NotConformingError(
                f"{spec.id} and its preset {preset} declare different modules of compiled functions"
            )


def check_game(game: Game, seed: int, *, every: int = 1) -> int:
    """Play one random game, which `seed` determines, and return its number of plies; raise NotConformingError.

    Check the declaration first, outcome and record at the end, and at each `every`-th ply (1 or more) texts, refusals,
    views and pictures, and that interpreted and compiled rules change all fields equally. The game's errors pass
    through.
    """
    check_declaration(game.spec)
    rng = random.Random(seed)
    match = Match(game, seed=seed)
    scenes: dict[int | None, Scene] = {}
    plies = 0
    while not match.position.is_over:
        position = match.position
        if plies % every == 0:
            _check_position(position, rng)
            _check_compiled_rules(position, seed + plies)
            for viewer in (None, *range(game.seats)):
                scenes[viewer] = _check_view(position.view(viewer), scenes.get(viewer))
        match.play(rng.choice(position.moves()))
        if plies % every == 0:
            _check_words(position, match.position)
        plies += 1
        _require(plies <= game.spec.rules.MAX_PLIES, position, "the game is longer than MAX_PLIES")
    final, outcome = match.position, match.position.outcome
    _require(final.moves() == [] and final.seat is None, final, "a finished game has moves or a seat to move")
    _require(outcome is not None and outcome.winners and outcome.reason, final, "a finished game has no outcome")
    if game.spec.scoring == "last-move":
        single_point = sorted(final.scores) == [*[0] * (game.seats - 1), 1]
        _require(single_point, final, "the last move scores other than one point")
    _check_areas(final)
    _check_deck(final, seed)
    record = Record.of(match)
    _require(Record.parse(str(record)) == record, final, "the record is not the same after a round trip")
    _require(record.match().position == final, final, "the record replays to a different position")
    return plies


def _check_deck(final: Position, seed: int) -> None:
    """Check that decks differ only in their order, and that any order is allowed; the error for a refused deck passes
    through.
    """
    tiles = sorted(final.game.deck(seed))
    _require(tiles == sorted(final.game.deck(seed + 1)), final, "two decks of the game have different tiles")
    final.game.deck(deck=tiles)


def _check_areas(final: Position) -> None:
    """Check that the areas of a final board, if the game can list them, are distinct and add up to the points."""
    game = final.game
    list_areas = game.spec.presentation.list_areas
    if list_areas is Presentation.list_areas:
        return  # the default, which lists none
    areas = list_areas(final.view(None))
    _require(len({area.name for area in areas}) == len(areas), final, "two areas have the same name")
    counts = [sum(area.points for area in areas if area.seat == party[0]) for party in game.options.parties]
    points = [final.scores[party[0]] for party in game.options.parties]
    _require(counts == points, final, f"areas add up to {counts}, not to the points {points}")


def check_documents(game: Game) -> int:
    """Replay and draw the cover and the rulebook's figures; return the number of figures. Raise GameError."""
    Record.parse(game.cover).match().position.svg()
    figures = list_figures(game)
    for figure in figures:
        for number in range(len(figure.steps)):
            render_svg(draw_step(figure, number), game.spec.drawing.STYLE)
    return len(figures)


def _require(condition: object, position: Position | View, message: str) -> None:
    """Raise NotConformingError, naming the position, unless the condition holds."""
    if not condition:
        raise NotConformingError(f"{message} (in {position.game!r}, {position.text})")


def _check_position(position: Position, rng: random.Random) -> None:
    """Raise NotConformingError if a running position lists, accepts or writes wrong moves or texts, or changes."""
    game, notation = position.game, position.game.spec.notation
    before = position.states.tobytes()
    moves = position.moves()
    _require(moves and moves == sorted(set(moves)), position, "moves are missing, duplicated or not sorted")
    _require(len(position.scores) == game.seats, position, "there is not one score for each seat")
    _require(position.seat in range(game.seats), position, "the seat to move does not exist")
    parsed = game.position(position.text)
    same = parsed == position and parsed.text == position.text
    _require(same, position, "the text of the position is not the same after a round trip")
    for move in rng.sample(moves, min(len(moves), _SAMPLED_MOVES)):
        action = notation.parse(position.record, move)
        _require(notation.format(position.record, action) == move, position, f"{move!r} is formatted differently")
        _require(position.why(move) is None, position, f"{move!r} is legal but refused")
        tokens = move.split(" ")
        for i, token in enumerate(tokens):
            _require(token in position.complete(tokens[:i]), position, f"{move!r} cannot be completed token by token")
        position.play(move)
    for text in (*HOSTILE_MOVES, *_mutate_move(rng.choice(moves), rng)):
        _check_refusal(position, text, moves)
    _require(position.states.tobytes() == before, position, "parsing or playing moves changed the position")


def _mutate_move(move: str, rng: random.Random) -> Iterator[str]:
    """Yield 15 texts that differ little from a move, or happen to equal it; some can be parsed but not played."""
    alphabet = "abcdefghijkRBGYox0123456789 ,-#:r"
    for _ in range(_SAMPLED_MOVES):
        index = rng.randrange(len(move))
        yield move[:index] + rng.choice(alphabet) + move[index + 1 :]
    yield move.upper()
    yield move + " " + move.rsplit(" ", maxsplit=1)[-1]
    yield " ".join(move.split(" ")[:-1])


def _check_refusal(position: Position, text: str, moves: list[str]) -> None:
    """Raise NotConformingError if `play` refuses a text without a reason, or plays one that the game does not accept.
    If the text can be parsed, `why` must give the same reason. Any of `moves`, the legal ones, is skipped.
    """
    if text in moves:
        return
    reason = position.why(text)
    try:
        position.play(text)
    except (NotationError, IllegalMoveError) as error:
        _require(reason and reason.code and reason.sentence, position, f"{text!r} is refused without a reason")
        same = not isinstance(error, IllegalMoveError) or reason == (error.code, error.reason)
        _require(same, position, f"why and play give different reasons for {text!r}")
    else:
        action = position.game.spec.notation.parse(position.record, text)
        accepted = compiled_api.accepts_illegal(position.states, 0, action)
        _require(accepted, position, f"{text!r} was played but is not legal")


def _check_view(view: View, previous: Scene | None) -> Scene:
    """Check the text, the picture, the facts and the moves of a view; return its picture. `previous` is the same
    viewer's picture at an earlier ply, if there is one. Raise NotConformingError.
    """
    parsed = view.game.view(view.text, view.viewer)
    same = parsed == view and parsed.text == view.text
    _require(same, view, "the text of the view is not the same after a round trip")
    scene = view.scene()
    drawn_tokens = set()
    elements = (*scene.board.elements, *(scene.tray.elements if scene.tray else ()))
    unique = len({element.id for element in elements}) == len(elements)
    _require(unique, view, "two elements of the picture, board and tray together, have the same id")
    for element in elements:
        if element.token:
            drawn_tokens.add(element.token)
            usable = element.label and element.gesture in {"pick", "span", "carry", "drop"}
            _require(usable, view, f"element {element.id} has a token but no label or no known gesture")
    try:
        ET.fromstring(render_svg(scene, view.game.spec.drawing.STYLE))  # noqa: S314  # our own picture
    except ET.ParseError as error:
        _require(False, view, f"the picture is not well-formed XML: {error}")
    _require(str(view) and repr(view), view, "the view has no text")
    for seat, name, value in view.facts():
        valid = (seat is None or 0 <= seat < view.game.seats) and name and isinstance(value, str)
        _require(valid, view, f"the fact {name!r} is not a seat, a name and a text")
    for token in {token for move in view.offered_moves() for token in move.split(" ")} - drawn_tokens:
        _require(view.game.spec.explain.label(token), view, f"token {token!r} is neither drawn nor labelled")
    _require(list(view.offered_moves()) == sorted(view.offered_moves()), view, "the offered moves are not sorted")
    if previous is not None:
        diff_scenes(previous, scene)  # must not raise; its result is tested elsewhere
    if view.game.spec.hidden and view.viewer != view.seat:
        _require(view.moves() == [], view, "a viewer who is not to move sees moves")
    return scene


def _check_words(before: Position, after: Position) -> None:
    """Raise NotConformingError unless every viewer can read the ply between two positions, and its explanations."""
    for viewer in (None, *range(after.game.seats)):
        words, explanations = narrate(before, after, viewer)
        is_clause = words and words == words.strip() and words.isprintable() and not words.endswith(".")
        _require(is_clause, after, f"{words!r} is not a clause about the last move")
        for each in explanations:
            _require(EXPLANATION_ID.fullmatch(each.id), after, f"{each.id!r} is not the id of an explanation")
            is_sentence = each.sentence[:1].isupper() and each.sentence.endswith(".")
            _require(is_sentence, after, f"{each.sentence!r} is not a sentence")
        unique = len({each.id for each in explanations}) == len(explanations)
        _require(unique, after, "two explanations of one ply have the same id")


def _check_compiled_rules(position: Position, seed: int) -> None:
    """Check that the interpreted and the compiled rules do the same in one running position, and after a random move.

    `seed` is for random choices. Also check that `hide` after `deal` gives the hidden record again, for all viewers,
    and that `can_play` says which actions of the true world are legal in another world.
    Raise NotConformingError, or TypeError as `dispatch.check_dtype` does.
    """
    game, states, rules = position.game, position.states, position.game.spec.rules
    differ = "interpreted and compiled rules differ"
    check_dtype(rules.DTYPE)
    bound = compiled_api.bound(states, 0)
    lists = [np.full(bound, -1, np.int64) for _ in range(2)]
    counts = [legal(states, 0, out) for legal, out in zip(_pair_versions(compiled_api.legal), lists, strict=True)]
    _require(counts[0] == counts[1] <= bound, position, f"{differ} in the number of legal actions")
    _require((lists[0] == lists[1]).all(), position, f"{differ} in the legal actions")
    rngs = [new_rng(seed) for _ in range(2)]
    picks = [int(pick(states, 0, rng)) for pick, rng in zip(_pair_versions(compiled_api.pick), rngs, strict=True)]
    _require(picks[0] == picks[1], position, f"{differ} in the picked action")
    _require(picks[0] in lists[0][: counts[0]], position, "the rules pick an illegal action")
    after = [states.copy() for _ in range(2)]
    points = [np.zeros(rules.MAX_SEATS, np.int64) for _ in range(2)]
    plays, statuses = _pair_versions(compiled_api.play), _pair_versions(compiled_api.status)
    for play, status, copy, out in zip(plays, statuses, after, points, strict=True):
        play(copy, 0, picks[0])
        status(copy, 0, out)
    _require((points[0] == points[1]).all(), position, f"{differ} in the points")
    _need_equal_fields(position, after[0], after[1], "play")
    for seat in range(-1, game.seats):
        hidden = [after[0].copy() for _ in range(2)]
        for hide, copy in zip(_pair_versions(compiled_api.hide), hidden, strict=True):
            hide(copy, 0, seat)
        _need_equal_fields(position, hidden[0], hidden[1], "hide")
        worlds = [hidden[0].copy() for _ in range(2)]
        for deal, copy in zip(_pair_versions(compiled_api.deal), worlds, strict=True):
            deal(copy, 0, new_rng(seed))
        _need_equal_fields(position, worlds[0], worlds[1], "deal")
        if game.spec.hidden and compiled_api.status(after[0], 0, points[0]) >= 0:
            world, legal_here = view_record(worlds[0]), set(compiled_api.list_legal(worlds[0], 0).tolist())
            for action in compiled_api.list_legal(after[0], 0).tolist():
                is_legal = dispatch.can_play(world, action)
                _require(is_legal == (action in legal_here), position, "can_play and the legal actions differ")
        compiled_api.hide(worlds[0], 0, seat)
        _need_equal_fields(position, worlds[0], hidden[0], "hide after deal")


def _pair_versions(kernel: Kernel[P, R]) -> tuple[Callable[P, R], Callable[P, R]]:
    """Return a kernel's interpreted and its compiled function; with NUMBA_DISABLE_JIT both are interpreted."""
    return kernel.run_interpreted, kernel


def _need_equal_fields(position: Position, interpreted: States, compiled: States, function: str) -> None:
    """Raise NotConformingError, naming `function` and the field, if any field of the two arrays differs."""
    for name in interpreted.dtype.names or ():
        equal = (interpreted[name] == compiled[name]).all()
        _require(equal, position, f"interpreted and compiled rules differ after {function} in the field {name!r}")
