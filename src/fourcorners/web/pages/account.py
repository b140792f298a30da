"""The account page: guest name, registration, sign-in and sign-out, devices, API keys, password, export, deletion."""

import hashlib
import json
import logging
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

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
from fourcorners.web.pages.render import get_store, render_page
from fourcorners.web.realtime.room_registry import CapacityError, get_registry
from fourcorners.web.store import ConflictError, Profile, Session, Store

_DONE = {
    "name": "Your name has been saved.",
    "registered": "Your account has been created. Your guest games now belong to it.",
    "signed-in": "You are signed in.",
    "password": "Your password has been changed. All other devices have been signed out.",
    "devices": "The device has been signed out.",
}
_NAME_TAKEN = "This name is already taken."
_WRONG_CREDENTIALS = "Wrong name or password."
_WRONG_PASSWORD = "Wrong password."
Form = Mapping[str, str]
T = TypeVar("T")
_logger = logging.getLogger(__name__)


def show_account(request: Request) -> Response:
    """Show the account or, to a guest, the forms to sign in and to register."""
    return _render_account(request, {}, {})


def _render_account(request: Request, form: Form, errors: Mapping[str, str], api_key: str = "") -> Response:
    """Render the page with the input of a rejected form and its errors by field, or with a new API key."""
    store = get_store(request)
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
        "done": "" if errors else _DONE.get(request.query_params.get("done", ""), ""),
        "devices": [_describe_device(s, this) for s in sorted(sessions, key=lambda s: s.secret != this)],
    }
    response = render_page(request, "account.html", context, 422 if errors else 200)
    response.headers["cache-control"] = "no-store"
    return response


def _describe_device(session: Session, this: str) -> dict[str, Any]:
    """Return what the page shows of a session; `this` is the hash of the request's own secret."""
    return {
        "id": _get_device_id(session),
        "this": session.secret == this,
        "created": format_day(session.created),
        "seen": format_day(session.seen),
    }


def _get_device_id(session: Session) -> str:
    # Hashed once more: even the stored hash of a secret must not leave the server.
    return hashlib.sha256(session.secret.encode()).hexdigest()[:16]


def format_day(at: float) -> str:
    """Write a Unix time as a day in UTC, such as "3 May 2026"."""
    then = datetime.fromtimestamp(at, UTC)
    return f"{then.day} {then:%B %Y}"


async def change_name(request: Request) -> Response:
    """Save the name of a guest."""
    form = await read_form(request)
    await enforce_rate_limit(request, "name")
    store, player = get_store(request), request.state.owner
    name = clean_name(form.get("guest-name", ""))
    if not name:
        return await _reject_form(request, form, {"guest-name": "Enter a name."})
    account = await run_in_threadpool(store.find_account, name)
    if account is not None and account.id != player:
        return await _reject_form(request, form, {"guest-name": "This name belongs to an account."})
    await run_in_threadpool(store.save_guest_name, player, name, time.time())
    return _redirect("name")


async def register(request: Request) -> Response:
    """Turn a guest into an account with a new secret, because somebody else may have planted the old one."""
    form = await read_form(request)
    store, player = get_store(request), request.state.owner
    if await _find_own_account(request) is not None:
        return _redirect("")
    name, errors = _validate_registration(form)
    if not errors and await run_in_threadpool(store.find_account, name) is not None:
        errors = {"new-name": _NAME_TAKEN}
    if errors:
        return await _reject_form(request, form, errors)
    await enforce_rate_limit(request, "register")
    password_hash, secret = await _hash_password(request, form["new-password"]), generate_secret()
    secrets = (request.state.session, hash_secret(secret))
    try:
        await run_in_threadpool(store.register_account, player, name, password_hash, time.time(), *secrets)
    except ConflictError:
        return await _reject_form(request, form, {"new-name": _NAME_TAKEN})
    issue_secret(request, secret)
    return _redirect("registered")


def _validate_registration(form: Form) -> tuple[str, dict[str, str]]:
    """Return the name for a new account, and the errors by field."""
    name, errors = "", {}
    try:
        name = check_account_name(form.get("new-name", ""))
    except BadNameError as error:
        errors["new-name"] = str(error)
    return name, {**errors, **_validate_password(form, "new-password", name)}


