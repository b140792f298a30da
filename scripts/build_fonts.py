"""Make the subsets of Source Sans 3 and Source Serif 4 that pages load, and those for paper and pictures.

Their licence reserves the name "Source".

Run `npm pack source-sans@3.52.0 source-serif@4.5.1`, unpack both, and give this script the folders of the variable
fonts: `uv run --with 'fonttools[woff]' scripts/build_fonts.py sans/package/VF serif/package/VAR`
"""

import sys
import tempfile
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

FOLDER = Path(__file__).resolve().parent.parent / "src/fourcorners/web/static/fonts"
# Latin with the letters of European names, punctuation, arrows, and a few signs.
RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2190, 0x2199)]
SIGNS = "€№™−∞≈≠≤≥◊□■▪●○◦✓"
# What English pages are written in; only pages with other characters load the rest.
CORE = {*range(0x20, 0x7F), *map(ord, "\xa0©·×–—\u2018\u2019“”…←→−●✓")}
# In the sans, figures are tabular and lining without a feature, so tables and clocks need none.
FEATURES = ["kern", "mark", "ccmp", "locl", "liga", "case", "lnum", "onum", "pnum", "tnum", "sups", "zero"]
FONTS = {
    "sans": ("SourceSans3VF-Upright.ttf", {"wght": (400, 700)}),
    "serif": ("SourceSerif4Variable-Roman.ttf", {"wght": (400, 700), "opsz": 20}),
    # Italics are rare, and only in running text.
    "serif-italic": ("SourceSerif4Variable-Italic.ttf", {"wght": 400, "opsz": 20}),
}
PAPER = FOLDER.parents[2] / "study" / "fonts"
"""The fonts of paper and pictures, which are made without a browser: one file for each weight, not compressed."""
CUTS = [
    ("sans", "Regular", 400),
    ("sans", "Bold", 700),
    ("serif", "Regular", 400),
    ("serif", "Bold", 700),
    ("serif-italic", "Italic", None),
]
_BOLD, _ITALIC, _REGULAR = 1 << 5, 1, 1 << 6  # of OS/2.fsSelection


def build_cut(source: Path, cut: str, weight: int | None, target: Path) -> None:
    """Write one weight of a font of the pages (None: it has only one) to `target` as TrueType."""
    font = TTFont(source)
    if weight is not None:
        font = instancer.instantiateVariableFont(font, {"wght": weight})
    family = font["name"].getDebugName(1)
    names = {1: family, 2: cut, 4: f"{family} {cut}", 6: f"{family.replace(' ', '')}-{cut}"}
    for record in list(font["name"].names):
        if record.nameID in names:
            record.string = names[record.nameID]
        elif record.nameID > 14:
            font["name"].removeNames(nameID=record.nameID)
    font["OS/2"].usWeightClass = weight or 400
    font["OS/2"].fsSelection = {"Bold": _BOLD, "Italic": _ITALIC}.get(cut, _REGULAR)
    font["head"].macStyle = {"Bold": 1, "Italic": 2}.get(cut, 0)
    font.flavor = None
    font.save(target)


def split_font(source: Path) -> None:
    """Write `NAME.woff2` for the pages with the core of a font, and `NAME-more.woff2` with all other characters."""
    codes = set(TTFont(source).getBestCmap())
    for suffix, part in (("", codes & CORE), ("-more", codes - CORE)):
        font = TTFont(source)
        subsetter = subset.Subsetter(subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True))
        subsetter.populate(unicodes=part)
        subsetter.subset(font)
        font.flavor = "woff2"
        font.save(FOLDER / f"{source.stem}{suffix}.woff2")


def build_font(source: Path, axes: dict[str, float | tuple[float, float]], target: Path) -> None:
    """Write the subset of the variable font `source` within `axes` to `target` as WOFF2, under our own name."""
    font = TTFont(source)
    subsetter = subset.Subsetter(subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True))
    subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)], text=SIGNS)
    subsetter.subset(font)
    instancer.instantiateVariableFont(font, axes, inplace=True)
    family = "Fourcorners Sans" if target.stem == "sans" else "Fourcorners Serif"
    ours = {1: family, 3: target.stem, 4: family, 6: family.replace(" ", ""), 16: family}
    for record in font["name"].names:
        # The copyright notice must stay as it is.
        if record.nameID != 0:
            record.string = ours.get(record.nameID) or str(record).replace("Source", "Fourcorners")
    font.flavor = "woff2"
    font.save(target)


def main(sans: Path, serif: Path) -> None:
    """Write all fonts, given the folders of the variable ones."""
    PAPER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        whole = Path(temporary)
        for name, (file, axes) in FONTS.items():
            build_font((sans if name == "sans" else serif) / file, axes, whole / f"{name}.woff2")
            split_font(whole / f"{name}.woff2")
        for name, cut, weight in CUTS:
            build_cut(whole / f"{name}.woff2", cut, weight, PAPER / f"{name.partition('-')[0]}-{cut.lower()}.ttf")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
