"""A device that makes passkeys and signs with them, as the WebAuthn specification says."""

import base64
import hashlib
import json
import secrets
import struct
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

_PRESENT, _VERIFIED, _HAS_KEY = 0x01, 0x04, 0x40


def encode(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Authenticator:
    """One passkey (ES256) at a host; `is_verified` says whether the device has checked who uses it."""

    def __init__(self, host: str, origin: str, *, is_verified: bool = True) -> None:
        self.id = secrets.token_bytes(16)
        self.uses = 0
        self._host, self._origin = host, origin
        self._flags = _PRESENT | (_VERIFIED if is_verified else 0)
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(self, options: dict[str, Any]) -> str:
        """Return the answer, in JSON, to the options for a new passkey."""
        numbers = self._key.public_key().public_numbers()
        # COSE: an elliptic key (2) for ES256 (-7) on P-256 (1).
        key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        added = bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor2.dumps(key)
        statement = {"fmt": "none", "attStmt": {}, "authData": self._describe_state(_HAS_KEY) + added}
        return self._write("create", options, {"attestationObject": encode(cbor2.dumps(statement))})

    def sign(self, options: dict[str, Any]) -> str:
        """Return the answer, in JSON, to the options of a sign-in."""
        self.uses += 1
        state = self._describe_state()
        signed = state + hashlib.sha256(self._describe_client("get", options)).digest()
        signature = self._key.sign(signed, ec.ECDSA(hashes.SHA256()))
        return self._write("get", options, {"authenticatorData": encode(state), "signature": encode(signature)})

    def _describe_state(self, flags: int = 0) -> bytes:
        return (
            hashlib.sha256(self._host.encode()).digest() + bytes([self._flags | flags]) + struct.pack(">I", self.uses)
        )

    def _describe_client(self, kind: str, options: dict[str, Any]) -> bytes:
        data = {"type": f"webauthn.{kind}", "challenge": options["challenge"], "origin": self._origin}
        return json.dumps(data).encode()

    def _write(self, kind: str, options: dict[str, Any], response: dict[str, str]) -> str:
        client = encode(self._describe_client(kind, options))
        id_ = encode(self.id)
        answer = {"id": id_, "rawId": id_, "type": "public-key", "response": {"clientDataJSON": client, **response}}
        return json.dumps(answer)
