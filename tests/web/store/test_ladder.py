"""Store ratings: a game is rated once, in the transaction of its last event; ladders list accounts and levels."""

import threading
from functools import partial
from pathlib import Path

import pytest

from fourcorners.web.domain.ratings import LADDER_SIGMAS, Standing, computer_identity, initial_standing, rate_parties
from fourcorners.web.store import ConflictError, Store, rate_game
from tests.web.stored import (
    GUEST,
    NEWER,
    OTHER,
    PLAYERS,
    append_event,
    build_chairs,
    build_event,
    build_summary,
    build_table,
    rate_stored_game,
    register_stored_account,
)


def read_standings(store: Store, *players: str, seats: int = 2) -> dict[str, Standing]:
    """Return the standings in Sqez with this number of seats by player, without the players who have none."""
    return {
        player: standing
        for player in players
        for game, number, standing in store.list_player_standings(player)
        if (game, number) == ("sqez", seats)
    }


def test_rated_game_changes_the_standings_of_its_players_and_stores_the_changes(store: Store) -> None:
    level = computer_identity("sqez", 3)
    rate_stored_game(store, "a", GUEST, level)
    standings, changes = read_standings(store, GUEST, level, OTHER), store.read_rating_changes("a")
    [[winner], [loser]] = rate_parties([[Standing()], [initial_standing(level)]], [0, 1])
    assert standings == {GUEST: pytest.approx(winner), level: pytest.approx(loser)}
    assert changes is not None
    assert sorted(changes) == sorted([GUEST, level])
    # Mu and sigma before the game, then after it.
    assert changes[GUEST] == pytest.approx([*Standing()[:2], *winner[:2]])
    assert changes[level] == pytest.approx([*initial_standing(level)[:2], *loser[:2]])
    # Neither games with another number of seats nor other tables are affected.
    assert read_standings(store, GUEST, seats=3) == {}
    assert store.read_rating_changes("b") is None


def test_game_is_not_rated_a_second_time(store: Store) -> None:
    level = computer_identity("sqez", 3)
    rate_stored_game(store, "a", GUEST, level)
    standings, changes = read_standings(store, GUEST, level), store.read_rating_changes("a")
    # With another winner, who would change the standings.
    rate_stored_game(store, "a", level, GUEST)
    assert read_standings(store, GUEST, level) == standings
    assert store.read_rating_changes("a") == changes


def test_game_is_rated_if_and_only_if_its_last_event_is_stored(store: Store) -> None:
    store.add_table(build_table("a")).result(30)
    append_event(store, "a", 1).result(30)
    rate_last_game = partial(
        rate_game,
        table_id="a",
        game="sqez",
        seats=2,
        at=7.0,
        parties=[[GUEST], [OTHER]],
        ranks=[0, 1],
        rate=rate_parties,
    )
    # Version 1 exists already.
    late = store.append_event("a", build_event(1, "x"), build_summary(1), extra_work=rate_last_game)
    assert isinstance(late.exception(10), ConflictError)
    assert store.read_rating_changes("a") is None
    store.append_event("a", build_event(2), build_summary(2), extra_work=rate_last_game).result(30)
    assert store.read_rating_changes("a") is not None


def test_games_of_the_same_players_that_end_together_on_two_servers_all_count(database: str | Path) -> None:
    stores = [Store(database), Store(database)]
    level = computer_identity("sqez", 3)

    def rate_games(store: Store, side: str) -> None:
        """Rate twelve games between the same two players; on side "a" the level wins, otherwise the guest."""
        for number in range(12):
            rate_stored_game(store, f"{side}{number}", *((level, GUEST) if side == "a" else (GUEST, level)))

    threads = [threading.Thread(target=rate_games, args=pair) for pair in zip(stores, "ab", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = read_standings(stores[0], GUEST, level)
    assert [standing.games for standing in found.values()] == [24, 24]
    assert [standing.won for standing in found.values()] == [12, 12]
    for store in stores:
        store.close()


def test_ladder_lists_accounts_and_levels_but_no_guests_by_conservative_rating(store: Store) -> None:
    """There is one ladder for each number of seats; a limit keeps the first entries."""
    anna, berta = register_stored_account(store), register_stored_account(store, OTHER, "Berta", NEWER)
    level, guest = computer_identity("sqez", 1), PLAYERS[6]
    for number in range(6):
        rate_stored_game(store, f"a{number}", anna, level)
        rate_stored_game(store, f"b{number}", level, berta)
        rate_stored_game(store, f"g{number}", guest, anna)
    # Berta has lost all games for two, but won the one for three.
    rate_stored_game(store, "other", berta, anna, level, ranks=(0, 1, 2))
    ladder = store.read_ladder("sqez", 2, 10)
    assert ladder[-1].account == "Berta"
    assert {entry.player for entry in ladder} == {anna, berta, level}
    # A player whose strength is little known ranks low: the rating is at the lower end of what it may be.
    ratings = [entry.standing.mu - LADDER_SIGMAS * entry.standing.sigma for entry in ladder]
    assert ratings == sorted(ratings, reverse=True)
    assert store.read_ladder("sqez", 2, 1) == ladder[:1]
    assert store.read_ladder("sqez", 3, 10)[0].account == "Berta"


def test_ladders_are_those_with_rated_games_in_the_order_of_games_and_seats(store: Store) -> None:
    assert store.list_ladders() == []
    rate_stored_game(store, "three", GUEST, OTHER, PLAYERS[5], ranks=(0, 1, 2))
    rate_stored_game(store, "two", GUEST, OTHER)
    rate_stored_game(store, "other", GUEST, OTHER, game="squendo")
    rate_stored_game(store, "more", GUEST, OTHER, game="dots-and-boxes")
    assert store.list_ladders() == [("dots-and-boxes", 2), ("sqez", 2), ("sqez", 3), ("squendo", 2)]


def test_standings_of_a_player_are_listed_with_most_games_first(store: Store) -> None:
    rate_stored_game(store, "two", GUEST, OTHER)
    for number in range(2):
        rate_stored_game(store, f"three{number}", GUEST, OTHER, PLAYERS[5], ranks=(0, 1, 2))
    standings = [(game, seats, standing.games) for game, seats, standing in store.list_player_standings(GUEST)]
    assert standings == [("sqez", 3, 2), ("sqez", 2, 1)]


def test_rated_games_of_a_player_are_listed_newest_first_with_the_changes_of_all_players(store: Store) -> None:
    for number, at in enumerate((20.0, 30.0, 10.0)):
        store.add_table(build_table(f"t{number}", chairs=build_chairs(GUEST, OTHER))).result(30)
        # `rate_stored_game` knows only one time.
        rate_at = partial(
            rate_game, table_id=f"t{number}", game="sqez", seats=2, at=at, ranks=[0, 1], rate=rate_parties
        )
        store.write_now("", partial(rate_at, parties=[[GUEST], [OTHER]]))
    store.add_table(build_table("u", chairs=build_chairs(OTHER, PLAYERS[5]))).result(30)
    rate_stored_game(store, "u", OTHER, PLAYERS[5])
    assert [rated.table_id for rated in store.list_rated_games(GUEST, 2)] == ["t1", "t0"]
    assert len(store.list_rated_games(OTHER, 10)) == 4
    assert set(store.list_rated_games(PLAYERS[5], 10)[0].moved) == {OTHER, PLAYERS[5]}
