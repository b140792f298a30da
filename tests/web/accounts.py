"""Use accounts as a browser without scripts does."""

import re
from collections.abc import Callable

import httpx

from fourcorners.web.auth.identity import COOKIE, hash_secret

PASSWORD = "four corners"
Visit = Callable[[], httpx.Client]
"""Opens the account page as a new guest, and returns the guest's HTTP client."""


def register(
    http: httpx.Client, name: str = "Anna", password: str = PASSWORD, again: str | None = None
) -> httpx.Response:
    """Send the registration form; `again` is the repeated password if it differs.

    Return the response: status 303 if the guest has an account now, 422 if the form has errors, or another error.
    """
    form = {"new-name": name, "new-password": password, "new-password-again": password if again is None else again}
    return http.post("/account/register", data=form)


def sign_in(http: httpx.Client, name: str = "Anna", password: str = PASSWORD) -> httpx.Response:
    """Send the sign-in form; return the response: status 303 if it worked, 422 if the form has errors, or another."""
    return http.post("/account/sign-in", data={"name": name, "password": password})


def get_player_id(http: httpx.Client) -> str:
    """Return the player id of a guest: the hash of the secret in its cookie; raise KeyError before it has a cookie."""
    return hash_secret(http.cookies[COOKIE])


def read_form_errors(response: httpx.Response) -> dict[str, str]:
    """Return the sentences of the errors on a page, by the name of the form's field.

    Assert that the status is 422 and that each field with an error is marked as invalid and refers to it.
    """
    assert response.status_code == 422
    errors = dict(re.findall(r'<p class="wrong" id="r-([a-z-]+)">([^<]*)</p>', response.text))
    for field in errors:
        assert re.search(rf'name="{field}"[^>]*aria-invalid="true" aria-describedby="r-{field}[" ]', response.text)
    return errors
