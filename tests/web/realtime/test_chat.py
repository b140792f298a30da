"""Chat over the socket: who receives what, how much is allowed, and what is reported."""

import pytest

from fourcorners.web.domain.chat_rules import LONGEST_CHAT, PHRASES
from tests.web.client import Browser, Socket, seat_two

pytestmark = pytest.mark.compiled


def say(socket: Socket, **message: object) -> str:
    """Say something and return the answer: the text as everybody sees it, or the reason why it was refused."""
    socket.send(type="say", **message)
    while True:
        answer = socket.until("chat", "bad")
        if answer["type"] == "bad":
            return str(answer["sentence"])
        if answer["lines"]:
            return str(answer["lines"][-1]["text"])


def test_chat_line_reaches_everybody_including_newcomers(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other, chat="free")
    with ada, bob:
        assert ada.state["phrases"][0] == PHRASES[0]
        assert say(ada, text="<b>hello</b>") == "<b>hello</b>"
        told = bob.until("chat")
        while not told["lines"]:
            told = bob.until("chat")
        line = told["lines"][0]
        assert (line["name"], line["seat"], line["text"], line["mine"]) == ("Ada", 0, "<b>hello</b>", False)
        assert "cannot be read" in say(ada, text="x" * (LONGEST_CHAT + 1))
        with browser.sit(ada.table) as newcomer:
            lines = newcomer.until("chat")["lines"]
            assert [(line["number"], line["mine"]) for line in lines] == [(1, True)]


def test_table_without_free_chat_accepts_phrases_only(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        assert "phrases" in say(bob, text="hello")
        assert say(bob, phrase=1) == PHRASES[1]
        bob.send(type="say", phrase=99)
        assert "the phrases are numbered" in bob.until("bad")["sentence"]


def test_chat_is_rate_limited(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        answers = [PHRASES[0]]
        while answers[-1] == PHRASES[0] and len(answers) < 40:
            answers.append(say(ada, phrase=0))
        # The limit of the window, or one more if a minute ends meanwhile.
        assert len(answers) - 2 in {20, 21}
        assert "Too many messages" in answers[-1]
        assert say(bob, phrase=2) in {PHRASES[0], PHRASES[2]}


def test_report_contains_the_text_of_the_line(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other, chat="free")
    with ada, bob:
        say(ada, text="something rude")
        bob.send(type="report", number=1)
        assert bob.until("reported")["taken"] is True
        report = browser.server.registry.store.list_open_reports(1000)[-1]
        assert (report.about, report.number, report.done) == ("something rude", 1, False)
