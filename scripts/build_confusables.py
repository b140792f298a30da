#!/usr/bin/env python3
"""Build src/fourcorners/core/confusables.txt from Unicode's table of characters that look alike.

Get the wheel with `pip download --no-deps confusable-homoglyphs==3.3.1`, and give its path. It holds Unicode's
confusables.txt (version 15.1.0) as pairs in both directions. Each character there looks like one prototype, which looks
like many; of a pair that stands alone, the lower code point is taken for the prototype. Characters that are gone from a
name in NFKC, once decomposed, are left out.
"""

import argparse
import json
import sys
import unicodedata
import zipfile
from pathlib import Path

from fourcorners.core.skeletons import FILE

_MEMBER = "confusable_homoglyphs/confusables.json"
_NOTICE = """\
# Characters that look alike, from confusables.txt of Unicode 15.1.0, by scripts/build_confusables.py.
# Copyright 1991-2023 Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt
# Each line has a prototype, a tab, and the characters that look like it.
"""
# The table writes characters of languages from right to left between these marks.
_MARK = "\u200e"


def main() -> None:
    """Build the file from the wheel named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    with zipfile.ZipFile(parser.parse_args().wheel) as wheel:
        pairs = json.loads(wheel.read(_MEMBER))
    alike: dict[str, set[str]] = {}
    for character, others in pairs.items():
        for other in others:
            one, two = character.replace(_MARK, ""), other["c"].replace(_MARK, "")
            alike.setdefault(one, set()).add(two)
            alike.setdefault(two, set()).add(one)
    prototypes: dict[str, list[str]] = {}
    for character, others in alike.items():
        prototype = min(others)
        is_source = len(character) == len(others) == 1 and character != prototype
        stands_alone = len(prototype) == 1 and len(alike[prototype]) == 1
        if is_source and not (stands_alone and character < prototype) and _occurs_in_names(character):
            prototypes.setdefault(unicodedata.normalize("NFD", prototype), []).append(character)
    lines = [f"{prototype}\t{''.join(sorted(sources))}\n" for prototype, sources in sorted(prototypes.items())]
    FILE.write_text(_NOTICE + "".join(lines), encoding="utf-8")
    total = sum(map(len, prototypes.values()))
    sys.stdout.write(f"{total} characters look like {len(lines)} others, in {FILE.stat().st_size} bytes\n")


def _occurs_in_names(character: str) -> bool:
    """Return whether a character can occur in a decomposed name; a line break or a tab would break the file."""
    forms = {unicodedata.normalize(form, character) for form in ("NFD", "NFKC")}
    return forms == {character} and not character.isspace()


if __name__ == "__main__":
    main()
