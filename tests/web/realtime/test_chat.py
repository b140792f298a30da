"""Chat over the socket: who receives what, how much is allowed, and what is reported."""

import re

import pytest

from fourcorners.web.domain.chat_rules import LONGEST_CHAT, PHRASES
from tests.web.client import Browser, Socket, seat_two

pytestmark = pytest.mark.compiled


def say_and_receive(socket: Socket, **message: object) -> str:
    """Say a `phrase` (its number) or `text`; return the text of the newest line in the next chat that has lines.

    That may still be an earlier line of another player. If the message is refused, return the reason.
    """
    socket.send(type="say", **message)
    while True:
        answer = socket.receive_until("chat", "error")
        if answer["type"] == "error":
            return str(answer["sentence"])
        if answer["lines"]:
            return str(answer["lines"][-1]["text"])


def test_chat_line_reaches_everybody_unchanged_including_newcomers(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other, chat="free")
    with ada, bob:
        assert ada.state["phrases"][0] == PHRASES[0]
        assert say_and_receive(ada, text="<b>hello</b>") == "<b>hello</b>"
        # The first message may be the empty chat that a newcomer receives.
        while not (lines := bob.receive_until("chat")["lines"]):
            pass
        line = lines[0]
        assert (line["name"], line["seat"], line["text"], line["mine"]) == ("Ada", 0, "<b>hello</b>", False)
        # Ada's second page shows the line as hers.
        with browser.open_table(ada.table) as newcomer:
            lines = newcomer.receive_until("chat")["lines"]
            assert [(line["number"], line["mine"]) for line in lines] == [(1, True)]


def test_chat_text_above_the_maximum_length_is_rejected(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other, chat="free")
    with ada, bob:
        assert "cannot be read" in say_and_receive(ada, text="x" * (LONGEST_CHAT + 1))


def test_table_without_free_chat_accepts_the_numbers_of_existing_phrases_only(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        assert "phrases" in say_and_receive(bob, text="hello")
        assert say_and_receive(bob, phrase=1) == PHRASES[1]
        bob.send(type="say", phrase=99)
        assert "The phrases are numbered" in bob.receive_until("error")["sentence"]


def test_chat_is_limited_to_twenty_messages_a_minute_for_each_player(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other)
    with ada, bob:
        accepted = 0
        # 40 attempts are enough to notice that there is no limit.
        while (answer := say_and_receive(ada, phrase=0)) == PHRASES[0] and accepted < 40:
            accepted += 1
        # One more than the limit if a minute ends meanwhile.
        assert accepted in {20, 21}
        assert re.fullmatch(r"Too many messages\. Try again in \d+ (second|minute)s?\.", answer)
        # Bob may read Ada's last line before his own.
        assert say_and_receive(bob, phrase=2) in {PHRASES[0], PHRASES[2]}


def test_report_of_a_line_is_open_and_contains_its_text_and_number(browser: Browser, other: Browser) -> None:
    ada, bob = seat_two(browser, other, chat="free")
    with ada, bob:
        say_and_receive(ada, text="something rude")
        bob.send(type="report", number=1)
        assert bob.receive_until("report")["taken"] is True
        # Other tests have reported to the same server; the last report is the newest.
        report = browser.server.context.store.list_open_reports(1000)[-1]
        assert (report.about, report.number, report.done) == ("something rude", 1, False)
