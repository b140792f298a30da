"""The account page itself, and what its forms share: errors by field, and passwords."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourcorners.web.application.context import get_context
from fourcorners.web.application.fair_turns import get_client
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.auth.identity import generate_secret, hash_secret, issue_secret
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.auth.passwords import (
    BadPasswordError,
    PasswordCheck,
    validate_new_password,
)
from fourcorners.web.auth.security_log import SecurityEvent, log_security_event
from fourcorners.web.auth.sign_in_guard import remember_device
from fourcorners.web.domain.push_services import find_browser
from fourcorners.web.pages.days import format_day
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.rooms import get_rooms
from fourcorners.web.store import Profile, Session
from fourcorners.web.store.notifications import Subscription
from fourcorners.web.store.passkeys import StoredPasskey

_DONE = {
    "name": "Your name has been saved.",
    "registered": "Your account has been created. Your guest games now belong to it.",
    "signed-in": "You are signed in.",
    "password": (
        "Your password has been changed. All other devices have been signed out, and passkeys and recovery codes "
        "deleted."
    ),
    "passkey": "The passkey has been created. From now on you can sign in with it.",
    "no-passkey": "The passkey has been deleted.",
    "recovered": (
        "You are signed in with your new password. All other devices have been signed out, and passkeys and recovery "
        "codes deleted. Create new recovery codes."
    ),
    "device": "The device has been signed out.",
    "others": "All other devices have been signed out.",
    "signed-out": "You are signed out.",
    "deleted": "Your account has been deleted.",
    "no-notifications": "This device is no longer notified.",
    "puzzles": "Puzzles may now be made from your games.",
    "no-puzzles": "No more puzzles will be made from your games.",
}
FORM_NAMES = (
    *("name", "register", "sign-in", "sign-out", "devices", "program", "notifications", "puzzles"),
    *("passkey", "passkey-delete", "passkey-sign-in", "password", "recovery-codes", "recover", "delete"),
)
"""The last parts of the addresses to which the forms of the page are sent."""
WRONG_PASSWORD = "Wrong password."
SIGN_IN_FIRST = "Sign in first."
Form = Mapping[str, str]
T = TypeVar("T")


def redirect_to_account(request: Request) -> Response:
    """Redirect a visitor who opens the address of one of its forms to the account page."""
    return RedirectResponse("/account", 303)


def show_account(request: Request) -> Response:
    """Show the account or, to a guest, the forms to sign in and to register; `?done=` may be a key of `_DONE`."""
    return render_account(request, {}, {})


def render_account(
    request: Request, form: Form, errors: Mapping[str, str], api_key: str = "", recovery_codes: Sequence[str] = ()
) -> Response:
    """Show the page with a new `api_key` or new `recovery_codes`, or with a wrong form's input and errors by field
    (422); raise StoreError.
    """
    store, settings = get_context(request).store, get_context(request).settings
    profile = store.read_profile(request.state.owner)
    this = request.state.session
    sessions = store.list_sessions(profile.id) if profile.account else []
    context = {
        "profile": profile,
        "since": format_day(profile.created),
        # Passwords must not be sent back.
        "typed": {name: text for name, text in form.items() if not name.endswith("password")},
        "errors": errors,
        "secret": api_key,
        "recovery_codes": recovery_codes,
        "passkeys": [_describe_passkey(passkey) for passkey in store.list_passkeys(profile.id)],
        "codes_left": store.count_recovery_codes(profile.id) if profile.account else 0,
        "done": "" if errors else _DONE.get(request.query_params.get("done", ""), ""),
        "notified": [
            _describe_subscription(subscription, this, settings.push_hosts)
            for subscription in store.list_subscriptions(profile.id)
        ],
        "devices": [_describe_device(s, this) for s in sorted(sessions, key=lambda s: s.secret != this)],
    }
    response = render_page(request, "account.html", context, 422 if errors else 200)
    response.headers["cache-control"] = "no-store"
    return response


def _describe_device(session: Session, this: str) -> dict[str, Any]:
    """Return a session's `id`, days `created` and `seen`, and `this`: whether the argument is its secret's hash."""
    created, seen = format_day(session.created), format_day(session.seen)
    return {"id": get_device_id(session), "this": session.secret == this, "created": created, "seen": seen}


def _describe_subscription(subscription: Subscription, this: str, push_hosts: str) -> dict[str, Any]:
    """Return the `id` of a browser that is notified, its `name`, the day since when, and whether it is `this` one."""
    name = find_browser(subscription.endpoint, push_hosts) or "Browser"
    since = format_day(subscription.created)
    return {"id": subscription.id, "name": name, "since": since, "this": subscription.session == this}


def _describe_passkey(passkey: StoredPasskey) -> dict[str, str]:
    """Return a passkey's `id` and the days when it was `created` and last `seen`."""
    return {"id": passkey.id, "created": format_day(passkey.created), "seen": format_day(passkey.seen)}


