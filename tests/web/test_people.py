"""Players in the store: guests and accounts, sessions, ratings, what is given out and what is forgotten."""

import hashlib
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.names import BadNameError, check_account_name, fold_name
from fourcorners.web.domain.ratings import Standing, computer_identity, initial_standing, rate
from fourcorners.web.store import ConflictError, Profile, Store, rate_game, schema
from fourcorners.web.store.players import MAX_SESSIONS
from tests.web.stored import chairs, event, saved, summary, wide

HASHES = [hashlib.sha256(bytes([number])).hexdigest() for number in range(8)]
GUEST, OTHER, NEW, NEWER, THIRD = HASHES[:5]


def registered(store: Store, guest: str = GUEST, name: str = "Anna", new: str = NEW) -> str:
    store.register(guest, name, "hash of a password", 5.0, guest, new)
    return guest


def rated(store: Store, table_id: str, *players: str, ranks: tuple[int, ...] = (0, 1), game: str = "sqez") -> None:
    work: Callable[[sa.Connection], Any] = partial(
        rate_game,
        table_id=table_id,
        game=game,
        seats=len(players),
        at=7.0,
        parties=[[one] for one in players],
        ranks=ranks,
        rate=rate,
    )
    store.write_now(table_id, work)


def everything(store: Store) -> str:
    """Read the whole database as one text."""
    with store.read() as connection:
        return "\n".join(
            str(tuple(row)) for one in schema.metadata.sorted_tables for row in connection.execute(one.select())
        )


def test_a_guest_is_its_secrets_hash_and_costs_no_row(store: Store) -> None:
    assert store.player_of(GUEST) == GUEST
    assert store.profile(GUEST) == Profile(GUEST, "", None, 0.0)
    assert GUEST not in everything(store)
    store.remember_guest(GUEST, "Ann", 3.0)
    store.remember_guest(GUEST, "Änne", 4.0)
    assert store.profile(GUEST) == Profile(GUEST, "Änne", None, 3.0)


def test_a_guest_becomes_an_account_and_stays_the_same_player(store: Store) -> None:
    store.remember_guest(GUEST, "Ann", 3.0)
    store.add(saved(owner=GUEST)).result(10)
    assert registered(store) == store.player_of(NEW) == GUEST
    assert store.profile(GUEST) == Profile(GUEST, "Anna", "Anna", 3.0)
    assert [table.id for table in store.of_player(GUEST, 10)] == ["t"]
    store.remember_guest(GUEST, "Bob", 9.0)
    assert store.profile(GUEST).name == "Anna"
    with pytest.raises(ConflictError, match="has an account already"):
        registered(store, name="Berta")


def test_the_secret_of_a_guest_who_has_an_account_now_opens_nothing(store: Store) -> None:
    registered(store)
    stranger = store.player_of(GUEST)
    assert stranger not in {GUEST, NEW}
    assert store.player_of(GUEST) == stranger
    store.sign_out_others(GUEST, NEW)
    store.sign_out(NEW)
    assert store.player_of(GUEST) == stranger
    # That stranger is a guest like any other, and can have an account, too.
    store.register(stranger, "Berta", "x", 6.0, GUEST, NEWER)
    assert store.player_of(NEWER) == stranger
    assert store.player_of(GUEST) not in {stranger, GUEST}
    store.delete_player(stranger)
    store.delete_player(GUEST)
    assert store.player_of(GUEST) not in {stranger, GUEST}


