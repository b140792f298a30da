"""The account page: guest name, registration, sign-in and sign-out, devices, API keys, password, export, deletion."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fourcorners.core.errors import GameError
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import CapacityError, Refusal
from fourcorners.web.application.table_setup import export_record
from fourcorners.web.auth.identity import generate_secret, hash_secret, issue_secret
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.auth.security_log import SecurityEvent, log_security_event
from fourcorners.web.auth.sign_in_guard import (
    count_attempt,
    forget_other_devices,
    identify_device,
    remember_device,
)
from fourcorners.web.domain import actions
from fourcorners.web.domain.names import BadNameError, check_account_name, clean_name, fold_name
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.table import GUEST
from fourcorners.web.engine.work_queue import BudgetError, BusyError
from fourcorners.web.pages.account_page import (
    SIGN_IN_FIRST,
    WRONG_PASSWORD,
    Form,
    check_password,
    confirm_password,
    find_own_account,
    get_device_id,
    hash_password,
    redirect_to_page,
    reject_form,
    render_account,
    require_account,
    start_session,
    validate_password,
)
from fourcorners.web.pages.forms import read_form
from fourcorners.web.realtime.request_work import replay_in_turn
from fourcorners.web.realtime.rooms import get_rooms
from fourcorners.web.store import ConflictError, Profile
from fourcorners.web.store.players import Credentials

_WRONG_NAME_OR_PASSWORD = "Wrong name or password."
_RETRY_SECONDS = 1.0
_NAME_TAKEN = "This name is taken by another player’s account."
_logger = logging.getLogger(__name__)


async def change_name(request: Request) -> Response:
    """Save a guest's name, or show the form with its error (422)."""
    form = await read_form(request)
    context, player = get_context(request), request.state.owner
    name = clean_name(form.get("guest-name", ""))
    if not name:
        return await reject_form(request, form, {"guest-name": "Enter a name."})
    holder = await run_in_threadpool(context.store.find_name_holder, name)
    if holder is not None and holder.id != player:
        return await reject_form(request, form, {"guest-name": _describe_holder(holder, name)})
    await run_in_threadpool(context.store.save_guest_name, player, name, context.time.now())
    return redirect_to_page("name")


async def register(request: Request) -> Response:
    """Turn a guest into an account with a new secret, because someone else may have planted the old one.

    Show the form again if the name or password is not allowed or the name is taken; only redirect a player who has an
    account already.
    """
    form = await read_form(request)
    context, player = get_context(request), request.state.owner
    if await find_own_account(request) is not None:
        return redirect_to_page("")
    name, errors = _validate_registration(form)
    holder = None if errors else await run_in_threadpool(context.store.find_name_holder, name)
    if holder is not None:
        errors = {"new-name": _describe_holder(holder, name)}
    if errors:
        return await reject_form(request, form, errors)
    await enforce_rate_limit(request, "register")
    password_hash, secret = await hash_password(request, form["new-password"]), generate_secret()
    secrets, now = (request.state.session, hash_secret(secret)), context.time.now()
    try:
        await run_in_threadpool(context.store.register_account, player, name, password_hash, now, *secrets)
    except ConflictError:
        # Either the name was taken in the meantime, or the form was sent twice and the other request was faster.
        if await find_own_account(request) is not None:
            return redirect_to_page("")
        return await reject_form(request, form, {"new-name": _NAME_TAKEN})
    issue_secret(request, secret)
    log_security_event(request, SecurityEvent.ACCOUNT_CREATED, player)
    response = redirect_to_page("registered")
    await remember_device(context.store, request, response, player, now)
    return response


def _describe_holder(holder: Profile, name: str) -> str:
    """Return a sentence that says why no one else may use this name: an account has it, or one that looks like it."""
    if fold_name(holder.name) == fold_name(name):
        return _NAME_TAKEN
    return f"This name looks like {holder.name}, the name of another player’s account."


def _validate_registration(form: Form) -> tuple[str, dict[str, str]]:
    """Return the normalised name for a new account, empty if it is not allowed, and the errors by field."""
    name, errors = "", {}
    try:
        name = check_account_name(form.get("new-name", ""))
    except BadNameError as error:
        errors["new-name"] = str(error)
    return name, {**errors, **validate_password(form, "new-password", name)}