def get_device_id(session: Session) -> str:
    """Return the id of a device on the page."""
    # Hashed once more: even the stored hash of a secret must not leave the server.
    return hashlib.sha256(session.secret.encode()).hexdigest()[:16]


def validate_password(form: Form, field: str, account: str) -> dict[str, str]:
    """Return the error of a new password for `account` or of its repetition, FIELD-again, by field; {} without one."""
    password = form.get(field, "")
    try:
        validate_new_password(password, account)
    except BadPasswordError as error:
        return {field: str(error)}
    if password != form.get(f"{field}-again", ""):
        return {f"{field}-again": "The passwords do not match."}
    return {}


async def find_own_account(request: Request) -> Profile | None:
    """Return the account of the player who sends the request; None for a guest. Raise StoreError."""
    profile = await run_in_threadpool(get_context(request).store.read_profile, request.state.owner)
    return profile if profile.account else None


async def require_account(request: Request) -> Profile:
    """Return the account of the player who sends the request; raise Refusal 403 for a guest, or StoreError."""
    profile = await find_own_account(request)
    if profile is None:
        raise Refusal(403, SIGN_IN_FIRST)
    return profile


async def reject_form(request: Request, form: Form, errors: Mapping[str, str]) -> Response:
    """Show the page again with status 422, the input and the errors, sentences by field."""
    return await run_in_threadpool(render_account, request, form, errors)


def redirect_to_page(done: str) -> Response:
    """Redirect to the account page, with the message of a key of `_DONE` or without one."""
    return RedirectResponse(f"/account?done={done}" if done else "/account", 303)


async def confirm_password(request: Request, profile: Profile, password: str) -> str | None:
    """Count an attempt, and return the stored hash if this is the password of `profile`, which must be an account, else
    None. What it allows must be stored only if the hash is still the same. Raise RateLimitError, StoreError, or
    BusyError if too many passwords are being checked.
    """
    await enforce_rate_limit(request, "password")
    stored = await run_in_threadpool(get_context(request).store.read_password_hash, profile.id)
    # `new_hash` is left to sign-in.
    if (await check_password(request, stored, password)).matches:
        return stored
    log_security_event(request, SecurityEvent.WRONG_PASSWORD, profile.id)
    return None


async def hash_password(request: Request, password: str) -> str:
    """Return the hash of a new password; raise BusyError if too many passwords are waiting."""
    context = get_context(request)
    return await context.hashing.run(get_client(), lambda _: context.passwords.hash(password))


async def check_password(request: Request, stored_hash: str | None, password: str) -> PasswordCheck:
    """Check a password against a hash (None: an unknown account, which never matches); raise BusyError."""
    context = get_context(request)
    return await context.hashing.run(get_client(), lambda _: context.passwords.verify(stored_hash, password))


async def start_session(request: Request, player: str, done: str, password: str) -> Response:
    """Sign in to the account of a player, whose right to it has been checked, with a new secret, and redirect to the
    page with a message of `_DONE`. A guest's games move to the account; a visitor who is signed in to an account is
    signed out of it. Raise ConflictError if the account's password no longer has the hash `password`, and StoreError.
    """
    context, rooms, visitor = get_context(request), get_rooms(request), request.state.owner
    store, now = context.store, context.time.now()
    old_account, secret = await find_own_account(request), generate_secret()
    guest = visitor if old_account is None else None
    transferred = await run_in_threadpool(store.sign_in, player, hash_secret(secret), now, guest, password)
    if old_account is not None:
        await run_in_threadpool(store.sign_out, request.state.session)
    await rooms.reload_tables(transferred)
    rooms.disconnect_player(visitor)
    issue_secret(request, secret)
    response = redirect_to_page(done)
    await remember_device(store, request, response, player, now)
    return response
