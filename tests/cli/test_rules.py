"""`fourcorners rules`: the rulebook of each game as text."""

import re
import sys

import pytest

import fourcorners as fc
from fourcorners.cli.rules import rules
from fourcorners.core.figures import draw_rulebook, list_figures


@pytest.mark.parametrize("name", fc.games())
def test_rulebook_has_the_boards_and_sentences_of_its_figures(name: str) -> None:
    game = fc.game(name)
    text = draw_rulebook(game)
    assert text.startswith(f"# {game.title}")
    assert "```figure" not in text
    figures = list_figures(game)
    assert text.count("```text") == sum(len(figure.steps) for figure in figures) > 0
    for figure in figures:
        assert figure.caption in text
        for step in figure.steps:
            assert step.text in text
            assert step.pieces or str(step.view) in text


def test_rulebook_is_plain_in_a_pipe_and_laid_out_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("sqez")
    assert capsys.readouterr().out == f"{draw_rulebook(fc.game('sqez'))}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    rules("sqez")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert not [line for line in lines if line.startswith(("# ", "## ", "```"))]
    assert max(map(len, lines)) <= 60