async def sign_in(request: Request) -> Response:
    """Sign in to an account with a new secret, and transfer a guest's games to it; show the form again if that fails. A
    visitor signed in to an account is signed out of it.
    """
    form = await read_form(request)
    store = get_context(request).store
    name = form.get("name", "")[:100]  # no account has a longer one
    credentials = await run_in_threadpool(store.read_credentials, name)
    await count_attempt(store, request, name, credentials and credentials.player)
    password = form.get("password", "")
    check = await check_password(request, credentials and credentials.password, password)
    if credentials is None or not check.matches:
        log_security_event(request, SecurityEvent.SIGN_IN_FAILED, credentials and credentials.player)
        return await reject_form(request, form, {"password": _WRONG_NAME_OR_PASSWORD})
    password_hash = credentials.password
    if check.new_hash is not None:
        password_hash = await _replace_hash(request, credentials, password, check.new_hash)
    try:
        response = await start_session(request, credentials.player, "signed-in", password_hash)
    except ConflictError:
        # The password was changed in the meantime, or the account deleted.
        return await reject_form(request, form, {"password": _WRONG_NAME_OR_PASSWORD})
    log_security_event(request, SecurityEvent.SIGN_IN, credentials.player)
    return response


async def _replace_hash(request: Request, credentials: Credentials, password: str, new_hash: str) -> str:
    """Replace the hash of a password, unless it was replaced meanwhile; return the stored hash of this password, or the
    old one if the password was changed. Raise BusyError or StoreError.
    """
    store, player = get_context(request).store, credentials.player
    if await run_in_threadpool(store.replace_password_hash, player, new_hash, credentials.password):
        return new_hash
    stored = await run_in_threadpool(store.read_password_hash, player)
    is_same = (await check_password(request, stored, password)).matches
    return stored if stored is not None and is_same else credentials.password


async def sign_out(request: Request) -> Response:
    """Sign this device out, close all sockets of the player, and redirect to the page as a new guest."""
    context, profile = get_context(request), await find_own_account(request)
    await run_in_threadpool(context.store.sign_out, request.state.session)
    get_rooms(request).disconnect_player(request.state.owner)
    issue_secret(request, generate_secret())
    response = redirect_to_page("signed-out")
    if profile is not None:
        log_security_event(request, SecurityEvent.SIGN_OUT, profile.id)
        # Perhaps an earlier version signed it in, which remembered no devices.
        await remember_device(context.store, request, response, profile.id, context.time.now())
    return response


async def sign_out_devices(request: Request) -> Response:
    """Sign out the player's device with the id in field `device`, or all others for "others", and redirect.

    An unknown id signs nothing out. The sockets of all other devices are closed, and of this one if it is signed out;
    devices that are still signed in connect again.
    """
    form = await read_form(request)
    store, player, this = get_context(request).store, request.state.owner, request.state.session
    device, kept = form.get("device", ""), this
    sessions = await run_in_threadpool(store.list_sessions, player)
    if device == "others":
        ended = [session for session in sessions if session.secret != this]
        await run_in_threadpool(store.sign_out_others, player, this)
    else:
        ended = [session for session in sessions if get_device_id(session) == device]
        for session in ended:
            await run_in_threadpool(store.sign_out, session.secret)
            kept = "" if session.secret == this else this
    if ended:
        log_security_event(request, SecurityEvent.SESSIONS_ENDED, player, len(ended))
        # No one knows which of them it was, and it may be in wrong hands.
        await forget_other_devices(store, request, player)
    get_rooms(request).disconnect_player(player, but=kept)
    return redirect_to_page("others" if device == "others" else "device")


async def create_api_key(request: Request) -> Response:
    """Create and show a secret for programs that play as this account."""
    profile = await require_account(request)
    context, secret, session = get_context(request), generate_secret(), request.state.session
    try:
        now = context.time.now()
        await run_in_threadpool(context.store.sign_in, profile.id, hash_secret(secret), now, session=session)
    except ConflictError:
        # This session was ended in the meantime, perhaps because someone else had it.
        raise Refusal(403, SIGN_IN_FIRST) from None
    log_security_event(request, SecurityEvent.API_KEY_CREATED, profile.id)
    return await run_in_threadpool(render_account, request, {}, {}, secret)


async def end_notifications(request: Request) -> Response:
    """Delete the player's subscription with the id in field `device`, if there is one, and redirect."""
    form = await read_form(request)
    store, player = get_context(request).store, request.state.owner
    await run_in_threadpool(store.delete_subscription, player, form.get("device", ""))
    return redirect_to_page("no-notifications")


async def save_puzzle_consent(request: Request) -> Response:
    """Store whether puzzles may be made from the account's games, and redirect."""
    form = await read_form(request)
    profile = await require_account(request)
    consents = form.get("puzzles") == "true"
    await run_in_threadpool(get_context(request).store.save_puzzle_consent, profile.id, consents=consents)
    return redirect_to_page("puzzles" if consents else "no-puzzles")


