"""The requests and answers about the turns that wait for a player, and about notifications."""

from typing import Annotated

from msgspec import Meta

from fourcorners.web.api.models.common import Request
from fourcorners.web.domain.push_services import MAX_ENDPOINT_LENGTH
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields


class TurnsQuery(Request, frozen=True, kw_only=True):
    """Which games to count."""

    besides: Annotated[str, Meta(max_length=32, description="A table to leave out.")] = ""


@example(count=2, next="x1Yb3kQ_9aZc")
class Turns(Fields, frozen=True, kw_only=True):
    """Your games in which another person waits for your move."""

    count: Annotated[int, Meta(description="The number of these games, up to 100.")]
    next: Annotated[str | None, Meta(description="The table at which someone has waited longest.")]


class SubscriptionKeys(Request, frozen=True, kw_only=True):
    """The keys of a browser’s subscription, in base64url."""

    p256dh: Annotated[str, Meta(max_length=100)]
    auth: Annotated[str, Meta(max_length=40)]


@example(
    endpoint="https://updates.push.services.mozilla.com/wpush/v2/gAAAAAB…",
    keys=SubscriptionKeys(p256dh="BKNZ…", auth="QmFs…"),
)
class NewSubscription(Request, frozen=True, kw_only=True):
    """A browser’s subscription at a push service, as `PushSubscription.toJSON()` returns it."""

    endpoint: Annotated[str, Meta(max_length=MAX_ENDPOINT_LENGTH)]
    keys: SubscriptionKeys
    expirationTime: float | None = None  # noqa: N815  # the browsers' name


@example(key="BKNZ…", subscribed=True)
class Notifications(Fields, frozen=True, kw_only=True):
    """Whether you are notified of your turns through a push service, as long as you do not have the table open."""

    key: Annotated[str, Meta(description="The `applicationServerKey` of a subscription.")]
    subscribed: Annotated[bool, Meta(description="Whether your session has a subscription.")]
