"""Matches and records: everything that happens is an event, and a record replays to the same match."""

import random
from typing import Any

import pytest

import fourcorners as fc
from tests.hostile import Hostile


def play_randomly(name: str = "square-off", seed: int = 1, plies: int = 4) -> fc.Match:
    """Return a match between Ada (seat 0) and Ben after `plies` random moves, which must not end it.

    `seed` chooses the moves and, in games with tiles, the deck.
    """
    rng = random.Random(seed)
    match = fc.Match(fc.game(name), ["Ada", "Ben"], seed=seed, date="2026-11-21")
    for _ in range(plies):
        match.play(rng.choice(match.position.moves()))
    return match


def test_record_has_a_header_and_numbered_events_and_survives_parsing_and_replaying() -> None:
    match = play_randomly()
    match.take_back(1, 2)
    match.offer_draw(0)
    match.answer_draw(1, accept=False)
    match.resign(1)
    text = str(fc.Record.of(match))
    assert text.splitlines()[:5] == [
        "fourcorners record 1",
        "game: square-off",
        'seats: ["Ada", "Ben"]',
        "date: 2026-11-21",
        "result: seat 0 wins 0-0: Ben resigned",
    ]
    assert text.splitlines()[-4:] == ["5 1 !undo 2", "6 0 !offer-draw", "7 1 !decline-draw", "8 1 !resign"]
    record = fc.Record.parse(text)
    assert fc.Record.replay(text).events == match.events
    assert str(record) == text
    replayed = record.match()
    assert replayed.position == match.position
    assert replayed.outcome == match.outcome == fc.Outcome((0,), "Ben resigned")


@pytest.mark.parametrize(
    ("line", "event", "reason"),
    [
        (8, "2 1 z9", "z9"),
        (8, "2 0 e5", "turn"),
        (8, "3 1 e5", "numbered"),
        (8, "2 1 d4", "d4"),
        (8, "2 7 !resign", "seat"),
        (8, "2 1 !fly", "not an event"),
        (8, "2 1 !undo 9", "1 ply played"),
        (8, "2 1 !accept-draw", "offered"),
        (8, "nonsense", "an event is"),
    ],
)
def test_invalid_event_in_a_record_is_reported_with_line_and_reason(line: int, event: str, reason: str) -> None:
    head = (
        'fourcorners record 1\ngame: square-off\nseats: ["Ada", "Ben"]\ndate: 2026-11-21\nresult: running\n\n1 0 d4\n'
    )
    with pytest.raises(fc.RecordError) as caught:
        fc.Record.parse(f"{head}{event}\n")
    assert caught.value.line == line
    assert reason in str(caught.value)


def test_record_with_a_false_result_is_rejected() -> None:
    with pytest.raises(fc.RecordError, match="result"):
        fc.Record.parse("fourcorners record 1\ngame: square-off\nresult: seat 0 wins 64-0: board full\n\n1 0 d4\n")


def test_older_wording_of_a_result_is_accepted_but_not_another_winner() -> None:
    match = play_randomly()
    match.resign(1)
    text = str(match.record())
    # Earlier versions worded the end after the colon differently; winners and points must still be right.
    older = text.replace("seat 0 wins 0-0: Ben resigned", "seat 0 wins 0-0: Ben gave up")
    assert older != text
    assert fc.Record.parse(older).match().outcome == match.outcome
    with pytest.raises(fc.RecordError, match="the result is given as"):
        fc.Record.parse(text.replace("seat 0 wins 0-0", "seat 1 wins 0-0"))


def test_outcome_says_how_the_match_ended_as_an_enum() -> None:
    resigned, flagged, drawn = play_randomly(), play_randomly(), play_randomly()
    resigned.resign(0)
    flagged.flag(0)
    drawn.offer_draw(0)
    drawn.answer_draw(1, accept=True)
    terminations = [match.outcome and match.outcome.termination for match in (resigned, flagged, drawn)]
    assert terminations == [fc.Termination.RESIGNATION, fc.Termination.TIMEOUT, fc.Termination.AGREEMENT]
    full = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2", "a2b2"])
    assert full.outcome is not None
    assert (full.outcome.termination, full.outcome.reason) == (fc.Termination.COMPLETE, "all edges are drawn")


