"""Notifications through a push service: to whom, when and how often, what they say, and what cannot be asked for."""

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.realtime import background_tasks, notification_sender
from fourcorners.web.realtime.notification_sender import NotificationSender
from fourcorners.web.store import Store, schema
from fourcorners.web.store.notifications import MAX_SUBSCRIPTIONS, Subscription
from tests.waiting import wait_until
from tests.web.accounts import register, sign_in
from tests.web.client import WAIT, Browser, Server, Socket, StartServer, seat_two
from tests.web.push_service import PushService, run_push_service
from tests.web.stored import GUEST, NEWER, OTHER, THIRD, build_table, register_stored_account


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PushService]:
    """A push service whose certificate is trusted; servers send only when a test says so, without delay."""
    monkeypatch.setattr(background_tasks, "NOTIFICATIONS_EVERY", 3600.0)
    monkeypatch.setattr(notification_sender, "NOTIFY_AFTER", 0.0)
    with run_push_service(tmp_path) as running:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(running.certificate))
        yield running


@pytest.fixture
def pushing(service: PushService, start_cold: StartServer) -> Server:
    """A server that sends notifications through the push service of the test."""
    return start_cold(push_hosts=service.host)


@pytest.fixture
def ada(pushing: Server) -> Iterator[Browser]:
    """The browser of a player."""
    with Browser(pushing) as opened:
        yield opened


@pytest.fixture
def bob(pushing: Server) -> Iterator[Browser]:
    """The browser of the opponent."""
    with Browser(pushing) as opened:
        yield opened


def send_due(server: Server) -> None:
    """Let a server send what is due, after all writes so far."""
    server.context.store.write_now("", lambda _: None)
    # Writes are done in the order of their keys only within a batch.
    server.context.store.write_now("", lambda _: None)
    asyncio.run_coroutine_threadsafe(NotificationSender(server.rooms).send_due(), server.loop).result(WAIT)
    server.context.store.write_now("", lambda _: None)


def send_from_both(here: Server, there: Server) -> None:
    """Let two servers send what is due, after what the first one has noted is stored."""
    here.context.store.write_now("", lambda _: None)
    send_due(there)
    send_due(here)
    send_due(there)


def subscribe(browser: Browser, service: PushService, name: str) -> dict[str, Any]:
    """Have a browser notified; return the answer's fields."""
    answer = browser.http.post("/api/notifications", json=service.subscribe(name))
    assert answer.status_code == 200, answer.text
    fields: dict[str, Any] = answer.json()
    return fields


def begin(ada: Browser, bob: Browser) -> tuple[Socket, Socket]:
    """Begin a game in which Ada moves first."""
    return seat_two(ada, bob, game="square-off")


def titles(service: PushService) -> list[str]:
    """Return what was received."""
    return [message["title"] for _, message in service.messages]


def close(socket: Socket, server: Server) -> None:
    """Close a socket and wait until the server knows it."""
    count = len(server.connections)
    socket.__exit__()
    wait_until(lambda: len(server.connections) < count)


def play_any(socket: Socket) -> None:
    """Play the first legal move."""
    socket.receive_until_mine()
    socket.move(socket.state["moves"][0])


