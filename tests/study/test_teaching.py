"""Material for teaching: a game and its presets have separate files."""

from dataclasses import replace

import pytest

import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners.core.spec import Preset
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.puzzles.format import list_puzzles


def test_preset_without_files_has_no_lessons_and_puzzles_although_its_game_has_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = replace(fc.game("sqez").spec, presets={"plain-sqez": Preset("", {})})
    monkeypatch.setattr(catalogue, "specs", lambda: {"sqez": spec})
    assert list_lessons("sqez") and list_puzzles("sqez")
    assert (list_lessons("plain-sqez"), list_puzzles("plain-sqez")) == ((), ())
