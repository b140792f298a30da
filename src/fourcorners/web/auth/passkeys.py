"""Passkeys: check what a browser's authenticator has signed, with the package `webauthn`.

The package takes long to import and few people need it, so each function imports it; call them in a thread.
"""

# ruff: noqa: PLC0415

import hashlib
import json
from typing import NamedTuple

from starlette.requests import HTTPConnection

_RP_NAME = "Fourcorners"


class BadPasskeyError(Exception):
    """The answer of an authenticator cannot be accepted; the message is a sentence."""


class Site(NamedTuple):
    """The site as the browser sees it: the host name to which passkeys belong, and the origin of its pages."""

    host: str
    origin: str


class Passkey(NamedTuple):
    """A stored passkey: its id and public key in base64url, and how often it says that it was used."""

    id: str
    key: str
    uses: int


def describe_site(connection: HTTPConnection) -> Site:
    """Return the site of a request, by its Host header."""
    url = connection.url
    return Site(url.hostname or "", f"{url.scheme}://{url.netloc}")


def build_creation_options(site: Site, player: str, name: str, known: list[str], challenge: bytes) -> str:
    """Return the options in JSON with which a browser creates a passkey that can sign in without a typed name; `known`
    are the ids of the player's passkeys, so that a device gets no second one.
    """
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers import base64url_to_bytes
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=site.host,
        rp_name=_RP_NAME,
        # Ids of players never leave the server.
        user_id=hashlib.sha256(f"passkey:{player}".encode()).digest(),
        user_name=name,
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=base64url_to_bytes(id_)) for id_ in known],
    )
    return options_to_json(options)


def build_request_options(site: Site, challenge: bytes) -> str:
    """Return the options in JSON with which a browser asks for any passkey of this site."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    required = UserVerificationRequirement.REQUIRED
    return options_to_json(
        generate_authentication_options(rp_id=site.host, challenge=challenge, user_verification=required)
    )


def read_challenge(credential: str) -> bytes:
    """Return the challenge that the answer of an authenticator, in JSON, claims to have signed; raise BadPasskeyError.

    Nothing is checked yet.
    """
    from webauthn.helpers import base64url_to_bytes, parse_client_data_json
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        client_data = base64url_to_bytes(_read_response(credential)["clientDataJSON"])
        return parse_client_data_json(client_data).challenge
    except (WebAuthnException, KeyError, TypeError, ValueError, RecursionError):
        raise BadPasskeyError("The answer of your device cannot be read.") from None


def read_id(credential: str) -> str:
    """Return the id of the passkey in the answer of an authenticator; raise BadPasskeyError."""
    id_ = _parse_object(credential).get("id")
    if not isinstance(id_, str):
        raise BadPasskeyError("The answer of your device cannot be read.")
    return id_


def check_creation(credential: str, site: Site, challenge: bytes) -> Passkey:
    """Return the passkey that an authenticator has created for a challenge; raise BadPasskeyError."""
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url

    try:
        made = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except Exception:  # noqa: BLE001  # the package lets errors of its parsers through, whatever they are
        raise BadPasskeyError("Your device could not create a passkey for this site.") from None
    return Passkey(
        bytes_to_base64url(made.credential_id), bytes_to_base64url(made.credential_public_key), made.sign_count
    )


def check_sign_in(credential: str, site: Site, challenge: bytes, passkey: Passkey) -> int:
    """Return how often the passkey was used, if it has signed a challenge; raise BadPasskeyError."""
    from webauthn import verify_authentication_response
    from webauthn.helpers import base64url_to_bytes

    try:
        return verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=base64url_to_bytes(passkey.key),
            credential_current_sign_count=passkey.uses,
            require_user_verification=True,
        ).new_sign_count
    except Exception:  # noqa: BLE001  # as above
        raise BadPasskeyError("This passkey cannot sign in here.") from None


def _parse_object(text: str) -> dict[str, object]:
    """Return a JSON object; raise BadPasskeyError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadPasskeyError("The answer of your device cannot be read.")
    return value


def _read_response(credential: str) -> dict[str, str]:
    response = _parse_object(credential).get("response")
    if not isinstance(response, dict):
        raise BadPasskeyError("The answer of your device cannot be read.")
    return response
