"""How many points a player's moves lose: a yardstick of positions with the exact value of every move.

>>> import fourcorners as fc
>>> from fourcorners.envs import regret
>>> questions = regret.load(fc.games()[1])
>>> len(questions)
200
>>> result = regret.score(questions, [question.best[0] for question in questions])
>>> result.lost, result.best, result.blunders
(0.0, 1.0, 0.0)
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from statistics import fmean, stdev
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from fourcorners.core import catalogue, compiled_encoding
from fourcorners.core.errors import GameError, NotationError, OptionError, quote
from fourcorners.core.game import View
from fourcorners.envs import text
from fourcorners.envs.batch import MOST_MASKED_ACTIONS
from fourcorners.envs.encoding import Encoding, check_word, describe_values, list_actions, make_array
from fourcorners.study.game_words import describe_game

STRATA = ("early", "middle", "late")
"""The strata of the questions: thirds by the number of legal moves, the most first."""
TAKES = ("view", "prompt", "planes")
_Z95 = 1.96
_HEAD = "# fourcorners regret: "
_ANSWER = re.compile(r"\s*(\d{1,6})\s*:\s*(.*?)\s*")


class Question(NamedTuple):
    """A position in which moves differ, with the final margin that each leads to, with best play, for its mover."""

    view: View
    stratum: str
    margins: Mapping[str, int]

    @property
    def best(self) -> tuple[str, ...]:
        """The best moves."""
        most = max(self.margins.values())
        return tuple(move for move, margin in self.margins.items() if margin == most)

    def measure(self, move: str | None) -> tuple[int, bool]:
        """Return the points that a move loses, and whether it is a blunder: it turns a win or a draw into less.

        What is not a legal move, such as None, counts as the worst one.
        """
        most, worst = max(self.margins.values()), min(self.margins.values())
        got = worst if move is None else self.margins.get(move, worst)
        return most - got, int(np.sign(got)) < int(np.sign(most))


@dataclass(frozen=True)
class Regret:
    """What a player's answers lost.

    `lost` is the mean of the points lost in a move, `error` half of its 95% interval, `best` the share of best moves,
    and `blunders` the share of moves that turned a win or a draw into less. `illegal` counts the answers that were not
    legal moves, which count as the worst ones.
    """

    answers: int
    lost: float
    error: float
    best: float
    blunders: float
    illegal: int


def list_games() -> list[str]:
    """Return the ids of the games that have questions."""
    return [game for game in catalogue.games() if _find_file(game).is_file()]


def _find_file(game: str) -> Any:
    return resources.files("fourcorners.envs") / "questions" / f"{game}.json"


@cache
def load(game: str) -> tuple[Question, ...]:
    """Return the questions of a game by its id; raise OptionError if it has none."""
    if game not in list_games():
        raise OptionError("game", f"{quote(game)} has no questions; those that do are {', '.join(list_games())}")
    stored = json.loads(_find_file(game).read_text(encoding="utf-8"))
    board = catalogue.game(stored["game"], **stored["options"])
    questions = []
    for stratum, seat, line, margins in stored["questions"]:
        view = board.view(line, seat)
        questions.append(Question(view, stratum, MappingProxyType(dict(zip(view.moves(), margins, strict=True)))))
    return tuple(questions)


def score(questions: Sequence[Question], answers: Sequence[str | None]) -> Regret:
    """Return what answers lost, one for each question; raise OptionError for another number of them."""
    if len(answers) != len(questions) or not questions:
        raise OptionError("answers", f"there must be one for each of {len(questions)} questions, and at least one")
    measured = [question.measure(answer) for question, answer in zip(questions, answers, strict=True)]
    losses = [float(lost) for lost, _ in measured]
    return Regret(
        answers=len(losses),
        lost=fmean(losses),
        error=_Z95 * stdev(losses) / math.sqrt(len(losses)) if len(losses) > 1 else math.inf,
        best=fmean(not lost for lost in losses),
        blunders=fmean(is_blunder for _, is_blunder in measured),
        illegal=sum(answer not in question.margins for question, answer in zip(questions, answers, strict=True)),
    )


def ask(questions: Sequence[Question], agent: Callable[..., Any], takes: str = "view") -> list[str | None]:
    """Return the answer of an agent to each question; None for what is not a legal move. Its errors pass through.

    What it `takes`: "view", a View, to which it returns a move; "prompt", the text of `fourcorners.envs.text.prompt`,
    to which it returns text with a move; or "planes", the observations of all questions and masks of their legal
    actions, (n, count), to which it returns logits, (n, count). Raise OptionError for another word, for logits of
    another shape, or for planes of a game without masks.
    """
    if check_word("takes", takes, TAKES) == "planes":
        return _ask_network(questions, agent)
    answers: list[str | None] = []
    for question in questions:
        try:
            reply = agent(text.prompt(question.view)) if takes == "prompt" else agent(question.view)
            move = text.parse(reply, question.view)
        except GameError:
            move = None
        answers.append(move)
    return answers


def _ask_network(questions: Sequence[Question], agent: Callable[..., Any]) -> list[str | None]:
    """Return the moves with the highest logits of an agent that takes planes."""
    if not questions:
        return []
    encoding = Encoding(questions[0].view.game)
    count, shape = encoding.count, encoding.shape
    if count is None or count > MOST_MASKED_ACTIONS:
        raise OptionError("takes", f"{encoding.game.title} has no masks, so its agents cannot take planes")
    observations = np.zeros((len(questions), *shape), np.float32)
    masks = np.zeros((len(questions), count), np.bool_)
    for question, planes, mask in zip(questions, observations, masks, strict=True):
        view = question.view
        compiled_encoding.write_planes(view.states, 0, view.seat or 0, planes.reshape(len(planes), -1))
        mask[list_actions(view.states)[1]] = True
    logits = make_array(agent(observations, masks))
    if logits.shape != masks.shape or logits.dtype.kind not in "fiu":
        found = describe_values(logits, logits)
        raise OptionError("agent", f"it returned {found}; it must return numbers of the shape {masks.shape}")
    chosen = np.where(masks, np.nan_to_num(logits, nan=-np.inf), -np.inf).argmax(axis=1).tolist()
    return [
        question.view.game.spec.notation.format(
            question.view.record, int(compiled_encoding.action_at(question.view.states, 0, index))
        )
        for question, index in zip(questions, chosen, strict=True)
    ]


def write_sheet(questions: Sequence[Question]) -> str:
    """Return a sheet of questions for people: each is drawn, and followed by a line for its answer."""
    game = questions[0].view.game
    parts = [f"{_HEAD}{game.id}\n# {describe_game(game)}. Write your move behind the number of each position."]
    for number, question in enumerate(questions, 1):
        view = question.view
        drawn = "\n".join(f"# {line}".rstrip() for line in str(view).splitlines())
        parts.append(f"#\n# {number}: {view.seat_names[view.seat or 0]} moves\n{drawn}\n{number}:")
    return "\n".join(parts) + "\n"


def find_game(sheet: str) -> str:
    """Return the id of the game that a sheet is about; raise NotationError if it does not say so."""
    first = sheet.partition("\n")[0].strip()
    if not first.startswith(_HEAD):
        raise NotationError(f"this is not a sheet of answers: its first line must be “{_HEAD}GAME”")
    return first.removeprefix(_HEAD)


def read_sheet(sheet: str, questions: Sequence[Question]) -> dict[int, str]:
    """Return the answers of a sheet, by the numbers of their questions from 0; raise NotationError for another line.

    An answer that is not a legal move stays as it is.
    """
    answers: dict[int, str] = {}
    for line in sheet.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = _ANSWER.fullmatch(line)
        number = int(match[1]) if match else 0
        if match is None or not 0 < number <= len(questions) or number - 1 in answers:
            allowed = f"a number from 1 to {len(questions)}, each once, a colon and a move"
            raise NotationError(f"{quote(line)} is not an answer: a line has {allowed}")
        if match[2]:
            answers[number - 1] = match[2]
    return answers
