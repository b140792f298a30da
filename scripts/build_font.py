"""Make the subset of Source Sans 3 that the pages load, renamed because its licence reserves the name "Source".

Run `npm pack source-sans@3.52.0`, unpack it, and give the variable font to this script:
`uv run --with 'fonttools[woff]' scripts/build_font.py package/VF/SourceSans3VF-Upright.ttf`
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

TARGET = Path(__file__).resolve().parent.parent / "src/fourcorners/web/static/fonts/sans.woff2"
FAMILY = "Fourcorners Sans"
WEIGHTS = (400, 700)
# Latin with the letters of European names, punctuation, arrows, and a few signs.
RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2190, 0x2199)]
SIGNS = "€№™−∞≈≠≤≥◊□■▪●○◦✓"
# Without a feature figures are tabular and lining, so tables and clocks need none.
FEATURES = ["kern", "mark", "ccmp", "locl", "liga", "case", "pnum", "onum", "sups", "zero"]
_NAMES = {1: FAMILY, 3: "fourcorners-sans", 4: FAMILY, 6: "FourcornersSans", 16: FAMILY}


def build_font(source: Path, target: Path) -> None:
    """Write the subset of the variable font `source` to `target` as WOFF2."""
    font = TTFont(source)
    subsetter = subset.Subsetter(subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True))
    subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)], text=SIGNS)
    subsetter.subset(font)
    instancer.instantiateVariableFont(font, {"wght": WEIGHTS}, inplace=True)
    for record in font["name"].names:
        record.string = _NAMES.get(record.nameID) or str(record).replace("SourceSans3VF", "FourcornersSans")
    font.flavor = "woff2"
    font.save(target)


if __name__ == "__main__":
    build_font(Path(sys.argv[1]), TARGET)
