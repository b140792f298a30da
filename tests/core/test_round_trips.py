"""Every record that can be written can be read again; one that could not is refused when it is made."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.core import record_format
from fourcorners.core.game_tree import MAX_COMMENT_LENGTH
from fourcorners.core.record_format import RecordLine

SMALL = fc.game("dots-and-boxes", cols=1, rows=1)
BIG = fc.game("dots-and-boxes", cols=10, rows=10)
ANY_TEXT = st.text(st.characters(), max_size=70) | st.text(
    st.sampled_from('a \t\n\r\x0b\x1c\x85\xa0\u2028\u200b\ufeff\ud800;*=()"\\:,'), max_size=12
)


def check_readable(make: Callable[[], fc.Record]) -> None:
    """Check that a record is read back as it was, unless it could not be made."""
    try:
        record = make()
    except fc.GameError as error:
        # Two quotations of 60 characters, each of them escaped in up to ten.
        assert 5 < len(error.message) < 1400
        assert "\n" not in error.message
        return
    assert fc.Record.parse(str(record)) == record


@given(ANY_TEXT, st.none() | ANY_TEXT)
def test_names_and_dates(name: str, date: str | None) -> None:
    check_readable(lambda: fc.Match(SMALL, [name, "Ben"]).record())
    check_readable(lambda: fc.Match(SMALL, date=date).record())

    def resign() -> fc.Record:
        match = fc.Match(SMALL, [name, "Ben"])
        match.resign(0)
        return match.record()

    check_readable(resign)


@given(ANY_TEXT, ANY_TEXT)
def test_comments(first: str, second: str) -> None:
    tree = fc.GameTree(SMALL.start(), ["a1b1"])
    record = fc.Match(SMALL, date="").record()

    def annotate() -> fc.Record:
        return record.with_tree(fc.GameTree(SMALL.start()).set_comment((), first).add_move((), "a1b1"))

    check_readable(annotate)
    match = fc.Match(SMALL, date="")
    match.play("a1b1")
    check_readable(lambda: match.record().with_tree(tree.set_comment((), first).set_comment(["a1b1"], second)))


@given(st.lists(st.tuples(st.integers(-1, 120), ANY_TEXT), max_size=3))
def test_records_made_by_hand_have_only_rows_that_can_be_read(lines: list[tuple[int, str]]) -> None:
    try:
        record = fc.Record(SMALL, tuple(RecordLine(seat, text) for seat, text in lines))
    except fc.RecordError:
        return
    parsed = record_format.parse(str(record))
    assert parsed.lines == record.lines


@given(ANY_TEXT)
def test_texts_of_a_header_are_one_row_each(text: str) -> None:
    for name in ("result", "commitment", "nonce", "position", "seen_by"):
        try:
            fields: dict[str, Any] = {name: text}
            record = fc.Record(SMALL, **fields)
        except fc.RecordError:
            continue
        header = record_format.parse(str(record)).header
        assert header.get(name.replace("_", " "), "") == text


@pytest.mark.parametrize("seed", range(10))
def test_trees_of_random_changes(seed: int) -> None:
    rng = random.Random(seed)
    match = fc.Match(BIG, date="")
    for _ in range(rng.randrange(4)):
        match.play(rng.choice(match.position.moves()))
    tree = fc.GameTree(match.positions[0], match.position.history)
    for _ in range(60):
        path = rng.choice([path for path, _ in tree.walk()])
        change = rng.randrange(6)
        if change < 4:
            tree = tree.add_move(path, rng.choice(tree.position(path).moves()))
        elif change == 4:
            tree = tree.promote(path)
        else:
            tree = tree.set_comment(path, "; x\n\n)")
    record = match.record().with_tree(tree)
    assert fc.Record.parse(str(record)) == record


@pytest.mark.parametrize("played", [0, 2])
def test_variations_nest_as_deep_as_they_can_be_read(played: int) -> None:
    match = fc.Match(fc.game("dots-and-boxes", cols=7, rows=7), date="")
    for _ in range(played):
        match.play(match.position.moves()[-1])
    tree = fc.GameTree(match.positions[0], match.position.history)
    path, moves = list(match.position.history), iter(match.position.moves())
    for _ in range(49):
        first, second = next(moves), next(moves)
        tree = tree.add_move(path, first).add_move(path, second)
        path.append(second)
    # The first continuation of the game is one bracket, and each of the others one more.
    record = match.record().with_tree(tree)
    assert fc.Record.parse(str(record)) == record
    first, second = next(moves), next(moves)
    tree = tree.add_move(path, first)
    with pytest.raises(fc.GameError, match="variations may be nested 50 deep, not deeper"):
        tree.add_move(path, second)


def test_comment_that_just_fits_is_read() -> None:
    text = "\n".join(["x"] * (MAX_COMMENT_LENGTH // 2))
    check_readable(
        lambda: fc.Match(SMALL, date="").record().with_tree(fc.GameTree(SMALL.start()).set_comment((), text))
    )


def test_match_refuses_what_its_record_could_not_have_and_can_still_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_format, "MAX_EVENTS", 7)
    match = fc.Match(SMALL, date="")
    for _ in range(3):
        match.play("a1b1")
        match.take_back(0, 0)
    match.play("a1b1")
    before = match.record()
    for act in (
        lambda: match.play("a1a2"),
        lambda: match.take_back(0, 0),
        lambda: match.offer_draw(0),
    ):
        with pytest.raises(fc.IllegalMoveError, match="a match has at most 7 events") as caught:
            act()
        assert caught.value.code == "too-many-events"
    assert match.record() == before == fc.Record.parse(str(before))
    match.resign(0)
    assert fc.Record.parse(str(match.record())) == match.record()


def test_draw_that_was_offered_last_can_be_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_format, "MAX_EVENTS", 1)
    match = fc.Match(SMALL, date="")
    match.offer_draw(0)
    with pytest.raises(fc.IllegalMoveError, match="at most 1 events"):
        match.answer_draw(1, accept=False)
    match.answer_draw(1, accept=True)
    assert fc.Record.parse(str(match.record())).match().is_over


def test_every_seat_can_resign_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_format, "MAX_EVENTS", 0)
    match = fc.Match(fc.game("sqez", players=8), date="")
    for seat in range(7):
        match.resign(seat)
    assert fc.Record.parse(str(match.record())).match().is_over
