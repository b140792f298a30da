"""`fourcorners rules`: read the rulebook of a game in a terminal."""

import re
import sys

from fourcorners.cli.common import GameId, GameOptions, parse_game, replay_quickly
from fourcorners.core.figures import FIGURE_BLOCK, Step, parse_figure
from fourcorners.core.game import Game


@replay_quickly
def rules(game: GameId, option: GameOptions = None) -> None:
    """Print the rulebook of a game, with its figures as text; on a terminal, laid out for its width.

    The pages of `fourcorners serve` draw the figures. If the game or an option is wrong, exit with status 2. Example:
    fourcorners rules GAME
    """
    text = draw_rulebook(parse_game(game, option))
    if sys.stdout.isatty():
        # Markdown takes a twentieth of a second to import, which no other command should cost.
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        print(text)


def draw_rulebook(game: Game) -> str:
    """Return a game's rulebook as Markdown, with each figure as its sentences and boards of text; raise GameError."""

    def draw_figure(block: re.Match[str]) -> str:
        figure = parse_figure(game, block[1])
        steps = [part for step in figure.steps for part in (step.text, f"```text\n{_draw_step(step)}\n```")]
        return "\n\n".join(part for part in (*steps, figure.caption) if part)

    return FIGURE_BLOCK.sub(draw_figure, game.rulebook).strip()


def _draw_step(step: Step) -> str:
    """Return the board of a step, or the pieces that it shows instead, as text."""
    return "\n".join(map(" ".join, step.pieces)) if step.pieces else str(step.view)
