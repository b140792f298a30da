"""Store ratings: a game is rated once, in the transaction of its last event; ladders list accounts and levels."""

import threading
from functools import partial
from pathlib import Path

import pytest

from fourcorners.web.domain.ratings import LADDER_SIGMAS, Standing, computer_identity, initial_standing, rate
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
    found = {player: store.list_player_standings(player) for player in players}
    return {player: s for player in players for game, number, s in found[player] if (game, number) == ("sqez", seats)}


def test_game_is_rated_once(store: Store) -> None:
    level = computer_identity("sqez", 3)
    rate_stored_game(store, "a", GUEST, level)
    standings, moved = read_standings(store, GUEST, level, OTHER), store.read_rating_changes("a")
    [[winner], [loser]] = rate([[Standing()], [initial_standing(level)]], [0, 1])
    assert standings == {GUEST: pytest.approx(winner), level: pytest.approx(loser)}
    assert moved is not None
    assert sorted(moved) == sorted([GUEST, level])
    assert moved[GUEST] == pytest.approx([*Standing()[:2], *winner[:2]])
    assert moved[level] == pytest.approx([*initial_standing(level)[:2], *loser[:2]])
    rate_stored_game(store, "a", level, GUEST)
    assert read_standings(store, GUEST, level) == standings
    assert store.read_rating_changes("a") == moved
    assert store.read_rating_changes("b") is None
    assert read_standings(store, GUEST, seats=3) == {}


def test_game_is_not_rated_if_its_last_event_fails(store: Store) -> None:
    store.add_table(build_table("a")).result(10)
    append_event(store, "a", 1).result(10)
    then = partial(
        rate_game, table_id="a", game="sqez", seats=2, at=7.0, parties=[[GUEST], [OTHER]], ranks=[0, 1], rate=rate
    )
    late = store.append_event("a", build_event(1, "x"), build_summary(1), then=then)
    assert isinstance(late.exception(10), ConflictError)
    assert store.read_rating_changes("a") is None
    store.append_event("a", build_event(2), build_summary(2), then=then).result(10)
    assert store.read_rating_changes("a") is not None


def test_games_that_end_together_on_two_servers_all_count(database: str | Path) -> None:
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


def test_ladder_lists_accounts_and_levels_by_conservative_rating(store: Store) -> None:
    anna, berta = register_stored_account(store), register_stored_account(store, OTHER, "Berta", NEWER)
    level, guest = computer_identity("sqez", 3), PLAYERS[6]
    for number in range(6):
        rate_stored_game(store, f"a{number}", anna, level)
        rate_stored_game(store, f"b{number}", level, berta)
        rate_stored_game(store, f"g{number}", guest, anna)
    rate_stored_game(store, "other", berta, anna, level, ranks=(0, 1, 2))
    ladder = store.read_ladder("sqez", 2, 10)
    assert ladder[-1].account == "Berta"
    assert {entry.player for entry in ladder} == {anna, berta, level}
    ratings = [entry.standing.mu - LADDER_SIGMAS * entry.standing.sigma for entry in ladder]
    assert ratings == sorted(ratings, reverse=True)
    assert store.read_ladder("sqez", 2, 1) == ladder[:1]
    assert store.read_ladder("sqez", 3, 10)[0].account == "Berta"


def test_ladders_and_standings_of_a_player_are_listed_by_game_and_seats(store: Store) -> None:
    assert store.list_ladders() == []
    rate_stored_game(store, "three", GUEST, OTHER, PLAYERS[5], ranks=(0, 1, 2))
    for number in range(2):
        rate_stored_game(store, f"two{number}", GUEST, OTHER)
    assert store.list_ladders() == [("sqez", 2), ("sqez", 3)]
    standings = [(game, seats, standing.games) for game, seats, standing in store.list_player_standings(GUEST)]
    assert standings == [("sqez", 2, 2), ("sqez", 3, 1)]


def test_rated_games_of_a_player_are_listed_newest_first(store: Store) -> None:
    for number, at in enumerate((20.0, 30.0, 10.0)):
        store.add_table(build_table(f"t{number}", chairs=build_chairs(GUEST, OTHER))).result(10)
        work = partial(rate_game, table_id=f"t{number}", game="sqez", seats=2, at=at, ranks=[0, 1], rate=rate)
        store.write_now("", partial(work, parties=[[GUEST], [OTHER]]))
    store.add_table(build_table("u", chairs=build_chairs(OTHER, PLAYERS[5]))).result(10)
    rate_stored_game(store, "u", OTHER, PLAYERS[5])
    assert [rated.table_id for rated in store.list_rated_games(GUEST, 2)] == ["t1", "t0"]
    assert len(store.list_rated_games(OTHER, 10)) == 4
    assert set(store.list_rated_games(PLAYERS[5], 10)[0].moved) == {OTHER, PLAYERS[5]}
