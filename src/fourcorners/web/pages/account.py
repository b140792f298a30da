"""The account's page: a guest's name, registering, signing in and out, devices, password, export, farewell."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from fourcorners.core.errors import GameError
from fourcorners.web.auth.identity import generate_secret, hash_secret, issue_secret
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.auth.passwords import (
    BadPasswordError,
    PasswordCheck,
    PasswordsBusyError,
    PasswordService,
    validate_new_password,
)
from fourcorners.web.domain import actions
from fourcorners.web.domain.names import BadNameError, check_account_name, clean_name, fold_name
from fourcorners.web.domain.table import Table
from fourcorners.web.pages.forms import read_form
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.room_registry import CapacityError, RoomRegistry
from fourcorners.web.store import ConflictError, Profile, Session, Store

_DONE = {
    "name": "Your name is kept.",
    "registered": "You have an account now; everything you had as a guest is yours.",
    "signed-in": "You are signed in.",
    "password": "The password is changed, and all other devices are signed out.",
    "devices": "Signed out there.",
}
_TAKEN = "This name is taken."
_WRONG = "This name and this password do not go together."
Form = Mapping[str, str]
_logger = logging.getLogger(__name__)


def show_account(request: Request) -> Response:
    """Show the account, or to a guest how to get one."""
    return _shown(request, {}, {})


def _shown(request: Request, form: Form, errors: Mapping[str, str], secret: str = "") -> Response:
    store = _store(request)
    profile = store.profile(request.state.owner)
    here = request.state.session
    sessions = store.sessions_of(profile.id) if profile.account else []
    context = {
        "profile": profile,
        "since": format_day(profile.created),
        # What was typed comes back, but for passwords.
        "typed": {change_name: text for change_name, text in form.items() if not change_name.endswith("password")},
        "errors": errors,
        "secret": secret,
        "done": "" if errors else _DONE.get(request.query_params.get("done", ""), ""),
        "devices": [_device(session, here) for session in sorted(sessions, key=lambda one: one.secret != here)],
    }
    answer = render_page(request, "account.html", context, 422 if errors else 200)
    answer.headers["cache-control"] = "no-store"
    return answer


def _device(session: Session, this: str) -> dict[str, Any]:
    return {
        "id": _short(session.secret),
        "this": session.secret == this,
        "created": format_day(session.created),
        "seen": format_day(session.seen),
    }


def _short(secret_hash: str) -> str:
    # What is kept of a secret does not leave the server, though no secret could be made of it.
    return hashlib.sha256(secret_hash.encode()).hexdigest()[:16]


def format_day(at: float) -> str:
    """Write a day in words."""
    then = datetime.fromtimestamp(at, UTC)
    return f"{then.day} {then:%B %Y}"


async def change_name(request: Request) -> Response:
    """Keep the name by which a guest is known."""
    form = await read_form(request)
    await enforce_rate_limit(request, "name")
    store, player = _store(request), request.state.owner
    typed = clean_name(form.get("guest-name", ""))
    if not typed:
        return await _again(request, form, {"guest-name": "There is nothing in it."})
    known = await run_in_threadpool(store.find, typed)
    if known is not None and known.id != player:
        return await _again(request, form, {"guest-name": "This is an account’s name."})
    await run_in_threadpool(store.remember_guest, player, typed, time.time())
    return _to("name")


async def register(request: Request) -> Response:
    """Make a guest's account, with a new secret: the old one may have been given to the guest by somebody else."""
    form = await read_form(request)
    store, player = _store(request), request.state.owner
    if await _account(request) is not None:
        return _to("")
    shown, errors = _registering(form)
    if not errors and await run_in_threadpool(store.find, shown) is not None:
        errors = {"new-name": _TAKEN}
    if errors:
        return await _again(request, form, errors)
    await enforce_rate_limit(request, "register")
    hashed, secret = await _hashed(request, form["new-password"]), generate_secret()
    sessions = (request.state.session, hash_secret(secret))
    try:
        await run_in_threadpool(store.register, player, shown, hashed, time.time(), *sessions)
    except ConflictError:
        return await _again(request, form, {"new-name": _TAKEN})
    issue_secret(request, secret)
    return _to("registered")


