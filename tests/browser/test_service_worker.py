"""The service worker: the page for no connection, what it keeps, and notifications while the site is closed."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest, Server
from tests.browser.driver import assert_accessible, click_tokens, open_menu, wait_for_value
from tests.browser.multiplayer import MINE, OTHER, create_table, seat_two_players, take_seat
from tests.browser.pushes import deliver, install, list_shown, subscribe_by_script
from tests.web.push_service import PushService

pytestmark = pytest.mark.browser
KEPT = ["/offline", "/static/offline.js?offline", "/static/page.css?offline", "/static/theme.js?offline"]
_LIST_KEPT = """async () => {
    const names = await caches.keys();
    const kept = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys())));
    return kept.flat().map((request) => new URL(request.url)).map((url) => url.pathname + url.search).sort();
}"""


@pytest.fixture
def visitor(new_guest: NewGuest) -> Page:
    """The page of a visitor whose browser has service workers and shows notifications."""
    return new_guest(service_workers="allow", permissions=["notifications"])


def test_without_a_connection_a_page_says_so_and_opens_the_wanted_one_later(visitor: Page) -> None:
    install(visitor)
    visitor.context.set_offline(True)
    visitor.goto("/ladder")
    expect(visitor.get_by_role("heading", name="No connection")).to_be_visible()
    # It has its styles.
    expect(visitor.get_by_role("button", name="Try again")).to_have_css("min-height", "44px")
    assert_accessible(visitor)
    visitor.get_by_role("button", name="Try again").click()
    expect(visitor.get_by_role("heading", name="No connection")).to_be_visible()
    visitor.context.set_offline(False)
    expect(visitor.get_by_role("heading", name="Ladder", level=1)).to_be_visible()


def test_only_that_page_and_its_parts_are_kept_whatever_is_visited(visitor: Page) -> None:
    install(visitor)
    path = create_table(visitor, "sqez", "po")
    visitor.goto("/account")
    visitor.go_back()
    visitor.wait_for_selector("#play[data-state='waiting']")
    assert visitor.url.endswith(path)
    visitor.request.get("/api/tables")
    assert visitor.evaluate(_LIST_KEPT) == KEPT


def test_new_version_replaces_what_was_kept(visitor: Page) -> None:
    install(visitor)
    visitor.evaluate("caches.open('offline of before').then((cache) => cache.add('/offline'))")
    visitor.evaluate("navigator.serviceWorker.ready.then((found) => found.unregister()).then(() => location.reload())")
    visitor.wait_for_load_state()
    wait_for_value(lambda: visitor.evaluate("caches.keys().then((names) => names.length)"), 1)
    assert visitor.evaluate(_LIST_KEPT) == KEPT


def test_message_is_shown_unless_the_table_can_be_seen_and_opens_it(visitor: Page) -> None:
    worker = install(visitor)
    path = create_table(visitor, "sqez", "po")
    visitor.evaluate("navigator.serviceWorker.ready")
    deliver(visitor, {"title": "Your turn: Sqez against Ada", "path": path})
    deliver(visitor, {"title": "Your turn: Sqez against Ben", "path": "/play/other"})
    wait_for_value(lambda: list_shown(visitor), [["Your turn: Sqez against Ben", "/play/other"]])
    # A headless browser has nothing to click on.
    press = """async (path) => {
        const opened = [];
        clients.openWindow = async (path) => opened.push(["open", path]);
        WindowClient.prototype.focus = async function () { opened.push(["focus", new URL(this.url).pathname]); };
        await registration.showNotification("again", { tag: path });
        for (const notification of await registration.getNotifications()) {
            const pressed = Object.assign(new ExtendableEvent("notificationclick"), { notification, waitUntil() {} });
            dispatchEvent(pressed);
        }
        while (opened.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
        return opened;
    }"""
    assert sorted(worker.evaluate(press, path)) == [["focus", path], ["open", "/play/other"]]
    wait_for_value(lambda: list_shown(visitor), [])


def test_player_turns_notifications_on_is_told_of_a_turn_and_removes_the_device(
    new_guest: NewGuest, push_server: Server, service: PushService
) -> None:
    """From the switch in the menu to the notification, which goes away when the table is opened."""
    options = {"service_workers": "allow", "permissions": ["notifications"]}
    ada, ben = new_guest(push_server.url), new_guest(push_server.url, **options)
    subscribe_by_script(ben, service.subscribe("ben"))
    install(ben)
    path = seat_two_players(ada, ben)
    open_menu(ben)
    switch = ben.get_by_role("switch", name="Notify me when it is my turn")
    switch.check()
    expect(ben.get_by_text("In all your games, even while this site is closed.")).to_be_visible()
    assert_accessible(ben)
    ben.goto("/about")
    click_tokens(ada, "a1")
    ada.wait_for_selector(OTHER)
    wait_for_value(lambda: [path for path, _ in service.messages], ["/ben"])
    message = service.messages[0][1]
    assert message == {"title": "Your turn: Square Off against Ada", "path": path}
    deliver(ben, message)
    wait_for_value(lambda: list_shown(ben), [[message["title"], path]])
    ben.goto(path)
    ben.wait_for_selector(MINE)
    wait_for_value(lambda: list_shown(ben), [])
    ben.goto("/account")
    ben.get_by_role("button", name="Remove Browser").click()
    expect(ben.get_by_text("This device is no longer notified.")).to_be_visible()
    ben.goto(path)
    open_menu(ben)
    expect(switch).not_to_be_checked()
    switch.check()
    expect(switch).to_be_checked()
    switch.uncheck()
    expect(switch).not_to_be_checked()
    # The page does not wait for the answer of the server.
    wait_for_value(lambda: ben.request.get("/api/notifications").json()["subscribed"], expected=False)


def test_browser_without_a_push_service_notifies_while_the_page_is_open(new_guest: NewGuest) -> None:
    """And one that blocks notifications says so."""
    ada, ben = new_guest(permissions=["notifications"]), new_guest()
    path = create_table(ada, "sqez", "po")
    open_menu(ada)
    ada.get_by_role("switch", name="Notify me when it is my turn").check()
    expect(ada.get_by_text("While this page is open in the background.")).to_be_visible()
    ben.add_init_script("Notification.requestPermission = async () => 'denied';")
    take_seat(ben, path, "Ben")
    open_menu(ben)
    ben.get_by_role("switch", name="Notify me when it is my turn").click()
    expect(ben.get_by_text("Your browser blocks notifications from this site.")).to_be_visible()
    expect(ben.get_by_role("switch", name="Notify me when it is my turn")).not_to_be_checked()
