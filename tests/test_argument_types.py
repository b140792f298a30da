"""Arguments of a wrong type are refused by every public function with a GameError that says what is allowed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from tests.hostile import Hostile

WRONG: dict[str, Any] = {
    "None": None,
    "negative": -1,
    "huge": 10**5000,
    "nan": float("nan"),
    "bytes": b"a1",
    "empty list": [],
    "list": ["c4"],
    "dict": {"a": 1},
    "tuple": (),
    "object": object(),
    "type": int,
    "surrogate": "\ud800",
    "long text": "x" * 100_000,
    "array": np.array([1, 2]),
    "empty array": np.zeros(0),
    "scalar": np.float64(0.5),
    "hostile": Hostile(),
    "range": range(10**8),
    "iterator": iter([1]),
    "set": {1, 2},
}
GAME, DECK_GAME, SMALL = fc.game("squarin-off"), fc.game("squendo"), fc.game("dots-and-boxes", cols=1, rows=1)
POSITION, HIDDEN, LAST = GAME.start(), DECK_GAME.start(seed=1), SMALL.start()


def play_one_move() -> fc.Match:
    """Return a match in which one move has been played."""
    match = fc.Match(SMALL)
    match.play(match.position.moves()[0])
    return match


def offer_draw() -> fc.Match:
    """Return a match in which seat 0 has offered a draw."""
    match = fc.Match(SMALL)
    match.offer_draw(0)
    return match


def finish_game() -> fc.Match:
    """Return a match that is over."""
    match = fc.Match(SMALL)
    while not match.is_over:
        match.play(match.position.moves()[0])
    return match


FINISHED = finish_game()
CALLS: dict[str, Callable[[Any], object]] = {
    "game": fc.game,
    "game option": lambda value: fc.game("squarin-off", cols=value),
    "game list option": lambda value: fc.game("squarin-off", values=value),
    "Game": lambda value: fc.Game(value, value),
    "Game options": lambda value: fc.Game(GAME.spec, value),
    "Game preset": lambda value: fc.Game(GAME.spec, {}, value),
    "deck seed": DECK_GAME.deck,
    "start deck": lambda value: DECK_GAME.start(deck=value),
    "position": GAME.position,
    "view": DECK_GAME.view,
    "view seat": lambda value: DECK_GAME.view(HIDDEN.view(0).text, value),
    "replay": GAME.replay,
    "replay move": lambda value: GAME.replay([value]),
    "Position": lambda value: fc.Position(value, value, value),
    "Position states": lambda value: fc.Position(GAME, value, ()),
    "Position played": lambda value: fc.Position(GAME, POSITION.states.copy(), value),
    "View": lambda value: fc.View(value, value, value, value),
    "View states": lambda value: fc.View(DECK_GAME, value, (), 0),
    "View viewer": lambda value: fc.View(DECK_GAME, HIDDEN.states.copy(), (), value),
    "play": POSITION.play,
    "complete": POSITION.complete,
    "view of": POSITION.view,
    "svg": POSITION.svg,
    "svg theme": lambda value: POSITION.svg(theme=value),
    "svg palette": lambda value: POSITION.svg(palette=value),
    "svg look": lambda value: POSITION.svg(look=value),
    "perft": lambda value: fc.perft(value, 1),
    "perft depth": lambda value: fc.perft(LAST, value),
    "Match": fc.Match,
    "Match seats": lambda value: fc.Match(GAME, value),
    "Match name": lambda value: fc.Match(GAME, [value, "Bo"]),
    "Match seed": lambda value: fc.Match(DECK_GAME, seed=value),
    "Match deck": lambda value: fc.Match(DECK_GAME, deck=value),
    "Match date": lambda value: fc.Match(GAME, date=value),
    "Match nonce": lambda value: fc.Match(DECK_GAME, nonce=value),
    "Match.play": lambda value: fc.Match(GAME).play(value),
    "resign": lambda value: fc.Match(GAME).resign(value),
    "flag": lambda value: fc.Match(GAME).flag(value),
    "offer_draw": lambda value: fc.Match(GAME).offer_draw(value),
    "answer_draw": lambda value: offer_draw().answer_draw(value, accept=True),
    "answer_draw accept": lambda value: offer_draw().answer_draw(1, accept=value),
    "take_back": lambda value: play_one_move().take_back(value, 0),
    "take_back plies": lambda value: play_one_move().take_back(0, value),
    "record": lambda value: fc.Match(GAME).record(value),
    "Record.parse": fc.Record.parse,
    "Record.replay": fc.Record.replay,
    "Record.of": fc.Record.of,
    "Record.of seat": lambda value: fc.Record.of(fc.Match(GAME), value),
    "Record": fc.Record,
    "Record lines": lambda value: fc.Record(GAME, value).match(),
    "Record line": lambda value: fc.Record(GAME, (value,)),
    "Record seats": lambda value: fc.Record(GAME, (), value).match(),
    "Record date": lambda value: fc.Record(GAME, date=value).match(),
    "Record result": lambda value: fc.Record(GAME, result=value),
    "Record deck": lambda value: fc.Record(DECK_GAME, deck=value).match(),
    "Record seen_by": lambda value: fc.Record(DECK_GAME, seen_by=value).match(),
    "Record nonce": lambda value: fc.Record(GAME, nonce=value).match(),
    "Record commitment": lambda value: fc.Record(GAME, commitment=value).match(),
    "import": fc.import_record,
    "import game": lambda value: fc.import_record("c4d4", value),
    "import deck": lambda value: fc.import_record("R4o 0,0 r0", DECK_GAME, deck=value),
    "Record tree": lambda value: fc.Record(GAME, tree=value),
    "GameTree": fc.GameTree,
    "GameTree moves": lambda value: fc.GameTree(POSITION, value),
    "tree path": fc.GameTree(POSITION).node,
    "tree move": lambda value: fc.GameTree(POSITION).add_move((), value),
    "tree comment": lambda value: fc.GameTree(POSITION).set_comment((), value),
    "tree marks": lambda value: fc.GameTree(POSITION).set_marks((), value),
    "tree evaluation": lambda value: fc.GameTree(POSITION).set_evaluation((), value),
    "Mark": fc.Mark,
    "Mark places": lambda value: fc.Mark("arrow", value),
    "Evaluation": lambda value: fc.Evaluation(0, value, 0.5, -1, -2),
    "Evaluation win": lambda value: fc.Evaluation(0, 0.0, value, 0, 0),
    "Evaluation bounds": lambda value: fc.Evaluation(0, 0.0, 0.5, value, 0),
    "Computer level": fc.Computer,
    "Computer seconds": lambda value: fc.Computer(seconds=value),
    "Computer nodes": lambda value: fc.Computer(nodes=value),
    "Computer seed": lambda value: fc.Computer(seed=value),
    "Computer threads": lambda value: fc.Computer(threads=value),
    "from_level": fc.Computer.from_level,
    "choose": fc.Computer(nodes=1).choose,
    "choose stop": lambda value: fc.Computer(nodes=1).choose(LAST, value),
    "choose progress": lambda value: fc.Computer(nodes=1).choose(LAST, None, value),
    "choose_move": fc.Computer(1).choose_move,
    "hint": fc.hint,
    "hint seconds": lambda value: fc.hint(LAST, seconds=value, nodes=1),
    "hint nodes": lambda value: fc.hint(LAST, nodes=value, seconds=1.0),
    "hint seed": lambda value: fc.hint(LAST, nodes=1, seed=value),
    "hint stop": lambda value: fc.hint(LAST, nodes=1, stop=value),
    "analyse": fc.analyse,
    "analyse lines": lambda value: fc.analyse(LAST, lines=value, nodes=1),
    "analyse seconds": lambda value: fc.analyse(LAST, seconds=value, nodes=1),
    "analyse nodes": lambda value: fc.analyse(LAST, seconds=1.0, nodes=value),
    "analyse seed": lambda value: fc.analyse(LAST, nodes=1, seed=value),
    "solve": fc.solve,
    "solve seconds": lambda value: fc.solve(LAST, seconds=value),
    "solve memory": lambda value: fc.solve(LAST, memory=value),
    "solve threads": lambda value: fc.solve(LAST, threads=value),
    "solve moves": lambda value: fc.solve(LAST, moves=value),
    "solve every_move": lambda value: fc.solve(LAST, every_move=value),
    "solve progress": lambda value: fc.solve(LAST, progress=value),
    "solve stop": lambda value: fc.solve(LAST, stop=value),
    "review": fc.review,
    "review seconds": lambda value: fc.review(FINISHED, value),
    "review nodes": lambda value: fc.review(FINISHED, nodes=value),
    "review seed": lambda value: fc.review(FINISHED, nodes=1, seed=value),
    "review stop": lambda value: fc.review(FINISHED, nodes=1, stop=value),
    "review progress": lambda value: fc.review(FINISHED, nodes=1, progress=value),
    "why_not": lambda value: fc.why_not(value, 0, "a1b1"),
    "why_not ply": lambda value: fc.why_not(fc.review(FINISHED, nodes=1), value, "a1b1"),
    "why_not move": lambda value: fc.why_not(fc.review(FINISHED, nodes=1), 0, value),
    "warm": fc.warm,
    "warm progress": lambda value: fc.warm("sqez", progress=value),
}
# What a function accepts of the values above: None is the default, a class can be called, and so on.
ACCEPTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("game list option", "view seat", "View viewer", "view of", "svg", "Record.of seat"), ("None",)),
    **dict.fromkeys(("deck seed", "Match seed"), ("None", "negative", "huge")),
    **dict.fromkeys(("hint seed", "Computer seed", "analyse seed", "review seed"), ("None", "negative", "huge")),
    **dict.fromkeys(("start deck", "Match seats", "Match deck", "Match date", "Match nonce", "record"), ("None",)),
    **dict.fromkeys(("Computer level", "Computer seconds", "Computer nodes", "choose stop", "hint stop"), ("None",)),
    **dict.fromkeys(("solve memory", "solve threads", "solve stop", "review nodes", "review stop"), ("None",)),
    **dict.fromkeys(("hint nodes", "analyse nodes"), ("None",)),
    **dict.fromkeys(("hint seconds", "analyse seconds", "Computer seconds"), ("None", "scalar")),
    **dict.fromkeys(("solve seconds", "review seconds"), ("None", "scalar")),
    **dict.fromkeys(("solve progress", "choose progress", "warm progress", "review progress"), ("None", "type")),
    "replay": ("empty list", "tuple", "empty array"),
    "Record tree": ("None",),
    "GameTree moves": ("empty list", "tuple", "empty array", "iterator"),  # "replay" has used up the iterator
    "tree path": ("empty list", "tuple"),
    "tree marks": ("empty list", "tuple"),
    "tree evaluation": ("None",),
    "Evaluation win": ("scalar",),
    "Evaluation bounds": ("negative",),
    "complete": ("empty list", "list", "tuple", "range", "bytes"),
    "Position played": ("tuple",),
    "Record lines": ("tuple",),
    "Record seats": ("tuple",),
    "Record result": ("surrogate", "long text"),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_of_wrong_types_are_refused_with_one_short_sentence(name: str) -> None:
    for kind, value in WRONG.items():
        if kind in ACCEPTED.get(name, ()):
            continue
        with pytest.raises(fc.GameError) as caught:
            CALLS[name](value)
        message = str(caught.value)
        assert 10 < len(message) < 400, (kind, message)
        assert "\n" not in message


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: GAME.replay(None), "None is not allowed; moves are a list of texts, such as ['c4d4']"),  # type: ignore[arg-type]
        (lambda: GAME.replay("c4d4"), "'c4d4' is not allowed; moves are a list of texts, such as ['c4d4']"),
        (lambda: fc.Record.of(None), "match: None is not allowed; it must be a Match"),  # type: ignore[arg-type]
        (
            lambda: fc.Game(None, None),  # type: ignore[arg-type]
            "spec: None is not allowed; it must be a Spec; fourcorners.game makes a game from its id",
        ),
        (
            lambda: fc.solve(LAST, moves=np.zeros(2)),  # type: ignore[arg-type]
            "moves: <ndarray> is not allowed; it must be True or False",
        ),
        (lambda: fc.solve(LAST, stop=3), "stop: 3 is not allowed; it must be a threading.Event or None"),  # type: ignore[arg-type]
        (
            lambda: fc.solve(LAST, seconds=10**5000),
            "seconds: <int> is not allowed; it must be a number above 0, at most 1000000000",
        ),
        (
            lambda: fc.game("sqez", cols=[4, "a"]),
            "cols: [4, 'a'] is not allowed; it must be a whole number from 3 to 20",
        ),
        (lambda: POSITION.play(np.int64(3)), "a move is text, not 3"),  # type: ignore[arg-type]
        (lambda: fc.Record(GAME, (1,)), "lines: <tuple> is not allowed; it must be a tuple of RecordLines"),  # type: ignore[arg-type]
        (
            lambda: fc.Match(GAME, range(10**8)),  # type: ignore[arg-type]
            "seats: <range> is not allowed; it must be a list of 2 names of 1 to 60 characters on one line",
        ),
    ],
)
def test_refusal_quotes_the_value_and_says_what_is_allowed(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(fc.GameError) as caught:
        call()
    assert str(caught.value) == sentence


class LongList(list[str]):
    """A list that says that it is too long to be read, and fails if someone reads it all the same."""

    def __len__(self) -> int:
        return 10**8

    def __iter__(self) -> Any:
        raise AssertionError("a list of a wrong length was read")


def test_names_of_a_wrong_number_are_refused_without_being_read() -> None:
    with pytest.raises(fc.OptionError):
        fc.Match(GAME, LongList())


def test_flags_of_numpy_count_as_flags() -> None:
    flag: Any = np.False_
    assert fc.solve(LAST, moves=flag).moves == ()


NUMBERS: list[Any] = [np.int64, np.int8, np.uint16, np.intp, np.array]


@pytest.mark.parametrize("number", NUMBERS)
def test_whole_numbers_of_numpy_count_as_whole_numbers(number: Any) -> None:
    """A plain number in the same place gives the same result, and the result keeps no number of NumPy."""
    one, two = number(1), number(2)
    game = fc.game("squarin-off", cols=two, rows=number(3), players=two, blockers=one)
    assert repr(game) == repr(fc.game("squarin-off", cols=2, rows=3, players=2, blockers=1))
    uneven = fc.game("squarin-off", cols=2, rows=3, blockers=[1, 2])
    assert repr(fc.game("squarin-off", cols=2, rows=3, blockers=[one, two])) == repr(uneven)
    assert fc.game("squarin-off", cols=2, rows=3, blockers=np.array([1, 2])) == uneven
    assert fc.game("dots-and-boxes", players=two) == fc.game("dots-and-boxes", players=2)
    assert fc.game("square-off", size=number(6), swap=np.bool_(False)) == fc.game("square-off", size=6, swap=False)
    assert fc.game("sqez", cols=number(4)) == fc.game("sqez", cols=4)
    assert DECK_GAME.deck(seed=one) == DECK_GAME.deck(seed=1)
    assert fc.Match(DECK_GAME, seed=one, nonce="").deck == fc.Match(DECK_GAME, seed=1, nonce="").deck
    view = HIDDEN.view(one)
    assert (type(view.viewer), view) == (int, HIDDEN.view(1))
    assert fc.View(DECK_GAME, HIDDEN.view(1).states.copy(), (), one) == view
    assert DECK_GAME.view(view.text, one) == view
    assert HIDDEN.svg(one) == HIDDEN.svg(1)
    assert fc.perft(LAST, two) == fc.perft(LAST, 2)
    evaluation = fc.Evaluation(one, two, 0.5, one, two, one)
    assert (evaluation, str(evaluation)) == (fc.Evaluation(1, 2, 0.5, 1, 2, 1), str(fc.Evaluation(1, 2, 0.5, 1, 2, 1)))
    assert (
        fc.Record(SMALL, (fc.Record.of(play_one_move()).lines[0]._replace(seat=number(0)),)).match().events[0].seat == 0
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_seats_and_plies_of_matches_may_be_numbers_of_numpy(number: Any) -> None:
    zero, one = number(0), number(1)
    match = fc.Match(SMALL)
    match.play("a1a2", zero)
    match.play("a1b1", one)
    match.take_back(one, one)
    match.offer_draw(zero)
    match.answer_draw(one, accept=False)
    assert match.record(one) == match.record(1)
    other = fc.Match(SMALL)
    other.flag(zero)
    match.resign(one)
    for each in (match, other):
        assert fc.Record.parse(str(each.record())) == each.record()
        assert {type(event.seat) for event in each.events} == {int}


@pytest.mark.parametrize("number", [np.int64, np.array])
def test_limits_and_seeds_may_be_numbers_of_numpy(number: Any) -> None:
    twenty, one = number(20), number(1)
    player = fc.Computer(nodes=twenty, seed=one, threads=one)
    assert player.choose(LAST) == fc.Computer(nodes=20, seed=1).choose(LAST)
    assert fc.Computer(one, seed=one).choose(LAST) == fc.Computer(1, seed=1).choose(LAST)
    assert fc.hint(LAST, nodes=twenty, seed=one) == fc.hint(LAST, nodes=20, seed=1)
    assert fc.analyse(LAST, lines=one, nodes=twenty, seed=one) == fc.analyse(LAST, lines=1, nodes=20, seed=1)
    assert fc.solve(LAST, memory=np.int64(1 << 20), threads=one).remaining_margin == fc.solve(LAST).remaining_margin
    review = fc.review(FINISHED, nodes=one, seed=one)
    assert review.moves == fc.review(FINISHED, nodes=1, seed=1).moves
    first = review.moves[1].move
    assert fc.why_not(review, one, first, nodes=one).ply == 1


@pytest.mark.parametrize("seconds", [1, 0.5, np.float64(0.5), np.float32(0.5), np.int64(1), np.float16(1.5)])
def test_seconds_may_be_any_number(seconds: Any) -> None:
    assert fc.Computer(seconds=seconds).seconds == seconds
    assert isinstance(fc.Computer(seconds=seconds).seconds, int | float)
    assert fc.solve(LAST, seconds=seconds).remaining_margin == fc.solve(LAST).remaining_margin
    assert fc.analyse(LAST, seconds=seconds, nodes=1)
    assert fc.hint(LAST, seconds=seconds, nodes=1).move
    assert fc.review(FINISHED, seconds, nodes=1).moves


class Whole:
    """A whole number of another package."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Failing:
    """An object that says that it is a whole number, and fails."""

    def __index__(self) -> int:
        raise ZeroDivisionError


