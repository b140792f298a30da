"""`fourcorners regret`: how many points a player's moves lose, by positions with the exact value of every move."""

import importlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from rich import box
from rich.console import Console
from rich.table import Table
from typer import Argument, Option

from fourcorners.cli.common import ResultAsJson, create_progress_bar, fail, read_text, replay_quickly, write_output
from fourcorners.core import catalogue
from fourcorners.core.game import View
from fourcorners.envs import regret as yardstick
from fourcorners.envs.regret import STRATA, TAKES, Question
from fourcorners.players.engine_match import change_seed, parse_side

Answers = dict[int, str | None]


@replay_quickly
def regret(
    file: Annotated[
        Path | None, Argument(help="A sheet with answers, as --sheet writes it; - is standard input.")
    ] = None,
    game: Annotated[list[str] | None, Option(help="The id of a game; by default, all that have positions.")] = None,
    player: Annotated[
        list[str] | None, Option(help="A player of our own: a level or another player of the command match.")
    ] = None,
    agent: Annotated[str | None, Option(help="A function MODULE:NAME that chooses moves.")] = None,
    takes: Annotated[
        str,
        Option(help="What it takes: view (returns a move), prompt (returns text) or planes (returns logits)."),
    ] = TAKES[0],
    sheet: Annotated[
        Path | None, Option(help="Write the positions of a game for people; - is standard output.")
    ] = None,
    seed: Annotated[int, Option(help="The seed of the players.")] = 1,
    as_data: ResultAsJson = False,
) -> None:
    """Measure how many points the moves of a player lose, in 200 positions of each game with all values proven.

    Positions are early, middle or late, by thirds, as far as every move can be solved. Examples: fourcorners regret
    --player 5 --player top --game GAME; fourcorners regret --agent my_network:choose --takes planes
    """
    if sum(map(bool, (file, player, agent, sheet))) != 1:
        fail("give one of these: a FILE with answers, --player, --agent or --sheet", 2)
    if sheet is not None:
        if len(game or ()) != 1:
            fail("--sheet needs one --game", 2)
        write_output(yardstick.write_sheet(yardstick.load((game or [""])[0])), None if str(sheet) == "-" else sheet)
        return
    rows: list[dict[str, Any]] = []
    for who, name, answers in _list_answers(file, game or yardstick.list_games(), player or (), agent, takes, seed):
        rows.append(_measure(who, name, answers))
    if as_data:
        print(json.dumps(rows, indent=2))
    else:
        _print_tables(rows)


def _list_answers(
    file: Path | None, games: Sequence[str], players: Sequence[str], agent: str | None, takes: str, seed: int
) -> Iterator[tuple[str, str, Answers]]:
    """Yield who is measured in which game, and the answers."""
    if file is not None:
        sheet = read_text(file)
        name = yardstick.find_game(sheet)
        yield str(file), name, dict(yardstick.read_sheet(sheet, yardstick.load(name)))
        return
    function = None if agent is None else _import(agent)
    for name in games:
        questions = yardstick.load(name)
        if agent is not None and function is not None:
            yield agent, name, dict(enumerate(yardstick.ask(questions, function, takes)))
        for player in players:
            side = parse_side(catalogue.game(name), player)
            yield side.name, name, _play(questions, side.create_computer(seed))


def _play(questions: Sequence[Question], computer: Any) -> Answers:
    """Return the answers of a computer player, and show the progress."""

    def choose(view: View) -> str:
        move: str = computer.choose_move(view)
        change_seed(computer)
        return move

    with create_progress_bar() as bar:
        return {i: choose(question.view) for i, question in enumerate(bar.track(questions, description="asking"))}


def _import(name: str) -> Callable[..., Any]:
    """Return the function MODULE:NAME, also of a module in the present folder, or exit with status 2."""
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")
    try:
        function: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        fail(f"--agent {name} is not allowed; it must be MODULE:NAME, but {error}", 2)
    if not callable(function):
        fail(f"--agent {name} is not a function", 2)
    return function  # type: ignore[no-any-return]  # any function


def _measure(who: str, game: str, answers: Answers) -> dict[str, Any]:
    """Return the regret of some answers, also by stratum."""
    questions = yardstick.load(game)
    if not answers:
        fail(f"{who} has no answers", 2)
    chosen = [questions[i] for i in answers]
    row = {"player": who, "game": game, **asdict(yardstick.score(chosen, list(answers.values())))}
    for stratum in STRATA:
        lost = [questions[i].measure(move)[0] for i, move in answers.items() if questions[i].stratum == stratum]
        row[stratum] = sum(lost) / len(lost) if lost else None
    return row


def _print_tables(rows: Sequence[dict[str, Any]]) -> None:
    """Print a table for each game, with one line for each player."""
    for game in dict.fromkeys(row["game"] for row in rows):
        table = Table(title=f"{catalogue.game(game).title}: points lost in a move", box=box.SIMPLE)
        for name in ("player", "answers", "lost", "best", "blunders", *STRATA):
            table.add_column(name, justify="left" if name == "player" else "right")
        for row in rows:
            if row["game"] == game:
                strata = ("" if row[stratum] is None else f"{row[stratum]:.2f}" for stratum in STRATA)
                lost = f"{row['lost']:.2f} ± {row['error']:.2f}"
                answers = f"{row['answers']}" + (f", {row['illegal']} illegal" if row["illegal"] else "")
                table.add_row(row["player"], answers, lost, f"{row['best']:.0%}", f"{row['blunders']:.0%}", *strata)
        Console().print(table)
