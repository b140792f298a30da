"""How clauses become sentences."""

import pytest

from fourcorners.web.domain.sentences import write_sentence


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("the game is over", "The game is over."),
        ("a7 is taken", "a7 is taken."),
        ("a1-c3 crosses a line", "a1-c3 crosses a line."),
        ("Too many messages. Try again in 2 minutes.", "Too many messages. Try again in 2 minutes."),
    ],
)
def test_a_clause_becomes_a_sentence_and_a_sentence_stays(clause: str, sentence: str) -> None:
    assert write_sentence(clause) == sentence
