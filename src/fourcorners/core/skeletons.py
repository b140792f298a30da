"""Skeletons of names: equal for names that look alike, after Unicode Technical Standard 39."""

import functools
import re
import unicodedata
from pathlib import Path

FILE = Path(__file__).parent / "confusables.txt"
_PASSES = 2
# The invisible marks and fillers that a name can contain.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def skeletonise(name: str) -> str:
    """Return a key, perhaps longer than the name, that is equal for names that look alike or differ only in case.

    "Anna1" has the key of "AnnaI", and "rnia" that of "Mia". The key is only for comparisons. Letters that look alike
    only in their own case, such as I and l, are compared in that case.
    """
    skeleton = _replace_confusables(unicodedata.normalize("NFKC", name))
    # Prototypes may be capitals again: "%" becomes "o/O", and that "o/o".
    for _ in range(_PASSES):
        skeleton = _replace_confusables(unicodedata.normalize("NFKC", skeleton.casefold()))
    return skeleton


def _replace_confusables(text: str) -> str:
    """Return a text with the prototype of each character, in canonical decomposition (NFD)."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFD", visible.translate(_read_prototypes()))


@functools.cache
def _read_prototypes() -> dict[int, str]:
    """Return the prototype of each character, by code point, that looks like another one."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("# "))
    return {ord(character): prototype for prototype, characters in pairs for character in characters}