def _registering(form: Form) -> tuple[str, dict[str, str]]:
    """Return the name for a new account, and what is wrong by field."""
    shown, errors = "", {}
    try:
        shown = check_account_name(form.get("new-name", ""))
    except BadNameError as error:
        errors["new-name"] = str(error)
    return shown, {**errors, **_choosing(form, "new-password", shown)}


def _choosing(form: Form, field: str, account: str) -> dict[str, str]:
    chosen = form.get(field, "")
    try:
        validate_new_password(chosen, account)
    except BadPasswordError as error:
        return {field: str(error)}
    if chosen != form.get(f"{field}-again", ""):
        return {f"{field}-again": "This is not the same password."}
    return {}


async def sign_in(request: Request) -> Response:
    """Sign in to an account, with a new secret; what a guest has at tables is brought along."""
    form = await read_form(request)
    store, player = _store(request), request.state.owner
    typed = form.get("name", "")[:100]
    await enforce_rate_limit(request, "sign-in")
    await enforce_rate_limit(request, "account", fold_name(typed))
    known = await run_in_threadpool(store.credentials, typed)
    verdict = await _verdict(request, None if known is None else known.password, form.get("password", ""))
    if known is None or not verdict.fits:
        return await _again(request, form, {"password": _WRONG})
    own, secret, now = await _account(request), generate_secret(), time.time()
    guest = player if own is None else None
    moved = await run_in_threadpool(store.sign_in, known.player, hash_secret(secret), now, guest)
    if own is not None:
        await run_in_threadpool(store.sign_out, request.state.session)
    if verdict.rehashed is not None:
        await run_in_threadpool(store.set_password, known.player, verdict.rehashed, known.password)
    await _hub(request).changed(moved)
    _hub(request).part_with(player)
    issue_secret(request, secret)
    return _to("signed-in")


async def sign_out(request: Request) -> Response:
    """Sign this device out; it is a new guest's then."""
    await run_in_threadpool(_store(request).sign_out, request.state.session)
    _hub(request).part_with(request.state.owner)
    issue_secret(request, generate_secret())
    return RedirectResponse("/", 303)


async def sign_out_devices(request: Request) -> Response:
    """Sign another device out, or all others."""
    form = await read_form(request)
    store, player, this = _store(request), request.state.owner, request.state.session
    chosen = form.get("device", "")
    if chosen == "others":
        await run_in_threadpool(store.sign_out_others, player, this)
    for session in await run_in_threadpool(store.sessions_of, player):
        if _short(session.secret) == chosen:
            await run_in_threadpool(store.sign_out, session.secret)
    _hub(request).part_with(player, but=this)
    return _to("devices")


async def create_api_key(request: Request) -> Response:
    """Make a secret by which a program plays for the account, and show it this once."""
    profile = await _own(request)
    await enforce_rate_limit(request, "program")
    secret = generate_secret()
    await run_in_threadpool(_store(request).sign_in, profile.id, hash_secret(secret), time.time())
    return await run_in_threadpool(_shown, request, {}, {}, secret)


async def change_password(request: Request) -> Response:
    """Change the password, and sign out all other devices."""
    form = await read_form(request)
    profile = await _own(request)
    errors = _choosing(form, "changed-password", profile.name)
    if not errors and not await _confirmed(request, profile, form.get("old-password", "")):
        errors = {"old-password": "This is not your password."}
    if errors:
        return await _again(request, form, errors)
    store, hashed = _store(request), await _hashed(request, form["changed-password"])
    await run_in_threadpool(store.set_password, profile.id, hashed)
    await run_in_threadpool(store.sign_out_others, profile.id, request.state.session)
    _hub(request).part_with(profile.id, but=request.state.session)
    return _to("password")


