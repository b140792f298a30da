"""The colours that the seats choose (R22): a game with other colours is the default game with its tiles renamed."""

import random
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.errors import NotationError, OptionError
from fourcorners.core.match import Record
from tests.require import require


def make_renaming(colours: str) -> dict[int, int]:
    """Return the table for `str.translate` that renames the default colours as the seats have chosen them."""
    return str.maketrans("RBGY"[: len(colours)], colours)


@pytest.mark.parametrize(("players", "colours", "take"), [(2, "GYR", "own"), (3, "YRB", "any"), (4, "YGBR", "own")])
def test_a_game_with_chosen_colours_is_the_default_game_with_its_tiles_renamed(
    players: int, colours: str, take: str
) -> None:
    options: dict[str, Any] = {"players": players, "take": take}
    names = make_renaming(colours)
    default, chosen = fc.game("squendo", **options), fc.game("squendo", **options, colours=colours)
    rng = random.Random(f"{players} {colours} {take}")
    deck = default.deck(seed=rng.randrange(1000))
    position, renamed = default.start(deck=deck), chosen.start(deck=[tile.translate(names) for tile in deck])
    while not position.is_over:
        moves = position.moves()
        assert sorted(move.translate(names) for move in moves) == renamed.moves()
        assert renamed.text == position.text.translate(names)
        assert chosen.position(renamed.text) == renamed
        assert renamed.scores == position.scores
        triples = [move for move in moves if "leave" in move]
        move = rng.choice(triples if triples and rng.random() < 0.7 else moves)
        position, renamed = position.play(move), renamed.play(move.translate(names))
        for viewer in range(players) if len(position.history) % 5 == 0 else ():
            view = renamed.view(viewer)
            assert view.text == position.view(viewer).text.translate(names)
            assert list(view.history) == [shown.translate(names) for shown in position.view(viewer).history]
            assert chosen.view(view.text, viewer).text == view.text
    assert renamed.is_over
    assert renamed.outcome == position.outcome
    assert str(renamed) == str(position).translate(names)


def test_the_same_seed_shuffles_the_renamed_tiles_in_the_same_order() -> None:
    names = make_renaming("GYR")
    deck = fc.game("squendo").deck(seed=5)
    assert list(fc.game("squendo", colours="GYR").deck(seed=5)) == [tile.translate(names) for tile in deck]


@pytest.mark.parametrize(("players", "default"), [(2, "RBG"), (3, "RBG"), (4, "RBGY")])
def test_default_colours_are_not_written_and_leave_the_record_as_it_was(players: int, default: str) -> None:
    game = fc.game("squendo", players=players, colours=default)
    assert game == fc.game("squendo", players=players)
    assert "colours" not in game.given_options()
    assert int(game.start(seed=1).record.colours) == 0
    assert game.options.model_dump()["colours"] == default


def test_a_record_keeps_chosen_colours() -> None:
    game = fc.game("squendo", colours="YGB")
    match = fc.Match(game, deck=game.deck(seed=3))
    while not match.is_over:
        match.play(match.position.moves()[0])
    record = Record.parse(str(match.record()))
    assert 'options: {"colours": "YGB"}' in str(match.record())
    assert record.match().position == match.position
    assert record.match().position.game.seat_names == ("yellow", "green")


@pytest.mark.parametrize(
    ("players", "colours"),
    [(2, "RB"), (2, "RBGY"), (2, "RRB"), (2, "rbg"), (2, "RBX"), (3, "RB"), (4, "RBG"), (4, "RBGG"), (2, 7), (2, None)],
)
def test_colours_that_do_not_fit_the_players_are_refused(players: int, colours: object) -> None:
    with pytest.raises(OptionError, match="different letters of RBGY") as error:
        fc.game("squendo", players=players, colours=colours)
    assert error.value.option == "colours"


def test_a_tile_of_a_colour_that_is_not_in_play_is_refused() -> None:
    game = fc.game("squendo", colours="GYR")
    with pytest.raises(OptionError, match="'B0o' is not among the 36 tiles in play, such as 'G2ax'"):
        game.deck(deck=["B0o", *game.deck(seed=1)[1:]])
    with pytest.raises(NotationError, match="B0o is not in play"):
        game.position(game.start(seed=1).text.replace("G0o", "B0o"))
    assert require(game.start(seed=1).why("B0o 0,0 r0")).sentence == "the blue tiles are not in play with 2 players"


def test_labels_facts_and_outlines_have_the_chosen_colours() -> None:
    game = fc.game("squendo", colours="YRB")
    tiles = ["Y0o", "Y0x", "Y1o", "Y1x", "R0o", "R0x", "R1o", "R3x"]
    deck = [*tiles, *(tile for tile in game.deck(seed=1) if tile not in tiles)]
    moves = ["Y0o 0,0 r0", "R0o -1,0 r0", "Y0x 1,0 r0", "R0x 2,0 r0", "Y1o 0,1 r0", "R1o -1,1 r0", "Y1x 1,1 r0"]
    position = game.replay(moves, deck=deck)
    assert position.scores == (10, 3)
    svg = position.svg()
    assert "sq-quad sq-qy" in svg
    assert "yellow circle" in svg
    assert (None, "neutral colour", "blue") in position.view().facts()
    assert game.spec.explain.label("leave:Y1o") == "leave yellow with one black edge"