def test_anything_with_an_index_counts_as_a_whole_number() -> None:
    assert fc.game("sqez", cols=Whole(5)) == fc.game("sqez", cols=5)
    assert fc.perft(LAST, Whole(1)) == 4  # type: ignore[arg-type]  # what is tested
    assert fc.Computer(Whole(2)).level == 2  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize(
    "wrong_and_shown",
    [
        (np.int64(99), "99"),
        (Whole(99), "99"),
        (10**30, str(10**30)),
        (10**5000, "<int>"),
        (np.float64(2.5), "2.5"),
        (np.float32(2.0), "2.0"),
        (2.0, "2.0"),
        (np.float64("nan"), "nan"),
        (np.float64("inf"), "inf"),
        (True, "True"),
        (np.bool_(True), "True"),
        (np.str_("2"), "'2'"),
        (np.timedelta64(2), "<timedelta64>"),
        (Failing(), "<Failing>"),
    ],
    ids=lambda pair: pair[1],
)
def test_numbers_that_are_not_allowed_are_quoted(wrong_and_shown: tuple[Any, str]) -> None:
    wrong, shown = wrong_and_shown
    calls: list[Callable[[], object]] = [
        lambda: fc.game("squarin-off", cols=wrong),
        lambda: fc.game("square-off", size=wrong),
        lambda: fc.game("dots-and-boxes", players=wrong),
        lambda: POSITION.view(wrong),
        lambda: fc.Match(GAME).resign(wrong),
        lambda: fc.perft(LAST, wrong),
        lambda: fc.Computer(wrong),
        lambda: fc.Computer(threads=wrong),
        lambda: fc.solve(LAST, threads=wrong),
        lambda: DECK_GAME.view(HIDDEN.view(0).text, wrong),
    ]
    for call in calls:
        with pytest.raises(fc.GameError) as caught:
            call()
        assert shown in caught.value.message


@pytest.mark.parametrize("wrong", [np.float64("nan"), np.float32("inf"), np.float64(0), np.bool_(True), True, "1", [1]])
def test_seconds_that_are_no_number_above_zero_are_refused(wrong: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: fc.Computer(seconds=wrong),
        lambda: fc.solve(LAST, seconds=wrong),
        lambda: fc.analyse(LAST, seconds=wrong),
        lambda: fc.hint(LAST, seconds=wrong),
        lambda: fc.review(FINISHED, wrong),
    ]
    for call in calls:
        with pytest.raises(fc.OptionError, match="it must be a number above 0"):
            call()
