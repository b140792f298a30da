"""Text for language models: prompts say all that counts and nothing hidden; moves are found in answers of any form."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pyspiel
import pytest

import fourcorners as fc
from fourcorners.core.figures import draw_rulebook
from fourcorners.envs import openspiel, text
from tests.study.test_analysis_engine import list_deals

SMALL = fc.game("dots-and-boxes", cols=2, rows=1)
BEGUN = SMALL.replay(["a1b1"])


def pick_first(prompt: str) -> str:
    """A model that answers with the first legal move of its prompt."""
    listed = prompt.partition("legal moves: ")[2].splitlines()[0].split(", ")
    return f"I take the first one.\n\n**Move:** `{listed[0]}`"


def answer_in_turn(*answers: str) -> tuple[Callable[[str], str], list[str]]:
    """Return a model that gives these answers, and the list of the prompts that it will get."""
    left, seen = list(answers), []

    def model(prompt: str) -> str:
        seen.append(prompt)
        return left.pop(0)

    return model, seen


@pytest.mark.parametrize("name", fc.games())
def test_prompt_has_rules_position_turn_and_moves(name: str) -> None:
    position = fc.game(name).start(seed=1)
    view = position.view(position.seat)
    prompt = text.prompt(view)
    assert text.rules(name) == draw_rulebook(view.game)
    for part in (text.rules(name), str(view), view.text, f"You are seat {view.seat} ({view.seat_names[0]})"):
        assert part in prompt
    moves = view.moves()
    listed = prompt.partition("legal moves: ")[2].splitlines()[0].split(", ")
    assert set(listed) <= set(moves)
    assert listed == moves if len(moves) <= 500 else 250 <= len(listed) <= 500
    assert ("Points: " in prompt) == (view.game.spec.scoring != "last-move")
    assert prompt.endswith("\n\nMove: …\n")
    short = text.prompt(view, with_rules=False, with_moves=False)
    assert text.rules(name) not in short and "legal moves: " not in short and view.text in short


def test_prompt_names_teams() -> None:
    game = fc.game("squarin-off", cols=3, rows=3, players=4, teams=True)
    assert "Seats 0 and 2 play together." in text.prompt(game.start())


def test_twenty_deals_that_look_the_same_get_the_same_prompt() -> None:
    position, deals = list_deals(20)
    assert len({deal.text for deal in deals}) == 20
    view = position.game.view(position.view(position.seat).text, position.seat)
    assert {text.prompt(deal) for deal in deals} == {text.prompt(position), text.prompt(view)}
    assert len({text.prompt(deal) for deal in deals}) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "Move: b1c1",
        "Move: a1b1 is taken, so:\n\nMove: b1c1",
        "**Move:** `B1C1`.",
        "move = b1c1",
        'Reasons.\n```json\n{"move": "b1c1"}\n```',
        "Move:\nb1c1",
        "Move: b1c1 (it gives nothing away)",
        "I thought about a1a2.\n\nb1c1\n",
        "Move: [b1c1]",
        r"Move: $\boxed{\text{b1c1}}$",
        "So the best move is $\\boxed{b1c1}$.\n\nIt gives nothing away.",
        r"\boxed{a1a2}? No: \boxed{\mathrm{b1c1}}.",
    ],
)
def test_move_is_found_in_an_answer(answer: str) -> None:
    assert text.parse(answer, BEGUN) == text.parse(answer, BEGUN.view(BEGUN.seat)) == "b1c1"


def test_move_of_several_words_is_found() -> None:
    position = fc.game("squendo").start(seed=1)
    move = position.moves()[-1]
    assert " " in move
    assert text.parse(f"Move: {move.lower()}, a good one", position) == move


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        ("Move: a1b1", fc.IllegalMoveError, "'a1b1' cannot be played: edge a1b1 is already drawn"),
        ("Move: zz", fc.NotationError, "'zz' is not an edge: a move is an edge such as c4d4"),
        ("", fc.NotationError, "the answer has no move: it must end with a line such as “Move: …”"),
        ("Move: …", fc.NotationError, "'\\u2026' is not an edge"),
        (None, fc.NotationError, "an answer is text, not None"),
        ("x" * 100_000, fc.NotationError, "is not an edge"),
        ("Move: " * 50_000, fc.NotationError, "is not an edge"),
    ],
)
def test_answer_without_a_legal_move_gets_a_sentence(answer: Any, error: type[fc.GameError], sentence: str) -> None:
    with pytest.raises(error) as caught:
        text.parse(answer, BEGUN)
    assert sentence in caught.value.message
    assert "\n" not in caught.value.message


def test_rectangle_that_loses_is_a_move_of_a_strict_game() -> None:
    position = fc.game("sqez", cols=6, rows=5, strict=True).replay(["a1 c3"])
    assert "a1 d4" not in position.moves()
    assert text.parse("Move: a1 d4", position) == "a1 d4"


def test_only_the_seat_to_move_is_asked() -> None:
    for view in (BEGUN.view(0), SMALL.replay(["a1b1", "b1c1", "a1a2", "b1b2", "c1c2", "a2b2", "b2c2"])):
        for call in (text.prompt, lambda found: text.parse("Move: b1c1", found)):
            with pytest.raises(fc.GameError, match=r"is to move|the game is over"):
                call(view)


def test_model_is_told_why_its_answer_is_refused() -> None:
    model, seen = answer_in_turn("Move: a1b1", "none", "Move: b1c1")
    assert text.ask(model, BEGUN) == "b1c1"
    assert seen[0] == text.prompt(BEGUN)
    assert seen[1].startswith(seen[0]) and "edge a1b1 is already drawn" in seen[1]
    assert seen[2].startswith(seen[0]) and "already drawn" not in seen[2] and "'none' is not an edge" in seen[2]
    model, seen = answer_in_turn("Move: a1b1", "Move: a1b1", "Move: b1c1")
    with pytest.raises(fc.IllegalMoveError, match="already drawn"):
        text.ask(model, BEGUN, tries=2)
    assert len(seen) == 2


def observe(state: Any, player: int) -> dict[str, Any]:
    """Return what the environment of Kaggle tells an agent about a state of OpenSpiel."""
    return {
        "observationString": state.observation_string(player),
        "currentPlayer": state.current_player(),
        "playerId": player,
        "isTerminal": state.is_terminal(),
    }


@pytest.mark.parametrize(
    ("name", "options"),
    [("dots-and-boxes", {"cols": 2, "rows": 1}), ("sqez", {"cols": 4, "rows": 3}), ("squendo", {})],
)
def test_agents_play_a_game_of_openspiel(name: str, options: dict[str, int]) -> None:
    params = ",".join(f"{key}={value}" for key, value in options.items())
    state = pyspiel.load_game(f"{openspiel.name_game(name)}({params})").new_initial_state()
    agents = [text.create_agent(pick_first, fc.game(name, **options)) for _ in range(2)]
    plies = 0
    while not state.is_terminal() and plies < 9:
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
            continue
        seat = state.current_player()
        assert agents[1 - seat](observe(state, 1 - seat), {})["submission"] is None
        chosen = agents[seat](SimpleNamespace(**observe(state, seat)), {})
        assert chosen["actionString"] == state.action_to_string(chosen["submission"])
        legal = text.Harness(fc.game(name, **options)).get_legal_moves(observe(state, seat))
        assert sorted(legal) == state.legal_actions()
        state.apply_action(chosen["submission"])
        plies += 1
    assert plies > 0


def test_harness_finds_moves_and_tells_why_a_response_was_refused() -> None:
    harness = text.Harness(SMALL)
    observation = {"observationString": BEGUN.text, "playerId": 1}
    legal = list(harness.get_legal_moves(observation).values())
    assert sorted(legal) == BEGUN.moves()
    assert harness.parse_response("Move: B1C1", legal) == ("b1c1", "B1C1")
    assert harness.parse_response("Move: a1b1", legal) == (None, "a1b1")
    assert harness.parse_response("", legal) == (None, None)
    first = harness.make_prompt(observation, [])
    assert first == text.prompt(BEGUN)
    again = harness.make_prompt(observation, [], previous_response="Move: a1b1", previous_action="a1b1")
    assert again.startswith(first) and "edge a1b1 is already drawn" in again
    assert harness.get_legal_moves({**observation, "playerId": 0}) == {}


@pytest.mark.parametrize("tries", [0, 1001, "3"])
def test_wrong_number_of_tries_is_refused(tries: Any) -> None:
    with pytest.raises(fc.OptionError, match=r"tries: .* is not allowed; it must be a whole number from 1 to 1000"):
        text.ask(lambda _: "Move: a1b1", BEGUN, tries=tries)
