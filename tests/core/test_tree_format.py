"""Records with comments, marks, evaluations and variations: readable text that is checked move by move."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.core import game_tree, tree_format
from fourcorners.core.annotations import MARKS

HEADER = 'fourcorners record 2\ngame: dots-and-boxes\noptions: {"cols": 2, "rows": 1}\nseats: ["Ada", "Ben"]\n\n'
ROWS = """\
; About the start.
1 0 a1b1
  ; First line.
  ;
  ; Third line.
  * mistake
  * arrow a1 b2
  = seat 0: margin 2, exact, win 1, 20 nodes
( 1 0 a2b2
    ; Better.
  2 1 b2c2
  ( 2 1 a1b1
    3 0 b1c1
  )
  ( 2 1 c1c2
  )
  3 0 b1b2
)
2 1 a2b2
3 1 !undo 1
4 1 b2c2
  = seat 1: margin -0.5, -2 to 2, win 0.3, 5 nodes
( 4 1 b1c1
)
( 5 0 a1a2
  ( 5 0 b1b2
    6 1 a1a2
  )
  6 1 a2b2
)
5 1 !resign
"""


def test_study_is_read_from_text_and_written_the_same() -> None:
    record = fc.Record.parse(HEADER + ROWS)
    assert str(record) == HEADER + ROWS
    tree = record.open_tree()
    assert tree.node().comment == "About the start."
    assert tree.node(("a1b1",)).comment == "First line.\n\nThird line."
    assert tree.node(("a1b1",)).marks == (fc.Mark("mistake"), fc.Mark("arrow", ("a1", "b2")))
    assert tree.node(("a1b1", "b2c2")).evaluation == fc.Evaluation(1, -0.5, 0.3, -2, 2, 5)
    assert tree.children(("a1b1", "b2c2")) == ("a1a2", "b1b2")
    assert tree.main_line(("a2b2",)) == ("a2b2", "b2c2", "b1b2")
    assert (tree.played, tree.variation_moves) == (2, 11)
    match = record.match()
    assert match.result == "seat 0 wins 0-0: Ben resigned"
    assert tree.position(("a1b1", "b2c2")) == match.position


def test_indentation_means_nothing_and_a_study_without_content_is_written_as_version_1() -> None:
    flat = "\n".join(row.lstrip() for row in ROWS.split("\n"))
    assert fc.Record.parse(HEADER + flat) == fc.Record.parse(HEADER + ROWS)
    plain = fc.Record.parse(f"{HEADER}1 0 a1b1\n  ;\n")
    assert plain.tree is None
    assert str(plain) == f"{HEADER}1 0 a1b1\n".replace("record 2", "record 1")
    assert plain.open_tree().main_line() == ("a1b1",)


def test_game_that_has_no_moves_yet_can_be_studied() -> None:
    record = fc.Record(fc.game("dots-and-boxes", cols=2, rows=1))
    tree = record.open_tree().add_move((), "a1b1").add_move((), "a1a2").add_move(("a1b1",), "a2b2")
    text = str(record.with_tree(tree))
    assert text.splitlines()[-5:] == ["( 1 0 a1b1", "  ( 1 0 a1a2", "  )", "  2 1 a2b2", ")"]
    assert fc.Record.parse(text).tree == tree


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("  2 1 b2c2", "  2 1 a2b2", 16, "'a2b2' cannot be played: edge a2b2 is already drawn"),
        ("  2 1 b2c2", "  2 0 b2c2", 16, "'b2c2' cannot be played: it is seat 1’s turn"),
        ("  2 1 b2c2", "  3 1 b2c2", 16, "the next one is 2, not 3"),
        ("  2 1 b2c2", "  2 b2c2", 16, "a move is a number, a seat and a move"),
        ("( 1 0 a2b2", "( 2 0 a2b2", 14, "here it is 1"),
        ("( 5 0 a1a2", "( 7 0 a1a2", 30, "here it is 4 or 5"),
        ("  ( 2 1 c1c2", "  ( 2 1 a1b1", 20, "'a1b1' is at this place of the record already"),
        ("( 4 1 b1c1", "( 4 1 b2c2", 28, "'b2c2' is at this place of the record already"),
        ("2 1 a2b2\n3", "2 1 a2b2\n; No.\n3", 25, "must follow the move that it belongs to, but 'a2b2' was taken back"),
        ("5 1 !resign", "5 1 !resign\n; No.", 37, "but '!resign' is not a move"),
        (")\n2 1", ")\n; Late.\n2 1", 24, "comes before its variations"),
        ("  * mistake", "  * star", 11, "'star' is not allowed"),
        ("  * mistake", "  * arrow a1 b2", 12, "different Marks"),
        ("exact, win 1,", "exact, win 2,", 13, "must be a number from 0 to 1"),
        ("= seat 0: margin 2, exact", "= seat 0: margin 2.5, exact", 13, "an exact margin is a whole number"),
        ("= seat 0: margin 2", "= seat 5: margin 2", 13, "an Evaluation for seat 0 to 1"),
        ("  = seat 1:", "  = seat 1: margin 0, exact, win 0, 0 nodes\n  = seat 1:", 28, "there are two evaluations"),
        ("; Better.", "; Bet\x07ter.", 15, "must be printable text"),
        ("  )\n  3 0", "  ) 3\n  3 0", 21, "stands alone on its row"),
        ("5 1 !resign", ")", 36, "this ')' ends no variation"),
        ("  6 1 a2b2\n)", "  6 1 a2b2", 35, "a ')' is missing"),
        ("; About the start.", "( 1 0 a1a2\n)", 6, "it cannot replace the start"),
    ],
)
def test_wrong_study_is_reported_with_line_and_reason(old: str, new: str, line: int, reason: str) -> None:
    assert ROWS.count(old) == 1
    with pytest.raises(fc.RecordError) as caught:
        fc.Record.parse(HEADER + ROWS.replace(old, new))
    assert caught.value.line == line
    assert reason in str(caught.value)


def test_illegal_move_of_a_variation_is_named_in_the_error() -> None:
    with pytest.raises(fc.RecordError) as caught:
        fc.Record.parse(f"{HEADER}1 0 a1b1\n( 1 0 a2b2\n  2 1 a2b2\n)\n")
    assert (caught.value.line, caught.value.move) == (8, "a2b2")
    assert caught.value.reason == "edge a2b2 is already drawn"


def test_depth_number_and_length_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = [f"{' ' * depth}( 1 0 a1b1" for depth in range(51)]
    with pytest.raises(fc.RecordError, match="line 57: variations may be nested 50 deep"):
        fc.Record.parse(HEADER + "\n".join(["1 0 a1a2", *deep, *[")"] * 51]))
    monkeypatch.setattr(tree_format, "MAX_VARIATION_MOVES", 9)
    with pytest.raises(fc.RecordError, match="line 32: a record has at most 9 moves in variations"):
        fc.Record.parse(HEADER + ROWS)
    monkeypatch.undo()
    with pytest.raises(fc.RecordError, match="line 2007: comment: 2001 characters are too many"):
        fc.Record.parse(HEADER + ";\n" * 300_000 + "1 0 a1a2")
    monkeypatch.setattr(game_tree, "MAX_COMMENTS_LENGTH", 25)
    with pytest.raises(fc.RecordError, match="line 8: comment: 27 characters are too many"):
        fc.Record.parse(HEADER + ROWS)


def test_variations_may_be_nested() -> None:
    edges = [f"{first}{row}{second}{row}" for row in (1, 3, 5) for first, second in pairwise("abcdefghijk")]
    rows = []
    for depth in range(15):
        rows += [
            f"( {depth + 1} {depth % 2} {edges[2 * depth]}",
            f"{depth + 2} {(depth + 1) % 2} {edges[2 * depth + 1]}",
        ]
    header = HEADER.replace('"cols": 2, "rows": 1', '"cols": 10, "rows": 4')
    record = fc.Record.parse(header + "\n".join([*rows, *[")"] * 15]))
    text = str(record)
    assert max(len(row) - len(row.lstrip()) for row in text.split("\n")) == 30
    assert fc.Record.parse(text) == record


def test_partial_record_has_no_study() -> None:
    match = fc.Match(fc.game("squendo"), seed=1)
    match.play(match.position.moves()[0])
    text = str(match.record(0))
    assert fc.Record.parse(text).tree is None
    with pytest.raises(fc.RecordError, match="what one viewer knows cannot have comments"):
        fc.Record.parse(text.replace("record 1", "record 2") + "; Note.\n")
    with pytest.raises(fc.RecordError, match="what one viewer knows cannot have comments"):
        match.record(0).with_tree(fc.GameTree(match.positions[0], [match.position.last_move_text]))


def test_variation_of_a_game_with_hidden_tiles_is_played_with_its_deck() -> None:
    match = fc.Match(fc.game("squendo"), seed=1)
    match.play(match.position.moves()[0])
    match.resign(0)
    record = match.record()
    path: tuple[str, ...] = ()
    tree = record.open_tree()
    for _ in range(3):
        move = tree.position(path).moves()[-1]
        tree, path = tree.add_move(path, move), (*path, move)
    again = fc.Record.parse(str(record.with_tree(tree)))
    assert again.open_tree().position(path).text == match.game.replay(path, deck=match.deck).text


def test_tree_of_another_game_is_refused() -> None:
    record = fc.Record.parse(HEADER + ROWS)
    with pytest.raises(fc.RecordError, match="the tree is not of this game"):
        record.with_tree(fc.GameTree(record.game.start(), ["a1b1"]))
    with pytest.raises(fc.RecordError, match="tree: 3 is not allowed"):
        record.with_tree(3)  # type: ignore[arg-type]


def test_record_that_could_not_be_read_again_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    record = fc.Record.parse(HEADER + ROWS)
    monkeypatch.setattr("fourcorners.core.record_format.MAX_RECORD_LENGTH", 100)
    with pytest.raises(fc.RecordError, match="at most 100 are allowed"):
        record.with_tree(record.open_tree())


def grow_tree(name: str, seed: int) -> fc.Record:
    """Return the record of a random game with takebacks and a random study, of which some lines were promoted."""
    rng = random.Random(seed)
    match = fc.Match(fc.game(name), seed=seed)
    for _ in range(rng.randrange(5)):
        match.play(rng.choice(match.position.moves()))
        if rng.random() < 0.3 and not match.find_take_back_obstacle(match.position.ply_count - 1):
            match.take_back(0, match.position.ply_count - 1)
    match.resign(0)
    tree = match.record().open_tree()
    for _ in range(12):
        path = rng.choice([path for path, _ in tree.walk()])
        choice = rng.randrange(6)
        if choice < 3 and not tree.position(path).is_over:
            tree = tree.add_move(path, rng.choice(tree.position(path).moves()))
        elif choice == 3:
            tree = tree.promote(path)
        elif choice == 4:
            tree = tree.set_comment(path, rng.choice(["A comment.", "( 1 0 a1\n\n)", "; = *\n  indented", "é ☃"]))
        else:
            kind = rng.choice(list(MARKS))
            tree = tree.set_marks(path, [fc.Mark(kind, ("c4",) * MARKS[kind])])
            tree = tree.set_evaluation(
                path, fc.Evaluation(1, rng.uniform(-3, 3), rng.random(), -3, 3, rng.randrange(99))
            )
    return match.record().with_tree(tree)


@pytest.mark.parametrize("name", fc.games())
def test_random_studies_survive_a_round_trip(name: str) -> None:
    for seed in range(2):
        record = grow_tree(name, seed)
        text = str(record)
        assert fc.Record.parse(text) == record
        assert str(fc.Record.parse(text)) == text


@pytest.mark.compiled
@given(data=st.data())
def test_corrupted_study_is_rejected_or_survives_a_round_trip(data: st.DataObject) -> None:
    rows = (HEADER + ROWS).split("\n")
    first, second = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    change = data.draw(st.sampled_from(["swap", "drop", "insert"]))
    if change == "swap":
        rows[first], rows[second] = rows[second], rows[first]
    elif change == "drop":
        del rows[first]
    else:
        rows.insert(first, data.draw(st.one_of(st.sampled_from(rows), st.text(max_size=8))))
    try:
        record = fc.Record.parse("\n".join(rows))
    except fc.RecordError as error:
        assert len(str(error)) < 400
    else:
        assert fc.Record.parse(str(record)) == record
