"""Recovery codes on the account page: create them, and use one to choose a new password."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.web.application.context import get_context
from fourcorners.web.auth.recovery_codes import generate_codes, hash_code
from fourcorners.web.auth.security_log import SecurityEvent, log_security_event
from fourcorners.web.pages.account_page import (
    WRONG_PASSWORD,
    confirm_password,
    hash_password,
    reject_form,
    render_account,
    require_account,
    start_session,
    validate_password,
)
from fourcorners.web.pages.forms import read_form
from fourcorners.web.realtime.rooms import get_rooms
from fourcorners.web.store import ConflictError

_WRONG_NAME_OR_CODE = "Wrong name or recovery code."


async def create_codes(request: Request) -> Response:
    """Replace the account's recovery codes and show the new ones, which happens once; or show the form again.

    The password is asked for, because a code is as good as one.
    """
    form = await read_form(request)
    profile = await require_account(request)
    password_hash = await confirm_password(request, profile, form.get("codes-password", ""))
    if password_hash is None:
        return await reject_form(request, form, {"codes-password": WRONG_PASSWORD})
    codes = generate_codes()
    context, hashes = get_context(request), [hash_code(code) for code in codes]
    try:
        replace = context.store.replace_recovery_codes
        await run_in_threadpool(replace, profile.id, hashes, context.time.now(), password_hash)
    except ConflictError:
        # The password was changed in the meantime.
        return await reject_form(request, form, {"codes-password": WRONG_PASSWORD})
    log_security_event(request, SecurityEvent.RECOVERY_CODES_CREATED, profile.id)
    return await run_in_threadpool(render_account, request, {}, {}, "", codes)


async def recover_account(request: Request) -> Response:
    """Give an account a new password for a recovery code, sign in, and sign out everywhere else; or show the form again
    and leave the code unused. A guest's games move to the account.
    """
    form = await read_form(request)
    store = get_context(request).store
    account = await run_in_threadpool(store.find_account, form.get("recovery-name", "")[:100])
    name = "" if account is None else account.name
    errors = validate_password(form, "recovered-password", name)
    if errors:
        return await reject_form(request, form, errors)
    # Hashed first, so that an unknown name takes as long as a wrong code.
    password_hash, code = await hash_password(request, form["recovered-password"]), form.get("recovery-code", "")
    is_valid = account is not None and await run_in_threadpool(
        store.use_recovery_code, account.id, hash_code(code), password_hash
    )
    if account is None or not is_valid:
        log_security_event(request, SecurityEvent.RECOVERY_FAILED, account and account.id)
        return await reject_form(request, form, {"recovery-code": _WRONG_NAME_OR_CODE})
    log_security_event(request, SecurityEvent.RECOVERED, account.id)
    get_rooms(request).disconnect_player(account.id)
    try:
        return await start_session(request, account.id, "recovered", password_hash)
    except ConflictError:
        # The password was changed again in the meantime, which deleted all codes, or the account was deleted.
        return await reject_form(request, form, {"recovery-code": _WRONG_NAME_OR_CODE})
