"""`fourcorners play`: a game in the terminal."""

from __future__ import annotations

import typer


def play() -> None:
    """Play."""
    raise typer.Exit(1)
