"""Accounts as a browser without scripts makes and uses them."""

import re
from collections.abc import Callable

import httpx

from fourcorners.web.auth.identity import COOKIE, hash_secret

PASSWORD = "four corners"
Visit = Callable[[], httpx.Client]


def register(
    http: httpx.Client, name: str = "Anna", password: str = PASSWORD, again: str | None = None
) -> httpx.Response:
    form = {"new-name": name, "new-password": password, "new-password-again": password if again is None else again}
    return http.post("/account/register", data=form)


def sign_in(http: httpx.Client, name: str = "Anna", password: str = PASSWORD) -> httpx.Response:
    return http.post("/account/sign-in", data={"name": name, "password": password})


def get_player_id(http: httpx.Client) -> str:
    return hash_secret(http.cookies[COOKIE])


def read_form_errors(answer: httpx.Response) -> dict[str, str]:
    """Return what a page says to be wrong, by field, which each must point to."""
    assert answer.status_code == 422
    said = dict(re.findall(r'<p class="wrong" id="r-([a-z-]+)">([^<]*)</p>', answer.text))
    for field in said:
        assert re.search(rf'name="{field}"[^>]*aria-invalid="true" aria-describedby="r-{field}[" ]', answer.text)
    return said
