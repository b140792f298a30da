"""`fourcorners rules`: read the rulebook of a game in a terminal."""

import sys

from fourcorners.cli.common import GameId, GameOptions, parse_game, replay_quickly
from fourcorners.core.figures import draw_rulebook


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