async def delete_account(request: Request) -> Response:
    """Delete the account, if its name and password are typed once more."""
    form = await read_form(request)
    profile = await _own(request)
    errors = {}
    if fold_name(form.get("delete-name", "").strip()) != fold_name(profile.name):
        errors["delete-name"] = f"Type {profile.name} to say that you mean it."
    elif not await _confirmed(request, profile, form.get("delete-password", "")):
        errors["delete-password"] = "This is not your password."
    if errors:
        return await _again(request, form, errors)
    await _give_up(request, profile.id)
    await _hub(request).changed(await run_in_threadpool(_store(request).delete_player, profile.id))
    _hub(request).part_with(profile.id)
    issue_secret(request, generate_secret())
    return RedirectResponse("/", 303)


async def export_data(request: Request) -> Response:
    """Give all that is kept about the player, with the records of games, as one file."""
    await enforce_rate_limit(request, "export")
    store, player = _store(request), request.state.owner
    known = await run_in_threadpool(store.export, player)
    tables = await run_in_threadpool(store.tables_of, player)
    return StreamingResponse(
        _written(store, player, known, tables),
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="fourcorners.json"', "cache-control": "no-store"},
    )


def _written(store: Store, player: str, known: Mapping[str, Any], tables: Iterable[str]) -> Iterator[str]:
    # One game after the other, as there may be thousands.
    yield json.dumps(known, ensure_ascii=False, indent=1).removesuffix("\n}") + ',\n "records": {'
    comma = ""
    for table_id in tables:
        saved = store.load(table_id)
        if saved is None:
            continue
        try:
            text = str(Table(saved).record(player))
        except GameError as error:
            text = f"cannot be replayed any more: {error}"
        yield f"{comma}\n  {json.dumps(table_id)}: {json.dumps(text, ensure_ascii=False)}"
        comma = ","
    yield "\n }\n}\n"


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def _hub(request: Request) -> RoomRegistry:
    registry: RoomRegistry = request.app.state.registry
    return registry


async def _account(request: Request) -> Profile | None:
    profile = await run_in_threadpool(_store(request).profile, request.state.owner)
    return profile if profile.account else None


async def _own(request: Request) -> Profile:
    profile = await _account(request)
    if profile is None:
        raise HTTPException(403, "Sign in first.")
    return profile


async def _again(request: Request, form: Form, errors: Mapping[str, str]) -> Response:
    return await run_in_threadpool(_shown, request, form, errors)


def _to(done: str) -> Response:
    return RedirectResponse(f"/account?done={done}" if done else "/account", 303)


async def _confirmed(request: Request, profile: Profile, typed: str) -> bool:
    await enforce_rate_limit(request, "password")
    known = await run_in_threadpool(_store(request).credentials, profile.name)
    return (await _verdict(request, None if known is None else known.password, typed)).fits


async def _hashed(request: Request, typed: str) -> str:
    passwords: PasswordService = request.app.state.passwords
    try:
        return await passwords.hash(typed)
    except PasswordsBusyError as error:
        raise HTTPException(503, str(error), {"retry-after": "5"}) from None


async def _verdict(request: Request, hashed: str | None, typed: str) -> PasswordCheck:
    passwords: PasswordService = request.app.state.passwords
    try:
        return await passwords.verify(hashed, typed)
    except PasswordsBusyError as error:
        raise HTTPException(503, str(error), {"retry-after": "5"}) from None


async def _give_up(request: Request, player: str) -> None:
    """Give up the running games of somebody who goes for good, so that nobody waits."""
    for table_id in await run_in_threadpool(_store(request).unfinished_of, player):
        try:
            room = await _hub(request).open(table_id)
            while room is not None and await room.act(partial(actions.resign_or_leave, player)):
                pass
        except (GameError, CapacityError):
            # One table that cannot be taken up keeps nobody here.
            _logger.exception("a game could not be given up", extra={"table": table_id})
