"""The endpoints of the HTTP API for what waits for a player: turns, and notifications of them."""

import hashlib

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from fourcorners.web.api.models import notifications as models
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.web_push import are_keys
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.domain.push_services import find_browser
from fourcorners.web.store.notifications import Subscription

_MAX_COUNTED = 100


async def show_turns(request: Request, query: models.TurnsQuery) -> models.Turns:
    """Count the caller's games in which another person waits for the caller."""
    store = get_context(request).store
    ids = await run_in_threadpool(store.list_waiting_table_ids, request.state.owner, _MAX_COUNTED, query.besides)
    return models.Turns(count=len(ids), next=ids[0] if ids else None)


async def show(request: Request, _: None) -> models.Notifications:
    """Return the key for a subscription, and whether the caller's session has one."""
    return await run_in_threadpool(_read, request)


def _read(request: Request) -> models.Notifications:
    context, session = get_context(request), request.state.session
    subscriptions = context.store.list_subscriptions(request.state.owner)
    return models.Notifications(
        key=context.push.read_public_key(context.time.now()),
        subscribed=any(subscription.session == session for subscription in subscriptions),
    )


async def subscribe(request: Request, body: models.NewSubscription) -> models.Notifications:
    """Store the subscription of the caller's browser, in place of an earlier one."""
    await enforce_rate_limit(request, "settings")
    context = get_context(request)
    if find_browser(body.endpoint, context.settings.push_hosts) is None:
        raise Refusal(
            422,
            "This server does not send notifications through this push service. The operator can allow "
            "the service with --push-hosts.",
        )
    if not are_keys(body.keys.p256dh, body.keys.auth):
        raise Refusal(422, "These are not valid keys of a subscription.")
    subscription = Subscription(
        hashlib.sha256(body.endpoint.encode()).hexdigest(),
        request.state.owner,
        request.state.session,
        body.endpoint,
        body.keys.p256dh,
        body.keys.auth,
        context.time.now(),
    )
    await run_in_threadpool(context.store.add_subscription, subscription)
    return await run_in_threadpool(_read, request)


async def unsubscribe(request: Request, _: None) -> models.Notifications:
    """Delete the subscription of the caller's session, if there is one."""
    store = get_context(request).store
    await run_in_threadpool(store.end_subscription, request.state.owner, request.state.session)
    return await run_in_threadpool(_read, request)
