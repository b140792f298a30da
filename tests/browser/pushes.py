"""Messages of a push service in the browser: headless browsers have none, so that scripts stand for it."""

import json
from typing import Any

from playwright.sync_api import Page, Worker

from tests.browser.driver import wait_for_value

_LIST_SHOWN = """async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(({ title, tag }) => [title, tag]);
}"""


# The shell without windows, which CI uses, shows no notifications: the worker keeps them, and pages ask it.
_KEEP_SHOWN = """() => {
    const shown = new Map();
    const list = () => [...shown].map(([tag, title]) => ({ tag, title, close: () => shown.delete(tag) }));
    registration.showNotification = async (title, { tag }) => { shown.set(tag, title); };
    registration.getNotifications = async ({ tag } = {}) => list().filter((each) => !tag || each.tag === tag);
    addEventListener("message", ({ data, ports }) => {
        if (data.closed) shown.delete(data.closed);
        ports[0]?.postMessage(list().map(({ tag, title }) => ({ tag, title })));
    });
}"""
_ASK_WORKER = """
ServiceWorkerRegistration.prototype.getNotifications = async function ({ tag } = {}) {
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
    this.active.postMessage({}, [port2]);
    const found = (await answer).filter((each) => !tag || each.tag === tag);
    return found.map((each) => ({ ...each, close: () => this.active.postMessage({ closed: each.tag }) }));
};
"""


def install(page: Page) -> Worker:
    """Open the home page and return the service worker once it is installed; it keeps what it shows."""
    page.add_init_script(_ASK_WORKER)
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready")
    wait_for_value(
        lambda: page.evaluate("navigator.serviceWorker.ready.then((found) => found.active.state)"), "activated"
    )
    worker = page.context.service_workers[0]
    worker.evaluate(_KEEP_SHOWN)
    return worker


def deliver(page: Page, message: dict[str, Any]) -> None:
    """Let the browser receive a message of the push service."""
    session = page.context.new_cdp_session(page)
    found: list[dict[str, Any]] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    origin = page.evaluate("location.origin")
    # Events arrive while Playwright waits for something.
    wait_for_value(lambda: page.evaluate("false") or bool(found), expected=True)
    options = {"origin": origin, "registrationId": found[-1]["registrationId"], "data": json.dumps(message)}
    session.send("ServiceWorker.deliverPushMessage", options)
    session.detach()


def subscribe_by_script(page: Page, subscription: dict[str, Any]) -> None:
    """Let the pages of a context subscribe to notifications, and get this subscription."""
    page.add_init_script(f"""
        const subscription = {{ toJSON: () => ({json.dumps(subscription)}), unsubscribe: async () => true }};
        PushManager.prototype.subscribe = async () => subscription;
        PushManager.prototype.getSubscription = async () => subscription;
    """)


def list_shown(page: Page) -> list[list[str]]:
    """List the notifications that are shown: title and table of each."""
    found: list[list[str]] = page.evaluate(_LIST_SHOWN)
    return found
