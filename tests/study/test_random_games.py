"""Random games from a position: how they end, and how long they are."""

import pytest

import fourcorners as fc
from fourcorners.study.random_games import play_random_games


@pytest.mark.compiled
def test_random_games_tell_how_much_is_left_and_how_far_results_spread() -> None:
    moves = ["a1b1", "b1c1", "a3b3", "b3c3", "a1a2", "c1c2", "a2a3", "c2c3"]
    for played in (0, 4, 8):
        view = fc.game("dots-and-boxes", cols=2, rows=2).replay(moves[:played]).view(0)
        games = play_random_games(view, 1, 24)
        assert games.plies == 12 - played
        assert set(games.margins) <= {-4, -2, 0, 2, 4}
        assert games.spread > 0
        assert set(games.totals) == {4}
    hidden = fc.game("squendo").start(seed=1)
    games = play_random_games(hidden.view(hidden.seat), 1, 24)
    assert games.plies > 20
    assert len(set(games.margins)) > 4


def test_games_end_early_but_two_are_played() -> None:
    asked = iter([False, False, True])
    games = play_random_games(fc.game("square-off", size=4).start(), 1, 24, lambda: next(asked))
    assert len(games.margins) == 4
    assert len(play_random_games(fc.game("square-off", size=4).start(), 1, 24, lambda: True).margins) == 2


def test_finished_game_has_the_margin_of_the_first_seat() -> None:
    over = fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"])
    games = play_random_games(over, 1)
    assert (set(games.margins), set(games.totals), games.plies) == ({-1.0}, {1.0}, 0)
    assert games.spread == pytest.approx(0)
