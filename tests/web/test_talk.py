"""Chat: who may say what, how it is shown, how much, and what is reported."""

from __future__ import annotations

import pytest

from fourcorners.core.errors import IllegalMoveError
from fourcorners.web.application import chat_rules
from fourcorners.web.protocol.client_messages import LONGEST_CHAT, Say
from fourcorners.web.store import ChatLine
from tests.web.client import Browser, Socket
from tests.web.tables import ADA, BOB, CLEO, table_of
from tests.web.test_planning import SMALL, two

FREE = {"chat": "free"}


def test_phrases_are_for_those_at_the_table() -> None:
    table = table_of(SMALL, ADA, BOB)
    assert chat_rules.said(table, BOB, Say(type="say", phrase=0)) == chat_rules.PHRASES[0]
    for player, message, code in (
        (CLEO, Say(type="say", phrase=0), "not-yours"),
        (ADA, Say(type="say", phrase=len(chat_rules.PHRASES)), "phrase"),
        (ADA, Say(type="say", text="hello"), "no-free-chat"),
    ):
        with pytest.raises(IllegalMoveError) as caught:
            chat_rules.said(table, player, message)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("hello", "hello"),
        ("  a \n\t b\u202e\x00 c  ", "a b c"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("x" * LONGEST_CHAT, "x" * LONGEST_CHAT),
    ],
)
def test_free_text_is_one_line_where_the_table_allows_it(typed: str, said: str) -> None:
    assert chat_rules.said(table_of(SMALL, ADA, BOB, settings=FREE), ADA, Say(type="say", text=typed)) == said


@pytest.mark.parametrize("typed", ["", " \n ", "\u202e\x00"])
def test_what_is_empty_is_not_said(typed: str) -> None:
    with pytest.raises(IllegalMoveError, match="nothing"):
        chat_rules.said(table_of(SMALL, ADA, BOB, settings=FREE), ADA, Say(type="say", text=typed))


def test_lines_tell_seats_and_no_players() -> None:
    table = table_of(SMALL, ADA, BOB)
    lines = [ChatLine(1, ADA, "Ada", "hello", 1.0), ChatLine(2, CLEO, "Cleo", "I was here", 2.0)]
    text = chat_rules.told(table, BOB, lines)
    assert '"seat": 0' in text
    assert '"seat": null' in text
    assert not [player for player in (ADA, BOB, CLEO) if player in text]
    assert chat_rules.known_by(ADA) != chat_rules.known_by(BOB)


def say(socket: Socket, **message: object) -> str:
    """Say something, and return what comes back: the text as shown, or why it was refused."""
    socket.send(type="say", **message)
    while True:
        answer = socket.until("chat", "bad")
        if answer["type"] == "bad":
            return str(answer["sentence"])
        if answer["lines"]:
            return str(answer["lines"][-1]["text"])


@pytest.mark.compiled
def test_what_is_said_comes_to_everybody_and_to_who_comes_later(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other, chat="free")
    with ada, bob:
        assert ada.state["phrases"][0] == chat_rules.PHRASES[0]
        assert say(ada, text="<b>hello</b>") == "<b>hello</b>"
        told = bob.until("chat")
        while not told["lines"]:
            told = bob.until("chat")
        line = told["lines"][0]
        assert (line["name"], line["seat"], line["text"], line["mine"]) == ("Ada", 0, "<b>hello</b>", False)
        assert "cannot be read" in say(ada, text="x" * (LONGEST_CHAT + 1))
        table = str(ada.connection.request.path).split("/")[2] if ada.connection.request else ""
        with browser.sit(table) as newcomer:
            lines = newcomer.until("chat")["lines"]
            assert [(line["number"], line["mine"]) for line in lines] == [(1, True)]


@pytest.mark.compiled
def test_a_table_without_free_chat_takes_phrases_only(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other)
    with ada, bob:
        assert "phrases" in say(bob, text="hello")
        assert say(bob, phrase=1) == chat_rules.PHRASES[1]
        bob.send(type="say", phrase=99)
        assert "there are the phrases" in bob.until("bad")["sentence"]


@pytest.mark.compiled
def test_a_flood_is_refused(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other)
    with ada, bob:
        answers = [chat_rules.PHRASES[0]]
        while answers[-1] == chat_rules.PHRASES[0] and len(answers) < 40:
            answers.append(say(ada, phrase=0))
        # As many as the limit says; one more where a minute ends meanwhile.
        assert len(answers) - 2 in {20, 21}
        assert "Too many messages" in answers[-1]
        assert say(bob, phrase=2) in {chat_rules.PHRASES[0], chat_rules.PHRASES[2]}


@pytest.mark.compiled
def test_a_line_is_reported_with_its_text(browser: Browser, other: Browser) -> None:
    ada, bob = two(browser, other, chat="free")
    with ada, bob:
        say(ada, text="something rude")
        bob.send(type="report", number=1)
        assert bob.until("reported")["taken"] is True
        report = browser.server.registry.store.list_open_reports(1000)[-1]
        assert (report.about, report.number, report.done) == ("something rude", 1, False)
