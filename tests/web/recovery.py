"""Use recovery codes as a browser without scripts does."""

import re

import httpx

from tests.web.accounts import PASSWORD

NEW = "a new password"


def create_codes(http: httpx.Client) -> list[str]:
    """Create recovery codes on the account page of a signed-in visitor, and return them."""
    answer = http.post("/account/recovery-codes", data={"codes-password": PASSWORD})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    return re.findall(r"<li><code>([0-9a-z-]+)</code></li>", answer.text)


def recover(http: httpx.Client, code: str, name: str = "Anna", **fields: str) -> httpx.Response:
    """Use a recovery code for the password `NEW`; `fields` replace what the form sends."""
    form = {"recovery-name": name, "recovery-code": code, "recovered-password": NEW, "recovered-password-again": NEW}
    return http.post("/account/recover", data=form | fields)