def test_player_with_a_closed_table_is_told_whose_turn_it_is_without_anything_of_the_board(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    first, second = begin(ada, bob)
    with first:
        assert subscribe(bob, service, "bob")["subscribed"]
        close(second, pushing)
        play_any(first)
        send_due(pushing)
        assert service.messages == [
            ("/bob", {"title": "Your turn: Square Off against Ada", "path": f"/play/{first.table}"})
        ]
        assert service.headers["content-encoding"] == "aes128gcm"
        assert service.headers["topic"] == first.table
        assert service.headers["ttl"] == "86400"


def test_there_is_one_notification_until_the_table_is_opened_again(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        play_any(first)
        send_due(pushing)
        send_due(pushing)
        assert len(service.messages) == 1
        # Nothing is said of the end as long as Bob has not come.
        assert first.send_command("resign", seat=0)["type"] == "done"
        send_due(pushing)
        assert len(service.messages) == 1


def test_opened_table_allows_another_notification(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        play_any(first)
        send_due(pushing)
        again = bob.open_table(first.table)
        play_any(again)
        close(again, pushing)
        play_any(first)
        send_due(pushing)
        assert titles(service) == ["Your turn: Square Off against Ada"] * 2


@pytest.mark.parametrize("visible", [True, False])
def test_open_table_is_notified_only_while_it_cannot_be_seen(
    pushing: Server, service: PushService, ada: Browser, bob: Browser, *, visible: bool
) -> None:
    first, second = begin(ada, bob)
    with first, second:
        subscribe(bob, service, "bob")
        second.send(type="change-visibility", visible=False)
        if visible:
            second.send(type="change-visibility", visible=True)
        second.send(type="look", ply=0)
        second.receive_until("look")
        play_any(first)
        send_due(pushing)
        assert len(service.messages) == (0 if visible else 1)


def test_player_whose_connection_is_lost_is_told_what_came_meanwhile(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    """The server learns only from beats without an answer that a telephone is out of reach."""
    first, second = begin(ada, bob)
    with first, second:
        for browser, name in ((ada, "ada"), (bob, "bob")):
            subscribe(browser, service, name)
        play_any(first)
        second.receive_until_mine()
        send_due(pushing)
        assert service.messages == []
        for connection in list(pushing.connections):
            pushing.loop.call_soon_threadsafe(connection.break_off)
        wait_until(lambda: not pushing.connections)
        send_due(pushing)
        assert titles(service) == ["Your turn: Square Off against Ada"]


def test_what_is_seen_before_it_is_sent_is_forgotten(
    pushing: Server, service: PushService, ada: Browser, bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a page is loaded again, or when the other server has it open."""
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        play_any(first)
        with bob.open_table(first.table):
            send_due(pushing)
        send_due(pushing)
        assert service.messages == []
        assert pushing.context.store.list_unsent_notifications(9) == []


def test_end_and_rematch_are_told_too(pushing: Server, service: PushService, ada: Browser, bob: Browser) -> None:
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        assert first.send_command("resign", seat=0)["type"] == "done"
        send_due(pushing)
        bob.open_table(first.table).__exit__()
        wait_until(lambda: len(pushing.connections) == 1)
        assert first.send_command("rematch")["type"] == "done"
        send_due(pushing)
        subscribe(ada, service, "ada")
        first.send(type="change-visibility", visible=False)
        with bob.open_table(first.table) as again:
            assert again.send_command("rematch")["type"] == "done"
        send_due(pushing)
        assert titles(service) == [
            "Game over: Square Off against Ada",
            "Rematch offered: Square Off against Ada",
            "Rematch started: Square Off against Bob",
        ]


def test_offer_of_a_rematch_that_was_withdrawn_is_not_told(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    first, second = begin(ada, bob)
    with first:
        assert second.send_command("resign", seat=1)["type"] == "done"
        subscribe(bob, service, "bob")
        close(second, pushing)
        assert first.send_command("rematch")["type"] == "done"
        assert first.send_command("decline-rematch")["type"] == "done"
        send_due(pushing)
        assert service.messages == []
        assert first.send_command("rematch")["type"] == "done"
        send_due(pushing)
        assert titles(service) == ["Rematch offered: Square Off against Ada"]


def test_of_two_servers_one_sends(pushing: Server, service: PushService, ada: Browser, bob: Browser) -> None:
    """Both find the same notification, and send at the same time."""
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        play_any(first)
        pushing.context.store.write_now("", lambda _: None)

        async def send_twice() -> None:
            senders = (NotificationSender(pushing.rooms), NotificationSender(pushing.rooms))
            await asyncio.gather(*(sender.send_due() for sender in senders))

        asyncio.run_coroutine_threadsafe(send_twice(), pushing.loop).result(WAIT)
        assert len(service.messages) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_subscription_that_is_gone_is_deleted(
    pushing: Server, service: PushService, ada: Browser, bob: Browser, status: int
) -> None:
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        service.status = status
        play_any(first)
        send_due(pushing)
        assert len(service.messages) == 1
        assert not bob.http.get("/api/notifications").json()["subscribed"]


def test_failing_or_redirecting_service_is_asked_once_and_does_not_stop_the_next_notification(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        service.status, service.location = 307, f"https://{service.host}/elsewhere"
        play_any(first)
        send_due(pushing)
        service.status, service.location = 201, ""
        with bob.open_table(first.table) as again:
            play_any(again)
            close(again, pushing)
        play_any(first)
        send_due(pushing)
        assert [path for path, _ in service.messages] == ["/bob", "/bob"]


def test_slow_push_service_delays_no_move_and_is_given_up(
    pushing: Server, service: PushService, ada: Browser, bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = begin(ada, bob)
    with first:
        subscribe(bob, service, "bob")
        close(second, pushing)
        service.answers.clear()
        play_any(first)
        pushing.context.store.write_now("", lambda _: None)
        sending = asyncio.run_coroutine_threadsafe(NotificationSender(pushing.rooms).send_due(), pushing.loop)
        wait_until(lambda: len(service.messages) == 1)
        with bob.open_table(first.table) as again:
            play_any(again)
            play_any(first)
            assert len(first.state["plies"]) == 3
        assert not sending.done()
        service.answers.set()
        sending.result(WAIT)


def test_table_that_is_open_at_another_server_is_not_notified_and_one_of_two_servers_sends(
    service: PushService, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Warmup, "start", lambda _: None)
    settings: dict[str, Any] = {"database": address, "push_hosts": service.host}
    with (
        Server(tmp_path, **settings) as here,
        Server(tmp_path, **settings) as there,
        Browser(here) as ada,
        Browser(there) as bob,
    ):
        first, second = begin(ada, bob)
        with first:
            subscribe(bob, service, "bob")
            play_any(first)
            # The server of the move does not know that Bob sees it elsewhere.
            send_from_both(here, there)
            assert service.messages == []
            close(second, there)
            with bob.open_table(first.table) as again:
                play_any(again)
            wait_until(lambda: not there.connections)
            first.receive_until_mine()
            play_any(first)
            send_from_both(here, there)
            assert titles(service) == ["Your turn: Square Off against Ada"]


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://example.org/push",
        "http://fcm.googleapis.com/send/1",
        "https://fcm.googleapis.com.example.org/1",
        "https://fcm.googleapis.com@example.org/1",
        "https://user@fcm.googleapis.com/1",
        "https://fcm.googleapis.com:8443/1",
        "https://127.0.0.1/1",
        "https://[::1]/1",
        "https://a/b.push.services.mozilla.com/1",
        "https://example.org\\.push.apple.com/1",
        "",
    ],
)
def test_nothing_is_sent_to_addresses_that_are_not_those_of_push_services(
    pushing: Server, service: PushService, bob: Browser, endpoint: str
) -> None:
    answer = bob.http.post("/api/notifications", json=service.subscribe("bob") | {"endpoint": endpoint})
    assert answer.status_code == 422
    assert not bob.http.get("/api/notifications").json()["subscribed"]


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://fcm.googleapis.com/fcm/send/1",
        "https://updates.push.services.mozilla.com/wpush/v2/1",
        "https://web.push.apple.com/1",
        "https://db5p.notify.windows.com/w/?token=1",
    ],
)
def test_push_services_of_browsers_are_known(
    pushing: Server, service: PushService, bob: Browser, endpoint: str
) -> None:
    answer = bob.http.post("/api/notifications", json=service.subscribe("bob") | {"endpoint": endpoint})
    assert answer.status_code == 200


def test_keys_that_cannot_be_keys_are_refused(pushing: Server, service: PushService, bob: Browser) -> None:
    subscription = service.subscribe("bob")
    for keys in ({"p256dh": "AA", "auth": "AA"}, {"p256dh": "!" * 87, "auth": subscription["keys"]["auth"]}):
        assert bob.http.post("/api/notifications", json=subscription | {"keys": keys}).status_code == 422


def test_key_that_is_no_point_fails_only_when_it_is_used(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    first, second = begin(ada, bob)
    with first:
        subscription = service.subscribe("bob")
        subscription["keys"]["p256dh"] = "B" + "A" * 86
        assert bob.http.post("/api/notifications", json=subscription).status_code == 200
        close(second, pushing)
        play_any(first)
        send_due(pushing)
        assert service.messages == []


def test_push_service_learns_the_name_of_the_site(
    service: PushService, start_cold: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_cold(push_hosts=service.host, allowed_hosts="*, [fd00::1], play.example.org")
    with Browser(server) as ada, Browser(server) as bob:
        first, second = begin(ada, bob)
        with first:
            subscribe(bob, service, "bob")
            close(second, server)
            play_any(first)
            send_due(server)
            claims = service.headers["authorization"].partition("t=")[2].split(".")[1]
            said = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
            assert (said["aud"], said["sub"]) == (f"https://{service.host}", "https://play.example.org")


def test_session_has_one_subscription_and_can_end_it(pushing: Server, service: PushService, bob: Browser) -> None:
    subscribe(bob, service, "old")
    subscribe(bob, service, "new")
    assert "/new" in pushing.context.store.list_subscriptions(_find_player(pushing))[0].endpoint
    assert len(pushing.context.store.list_subscriptions(_find_player(pushing))) == 1
    assert not bob.http.post("/api/notifications/removal").json()["subscribed"]
    assert not bob.http.get("/api/notifications").json()["subscribed"]


def _find_player(server: Server) -> str:
    """Return the id of the only player who is notified."""
    return str(server.context.store.fetch_first(sa.select(schema.push_subscriptions.c.player))[0])


def test_all_servers_of_a_database_have_one_key(store: Store, pushing: Server, bob: Browser, ada: Browser) -> None:
    keys = [browser.http.get("/api/notifications").json()["key"] for browser in (ada, bob)]
    assert len(keys[0]) == 87
    assert keys[0] == keys[1]
    assert store.read_push_key(lambda: "first", 1.0) == store.read_push_key(lambda: "second", 2.0)


def test_subscription_follows_the_guest_to_the_account_and_ends_with_the_session(
    pushing: Server, service: PushService, ada: Browser, bob: Browser
) -> None:
    store = pushing.context.store
    subscribe(ada, service, "ada")
    assert register(ada.http).status_code == 303
    player = _find_player(pushing)
    assert ada.http.get("/api/notifications").json()["subscribed"]
    # A guest with a subscription signs in to the same account.
    subscribe(bob, service, "bob")
    assert sign_in(bob.http).status_code == 303
    assert bob.http.get("/api/notifications").json()["subscribed"]
    assert len(store.list_subscriptions(player)) == 2
    page = ada.http.get("/account").text
    assert page.count('action="/account/notifications"') == 2
    assert '"push_subscriptions": [' in ada.http.get("/account/export").text
    assert service.host not in ada.http.get("/account/export").text
    # It signs out by itself, and is signed out by the other one.
    assert ada.http.post("/account/devices", data={"device": "others"}).status_code == 303
    assert [found.endpoint.rpartition("/")[2] for found in store.list_subscriptions(player)] == ["ada"]
    assert ada.http.post("/account/sign-out").status_code == 303
    assert store.fetch_all(schema.push_subscriptions.select()) == []


def test_player_has_a_limited_number_of_subscriptions(store: Store) -> None:
    for number in range(MAX_SUBSCRIPTIONS + 3):
        subscription = Subscription(f"{number}", "p", f"s{number}", f"https://push.example/{number}", "k", "a", number)
        store.add_subscription(subscription)
    rows = store.fetch_all(schema.push_subscriptions.select())
    assert sorted(int(row.id) for row in rows) == list(range(3, MAX_SUBSCRIPTIONS + 3))


def test_old_subscriptions_of_guests_end_unless_they_play(store: Store) -> None:
    register_stored_account(store, THIRD)
    store.add_table(build_table("running", owner=GUEST)).result(WAIT)
    store.add_table(build_table("over", owner=OTHER, result="won")).result(WAIT)
    for player, created in ((GUEST, 5.0), (OTHER, 5.0), (THIRD, 5.0), (NEWER, 9.0)):
        store.add_subscription(Subscription(player, player, player, "https://push.example", "k", "a", created))
    store.delete_guest_subscriptions(8.0)
    rows = store.fetch_all(schema.push_subscriptions.select())
    assert {row.player for row in rows} == {GUEST, THIRD, NEWER}
