"""Ratings: what games change, who is ranked where, and which games count."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fourcorners as fc
from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.match import Match
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.domain.rated_rules import find_standard_game, is_standard
from fourcorners.web.domain.ratings import (
    LADDER_SIGMAS,
    MU,
    SIGMA,
    Standing,
    computer_identity,
    explain_unrated,
    initial_standing,
    ladder_identity,
    parse_computer_level,
    rank_parties,
    rate_parties,
    rating_points,
    rating_uncertainty,
)
from fourcorners.web.pages.option_fields import list_sizes

NEW = Standing()
STRONG, WEAK = Standing(30.0, 4.0), Standing(20.0, 4.0)
ANN, BEN = "a" * 64, "b" * 64


def start_match(game: str = "squarin-off", **options: object) -> Match:
    """Return a match of a game with options, for two by default, without moves."""
    return Match(catalogue.game(game, **options))


def play_plies(match: Match, plies: int) -> Match:
    """Play the first legal move `plies` times and return the same match; IndexError if the game ends before."""
    for _ in range(plies):
        match.play(match.position.moves()[0])
    return match


def test_win_raises_and_loss_lowers_the_rating() -> None:
    [[winner], [loser]] = rate_parties([[NEW], [NEW]], [0, 1])
    # What openskill computes; other numbers would no longer fit the ratings that are stored.
    assert (round(winner.mu, 4), round(loser.mu, 4)) == (27.6354, 22.3646)
    assert (rating_points(NEW), rating_points(winner), rating_points(loser)) == (1500, 1578, 1422)
    assert (winner.games, winner.won, loser.games, loser.won) == (1, 1.0, 1, 0.0)
    assert winner.sigma == loser.sigma < SIGMA


def test_rating_minus_its_uncertainty_orders_players_as_the_ladder_does() -> None:
    bounds = [rating_points(standing) - rating_uncertainty(standing) for standing in (WEAK, NEW, STRONG)]
    by_ladder = [standing.mu - LADDER_SIGMAS * standing.sigma for standing in (WEAK, NEW, STRONG)]
    assert sorted(range(3), key=bounds.__getitem__) == sorted(range(3), key=by_ladder.__getitem__)
    assert rating_uncertainty(STRONG) < rating_uncertainty(NEW)


def test_beating_a_stronger_player_counts_more() -> None:
    [_, [surprise]] = rate_parties([[STRONG], [WEAK]], [1, 0])
    [[expected], _] = rate_parties([[STRONG], [WEAK]], [0, 1])
    # The surprising winner had 20 before, the expected one 30.
    assert (round(surprise.mu, 2), round(expected.mu, 2)) == (21.51, 30.45)


def test_draw_brings_unequal_ratings_closer_and_keeps_equal_ones() -> None:
    [[strong], [weak]] = rate_parties([[STRONG], [WEAK]], [0, 0])
    assert (round(strong.mu, 2), round(weak.mu, 2)) == (29.47, 20.53)
    assert (strong.won, weak.won) == (0.5, 0.5)
    [[one], [other]] = rate_parties([[NEW], [NEW]], [0, 0])
    assert one.mu == other.mu == pytest.approx(MU)


def test_three_players_are_rated_in_the_order_of_their_ranks_and_ties_share_the_win() -> None:
    [[second], [first], [third]] = rate_parties([[NEW], [NEW], [NEW]], [1, 0, 2])
    assert first.mu > second.mu > third.mu
    assert second.mu == pytest.approx(MU)
    assert (first.won, second.won, third.won) == (1, 0, 0)
    [[one], [other], [last]] = rate_parties([[NEW], [NEW], [NEW]], [0, 0, 2])
    assert one.mu == pytest.approx(other.mu)
    assert one.mu > MU > last.mu
    assert (one.won, other.won, last.won) == (0.5, 0.5, 0)


def test_partners_win_and_lose_together_but_a_certain_rating_moves_less() -> None:
    [[sure, unsure], losers] = rate_parties([[Standing(25, 3), NEW], [NEW, NEW]], [0, 1])
    assert (sure.won, unsure.won) == (1, 1)
    assert 0 < sure.mu - 25 < (unsure.mu - MU) / 4
    assert losers[0] == losers[1]
    assert losers[0].mu < MU


def test_uncertainty_shrinks_but_does_not_vanish_and_ratings_are_provisional_for_ten_games() -> None:
    players, doubts = [[NEW], [NEW]], [SIGMA]
    for game in range(400):
        players = rate_parties(players, [game % 2, 1 - game % 2])
        doubts.append(players[0][0].sigma)
    # Later it hardly changes any more.
    assert all(after < before for before, after in pairwise(doubts[:100]))
    assert next(n for n, doubt in enumerate(doubts) if not Standing(MU, doubt).provisional) == 10
    assert 0.5 < doubts[-1] < 2


def test_difference_in_rating_points_converges_to_the_elo_of_the_winning_share() -> None:
    players = [[NEW], [NEW]]
    for game in range(2_000):
        players = rate_parties(players, [1, 0] if game % 4 == 0 else [0, 1])
    # Winning three games of four means odds of 3 : 1, which are 191 Elo points.
    assert rating_points(players[0][0]) - rating_points(players[1][0]) == pytest.approx(191, abs=25)


@given(
    st.lists(st.tuples(st.floats(5, 45), st.floats(1, 9), st.integers(0, 3)), min_size=2, max_size=5).flatmap(
        lambda parties: st.tuples(st.just(parties), st.permutations(range(len(parties))))
    )
)
def test_rating_does_not_depend_on_the_order_of_seats(drawn: tuple[list[tuple[float, float, int]], list[int]]) -> None:
    parties, order = drawn
    standings = [[Standing(mu, sigma)] for mu, sigma, _ in parties]
    ranks = [rank for _, _, rank in parties]
    straight = rate_parties(standings, ranks)
    turned = rate_parties([standings[i] for i in order], [ranks[i] for i in order])
    for place, i in enumerate(order):
        assert turned[place][0] == pytest.approx(straight[i][0])


@given(st.permutations([0, 1, 2, 3]))
def test_equal_players_are_ordered_by_their_ranks(ranks: list[int]) -> None:
    rated = rate_parties([[NEW]] * 4, ranks)
    by_rank = sorted(range(4), key=lambda seat: ranks[seat])
    assert sorted(range(4), key=lambda seat: -rated[seat][0].mu) == by_rank


def test_rating_does_not_modify_the_old_standings() -> None:
    before = [[STRONG], [WEAK]]
    rate_parties(before, [1, 0])
    assert before == [[Standing(30.0, 4.0)], [Standing(20.0, 4.0)]]


def test_uncertain_player_ranks_below_a_known_one_with_fewer_points() -> None:
    known, lucky = Standing(27, 2), Standing(30, 8)
    assert known.mu - LADDER_SIGMAS * known.sigma > lucky.mu - LADDER_SIGMAS * lucky.sigma
    assert rating_points(lucky) > rating_points(known)
    assert lucky.provisional
    assert not known.provisional


def test_rating_points_never_fall_below_a_hundred() -> None:
    assert rating_points(Standing(-500, 1)) == 100


def test_people_start_with_1500_points_and_levels_with_half_their_uncertainty() -> None:
    assert initial_standing(ANN) == NEW
    assert rating_points(NEW) == 1500
    assert initial_standing(computer_identity("sqez", 1)).sigma == NEW.sigma / 2


def test_computer_level_moves_about_a_quarter_as_fast_as_a_new_person() -> None:
    level = initial_standing(computer_identity("sqez", 3))
    [[computer], [person]] = rate_parties([[level], [NEW]], [1, 0])
    assert 3 < (person.mu - MU) / (level.mu - computer.mu) < 5


@pytest.mark.parametrize("name", catalogue.games())
def test_level_that_a_game_no_longer_has_counts_as_its_highest_one(name: str) -> None:
    highest = len(catalogue.game(name).spec.part(ComputerPlay).levels)
    assert ladder_identity(name, f"computer:{highest}", None) == f"computer:{name}:{highest}"
    assert ladder_identity(name, f"computer:{highest + 1}", None) == f"computer:{name}:{highest}"


def test_people_and_computer_levels_have_a_ladder_identity_but_open_seats_and_timed_computers_none() -> None:
    assert ladder_identity("sqez", "person", ANN) == ANN
    assert ladder_identity("sqez", "person", None) is None
    assert ladder_identity("sqez", "computer:3", None) == "computer:sqez:3"
    assert ladder_identity("sqez", "computer:2.5s", None) is None


def test_level_is_read_from_a_computers_ladder_identity_only() -> None:
    assert parse_computer_level("computer:square-off:12") == 12
    assert [parse_computer_level(text) for text in (ANN, "computer:3", "computer:sqez:2.5s", "computer:sqez:3\n")] == [
        None
    ] * 4


def test_players_who_left_rank_in_reverse_order_of_leaving() -> None:
    for first, second, third in permutations(range(4), 3):
        match = play_plies(start_match(players=4), 4)
        match.resign(first)
        match.flag(second)
        match.resign(third)
        ranks = rank_parties(match)
        # The game ends when only one is left.
        assert [ranks[first], ranks[second], ranks[third]] == [3, 2, 1]
        assert sorted(ranks) == [0, 1, 2, 3]


def finish_match(leaver: int | None = None) -> Match:
    """Return a match of four, played to the end by the first legal moves; seat `leaver`, if any, resigns at first."""
    match = start_match(players=4, cols=5, rows=5)
    if leaver is not None:
        match.resign(leaver)
    while not match.is_over:
        # The moves of a seat that has left are played like all others.
        match.play(match.position.moves()[0])
    return match


def test_winners_rank_first_and_others_by_points() -> None:
    match = finish_match()
    assert match.position.scores == (2, 4, 3, 7)
    assert rank_parties(match) == [3, 1, 2, 0]


def test_player_who_left_ranks_last_even_with_the_most_points() -> None:
    match = finish_match(leaver=3)
    assert match.position.scores == (2, 4, 3, 7)
    assert rank_parties(match) == [2, 0, 1, 3]


def test_team_loses_once_both_of_its_seats_have_left() -> None:
    match = start_match(players=4, teams=True)
    match.resign(0)
    # Seat 2, the partner, plays on.
    with pytest.raises(GameError, match="not over"):
        rank_parties(match)
    # Seats 1 and 3 are the other team.
    match.flag(1)
    match.resign(3)
    assert rank_parties(match) == [0, 1]


def test_agreed_draw_gives_equal_ranks_whatever_the_points() -> None:
    match = start_match()
    while len(set(match.position.scores)) == 1:
        play_plies(match, 1)
    match.offer_draw(0)
    match.answer_draw(1, accept=True)
    assert rank_parties(match) == [0, 0]


def resign_early() -> Match:
    """Return a match of two that seat 0 resigned after two plies, just enough for a rating."""
    match = play_plies(start_match(), 2)
    match.resign(0)
    return match


PEOPLE = ["person", "person"]


@pytest.mark.parametrize("kinds", [PEOPLE, ["person", "computer:3"]])
def test_resigned_game_between_people_or_with_a_computer_level_is_rated(kinds: list[str]) -> None:
    holders = [ladder_identity("squarin-off", kind, player) for kind, player in zip(kinds, (ANN, BEN), strict=True)]
    assert not explain_unrated(resign_early(), kinds, holders, wanted=True)


def test_unrated_game_has_a_reason() -> None:
    assert explain_unrated(resign_early(), PEOPLE, [ANN, BEN], wanted=False) == "this table is not rated"
    assert explain_unrated(play_plies(start_match(), 9), PEOPLE, [ANN, BEN], wanted=True) == "the game was not finished"
    assert explain_unrated(resign_early(), PEOPLE, [ANN, ANN], wanted=True) == "one player held two seats"
    assert explain_unrated(resign_early(), PEOPLE, [ANN, None], wanted=True) == "a seat at this table has no rating"
    computers = [computer_identity("squarin-off", level) for level in (1, 2)]
    assert (
        explain_unrated(resign_early(), ["computer:1", "computer:2"], computers, wanted=True) == "only computers played"
    )
    short = play_plies(start_match(), 1)
    short.resign(1)
    assert explain_unrated(short, PEOPLE, [ANN, BEN], wanted=True) == "fewer than 2 moves were played"


def test_player_cannot_leave_games_against_the_computer_until_the_better_seat_comes() -> None:
    at_once = start_match()
    at_once.resign(0)
    holders = [ANN, computer_identity("squarin-off", 3)]
    assert not explain_unrated(at_once, ["person", "computer:3"], holders, wanted=True)
    assert explain_unrated(at_once, PEOPLE, [ANN, BEN], wanted=True)


def test_game_of_three_does_not_count_if_one_of_them_has_never_come() -> None:
    holders, kinds = [ANN, BEN, "cleo"], ["person"] * 3
    absent, late = start_match(players=3), start_match(players=3)
    for match, plies in ((absent, 2), (late, 5)):
        play_plies(match, plies)
        match.flag(2)
        match.resign(0)
    assert explain_unrated(absent, kinds, holders, wanted=True) == "a player never moved"
    assert not explain_unrated(late, kinds, holders, wanted=True)


@pytest.mark.parametrize("name", fc.games())
def test_standard_board_is_that_of_the_form_for_any_number_of_players(name: str) -> None:
    game = find_standard_game(name)
    assert is_standard(game)
    sizes = list_sizes(game)
    for size in sizes:
        assert is_standard(fc.game(name, **{side: int(text) for side, text in size.options.items()})) is (
            size.name == "standard"
        )
    players = next((field for field in game.spec.options.fields() if field.name == "players"), None)
    if players is not None and game.preset is None:
        most = players.high or game.seats
        assert find_standard_game(name, most).seats == most
        assert is_standard(fc.game(name, **{**game.given_options(), "players": most}))
