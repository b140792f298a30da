"""Which games can be rated, and the standard boards on which ratings against computers mean the same for everyone."""

from collections.abc import Sequence

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError
from fourcorners.core.game import Game
from fourcorners.web.domain.clocks import UNTIMED, TimeControl
from fourcorners.web.domain.seats import COMPUTER, OPEN, PERSON, parse_strength

ORDERED = "ordered"
"""The setting of a rated table whose owner has chosen who begins."""
GUESTS_PLAY_CASUAL = "guests play casual quick games; sign in to play rated ones"
_FREE = "players"
"""The option that a standard game leaves open, as it does the players' colours: each number of players has ratings."""


def find_standard_game(game_id: str, seats: int | None = None) -> Game:
    """Return a game on its standard board, with this number of players or the usual one. Raise OptionError for an
    unknown id or number.
    """
    default = catalogue.game(game_id)
    options = {} if default.preset else default.spec.sizes.get("standard", {})
    return catalogue.game(game_id, **options, **({} if seats in {None, default.seats} else {_FREE: seats}))


def is_standard(game: Game) -> bool:
    """Return whether a game has its standard board and the usual rules, for any number of players."""
    colours = game.spec.seat_colours
    free = {_FREE, *([colours.option] if colours else [])}

    def list_fixed(one: Game) -> dict[str, object]:
        return {name: value for name, value in one.given_options().items() if name not in free}

    return list_fixed(game) == list_fixed(find_standard_game(game.id))


def check_rated(game: Game, kinds: Sequence[str], control: TimeControl, *, draws_seats: bool) -> None:
    """Raise OptionError, about the field "rated" or "clock", unless a game can be rated. `kinds` are as in
    `TableSetup`; `draws_seats` says whether chance decides who begins.
    """
    if control == UNTIMED:
        raise OptionError("clock", "a rated game needs a clock, so that it ends even if a player leaves")
    if kinds.count(PERSON) > 1:
        raise OptionError("rated", "in a rated game every player has one seat, so leave the others open")
    if not {PERSON, OPEN} & set(kinds):
        raise OptionError("rated", "a game between computers is not rated")
    computers = [kind for kind in kinds if kind not in {PERSON, OPEN}]
    for number, kind in enumerate(computers):
        reason = explain_unrated_computer(game, kind, computers[:number], draws_seats=draws_seats)
        if reason:
            raise OptionError("rated", reason)


def explain_unrated_computer(game: Game, kind: str, others: Sequence[str], *, draws_seats: bool) -> str:
    """Return why a computer of this kind cannot play a rated game that has these `others`; empty if it can. The other
    arguments are as in `check_rated`.
    """
    if not is_standard(game):
        return "rated games against the computer are played on the standard board with the usual rules"
    if parse_strength(kind, game.spec).level is None:
        return "a computer with seconds per move has no rating, so choose a level"
    if kind in others:
        return "in a rated game every computer needs a different level"
    return "" if draws_seats else "rated games against the computer are played with random seats"


def list_computers(kinds: Sequence[str]) -> list[str]:
    """Return the kinds of the computers among the kinds of a table's chairs."""
    return [kind for kind in kinds if kind.startswith(COMPUTER)]
