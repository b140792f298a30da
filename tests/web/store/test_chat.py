"""Store chat lines and reports."""

from pathlib import Path

from fourcorners.web.domain.rows import ChatLine
from fourcorners.web.store import ConflictError, Store
from tests.web.stored import build_table


def test_last_hundred_lines_are_read_and_last_thousand_kept(store: Store) -> None:
    """Lines are numbered from 1, and may be read from a number on."""
    store.add_table(build_table())
    for write in [store.add_chat_line("t", "p", "P", f"line {number}", float(number)) for number in range(1, 1006)]:
        write.result(30)
    lines = store.list_chat_lines("t")
    assert [line.number for line in lines] == list(range(906, 1006))
    assert lines[-1] == ChatLine(1005, "p", "P", "line 1005", 1005.0)
    assert [line.number for line in store.list_chat_lines("t", 1003)] == [1004, 1005]
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT min(number), count(*) FROM chat").one() == (6, 1000)


def test_lines_of_two_processes_are_numbered_without_gaps_or_repetitions(store: Store, database: str | Path) -> None:
    other = Store(database)
    store.add_table(build_table()).result(30)
    writes = [(store, other)[number % 2].add_chat_line("t", "p", "P", str(number), 1.0) for number in range(60)]
    numbers = [write.result(30).number for write in writes]
    other.close()
    assert sorted(numbers) == list(range(1, 61))


def test_chat_line_at_a_missing_table_is_a_conflict(store: Store) -> None:
    assert isinstance(store.add_chat_line("missing", "p", "P", "x", 1.0).exception(10), ConflictError)


def test_reports_about_one_table_are_limited_to_a_hundred(store: Store) -> None:
    # Fifty reporters, so that none of them reaches the limit of one reporter.
    accepted = [store.add_report("t", n, f"p{n % 50}", f"about {n}", "rude", 1.0).result(30) for n in range(102)]
    assert accepted == [True] * 100 + [False] * 2
    # Another table has its own limit.
    assert store.add_report("u", None, "p", "a name", "rude", 1.0).result(30)
    assert len(store.list_open_reports(200)) == 101


def test_report_is_listed_until_it_is_closed_which_works_once(store: Store) -> None:
    for number in range(2):
        assert store.add_report("t", number, "p", f"about {number}", "rude", 1.0).result(30)
    first, second = store.list_open_reports(9)
    assert (first.number, first.about, first.done) == (0, "about 0", False)
    assert store.close_report(first.id).result(30)
    assert store.list_open_reports(9) == [second]
    assert not store.close_report(first.id).result(30)


def test_reports_of_one_player_about_one_table_are_limited_to_five(store: Store) -> None:
    accepted = [store.add_report("t", number, "p", "about", "rude", 1.0).result(30) for number in range(7)]
    assert accepted == [True] * 5 + [False] * 2
    assert store.add_report("t", 1, "q", "about", "rude", 1.0).result(30)
    assert store.add_report("u", 1, "p", "about", "rude", 1.0).result(30)