def test_of_two_who_want_a_name_at_once_one_gets_it(store: Store) -> None:
    registered(store, name="ANNA")
    with pytest.raises(ConflictError, match="taken"):
        registered(store, OTHER, "anna", NEWER)
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def wish(number: int) -> None:
        start.wait()
        try:
            registered(store, HASHES[number], "Groß" if number % 2 else "GROSS", f"{number:064x}")
            outcomes.append("made")
        except ConflictError:
            outcomes.append("taken")

    threads = [threading.Thread(target=wish, args=(number,)) for number in range(4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "taken", "taken", "taken"]


def test_servers_that_share_a_database_give_a_name_once(database: Any) -> None:
    first, second = Store(database), Store(database)
    outcomes = []
    for number in range(6):
        start = threading.Barrier(2)

        def wish(store: Store, guest: str, name: str = f"Name{number}", start: threading.Barrier = start) -> None:
            start.wait()
            try:
                registered(store, guest, name, guest[::-1])
                outcomes.append("made")
            except ConflictError:
                outcomes.append("taken")

        pair = [
            threading.Thread(target=wish, args=(store, f"{number:032x}{side:032x}"))
            for side, store in enumerate((first, second))
        ]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
    assert sorted(outcomes) == ["made"] * 6 + ["taken"] * 6
    first.close()
    second.close()


def test_an_account_is_found_however_its_name_is_written(store: Store) -> None:
    registered(store, name="Straße")
    for name in ("straße", "STRASSE", wide("STRASSE")):
        found, credentials = store.find(name), store.credentials(name)
        assert found is not None and found.account == "Straße"
        assert credentials is not None and credentials.player == GUEST
    assert store.find("strase") is None
    assert store.credentials("strase") is None


@pytest.mark.parametrize(
    "name", ["Anna", "Ü-b_e.r9", "Берта", "李小龙", "ひらカナ漢", "अनीता", "٣٤٥", "x" * 30, "Anna "]
)
def test_names_of_any_alphabet_are_names(name: str) -> None:
    assert check_account_name(name) == name.strip()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "ab",
        "x" * 31,
        "a b c",
        "a/bc",
        "../..",
        "_ab",
        "ab.",
        f"{chr(0x410)}nna",
        "ab́́́a",
        "a\x00bc",
        "<b>a</b>",
        "ann\u202ea",
        "Guest",
        wide("ADMIN"),
        "a☃b",
        "ﬃ" * 30,
        "�abc",
        "an\u200dna",
    ],
)
def test_what_is_no_name_is_said_so(name: str) -> None:
    with pytest.raises(BadNameError, match=r"^[A-Z].*\.$"):
        check_account_name(name)


def test_a_name_stays_the_same_when_it_is_compared_again() -> None:
    for number in range(0x20, 0x30000):
        sign = chr(number)
        assert fold_name(fold_name(sign)) == fold_name(sign)


def test_signing_in_brings_a_guests_tables_along(store: Store) -> None:
    account = registered(store)
    store.add(saved("a", chairs=chairs(OTHER, None), owner=OTHER)).result(10)
    store.add(saved("b", chairs=chairs(account, OTHER), owner=account)).result(10)
    store.say("a", OTHER, "ß0", "hello", 4.0).result(10)
    rated(store, "a", OTHER, computer_identity("sqez", 3))
    rated(store, "b", account, OTHER)
    moved = store.result("b")
    assert store.sign_in(account, NEWER, 8.0, guest=OTHER) == ["a", "b"]
    assert store.player_of(NEWER) == account
    found = [store.load(table) for table in "ab"]
    assert [[chair.player for chair in table.chairs] for table in found if table] == [
        [account, None],
        [account, account],
    ]
    assert [table.owner for table in found if table] == [account, account]
    assert store.said("a")[0].player == account
    # What the guest's game did is known as the account's, and its ratings are nobody's.
    result = store.result("a")
    assert result is not None and account in result
    assert store.result("b") == moved
    assert [standing.games for _, _, standing in store.standings_of(account)] == [1]
    assert store.standings_of(OTHER) == []


def test_another_account_is_no_guest_to_be_brought_along(store: Store) -> None:
    account, second = registered(store), registered(store, OTHER, "Berta", NEWER)
    store.add(saved(owner=second)).result(10)
    assert store.sign_in(account, THIRD, 8.0, guest=second) == []
    assert store.sign_in(account, THIRD, 8.0, guest=account) == []
    table = store.load("t")
    assert table is not None and table.owner == second
    with pytest.raises(ConflictError, match="gone"):
        store.sign_in(HASHES[7], THIRD, 8.0)


