"""Names of players in sentences."""

import pytest

import fourcorners as fc
from fourcorners.core.seat_names import distinguish_names

GAME = fc.game("square-off")


@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "Bo"),
        ("seat 0", "seat 1"),
        ("White", "Black"),
        ("j.doe", "x_1-y"),
        ("Computer (2 s)", "Computer 5"),
        ("Ada Seaton", "Blackie2k"),
    ],
)
def test_clear_names_stay(names: tuple[str, str]) -> None:
    assert distinguish_names(GAME.seat_names, names) == names


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("Ada", "Ada"), ("Ada (White)", "Ada (Black)")),
        (("Ada", "\uff21DA"), ("Ada (White)", "\uff21DA (Black)")),
        (("Anna1", "AnnaI"), ("Anna1 (White)", "AnnaI (Black)")),
        (("seat1", "B1ack"), ("seat1 (White)", "B1ack (Black)")),
        (("seat 1", "seat 0"), ("seat 1 (White)", "seat 0 (Black)")),
        (("Black", "White"), ("Black (White)", "White (Black)")),
        (("Ada", "you"), ("Ada (White)", "you (Black)")),
        (("Bo (White)", "Bo"), ("“Bo (White)” (White)", "Bo (Black)")),
        (("Bo wins by 3. Ada", "Bo"), ("“Bo wins by 3. Ada” (White)", "Bo (Black)")),
        (("<b>Bo</b>", "Bo”, “Ada"), ("“<b>Bo</b>” (White)", '“Bo", "Ada” (Black)')),
    ],
)
def test_names_that_mean_someone_else_or_look_like_a_sentence_have_their_seats(
    names: tuple[str, str], shown: tuple[str, str]
) -> None:
    assert distinguish_names(GAME.seat_names, names) == shown


def test_seats_of_one_colour_have_numbers() -> None:
    game = fc.game("squarin-off", players=4, teams=True)
    assert distinguish_names(game.seat_names, ["Ada", "Ada", "Bo", "Bo"]) == (
        "Ada (Black, seat 1)",
        "Ada (White, seat 2)",
        "Bo (Black, seat 3)",
        "Bo (White, seat 4)",
    )


def test_numbers_of_players_at_one_screen_are_clear_in_their_own_seats_only() -> None:
    game = fc.game("dots-and-boxes")
    assert distinguish_names(game.seat_names, ["Player 1", "Player 2"]) == ("Player 1", "Player 2")
    assert all("(" in name for name in distinguish_names(game.seat_names, ["Player 2", "Ada"]))
