"""Use accounts as a browser without scripts does."""

import re
from collections.abc import Callable

import httpx

from fourcorners.web.auth.identity import COOKIE, hash_secret

PASSWORD = "four corners"
Visit = Callable[[], httpx.Client]


def register(
    http: httpx.Client, name: str = "Anna", password: str = PASSWORD, again: str | None = None
) -> httpx.Response:
    """Send the registration form; `again` is the repeated password if it differs."""
    form = {"new-name": name, "new-password": password, "new-password-again": password if again is None else again}
    return http.post("/account/register", data=form)


def sign_in(http: httpx.Client, name: str = "Anna", password: str = PASSWORD) -> httpx.Response:
    """Send the sign-in form."""
    return http.post("/account/sign-in", data={"name": name, "password": password})


def get_player_id(http: httpx.Client) -> str:
    """Return the player id of a guest, which is the hash of the secret in its cookie."""
    return hash_secret(http.cookies[COOKIE])


def read_form_errors(response: httpx.Response) -> dict[str, str]:
    """Return the errors on a page by field, and check the status and that each field refers to its error."""
    assert response.status_code == 422
    errors = dict(re.findall(r'<p class="wrong" id="r-([a-z-]+)">([^<]*)</p>', response.text))
    for field in errors:
        assert re.search(rf'name="{field}"[^>]*aria-invalid="true" aria-describedby="r-{field}[" ]', response.text)
    return errors
