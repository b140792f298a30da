"""Store reviews of finished games."""

import pytest

from fourcorners.web.store import Store, StoredReview, reviews
from tests.web.stored import build_table

NAMES = ["ß0", "ß1"]
REVIEW = StoredReview(7, "form 1", '{"moves": []}', 5.0)


def test_the_first_review_of_a_version_stays(store: Store) -> None:
    store.add_table(build_table()).result(30)
    assert store.load_review("t") is None
    assert store.save_review("t", REVIEW, NAMES).result(30)
    assert not store.save_review("t", REVIEW._replace(text="{}", at=6.0), NAMES).result(30)
    assert store.load_review("t") == REVIEW


@pytest.mark.parametrize("changed", [{"version": 9}, {"format": "form 2"}])
def test_a_review_of_another_version_or_format_takes_the_place_of_the_old_one(
    store: Store, changed: dict[str, object]
) -> None:
    store.add_table(build_table()).result(30)
    store.save_review("t", REVIEW, NAMES).result(30)
    newer = StoredReview(**{**REVIEW._asdict(), "text": "{}", **changed})
    assert store.save_review("t", newer, NAMES).result(30)
    assert store.load_review("t") == newer


def test_a_review_is_not_stored_without_its_table_nor_with_names_that_were_erased_nor_if_it_is_too_long(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not store.save_review("t", REVIEW, NAMES).result(30)
    store.add_table(build_table()).result(30)
    assert not store.save_review("t", REVIEW, ["Anna", "ß1"]).result(30)
    monkeypatch.setattr(reviews, "MAX_LENGTH", len(REVIEW.text) - 1)
    assert not store.save_review("t", REVIEW, NAMES).result(30)
    assert store.load_review("t") is None


def test_a_deleted_table_takes_its_review_along(store: Store) -> None:
    store.add_table(build_table()).result(30)
    store.save_review("t", REVIEW, NAMES).result(30)
    store.delete_table("t").result(30)
    assert store.load_review("t") is None


def test_a_review_that_was_not_finished_is_replaced_by_a_later_one(store: Store) -> None:
    store.add_table(build_table()).result(30)
    store.save_review("t", REVIEW, NAMES).result(30)
    later = REVIEW._replace(text="{}", at=6.0)
    assert store.save_review("t", later, NAMES, replaces=True).result(30)
    assert store.load_review("t") == later
