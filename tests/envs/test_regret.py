"""The yardstick: its positions, and what answers to them lose."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.core import catalogue, compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.envs import regret
from fourcorners.envs.regret import STRATA, Question
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import change_seed

GAMES = fc.games()
DOTS = fc.game("dots-and-boxes", cols=2, rows=1)


def make_question(moves: list[str], margins: dict[str, int], stratum: str = "late") -> Question:
    """Return a question on a small board."""
    position = DOTS.replay(moves)
    return Question(position.view(position.seat), stratum, MappingProxyType(margins))


TAKE = make_question(["a1b1", "a2b2", "a1a2"], {"b1b2": 2, "b1c1": -1, "b2c2": -1, "c1c2": -2})
OPEN = make_question(["a1b1"], dict.fromkeys(DOTS.replay(["a1b1"]).moves(), -1) | {"b1c1": 1})
SMALL = [TAKE, OPEN]


def test_every_game_has_questions_with_different_values() -> None:
    assert regret.list_games() == GAMES


@pytest.mark.parametrize("name", GAMES)
def test_questions_are_views_in_three_strata_whose_moves_differ(name: str) -> None:
    questions = regret.load(name)
    assert len(questions) == len({question.view.text for question in questions}) == 200
    sizes = [[len(each.margins) for each in questions if each.stratum == stratum] for stratum in STRATA]
    assert [len(size) for size in sizes] == [66, 67, 67]
    assert min(sizes[0]) >= max(sizes[1])
    assert min(sizes[1]) >= max(sizes[2])
    for question in questions:
        assert question.view.game.id == name
        assert question.view.viewer == question.view.seat
        assert list(question.margins) == question.view.moves()
        assert len(set(question.margins.values())) > 1


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_the_solver(name: str) -> None:
    for question in regret.load(name)[::40]:
        states = question.view.states.copy()
        if question.view.game.spec.hidden:
            compiled_api.deal(states, 0, new_rng(1))
        solution = fc.solve(fc.Position(question.view.game, states, ()), every_move=True)
        lead = solution.final_margin - solution.remaining_margin
        assert {move: lead + value for move, value in solution.values.items()} == question.margins
        assert solution.moves == question.best
        assert not solution.open_hands


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_yardstick_ranks_our_levels_in_their_order(name: str) -> None:
    questions = regret.load(name)
    count = len(fc.game(name).spec.part(ComputerPlay).levels)
    losses = []
    for level in (1, count // 2, count):
        player = fc.Computer(level, seed=1)
        answers = []
        for question in questions:
            answers.append(player.choose_move(question.view))
            change_seed(player)
        losses.append(regret.score(questions, answers).lost)
    assert losses[0] > losses[1] > losses[2] + 0.02
    assert losses[2] < 0.1


def test_score_counts_points_best_moves_blunders_and_illegal_answers() -> None:
    best = regret.score(SMALL, ["b1b2", "b1c1"])
    assert (best.answers, best.lost, best.best, best.blunders, best.illegal) == (2, 0.0, 1.0, 0.0, 0)
    bad = regret.score(SMALL, ["b1c1", None])
    assert (bad.lost, bad.best, bad.blunders, bad.illegal) == (2.5, 0.0, 1.0, 1)
    assert bad.error == pytest.approx(1.96 * 0.5)
    lost = make_question(["a1b1"], dict.fromkeys(OPEN.margins, -3) | {"b1c1": -1})
    assert regret.score([lost], ["b2c2"]).blunders == 0.0  # it was lost anyway
    with pytest.raises(fc.OptionError, match="one for each of 2 questions"):
        regret.score(SMALL, ["b1b2"])


def test_agents_take_views_prompts_or_planes() -> None:
    assert regret.ask(SMALL, lambda view: view.moves()[0]) == ["b1b2", "a1a2"]
    prompts: list[str] = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return "I take it.\n\nMove: B1B2"

    assert regret.ask(SMALL, answer, "prompt") == ["b1b2", "b1b2"]
    assert all("Move:" in prompt for prompt in prompts)
    encoding = fc.envs.Encoding(DOTS)
    wanted = [encoding.find_index(DOTS.replay(moves), move) for moves, move in ((["a1b1"], "b2c2"), ([], "a1b1"))]
    seen: list[tuple[int, ...]] = []

    def network(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> NDArray[Any]:
        seen.append(observations.shape)
        assert (observations[0] == fc.envs.State(DOTS.replay(["a1b1", "a2b2", "a1a2"])).observe()).all()
        logits = np.full(masks.shape, np.nan)
        logits[:, wanted] = [1.0, 9.0]  # the second is not legal in either
        return logits

    assert regret.ask(SMALL, network, "planes") == ["b2c2", "b2c2"]
    assert seen == [(2, *encoding.shape)]


@pytest.mark.parametrize(
    ("agent", "takes", "message"),
    [
        (lambda _: "", "words", "takes: 'words' is not allowed; it must be view or prompt or planes"),
        (lambda _, masks: masks[:, 1:], "planes", "agent: it returned bool of the shape"),
    ],
)
def test_wrong_agents_are_refused(agent: Callable[..., Any], takes: str, message: str) -> None:
    with pytest.raises(fc.OptionError, match=message):
        regret.ask(SMALL, agent, takes)


def test_answers_that_are_not_moves_count_as_none_and_errors_of_agents_pass_through() -> None:
    replies = iter(["x9", 3])
    assert regret.ask(SMALL, lambda _: next(replies)) == [None, None]

    def fail(_: object) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        regret.ask(SMALL, fail)


def test_sheet_has_every_position_and_is_read_back() -> None:
    sheet = regret.write_sheet(SMALL)
    assert regret.find_game(sheet) == "dots-and-boxes"
    assert (sheet.count("# 1: White moves"), sheet.count("# 2: White moves")) == (1, 1)
    filled = sheet.replace("\n1:", "\n1: b1b2").replace("\n2:", "\n 2 :  nothing ")
    assert regret.read_sheet(filled, SMALL) == {0: "b1b2", 1: "nothing"}
    assert regret.read_sheet(sheet, SMALL) == {}


@pytest.mark.parametrize("line", ["b1b2", "0: b1b2", "3: b1b2", "1: b1b2\n1: b1c1"])
def test_wrong_sheets_are_refused(line: str) -> None:
    with pytest.raises(fc.NotationError, match="is not an answer: a line has a number from 1 to 2"):
        regret.read_sheet(line, SMALL)
    with pytest.raises(fc.NotationError, match="not a sheet of answers"):
        regret.find_game(line)


def test_game_without_questions_is_refused() -> None:
    with pytest.raises(fc.OptionError, match="game: 'chess' has no questions; those that do are "):
        regret.load("chess")
    assert set(regret.list_games()) <= set(catalogue.games())
