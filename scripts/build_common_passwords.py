#!/usr/bin/env python3
"""Build src/fourcorners/web/auth/common_passwords.npy from the list of common passwords that Django brings.

Get the wheel with `pip download --no-deps django==5.2.19`, and give its path. Django's list (BSD licence) has 20,000
passwords from leaks, by Royce Williams. Of these the file keeps the first four bytes of the SHA-256 of each that can
matter here, as sorted 32-bit numbers: 40 KB without rude words, in which one good password of 400,000 occurs by chance.
"""

import argparse
import gzip
import sys
import zipfile
from pathlib import Path

import numpy as np

from fourcorners.web.auth.common_passwords import FILE, hash_words, strip_ends
from fourcorners.web.auth.passwords import MIN_DIFFERENT, MIN_LENGTH

_MEMBER = "django/contrib/auth/common-passwords.txt.gz"
_SHORTEST_WORD = 4


def main() -> None:
    """Build the file from the wheel named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    with zipfile.ZipFile(parser.parse_args().wheel) as wheel:
        words = set(gzip.decompress(wheel.read(_MEMBER)).decode().split())
    stems = {word for word in words if word.isalpha() and len(word) >= _SHORTEST_WORD}
    whole = {word for word in words if len(word) >= MIN_LENGTH and len(set(word)) >= MIN_DIFFERENT}
    kept = stems | {word for word in whole if strip_ends(word) not in stems}
    hashes = np.unique(hash_words(sorted(kept)))
    np.save(FILE, hashes)
    sys.stdout.write(f"{len(hashes)} of {len(words)} passwords in {FILE.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
