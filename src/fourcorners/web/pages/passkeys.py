"""Passkeys on the account page: create and delete them, and sign in with one.

Each of the two begins with options in JSON, which hold a challenge; a script passes them to the browser and sends its
answer as a form.
"""

import hashlib
import secrets
from enum import StrEnum

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourcorners.web.application.context import get_context
from fourcorners.web.auth.passkeys import (
    BadPasskeyError,
    Passkey,
    build_creation_options,
    build_request_options,
    check_creation,
    check_sign_in,
    describe_site,
    read_challenge,
    read_id,
)
from fourcorners.web.auth.security_log import SecurityEvent, log_security_event
from fourcorners.web.pages.account_page import (
    WRONG_PASSWORD,
    confirm_password,
    redirect_to_page,
    reject_form,
    require_account,
    start_session,
)
from fourcorners.web.pages.forms import read_form
from fourcorners.web.store import ConflictError
from fourcorners.web.store.passkeys import MAX_PASSKEYS, StoredPasskey

_UNKNOWN_PASSKEY = "This passkey does not belong to an account here."


class Purpose(StrEnum):
    """What a challenge is for. Only the options for a new passkey need the password, so a challenge has one purpose."""

    CREATE = "create"
    SIGN_IN = "sign-in"


async def offer_creation(request: Request) -> Response:
    """Answer with the options for a new passkey, or with 422 and a `sentence` if the password is wrong.

    The password is asked for, because a passkey is as good as one.
    """
    form = await read_form(request)
    profile = await require_account(request)
    password_hash = await confirm_password(request, profile, form.get("passkey-password", ""))
    if password_hash is None:
        return JSONResponse({"sentence": WRONG_PASSWORD}, 422)
    known = [passkey.id for passkey in await run_in_threadpool(get_context(request).store.list_passkeys, profile.id)]
    if len(known) >= MAX_PASSKEYS:
        return JSONResponse({"sentence": f"An account can have {MAX_PASSKEYS} passkeys; delete one first."}, 422)
    challenge, site = await _create_challenge(request, Purpose.CREATE, password_hash), describe_site(request)
    options = await run_in_threadpool(build_creation_options, site, profile.id, profile.name, known, challenge)
    return _send_options(options)


async def offer_sign_in(request: Request) -> Response:
    """Answer with the options to sign in with any passkey of this site."""
    challenge = await _create_challenge(request, Purpose.SIGN_IN)
    return _send_options(await run_in_threadpool(build_request_options, describe_site(request), challenge))


async def create_passkey(request: Request) -> Response:
    """Store the passkey that the browser has created, in field `credential`, and redirect to the page; or show the page
    with an error. One is that the password was changed since it was asked for.
    """
    credential = (await read_form(request)).get("credential", "")
    context, profile = get_context(request), await require_account(request)
    password_hash = await run_in_threadpool(context.store.read_password_hash, profile.id) or ""
    try:
        challenge = await _use_challenge(request, credential, Purpose.CREATE, password_hash)
        made = await run_in_threadpool(check_creation, credential, describe_site(request), challenge)
        now = context.time.now()
        stored = StoredPasskey(made.id, profile.id, made.key, made.uses, now, now)
        await run_in_threadpool(context.store.add_passkey, stored, password_hash)
    except BadPasskeyError as error:
        return await reject_form(request, {}, {"passkey": str(error)})
    except ConflictError:
        return await reject_form(request, {}, {"passkey": "This passkey cannot be added to this account."})
    log_security_event(request, SecurityEvent.PASSKEY_CREATED, profile.id)
    return redirect_to_page("passkey")


async def delete_passkey(request: Request) -> Response:
    """Delete the passkey with the id in field `passkey`, if it is the player's, and redirect to the page. Raise
    Refusal: 403 for a guest, 400 or 413; or StoreError.
    """
    form = await read_form(request)
    profile = await require_account(request)
    if await run_in_threadpool(get_context(request).store.delete_passkey, profile.id, form.get("passkey", "")):
        log_security_event(request, SecurityEvent.PASSKEY_DELETED, profile.id)
    return redirect_to_page("no-passkey")


async def sign_in_with_passkey(request: Request) -> Response:
    """Sign in with what a passkey has signed, in field `credential`, as `start_session` does; or show the page with an
    error.
    """
    credential = (await read_form(request)).get("credential", "")
    context, passkey = get_context(request), None
    store = context.store
    try:
        challenge = await _use_challenge(request, credential, Purpose.SIGN_IN)
        id_ = await run_in_threadpool(read_id, credential)
        passkey = await run_in_threadpool(store.find_passkey, id_)
        if passkey is None:
            raise BadPasskeyError(_UNKNOWN_PASSKEY)
        password_hash = await run_in_threadpool(store.read_password_hash, passkey.player)
        # A new password deletes the passkey. If one comes from here on, the session is not started.
        if password_hash is None or await run_in_threadpool(store.find_passkey, id_) is None:
            raise BadPasskeyError(_UNKNOWN_PASSKEY)
        signed = Passkey(passkey.id, passkey.key, passkey.uses)
        uses = await run_in_threadpool(check_sign_in, credential, describe_site(request), challenge, signed)
    except BadPasskeyError as error:
        log_security_event(request, SecurityEvent.SIGN_IN_FAILED, passkey and passkey.player)
        return await reject_form(request, {}, {"passkey": str(error)})
    await run_in_threadpool(store.record_use, passkey.id, uses, context.time.now())
    try:
        response = await start_session(request, passkey.player, "signed-in", password_hash)
    except ConflictError:
        return await reject_form(request, {}, {"passkey": _UNKNOWN_PASSKEY})
    log_security_event(request, SecurityEvent.SIGN_IN, passkey.player)
    return response


def _send_options(options: str) -> Response:
    return Response(options, media_type="application/json", headers={"cache-control": "no-store"})


async def _create_challenge(request: Request, purpose: Purpose, password: str = "") -> bytes:
    """Return random bytes to sign, and store their hash for this browser, player and purpose, and for the hash of the
    password that allows it, if any; raise StoreError.
    """
    context, challenge = get_context(request), secrets.token_bytes(32)
    digest = _hash_challenge(request, purpose, password, challenge)
    await run_in_threadpool(context.store.add_challenge, digest, request.state.session, context.time.now())
    return challenge


async def _use_challenge(request: Request, credential: str, purpose: Purpose, password: str = "") -> bytes:
    """Return the challenge that an answer claims to have signed, if this browser got it for the same player, purpose
    and hash of a password, and has not used it yet; raise BadPasskeyError or StoreError.
    """
    challenge = await run_in_threadpool(read_challenge, credential)
    digest = _hash_challenge(request, purpose, password, challenge)
    context = get_context(request)
    if not await run_in_threadpool(context.store.use_challenge, digest, request.state.session, context.time.now()):
        raise BadPasskeyError("That took too long. Try again.")
    return challenge


def _hash_challenge(request: Request, purpose: Purpose, password: str, challenge: bytes) -> str:
    """Return the hash under which a challenge is stored; another purpose, player or password has another one."""
    return hashlib.sha256(f"{purpose}:{request.state.owner}:{password}:".encode() + challenge).hexdigest()
