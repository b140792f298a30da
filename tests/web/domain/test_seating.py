"""Who holds the chairs of a table."""

from fourcorners.web.domain.rows import Chair
from fourcorners.web.domain.seating import Seating
from fourcorners.web.domain.seats import PERSON

CHAIRS = (
    Chair(0, PERSON, "ada", "Ada", taken=True),
    Chair(1, PERSON, "bob", "Bob", taken=False),
    Chair(2, "computer:2", None, "Computer 2", taken=True),
    Chair(3, PERSON, None, "", taken=True),
    Chair(4, PERSON, "ada", "Ada", taken=True),
)


def test_players_hold_taken_chairs_and_reserved_ones_make_participants() -> None:
    seating = Seating(CHAIRS)
    assert seating.players == {"ada"}
    assert seating.participants == {"ada", "bob"}
    assert (seating.find_seats("ada"), seating.find_seats("bob")) == ((0, 4), ())
    assert seating.person_seats == (0, 1, 3, 4)
    assert seating.kinds[2] == "computer:2"
    assert not seating.is_full


def test_others_are_people_with_taken_chairs_also_those_whose_account_is_deleted() -> None:
    seating = Seating(CHAIRS)
    assert seating.find_others_seats("ada") == (3,)
    # Spectators and people for whom a chair is reserved hold none themselves.
    assert seating.find_others_seats("bob") == seating.find_others_seats("someone") == (0, 3, 4)


def test_replaced_chairs_make_a_new_seating_and_leave_the_old_one() -> None:
    old = Seating(CHAIRS)
    assert old.replace([]) is old
    new = old.replace([CHAIRS[1]._replace(taken=True)])
    assert new.find_seats("bob") == (1,)
    assert new.is_full
    assert (old.find_seats("bob"), old.chairs) == ((), CHAIRS)


def test_what_is_kept_does_not_grow_with_spectators() -> None:
    seating = Seating(CHAIRS)
    for number in range(100):
        seating.find_seats(f"guest{number}")
        seating.find_others_seats(f"guest{number}")
    assert len(seating._own_seats) + len(seating._others_seats) <= 2