def test_sessions_are_listed_noted_and_ended(store: Store) -> None:
    account = registered(store)
    store.sign_in(account, NEWER, 8.0)
    store.sign_in(account, THIRD, 9.0)
    store.seen(NEW, 20.0)
    assert store.write_now("", lambda _: True)
    assert [session.secret for session in store.sessions_of(account)] == [NEW, THIRD, NEWER]
    store.sign_out(THIRD)
    assert store.player_of(THIRD) == THIRD
    store.sign_out_others(account, NEWER)
    assert [session.secret for session in store.sessions_of(account)] == [NEWER]


def test_an_account_has_only_so_many_sessions(store: Store) -> None:
    account = registered(store)
    for number in range(MAX_SESSIONS + 5):
        store.sign_in(account, f"{number:064x}", 10.0 + number)
    kept = store.sessions_of(account)
    assert len(kept) == MAX_SESSIONS
    assert kept[0].secret == f"{MAX_SESSIONS + 4:064x}"
    # Nobody was seen for longer than a cookie lives.
    store.sign_in(account, THIRD, 500 * 24 * 3600.0)
    assert [session.secret for session in store.sessions_of(account)] == [THIRD]
    assert store.player_of(GUEST) != account


def test_a_password_is_changed_if_it_is_still_the_one_that_was_looked_at(store: Store) -> None:
    account = registered(store)
    store.set_password(account, "second")
    store.set_password(account, "rehashed", before="hash of a password")
    credentials = store.credentials("Anna")
    assert credentials is not None and credentials.password == "second"


def test_an_export_has_all_about_the_player_and_no_secrets(store: Store) -> None:
    account = registered(store)
    store.add(saved("a", chairs=chairs(account, OTHER), owner=account)).result(10)
    store.set_plan("a", 0, {"lines": [[None, "a1"]]}).result(10)
    store.append("a", event(1), summary(1)).result(10)
    store.say("a", account, "Anna", "hello", 4.0).result(10)
    store.say("a", OTHER, "Bert", "secret of Bert", 4.0).result(10)
    store.report("a", 2, account, "about", "rude", 5.0).result(10)
    rated(store, "a", account, OTHER)
    export = store.export(account)
    assert (export["name"], export["account"], export["created"]) == ("Anna", "anna", 5.0)
    assert export["sessions"] == [{"created": 5.0, "seen": 5.0}]
    assert [(one["game"], one["games"]) for one in export["ratings"]] == [("sqez", 1)]
    result = store.result("a")
    assert result is not None
    assert [one["moved"] for one in export["results"]] == [result[account]]
    assert [(one["table_id"], one["seat"], one["plan"]) for one in export["chairs"]] == [
        ("a", 0, {"lines": [[None, "a1"]]})
    ]
    assert [one["text"] for one in export["chat"]] == ["hello"]
    assert [one["text"] for one in export["reports"]] == ["rude"]
    assert store.tables_of(account) == ["a"]
    text = str(export)
    assert not [word for word in (account, NEW, OTHER, "hash of a password", "Bert") if word in text]


def test_who_is_deleted_is_nowhere_any_more_and_games_stay(store: Store) -> None:
    account = registered(store)
    store.add(saved("a", chairs=chairs(account, OTHER), owner=account)).result(10)
    store.append("a", event(1), summary(1)).result(10)
    store.say("a", account, "Anna", "my address is", 4.0).result(10)
    store.say("a", OTHER, "Bert", "hello", 4.0).result(10)
    store.report("a", 2, account, "about", "rude", 5.0).result(10)
    rated(store, "a", account, OTHER)
    before = store.result("a")
    assert store.delete_player(account) == ["a"]
    rest = everything(store).replace(f"('{account}', '{store.player_of(account)}'", "")
    assert not [word for word in (account, NEW, "Anna", "anna", "my address", "hash of a password") if word in rest]
    table, after = store.load("a"), store.result("a")
    assert table is not None and before is not None and after is not None
    assert (table.names, table.chairs[1].player, table.events) == (["deleted player", "ß1"], OTHER, [event(1)])
    assert list(after.values()) == list(before.values())
    assert after[OTHER] == before[OTHER]
    assert table.chairs[0].player in after
    assert [(line.name, line.text) for line in store.said("a")] == [("deleted player", "(deleted)"), ("Bert", "hello")]
    assert store.find("Anna") is None
    assert store.standings_of(OTHER)[0][2].games == 1
    assert registered(store, HASHES[6], "Anna", NEWER)


