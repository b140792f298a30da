"""Recovery codes: each replaces the password of an account once."""

import hashlib
import secrets

CODES = 10
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, without letters that look like others."""
_GROUPS, _GROUP_LENGTH = 4, 4
_READ_AS = str.maketrans("oil", "011", " -–")


def generate_codes() -> list[str]:
    """Return `CODES` random codes of 80 bits, such as 3f8k-0m2z-xq7r-9v4t."""
    return [
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS))
        for _ in range(CODES)
    ]


def hash_code(code: str) -> str:
    """Return the SHA-256, in hexadecimal, of a code as people type it: in any case, with o, i and l for digits, with or
    without hyphens and spaces. No slow hash is needed for 80 random bits.
    """
    return hashlib.sha256(f"recovery:{code[:100].lower().translate(_READ_AS)}".encode()).hexdigest()
