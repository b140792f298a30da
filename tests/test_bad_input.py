"""Invalid input of any kind is rejected with one clear sentence and changes nothing."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from tests.hostile import Hostile
from tests.reference import REFERENCES
from tests.require import require
from tests.views import create_random_game, play_random_moves

pytestmark = pytest.mark.compiled
OBJECTS: list[object] = [
    None,
    3,
    -1,
    10**5000,
    2.5,
    float("nan"),
    True,
    b"a1",
    [],
    ["c4"],
    {},
    object(),
    int,
    "\ud800",
    "x" * 10**6,
]


def play_opening(name: str, seed: int = 1) -> fc.Position:
    """Return the position after 0 to 11 random moves, or fewer in a shorter game; the seed also shuffles the deck."""
    return play_random_moves(fc.game(name), seed, random.Random(seed).randrange(12))


@pytest.mark.parametrize("name", fc.games())
@pytest.mark.parametrize("thing", [*OBJECTS, Hostile()], ids=lambda thing: type(thing).__name__)
def test_objects_of_any_type_are_rejected_as_moves_tokens_positions_and_records(name: str, thing: Any) -> None:
    position = play_opening(name)
    before = position.states.tobytes()
    with pytest.raises(fc.NotationError) as caught:
        position.play(thing)
    assert len(str(caught.value)) < 300
    assert position.why(thing) is not None
    assert position.complete([thing]) == []  # nothing follows it
    with pytest.raises(fc.NotationError):
        position.game.position(thing)
    with pytest.raises(fc.RecordError):
        fc.Record.parse(thing)
    assert position.states.tobytes() == before


MOVE_LIKE = st.text(st.sampled_from("abcdefghijkmst0123456789#,- :RBGYoxrleavetkpswn\x00é²"), max_size=40)


@pytest.mark.parametrize("name", fc.games())
@given(text=st.one_of(MOVE_LIKE, st.text(max_size=120)), seed=st.integers(0, 5))
def test_any_text_is_either_a_legal_move_or_rejected_with_a_reason(name: str, text: str, seed: int) -> None:
    position = play_opening(name, seed)
    before, moves = position.states.tobytes(), position.moves()
    reason = position.why(text)
    assert (reason is None) == (text in moves)
    if reason is not None:
        with pytest.raises((fc.NotationError, fc.IllegalMoveError)):
            position.play(text)
        assert reason.code
        assert "\n" not in reason.sentence
    assert position.states.tobytes() == before


@pytest.mark.parametrize("name", fc.games())
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_corrupted_position_is_rejected_or_keeps_its_text_and_can_be_played_on(
    name: str, data: st.DataObject, seed: int
) -> None:
    """Only canonical texts are accepted. Options are random, and so is the ply."""
    game = create_random_game(name, seed)
    text = play_random_moves(game, seed, seed % 60).text
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 3))
    corrupted = text[:start] + data.draw(st.one_of(MOVE_LIKE, st.sampled_from(list(text)))) + text[start + length :]
    try:
        position = game.position(corrupted)
    except fc.NotationError as error:
        assert len(str(error)) < 400
        return
    assert position.text == corrupted
    rng = random.Random(seed)
    for _ in range(8):
        if not position.is_over:
            position = position.play(rng.choice(position.moves()))
            assert game.position(position.text) == position


@pytest.mark.parametrize("name", fc.games())
@given(data=st.data())
def test_corrupted_record_is_rejected_or_replays(name: str, data: st.DataObject) -> None:
    match = fc.Match(fc.game(name), seed=4)
    for _ in range(4):
        match.play(match.position.moves()[0])
    match.resign(1)
    text = str(fc.Record.of(match))
    start = data.draw(st.integers(0, len(text)))
    corrupted = text[:start] + data.draw(st.text(max_size=8)) + text[start + data.draw(st.integers(0, 8)) :]
    try:
        record = fc.Record.parse(corrupted)
    except fc.RecordError as error:
        assert len(str(error)) < 400
    else:
        record.match()  # must not raise


@pytest.mark.parametrize(
    ("name", "options", "wrong"),
    [
        ("squarin-off", {"cols": 0}, "cols"),
        ("squarin-off", {"rows": 21}, "rows"),
        ("squarin-off", {"players": 5}, "players"),
        ("squarin-off", {"players": 3, "teams": True}, "teams"),
        ("squarin-off", {"players": 3, "blockers": 5}, "blockers"),
        ("squarin-off", {"blockers": [1, 2, 3]}, "blockers"),
        ("squarin-off", {"blockers": -1}, "blockers"),
        ("squarin-off", {"cols": 3, "rows": 3, "values": ["111", "11"]}, "values"),
        ("squarin-off", {"cols": 3, "rows": 3, "values": ["11x", "111", "111"]}, "values"),
        ("squarin-off", {"edition": "1999"}, "edition"),
        ("dots-and-boxes", {"players": 3}, "players"),
        ("square-off", {"size": 0}, "size"),
        ("square-off", {"size": 7}, "size"),
        ("square-off", {"marks": "gone"}, "marks"),
        ("square-off", {"symmetry": True}, "symmetry"),
        ("squendo", {"players": 1}, "players"),
        ("squendo", {"take": "all"}, "take"),
        ("sqez", {"cols": 2}, "cols"),
        ("sqez", {"players": 9}, "players"),
        ("sqez", {"sides": None}, "sides"),
        ("sqez", {"colour": "red"}, "colour"),
    ],
)
def test_invalid_option_is_rejected_with_its_name_and_what_is_allowed(
    name: str, options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(fc.OptionError) as caught:
        fc.game(name, **options)
    assert caught.value.option == wrong
    assert str(caught.value).startswith(f"{wrong}: ")
    # The last two belong to options that do not exist and to those that a preset fixes.
    assert any(words in str(caught.value) for words in ("must be", "teams need", "the options are", " has "))


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("thing", [*OBJECTS, Hostile()], ids=lambda thing: type(thing).__name__)
def test_object_of_any_type_is_either_a_valid_option_or_rejected_by_its_name(name: str, thing: Any) -> None:
    for option in type(fc.game(name).options).model_fields:
        try:
            fc.game(name, **{option: thing})
        except fc.OptionError as error:
            assert error.option == option
            assert len(str(error)) < 400


def test_deck_must_be_a_permutation_of_the_tiles_and_empty_in_games_without() -> None:
    game = fc.game("squendo")
    deck = list(game.deck(seed=1))
    for wrong in (
        deck[:-1],
        [*deck, deck[0]],
        [deck[0], *deck[:-1]],
        ["Z9q", *deck[1:]],
        "R0o",
        [1] * 36,
        deck[0] * 36,
    ):
        with pytest.raises(fc.OptionError, match=r"^deck: "):
            game.start(deck=wrong)  # type: ignore[arg-type]
    with pytest.raises(fc.OptionError, match=r"^deck: "):
        fc.game("sqez").start(deck=["R0o"])


def test_seed_must_be_an_integer() -> None:
    with pytest.raises(fc.OptionError, match=r"^seed: "):
        fc.game("squendo").start(seed="7")  # type: ignore[arg-type]


def test_finished_game_rejects_moves() -> None:
    position = fc.game("sqez", cols=4, rows=3).start()
    while not position.is_over:
        position = position.play(position.moves()[0])
    with pytest.raises(fc.IllegalMoveError) as caught:
        position.play("a1 c3")
    assert caught.value.code == "game-over"


class MisbehavingString(str):
    """A string whose own methods raise, so that only those of `str` can be used."""

    __slots__ = ()

    def __len__(self) -> int:
        raise RuntimeError

    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__

    def split(self, *_: Any) -> list[str]:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = str.__hash__


@pytest.mark.parametrize("name", fc.games())
def test_string_whose_methods_raise_is_taken_by_its_content_as_move_position_view_and_record(name: str) -> None:
    position = play_opening(name)
    move = position.moves()[0]
    after = position.play(MisbehavingString(move))
    assert after == position.play(move)
    assert type(after.history[-1]) is str  # the string itself is not kept
    assert position.why(MisbehavingString(move)) is None
    assert position.why(MisbehavingString(f"{move} ")) == position.why(f"{move} ")
    assert position.complete([MisbehavingString("a1")]) == position.complete(["a1"])
    assert position.game.position(MisbehavingString(position.text)) == position
    assert position.game.view(MisbehavingString(position.view(0).text), 0) == position.view(0)
    record = fc.Match(position.game, seed=1).record()
    assert fc.Record.parse(MisbehavingString(str(record))) == record


@pytest.mark.parametrize("thing", [*OBJECTS, Hostile()], ids=lambda thing: type(thing).__name__)
def test_objects_of_any_type_are_rejected_by_perft_and_as_themes_and_options_of_presets(thing: Any) -> None:
    position = play_opening("squendo")
    # A view is no position either: it need not have what perft counts.
    views: tuple[Any, ...] = (position.view(position.seat), position.view())
    for wrong in (thing, *views):
        with pytest.raises(fc.OptionError, match=r"^position: "):
            fc.perft(wrong, 2)
    with pytest.raises(fc.OptionError, match=r"^theme: "):
        position.svg(theme=thing)
    with pytest.raises(fc.OptionError, match=r"^theme: "):
        position.view().svg(thing)
    with pytest.raises(fc.OptionError, match=r"^blockers: "):
        fc.game("dots-and-boxes", blockers=thing)


def test_when_no_tile_fits_pass_is_the_only_move_and_other_texts_are_refused() -> None:
    wall = "table 0,0=R4or0 1,0=G4or0; hands R0o,R0x B4o; pile -; known *,* *; turn 0; passed -"
    position = fc.game("squendo").position(wall)
    assert position.moves() == ["pass"]
    for text in ("pass pass", "pass R0o", "pass "):
        assert require(position.why(text)).code == "unreadable"
    for text in ("R0o 0,1 R0x", "R0o 99,0", "R0o 99999,0 r0"):
        assert position.why(text) is not None


def test_position_not_in_canonical_form_is_rejected_with_a_short_message() -> None:
    text = fc.game("squendo", players=4).start(seed=1).text
    with pytest.raises(fc.NotationError, match="canonical form") as caught:
        fc.game("squendo", players=4).position(text.replace("known *,", "known ~ffffffffffff,", 1))
    assert len(str(caught.value)) < 300


def test_seats_of_views_and_themes_of_pictures_that_do_not_exist_are_rejected() -> None:
    position = fc.game("sqez").start()
    for wrong in (2, -1, "0", 0.0, True):
        with pytest.raises(fc.OptionError, match=r"^seat: "):
            position.view(wrong)  # type: ignore[arg-type]
    with pytest.raises(fc.OptionError, match=r"^theme: "):
        position.svg(theme="pink")