def _validate_password(form: Form, field: str, account: str) -> dict[str, str]:
    """Return the errors of a new password and its repetition, by field."""
    password = form.get(field, "")
    try:
        validate_new_password(password, account)
    except BadPasswordError as error:
        return {field: str(error)}
    if password != form.get(f"{field}-again", ""):
        return {f"{field}-again": "The passwords do not match."}
    return {}


async def sign_in(request: Request) -> Response:
    """Sign in to an account with a new secret, and transfer a guest's games to the account."""
    form = await read_form(request)
    store, player = get_store(request), request.state.owner
    name = form.get("name", "")[:100]
    await enforce_rate_limit(request, "sign-in")
    await enforce_rate_limit(request, "account", fold_name(name))
    credentials = await run_in_threadpool(store.read_credentials, name)
    check = await _check_password(request, credentials and credentials.password, form.get("password", ""))
    if credentials is None or not check.matches:
        return await _reject_form(request, form, {"password": _WRONG_CREDENTIALS})
    old_account, secret, now = await _find_own_account(request), generate_secret(), time.time()
    guest = player if old_account is None else None
    transferred = await run_in_threadpool(store.sign_in, credentials.player, hash_secret(secret), now, guest)
    if old_account is not None:
        await run_in_threadpool(store.sign_out, request.state.session)
    if check.new_hash is not None:
        await run_in_threadpool(store.set_password, credentials.player, check.new_hash, credentials.password)
    await get_registry(request).reload_tables(transferred)
    get_registry(request).disconnect_player(player)
    issue_secret(request, secret)
    return _redirect("signed-in")


async def sign_out(request: Request) -> Response:
    """Sign this device out; its visitor continues as a new guest."""
    await run_in_threadpool(get_store(request).sign_out, request.state.session)
    get_registry(request).disconnect_player(request.state.owner)
    issue_secret(request, generate_secret())
    return RedirectResponse("/", 303)


async def sign_out_devices(request: Request) -> Response:
    """Sign out another device of the player, or all others."""
    form = await read_form(request)
    store, player, this = get_store(request), request.state.owner, request.state.session
    device = form.get("device", "")
    if device == "others":
        await run_in_threadpool(store.sign_out_others, player, this)
    for session in await run_in_threadpool(store.list_sessions, player):
        if _get_device_id(session) == device:
            await run_in_threadpool(store.sign_out, session.secret)
    get_registry(request).disconnect_player(player, but=this)
    return _redirect("devices")


async def create_api_key(request: Request) -> Response:
    """Create a secret for programs that play as this account, and show it once."""
    profile = await _require_account(request)
    await enforce_rate_limit(request, "program")
    secret = generate_secret()
    await run_in_threadpool(get_store(request).sign_in, profile.id, hash_secret(secret), time.time())
    return await run_in_threadpool(_render_account, request, {}, {}, secret)


async def change_password(request: Request) -> Response:
    """Change the password and sign out all other devices."""
    form = await read_form(request)
    profile = await _require_account(request)
    errors = _validate_password(form, "changed-password", profile.name)
    if not errors and not await _has_password(request, profile, form.get("old-password", "")):
        errors = {"old-password": _WRONG_PASSWORD}
    if errors:
        return await _reject_form(request, form, errors)
    store, password_hash = get_store(request), await _hash_password(request, form["changed-password"])
    await run_in_threadpool(store.set_password, profile.id, password_hash)
    await run_in_threadpool(store.sign_out_others, profile.id, request.state.session)
    get_registry(request).disconnect_player(profile.id, but=request.state.session)
    return _redirect("password")


async def delete_account(request: Request) -> Response:
    """Delete the account if its name and password are entered once more."""
    form = await read_form(request)
    profile = await _require_account(request)
    errors = {}
    if fold_name(form.get("delete-name", "").strip()) != fold_name(profile.name):
        errors["delete-name"] = f"Type {profile.name} to confirm."
    elif not await _has_password(request, profile, form.get("delete-password", "")):
        errors["delete-password"] = _WRONG_PASSWORD
    if errors:
        return await _reject_form(request, form, errors)
    await _leave_unfinished_games(request, profile.id)
    changed = await run_in_threadpool(get_store(request).delete_player, profile.id)
    await get_registry(request).reload_tables(changed)
    get_registry(request).disconnect_player(profile.id)
    issue_secret(request, generate_secret())
    return RedirectResponse("/", 303)


