"""Make the subsets of Source Sans 3 and Source Serif 4 that the pages load; their licence reserves the name "Source".

Run `npm pack source-sans@3.52.0 source-serif@4.5.1`, unpack both, and give this script the folders of the variable
fonts: `uv run --with 'fonttools[woff]' scripts/build_fonts.py sans/package/VF serif/package/VAR`
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

FOLDER = Path(__file__).resolve().parent.parent / "src/fourcorners/web/static/fonts"
# Latin with the letters of European names, punctuation, arrows, and a few signs.
RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2190, 0x2199)]
SIGNS = "€№™−∞≈≠≤≥◊□■▪●○◦✓"
# In the sans, figures are tabular and lining without a feature, so tables and clocks need none.
FEATURES = ["kern", "mark", "ccmp", "locl", "liga", "case", "lnum", "onum", "pnum", "tnum", "sups", "zero"]
FONTS = {
    "sans": ("SourceSans3VF-Upright.ttf", {"wght": (400, 700)}),
    "serif": ("SourceSerif4Variable-Roman.ttf", {"wght": (400, 700), "opsz": 20}),
    # Italics are rare, and only in running text.
    "serif-italic": ("SourceSerif4Variable-Italic.ttf", {"wght": 400, "opsz": 20}),
}


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


if __name__ == "__main__":
    for name, (file, axes) in FONTS.items():
        folder = Path(sys.argv[1 if name == "sans" else 2])
        build_font(folder / file, axes, FOLDER / f"{name}.woff2")
