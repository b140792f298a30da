"""Beats, outages, chat and reports as they are stored."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fourcorners.web.store import ChatLine, ConflictError, Outage, Store
from tests.web.stored import saved

LONG = 1e12


def test_the_first_start_of_all_is_no_outage(store: Store) -> None:
    assert store.started("p", 100.0, 10.0) is None
    assert store.outages_between(0.0, 1e9) == []


def test_time_without_a_server_is_an_outage(store: Store) -> None:
    store.started("p", 50.0, LONG)
    store.started("p", 100.0, LONG)
    store.started("q", 90.0, LONG)
    assert store.started("r", 110.0, 10.0) is None
    assert store.started("s", 150.0, 10.0) == Outage(110.0, 150.0)
    assert store.started("t", 155.0, 10.0) is None
    assert store.started("t", 200.0, 10.0) == Outage(155.0, 200.0)
    assert store.outages_between(0.0, 1e9) == [Outage(110.0, 150.0), Outage(155.0, 200.0)]
    assert store.outages_between(149.0, 155.0) == [Outage(110.0, 150.0)]
    assert store.outages_between(150.0, 155.0) == []
    assert store.outages_between(199.5, 1e9) == [Outage(155.0, 200.0)]


def test_a_clock_that_goes_backwards_makes_no_outage(store: Store) -> None:
    store.started("p", 100.0, LONG)
    assert store.started("q", 50.0, 10.0) is None
    assert store.started("r", 105.0, 10.0) is None


def test_processes_that_start_at_once_record_one_outage(database: str | Path) -> None:
    stores = [Store(database) for _ in range(4)]
    stores[0].started("p", 1.0, LONG)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: stores[n].started(str(n), 100.0 + n, 10.0), range(4)))
    recorded = stores[0].outages_between(0.0, 1e9)
    for store in stores:
        store.close()
    assert len(recorded) == 1
    assert recorded[0].began == 1.0
    assert {outage for outage in found if outage is not None} == set(recorded)


def test_the_last_hundred_lines_are_read_and_the_last_thousand_kept(store: Store) -> None:
    store.add(saved())
    for write in [store.say("t", "p", "P", f"line {number}", float(number)) for number in range(1, 1006)]:
        write.result(30)
    lines = store.said("t")
    assert [line.number for line in lines] == list(range(906, 1006))
    assert lines[-1] == ChatLine(1005, "p", "P", "line 1005", 1005.0)
    assert [line.number for line in store.said("t", 1003)] == [1004, 1005]
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT min(number), count(*) FROM chat").one() == (6, 1000)


def test_two_processes_number_their_lines_one_after_the_other(store: Store, database: str | Path) -> None:
    other = Store(database)
    store.add(saved()).result(10)
    writes = [(store, other)[number % 2].say("t", "p", "P", str(number), 1.0) for number in range(60)]
    numbers = [write.result(30).number for write in writes]
    other.close()
    assert sorted(numbers) == list(range(1, 61))
    assert isinstance(store.say("nobody", "p", "P", "x", 1.0).exception(10), ConflictError)


def test_reports_wait_until_they_are_settled(store: Store) -> None:
    for number in range(102):
        taken = store.report("t", number, f"p{number % 50}", f"about {number}", "rude", 1.0).result(10)
        assert taken is (number < 100)
    assert store.report("u", None, "p", "a name", "rude", 1.0).result(10)
    first, *_ = waiting = store.reports(200)
    assert len(waiting) == 101
    assert (first.number, first.about, first.done) == (0, "about 0", False)
    store.settle(first.id).result(10)
    assert store.reports(1)[0].number == 1


def test_one_player_cannot_use_up_the_reports_of_a_table(store: Store) -> None:
    taken = [store.report("t", number, "p", "about", "rude", 1.0).result(10) for number in range(7)]
    assert taken == [True] * 5 + [False] * 2
    assert store.report("t", 1, "q", "about", "rude", 1.0).result(10)
    assert store.report("u", 1, "p", "about", "rude", 1.0).result(10)