async def export_data(request: Request) -> Response:
    """Send everything stored about the player, with the records of all games, as one JSON file."""
    await enforce_rate_limit(request, "export")
    store, player = get_store(request), request.state.owner
    export = await run_in_threadpool(store.export_player, player)
    tables = await run_in_threadpool(store.list_table_ids, player)
    return StreamingResponse(
        _stream_export(store, player, export, tables),
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="fourcorners.json"', "cache-control": "no-store"},
    )


def _stream_export(store: Store, player: str, export: Mapping[str, Any], tables: Iterable[str]) -> Iterator[str]:
    """Yield a JSON object in pieces: `export`, and "records" by table, which are loaded one by one."""
    yield json.dumps(export, ensure_ascii=False, indent=1).removesuffix("\n}") + ',\n "records": {'
    comma = ""
    for table_id in tables:
        stored = store.load_table(table_id)
        if stored is None:
            continue
        try:
            text = str(Table(stored).build_record(player))
        except GameError as error:
            text = f"can no longer be replayed: {error}"
        yield f"{comma}\n  {json.dumps(table_id)}: {json.dumps(text, ensure_ascii=False)}"
        comma = ","
    yield "\n }\n}\n"


async def _find_own_account(request: Request) -> Profile | None:
    """Return the account of the player who sends the request; None for a guest."""
    profile = await run_in_threadpool(get_store(request).read_profile, request.state.owner)
    return profile if profile.account else None


async def _require_account(request: Request) -> Profile:
    """Return the account of the player who sends the request; raise HTTPException 403 for a guest."""
    profile = await _find_own_account(request)
    if profile is None:
        raise HTTPException(403, "Sign in first.")
    return profile


async def _reject_form(request: Request, form: Form, errors: Mapping[str, str]) -> Response:
    """Show the page again with status 422, the input and the errors by field."""
    return await run_in_threadpool(_render_account, request, form, errors)


def _redirect(done: str) -> Response:
    """Redirect to the account page, with the message of a key of `_DONE` or without one."""
    return RedirectResponse(f"/account?done={done}" if done else "/account", 303)


async def _has_password(request: Request, profile: Profile, password: str) -> bool:
    """Return whether this is the password of the player's own account; raise HTTPException 429 or 503."""
    await enforce_rate_limit(request, "password")
    credentials = await run_in_threadpool(get_store(request).read_credentials, profile.name)
    return (await _check_password(request, credentials and credentials.password, password)).matches


async def _run_password_job(job: Coroutine[Any, Any, T]) -> T:
    """Await a job of the password service; raise HTTPException 503 if too many are waiting."""
    try:
        return await job
    except PasswordsBusyError as error:
        raise HTTPException(503, str(error), {"retry-after": "5"}) from None


async def _hash_password(request: Request, password: str) -> str:
    passwords: PasswordService = request.app.state.passwords
    return await _run_password_job(passwords.hash(password))


async def _check_password(request: Request, stored_hash: str | None, password: str) -> PasswordCheck:
    """Check a password, where None stands for an unknown account; raise HTTPException 503 if too many are waiting."""
    passwords: PasswordService = request.app.state.passwords
    return await _run_password_job(passwords.verify(stored_hash, password))


async def _leave_unfinished_games(request: Request, player: str) -> None:
    """Resign or leave the player's unfinished games, so that opponents do not wait; log the tables that fail."""
    for table_id in await run_in_threadpool(get_store(request).list_unfinished_table_ids, player):
        try:
            room = await get_registry(request).open(table_id)
            while room is not None and await room.apply_server_action(partial(actions.resign_or_leave, player)):
                pass
        except (GameError, CapacityError):
            # A table that cannot be opened must not prevent the deletion.
            _logger.exception("a game could not be resigned", extra={"table": table_id})
