"""The most common passwords, which no one may choose: `scripts/build_common_passwords.py` names their source."""

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".npy")
_ENDS = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_HASH_BYTES = 4


def is_common(password: str) -> bool:
    """Return whether a password is a common one in any case, one with digits or signs at its ends that are not longer
    than itself, or one written several times.
    """
    folded = unicodedata.normalize("NFKC", password).casefold().strip()
    word = strip_ends(folded)
    forms = {folded, _find_unit(folded)} | ({word} if 2 * len(word) >= len(folded) else set())
    return bool(np.isin(hash_words(sorted(forms)), _read_hashes()).any())


def strip_ends(text: str) -> str:
    """Return a text without the digits, signs and spaces at its ends."""
    return _ENDS.sub("", text)


def hash_words(words: Iterable[str]) -> np.ndarray:
    """Return the first four bytes of the SHA-256 of each word as unsigned 32-bit numbers, in the order of the words."""
    digests = (hashlib.sha256(word.encode()).digest() for word in words)
    return np.array([int.from_bytes(digest[:_HASH_BYTES], "big") for digest in digests], dtype=np.uint32)


@functools.cache
def _read_hashes() -> np.ndarray:
    hashes: np.ndarray = np.load(FILE)
    return hashes


def _find_unit(text: str) -> str:
    """Return the shortest text that makes this one when it is repeated, perhaps the text itself."""
    return text[: (text + text).find(text, 1)] if text else ""