async def change_password(request: Request) -> Response:
    """Change the password, sign out all other devices, delete passkeys and recovery codes; or show the form again."""
    form = await read_form(request)
    profile = await require_account(request)
    errors = validate_password(form, "changed-password", profile.name)
    if errors:
        return await reject_form(request, form, errors)
    old_hash = await confirm_password(request, profile, form.get("old-password", ""))
    if old_hash is None:
        return await reject_form(request, form, {"old-password": WRONG_PASSWORD})
    store, new_hash = get_context(request).store, await hash_password(request, form["changed-password"])
    device = identify_device(request, profile.id)
    try:
        await run_in_threadpool(store.change_password, profile.id, new_hash, request.state.session, device, old_hash)
    except ConflictError:
        # It was changed in the meantime.
        return await reject_form(request, form, {"old-password": WRONG_PASSWORD})
    log_security_event(request, SecurityEvent.PASSWORD_CHANGED, profile.id)
    get_rooms(request).disconnect_player(profile.id, but=request.state.session)
    return redirect_to_page("password")


async def delete_account(request: Request) -> Response:
    """Delete the account if its name and password are entered, else show the form again.

    First its running games are resigned and its seats freed at games that have not begun. All its connections are
    closed, and the visitor continues as a new guest. If the password changes meanwhile, the account stays.
    """
    form = await read_form(request)
    profile = await require_account(request)
    if fold_name(form.get("delete-name", "").strip()) != fold_name(profile.name):
        return await reject_form(request, form, {"delete-name": f"Type {profile.name} to confirm."})
    password_hash = await confirm_password(request, profile, form.get("delete-password", ""))
    if password_hash is None:
        return await reject_form(request, form, {"delete-password": WRONG_PASSWORD})
    await _leave_unfinished_games(request, profile.id)
    store, rooms = get_context(request).store, get_rooms(request)
    try:
        changed = await run_in_threadpool(store.delete_player, profile.id, password_hash)
    except ConflictError:
        if await find_own_account(request) is not None:
            # The password was changed in the meantime.
            return await reject_form(request, form, {"delete-password": WRONG_PASSWORD})
        # The form was sent twice, and the other request was faster.
        changed = []
    kept = await run_in_threadpool(store.read_versions, changed)
    for room in [rooms.opened[table] for table in changed if table in rooms.opened and table not in kept]:
        rooms.remove(room)
    await rooms.reload_tables(kept)
    rooms.disconnect_player(profile.id)
    log_security_event(request, SecurityEvent.ACCOUNT_DELETED, profile.id)
    issue_secret(request, generate_secret())
    return redirect_to_page("deleted")


async def export_data(request: Request) -> Response:
    """Send the player's data and the records of all games as a JSON file."""
    store, player = get_context(request).store, request.state.owner
    export = await run_in_threadpool(store.export_player, player)
    tables = await run_in_threadpool(store.list_table_ids, player)
    return StreamingResponse(
        _stream_export(request, export, tables),
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="fourcorners.json"', "cache-control": "no-store"},
    )


async def _stream_export(request: Request, export: Mapping[str, Any], tables: Iterable[str]) -> AsyncIterator[str]:
    """Yield a JSON object in pieces: `export`, and "records" by table id, or why one does not replay; or StoreError."""
    yield json.dumps(export, ensure_ascii=False, indent=1).removesuffix("\n}") + ',\n "records": {'
    comma = ""
    for table_id in tables:
        stored = await run_in_threadpool(get_context(request).store.load_table, table_id)
        if stored is not None:
            text = await _write_record(request, stored, export["name"] or GUEST)
            yield f"{comma}\n  {json.dumps(table_id)}: {json.dumps(text, ensure_ascii=False)}"
            comma = ","
    yield "\n }\n}\n"


async def _write_record(request: Request, stored: StoredTable, name: str) -> str:
    """Return the record of a table for the player, who has this `name`, or why there is none; wait while too many
    others are read.
    """
    while True:
        try:
            return (await replay_in_turn(request, export_record, stored, request.state.owner, name))[1]
        except GameError as error:
            return f"can no longer be replayed: {error}"
        except BudgetError as error:
            return str(error)
        except BusyError:
            # The answer has begun, so it cannot be another status.
            await asyncio.sleep(_RETRY_SECONDS)


async def _leave_unfinished_games(request: Request, player: str) -> None:
    """Resign or leave the player's unfinished games, so that no one waits; log those that fail. Raise StoreError."""
    for table_id in await run_in_threadpool(get_context(request).store.list_unfinished_table_ids, player):
        try:
            room = await get_rooms(request).open(table_id, for_server=True)
            # Each call gives up one seat.
            while room is not None and await room.apply_server_action(partial(actions.resign_or_leave, player)):
                pass
        except (GameError, CapacityError):
            # A table that cannot be opened must not prevent the deletion.
            _logger.exception("a game could not be resigned", extra={"table": table_id})
