"""The pages of the analysis board: what they take over from games that were played here."""

import fourcorners as fc
from fourcorners.core.match import Match
from fourcorners.web.pages.analysis import remove_names


def test_an_analysis_calls_the_players_of_a_game_by_their_seats() -> None:
    match = Match(fc.game("sqez"), ["Ada", "Grace"])
    match.play(match.position.moves()[0])
    match.resign(0)
    record = match.record()
    assert "Ada" in str(record)
    nameless = str(remove_names(record))
    assert "Ada" not in nameless and "Grace" not in nameless
    assert fc.Record.parse(nameless).seats == ("seat 0", "seat 1")