def test_a_game_is_rated_once(store: Store) -> None:
    level = computer_identity("sqez", 3)
    rated(store, "a", GUEST, level)
    once, moved = store.standings([GUEST, level, OTHER], "sqez", 2), store.result("a")
    [[winner], [loser]] = rate([[Standing()], [initial_standing(level)]], [0, 1])
    assert once == {GUEST: pytest.approx(winner), level: pytest.approx(loser)}
    assert moved is not None
    assert sorted(moved) == sorted([GUEST, level])
    assert moved[GUEST] == pytest.approx([*Standing()[:2], *winner[:2]])
    assert moved[level] == pytest.approx([*initial_standing(level)[:2], *loser[:2]])
    rated(store, "a", level, GUEST)
    assert store.standings([GUEST, level], "sqez", 2) == once
    assert store.result("a") == moved
    assert store.result("b") is None
    assert store.standings([GUEST], "sqez", 3) == {}


def test_what_failed_with_its_event_was_not_rated(store: Store) -> None:
    store.add(saved("a")).result(10)
    then = partial(
        rate_game, table_id="a", game="sqez", seats=2, at=7.0, parties=[[GUEST], [OTHER]], ranks=[0, 1], rate=rate
    )
    store.append("a", event(1), summary(1), then=then).result(10)
    before = store.result("a")
    assert before is not None
    again = store.append("a", event(1, "x"), summary(1), then=then)
    assert isinstance(again.exception(10), ConflictError)
    assert store.result("a") == before


def test_games_that_end_at_once_on_two_servers_are_all_counted(database: Any) -> None:
    stores = [Store(database), Store(database)]
    level = computer_identity("sqez", 3)

    def end(store: Store, side: str) -> None:
        for number in range(12):
            rated(store, f"{side}{number}", *((level, GUEST) if side == "a" else (GUEST, level)))

    threads = [threading.Thread(target=end, args=pair) for pair in zip(stores, "ab", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = stores[0].standings([GUEST, level], "sqez", 2)
    assert [standing.games for standing in found.values()] == [24, 24]
    assert [standing.won for standing in found.values()] == [12, 12]
    for store in stores:
        store.close()


def test_the_ladder_has_accounts_and_levels_by_what_they_are_at_least(store: Store) -> None:
    anna, berta = registered(store), registered(store, OTHER, "Berta", NEWER)
    level, guest = computer_identity("sqez", 3), HASHES[6]
    for number in range(6):
        rated(store, f"a{number}", anna, level)
        rated(store, f"b{number}", level, berta)
        rated(store, f"g{number}", guest, anna)
    rated(store, "other", berta, anna, level, ranks=(0, 1, 2))
    ladder = store.ladder("sqez", 2, 10)
    assert ladder[-1].account == "Berta"
    assert {rung.player for rung in ladder} == {anna, berta, level}
    least = [rung.standing.conservative for rung in ladder]
    assert least == sorted(least, reverse=True)
    assert store.ladder("sqez", 2, 1) == ladder[:1]
    assert store.ladder("sqez", 3, 10)[0].account == "Berta"
    assert store.ladders() == [("sqez", 2), ("sqez", 3)]
    assert [(game, seats, standing.games) for game, seats, standing in store.standings_of(anna)] == [
        ("sqez", 2, 12),
        ("sqez", 3, 1),
    ]


def test_rated_games_of_a_player_are_listed_the_last_first(store: Store) -> None:
    for number in range(3):
        store.add(saved(f"t{number}", chairs=chairs(GUEST, OTHER))).result(10)
        rated(store, f"t{number}", GUEST, OTHER)
    store.add(saved("u", chairs=chairs(OTHER, HASHES[5]))).result(10)
    rated(store, "u", OTHER, HASHES[5])
    assert [one.table_id for one in store.results_of(GUEST, 2)] == ["t0", "t1"]
    assert len(store.results_of(OTHER, 10)) == 4
    assert set(store.results_of(HASHES[5], 10)[0].moved) == {OTHER, HASHES[5]}
