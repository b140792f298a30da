"""Game trees: moves are added, removed and reordered by their paths, and nothing illegal or unbounded gets in."""

import pickle
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core import game_tree

GAME = fc.game("dots-and-boxes", cols=2, rows=1)
EXACT = fc.Evaluation(0, 2, 1, 2, 2, 30)


def build_tree() -> fc.GameTree:
    """Return a tree of a game of two moves with two variations, one of which branches again."""
    tree = fc.GameTree(GAME.start(), ["a1b1", "a2b2"])
    for path, move in [
        ((), "b2c2"),
        (("b2c2",), "a1a2"),
        (("b2c2",), "b1c1"),
        (("b2c2", "b1c1"), "c1c2"),
        (("a1b1",), "b1b2"),
    ]:
        tree = tree.add_move(path, move)
    return tree


def test_moves_of_a_position_are_listed_with_the_main_one_first() -> None:
    tree = build_tree()
    assert tree.children() == ("a1b1", "b2c2")
    assert tree.children(("b2c2",)) == ("a1a2", "b1c1")
    assert tree.main_line() == ("a1b1", "a2b2")
    assert tree.main_line(["b2c2", "b1c1"]) == ("b2c2", "b1c1", "c1c2")
    assert (tree.played, tree.variation_moves, tree.is_plain) == (2, 5, False)
    assert [path for path, _ in tree.walk()] == [
        (),
        ("a1b1",),
        ("a1b1", "a2b2"),
        ("a1b1", "b1b2"),
        ("b2c2",),
        ("b2c2", "a1a2"),
        ("b2c2", "b1c1"),
        ("b2c2", "b1c1", "c1c2"),
    ]


def test_position_of_a_path_is_the_one_after_its_moves() -> None:
    path = ("b2c2", "b1c1", "c1c2")
    assert build_tree().position(path) == GAME.replay(path)
    assert build_tree().node(path).seat == 0
    assert build_tree().position() == GAME.start()


def test_move_that_is_there_already_is_used_again() -> None:
    tree = build_tree()
    assert tree.add_move(("b2c2",), "a1a2") is tree


def test_deletion_removes_a_move_and_all_that_follows_it_but_no_move_of_the_game() -> None:
    tree = build_tree()
    assert tree.delete(("b2c2",)).children() == ("a1b1",)
    assert tree.delete(("b2c2", "b1c1")).variation_moves == 3
    for path in ((), ("a1b1",), ("a1b1", "a2b2")):
        with pytest.raises(fc.OptionError, match="cannot be deleted"):
            tree.delete(path)


def test_promoted_line_comes_first_but_behind_the_game() -> None:
    tree = build_tree().add_move((), "a1a2").promote(("b2c2", "b1c1", "c1c2"))
    assert tree.children(("b2c2",)) == ("b1c1", "a1a2")
    assert tree.main_line(("b2c2",)) == ("b2c2", "b1c1", "c1c2")
    assert tree.promote(("a1a2",)).children() == ("a1b1", "a1a2", "b2c2")
    assert tree.promote(("a1a2",)).main_line() == ("a1b1", "a2b2")
    free = fc.GameTree(GAME.start()).add_move((), "a1b1").add_move((), "a1a2")
    assert free.promote(("a1a2",)).main_line() == ("a1a2",)


def test_notes_are_set_and_removed() -> None:
    tree = build_tree().set_comment((), " Two\r\nlines  \n").set_marks(("b2c2",), [fc.Mark("arrow", ("a1", "b2"))])
    tree = tree.set_evaluation(("b2c2", "b1c1"), EXACT)
    assert tree.node().comment == "Two\nlines"
    assert tree.node(("b2c2",)).marks == (fc.Mark("arrow", ("a1", "b2")),)
    assert tree.node(("b2c2", "b1c1")).evaluation == EXACT
    assert tree != build_tree()
    tree = tree.set_comment((), "").set_marks(("b2c2",), ()).set_evaluation(("b2c2", "b1c1"), None)
    assert tree == build_tree() and hash(tree) == hash(build_tree())
    assert pickle.loads(pickle.dumps(tree)) == tree


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda tree: tree.node(("a1a2",)), "path: move 1, 'a1a2', is not in the tree"),
        (lambda tree: tree.node("a1b1"), "path: 'a1b1' is not allowed; it must be a list of moves"),
        (lambda tree: tree.add_move(("a1b1",), "a1b1"), "'a1b1' cannot be played: edge a1b1 is already drawn"),
        (lambda tree: tree.set_comment((), "a\tb"), r"comment: 'a\tb' is not allowed; a line must be printable text"),
        (lambda tree: tree.set_marks((), [fc.Mark("best")] * 2), "different Marks"),
        (lambda tree: tree.set_evaluation((), fc.Evaluation(2, 0, 0, 0, 0)), "an Evaluation for seat 0 to 1"),
        (lambda _: fc.Mark("star"), "mark: 'star' is not allowed; it must be circle or"),
        (lambda _: fc.Mark("arrow", ("a1",)), "with arrow they are a tuple of 2 places"),
        (lambda _: fc.Evaluation(0, 3, 0.5, -2, 2), "margin: 3 is not allowed; it must be a number from -2 to 2"),
        (lambda _: fc.Evaluation(0, 0, float("nan"), 0, 0), "win: nan is not allowed"),
        (lambda _: fc.Evaluation(0, 0.0, 0.5, 1.0, 2), "lower: 1.0 is not allowed"),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_are_refused_with_the_value_and_what_is_allowed(change: Any, sentence: str) -> None:
    with pytest.raises(fc.GameError) as caught:
        change(build_tree())
    assert sentence in str(caught.value)


def test_size_of_a_tree_and_of_its_comments_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = build_tree()
    monkeypatch.setattr(game_tree, "MAX_VARIATION_MOVES", 5)
    with pytest.raises(fc.GameError, match="at most 5 moves in variations"):
        tree.add_move((), "a1a2")
    with pytest.raises(fc.OptionError, match="2001 characters are too many"):
        tree.set_comment((), "x" * 2001)
    monkeypatch.setattr(game_tree, "MAX_COMMENTS_LENGTH", 10)
    tree = tree.set_comment((), "x" * 10)
    with pytest.raises(fc.OptionError, match="11 characters are too many"):
        tree.set_comment(("a1b1",), "x")
    assert tree.set_comment((), "y" * 9).node().comment == "y" * 9


def test_evaluation_is_the_same_after_it_was_written_and_read() -> None:
    for evaluation in (EXACT, fc.Evaluation(1, -1 / 3, 2 / 3, -4, 9), fc.Evaluation(0, -0.0, 0.5, -1, 1, 7)):
        assert fc.Evaluation.parse(str(evaluation)) == evaluation
    assert str(EXACT) == "seat 0: margin 2, exact, win 1, 30 nodes"
    assert EXACT.is_exact