def test_two_of_three_seats_play_on_after_one_resigns_and_the_last_one_left_wins() -> None:
    match = fc.Match(fc.game("sqez", players=3))
    match.resign(1)
    assert not match.is_over
    match.play("a1 c3")
    match.flag(0)
    assert match.outcome == fc.Outcome((2,), "seat 0 ran out of time")
    with pytest.raises(fc.IllegalMoveError, match="the game is over"):
        match.resign(2)


def test_resigned_seat_does_not_win_even_with_the_most_points_and_the_best_of_the_others_do() -> None:
    match = fc.Match(fc.game("squarin-off", cols=1, rows=2, players=3, blockers=0))
    match.resign(2)
    # The moves of the seat that resigned are still played; it gets both boxes with the last two.
    for move in ("a1b1", "a2b2", "a3b3", "a1a2", "a2a3", "b1b2", "b2b3"):
        match.play(move)
    assert match.position.scores == (0, 0, 2)
    assert match.outcome is not None
    assert match.outcome.winners == (0, 1)


def test_team_plays_on_until_both_partners_have_resigned() -> None:
    match = fc.Match(fc.game("squarin-off", players=4, teams=True))
    match.resign(0)
    assert not match.is_over
    match.resign(2)
    assert match.outcome == fc.Outcome((1, 3), "seat 2 resigned")


def test_two_seats_can_agree_on_a_draw_that_one_offers_and_the_other_accepts() -> None:
    match = play_randomly()
    match.offer_draw(1)
    match.answer_draw(0, accept=True)
    assert match.outcome == fc.Outcome((0, 1), "the players agreed on a draw")


def test_draw_cannot_be_offered_twice_or_among_three_seats() -> None:
    match = play_randomly()
    match.offer_draw(1)
    for seat in range(2):
        with pytest.raises(fc.IllegalMoveError, match="already"):
            match.offer_draw(seat)
    with pytest.raises(fc.IllegalMoveError, match="two seats"):
        fc.Match(fc.game("sqez", players=3)).offer_draw(0)


@pytest.mark.parametrize("accept", [True, False])
def test_only_the_other_seat_can_answer_a_draw_offer(accept: bool) -> None:
    match = play_randomly()
    for seat in range(2):
        with pytest.raises(fc.IllegalMoveError, match="has not offered"):
            match.answer_draw(seat, accept=accept)
    match.offer_draw(1)
    with pytest.raises(fc.IllegalMoveError, match="has not offered"):
        match.answer_draw(1, accept=accept)
    match.answer_draw(0, accept=accept)
    assert match.is_over == accept
    assert match.draw_offer is None


def test_draw_offer_lapses_when_the_other_seat_moves() -> None:
    match = play_randomly(plies=0)
    match.offer_draw(1)
    match.play("d4")  # by seat 0
    assert match.draw_offer is None


def test_take_back_returns_to_an_earlier_ply_and_is_logged() -> None:
    match = play_randomly()
    moves, earlier = list(match.events), match.positions[1]
    match.take_back(0, 1)
    assert match.position is earlier
    assert match.events == [*moves, (0, "!undo 1", "!undo 1")]


def test_move_after_which_tiles_were_drawn_cannot_be_taken_back() -> None:
    hidden = fc.Match(fc.game("squendo"), seed=3)
    hidden.play(hidden.position.moves()[0])
    with pytest.raises(fc.IllegalMoveError, match="tiles have been drawn"):
        hidden.take_back(0, 0)


def test_player_who_does_not_ask_cannot_undo_once_another_seat_has_shown_a_tile() -> None:
    """With an empty pile no one draws, but a tile laid from a hidden hand has been seen."""
    hidden = fc.Match(fc.game("squendo"), seed=3)
    while hidden.position.record.pile_size:
        hidden.play(hidden.position.moves()[0])
    ply = hidden.position.ply_count
    hidden.play(hidden.position.moves()[0])
    assert hidden.find_undo_obstacle(ply) == ""
    hidden.play(hidden.position.moves()[0])
    assert "another player has moved" in hidden.find_undo_obstacle(ply)
    assert "tiles have been drawn" in hidden.find_undo_obstacle(0)
    hidden.take_back(0, ply)  # as after an agreement

    plain = fc.Match(fc.game("sqez"), seed=3)
    for _ in range(2):
        plain.play(plain.position.moves()[0])
    assert plain.find_undo_obstacle(0) == ""


def test_invalid_names_and_dates_are_rejected() -> None:
    game = fc.game("sqez")
    # Control characters, line separators and half of a surrogate pair.
    lines = (["Ada", "B\nen"], ["Ada", "B\x85en"], ["Ada", "\u2028"], ["Ada", "\ud800"])
    for names in (["Ada"], ["Ada", ""], ["Ada", "x" * 61], "ab", ["Ada", 3], 5, *lines):
        with pytest.raises(fc.OptionError, match=r"^seats: "):
            fc.Match(game, names)  # type: ignore[arg-type]
    for date in ("yesterday", "20261121", "2026-W47-6", 5):
        with pytest.raises(fc.OptionError, match=r"^date: "):
            fc.Match(game, date=date)  # type: ignore[arg-type]


def test_unusual_names_survive_a_round_trip_through_a_record() -> None:
    match = fc.Match(fc.game("sqez"), ['<b>"é \u200d', "result: x"], date="2026-11-21")
    match.resign(0)
    record = fc.Record.parse(str(match.record()))
    assert record == match.record()
    assert record.seats == ('<b>"é \u200d', "result: x")


def test_record_without_date_replays_to_a_match_without_date() -> None:
    assert fc.Record.parse("fourcorners record 1\ngame: sqez\n").match().date == ""


@pytest.mark.parametrize(
    "thing", [Hostile(), 10**5000, "x" * 10**6, -1, True, None, b"e5"], ids=lambda thing: type(thing).__name__
)
def test_hostile_arguments_raise_game_errors_and_change_nothing(thing: Any) -> None:
    match = play_randomly()
    # None is allowed as a seat, as names and as a nonce; 2 is wrong as each of them.
    seat: Any = 2 if thing is None else thing
    for attempt in (
        lambda: match.play(thing),
        lambda: match.play(thing, 0),
        lambda: match.play(thing, 1),
        lambda: match.play("e5", seat),
        lambda: match.resign(thing),
        lambda: match.take_back(0, thing),
        lambda: match.take_back(thing, 1),
        lambda: match.record(seat),
        lambda: fc.Match(thing),
        lambda: fc.Match(match.game, seat),
        lambda: fc.Match(fc.game("squendo"), nonce=seat),
    ):
        with pytest.raises(fc.GameError) as caught:
            attempt()
        assert len(str(caught.value)) < 300
    assert len(match.events) == 4
    assert not match.out


def test_takeback_event_is_parsed_only_in_canonical_form_and_resigning_only_without_a_word() -> None:
    head = "fourcorners record 1\ngame: sqez\n\n1 0 a1 c3\n"
    assert fc.Record.parse(f"{head}2 1 !undo 0\n").match().position.history == ()
    for event in ("!undo 00", "!undo  0", "!undo", "!undo -1", "!undo \u0660", "!resign now"):
        with pytest.raises(fc.RecordError, match="line 5"):
            fc.Record.parse(f"{head}2 1 {event}\n")


def test_partial_record_is_validated_without_replaying_it() -> None:
    match = fc.Match(fc.game("squendo"), seed=3, date="2026-11-21")
    match.play(match.position.moves()[0])
    text = str(match.record(1))
    assert fc.Record.parse(text) == match.record(1)
    for old, new, message in (
        ("seen by: seat 1", "seen by: me", "seen by"),
        ("seen by: seat 1", "seen by: seat 2", "seen by"),
        ("seen by: seat 1", "deck: R0o\nseen by: seat 1", "deck"),
        ("commitment: ", "nonce: 000102030405060708090a0b0c0d0e0f\ncommitment: ", "must not have a nonce"),
        ("commitment: ", "commitment: x", "commitment"),
        ("date: 2026-11-21", "date: then", "date"),
        ('["seat 0", "seat 1"]', "[1, {}]", "seats"),
        ("\n1 0 ", "\n1 2 ", "line 9"),
        ("\n1 0 ", "\n1 0 !fly ", "line 9"),
        ("\n1 0 ", "\n1 0 x", "line 9"),
        ("game: squendo", "game: sqez", "seen by"),
    ):
        assert old in text
        with pytest.raises(fc.RecordError, match=message):
            fc.Record.parse(text.replace(old, new))


def test_record_with_more_than_20000_events_is_rejected() -> None:
    many = "\n".join(f"{2 * i + 1} 0 !offer-draw\n{2 * i + 2} 1 !decline-draw" for i in range(12_000))
    with pytest.raises(fc.RecordError, match="at most 20000 events"):
        fc.Record.parse(f"fourcorners record 1\ngame: sqez\n\n{many}\n")
