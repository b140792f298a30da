"""The style of Sqez: its style sheet, the signs and hatchings of the seats, and the colours of every theme."""

from fourcorners.builtin.sqez.options import PENCILS
from fourcorners.core.scene import Looks, build_style

# The second stroke of each seat's pencil has its own pattern, so that colour is not the only sign.
_SECOND = (
    "stroke-width:1.2",
    "stroke-width:5;stroke-dasharray:2 7;stroke-linecap:butt;opacity:.55",
    "stroke-width:6.5;opacity:.22",
    "stroke-width:5;stroke-dasharray:12 6;stroke-linecap:butt;opacity:.4",
    "stroke-width:7;stroke-dasharray:0 9;opacity:.6",
    "stroke-width:3;stroke-dasharray:1 4;opacity:.8",
    "stroke-width:7;stroke-dasharray:5 12;stroke-linecap:butt;opacity:.5",
    "stroke-width:4.5;stroke-dasharray:20 5 3 5;opacity:.4",
)
_SIGNS = (
    '<circle r="6"/>',
    '<rect x="-5.5" y="-5.5" width="11" height="11"/>',
    '<path d="M0-7.5L7 5.5H-7z"/>',
    '<path d="M0-8L8 0 0 8-8 0z"/>',
    '<path d="M-2.4-7h4.8v4.6h4.6v4.8h-4.6v4.6h-4.8v-4.6h-4.6v-4.8h4.6z"/>',
    '<path d="M0-8.5L2.4-3 8.2-2.6 3.9 1.2 5.2 7 0 3.9-5.2 7-3.9 1.2-8.2-2.6-2.4-3z"/>',
    '<path d="M-3.5-6.5h7L7 0 3.5 6.5h-7L-7 0z"/>',
    '<path d="M-7 4A7 7 0 0 1 7 4z"/>',
)
_HATCH_ANGLES = (45, -45, 20, -20, 70, -70, 0, 90)


def _build_defs() -> str:
    """Return the SVG `<defs>`: the paper's shade, a hatching and a sign for each of the eight seats, and the dot."""
    signs = "".join(
        f'<g id="sq-sign{seat}" class="sq-sign" fill="currentColor">{sign}</g>' for seat, sign in enumerate(_SIGNS)
    )
    hatches = "".join(
        f'<pattern id="sq-hatch{seat}" width="9" height="9" patternUnits="userSpaceOnUse"'
        f' patternTransform="rotate({angle})">'
        f'<path class="sq-c{seat}" d="M4 0V9" fill="none" stroke-width="1.6"/></pattern>'
        for seat, angle in enumerate(_HATCH_ANGLES)
    )
    shade = (
        '<linearGradient id="sq-shade" x2=".7" y2="1"><stop class="sq-lit" offset="0"/>'
        '<stop class="sq-mid" offset=".5"/><stop class="sq-dim" offset="1"/></linearGradient>'
    )
    dot = (
        '<g id="sq-d"><circle class="hit" r="29" fill="none" stroke="none" pointer-events="all"/>'
        '<circle r="12" fill="currentColor" stroke="none"/><circle r="2.8"/></g>'
    )
    return f"<defs>{shade}{hatches}{signs}{dot}</defs>"


def _build_seat_css() -> str:
    """Return the rules of the style sheet that differ between seats, for all eight: colour, second pass, hatching."""
    return "\n".join(
        f".fc-board .sq-r.s{seat},.fc-board .sq-x.s{seat}{{color:var(--sq-s{seat})}}\n"
        f".fc-board .s{seat} .sq-b{{{second}}}\n.fc-board .sq-h.h{seat}{{fill:url(#sq-hatch{seat})}}\n"
        f".sq-c{seat}{{stroke:var(--sq-s{seat})}}"
        for seat, second in enumerate(_SECOND)
    )


_CSS = """
.fc-board .sq-sheet{fill:var(--sq-paper);stroke:var(--sq-rim);stroke-width:1}
.fc-board .sq-shade{fill:url(#sq-shade)}
.sq-lit{stop-color:var(--sq-lit);stop-opacity:var(--sq-lit-amount)}
.sq-mid{stop-color:var(--sq-paper);stop-opacity:0}
.sq-dim{stop-color:var(--sq-dim);stop-opacity:var(--sq-dim-amount)}
.fc-board .sq-margin{fill:none;stroke:var(--sq-margin);stroke-width:1.4}
.fc-board .sq-grid{fill:none;stroke:var(--sq-grid);stroke-width:1.4}
.fc-board .sq-paper{--label:17px;font:var(--sq-slant) 17px var(--sq-font)}
.fc-board .sq-paper text{text-anchor:middle;fill:var(--sq-names)}
.fc-board .sq-r{fill:none;stroke:currentColor;stroke-width:2.8;stroke-linecap:round;stroke-linejoin:round;color:var(--sq-old)}
.fc-board .sq-r.last{stroke-width:3.6}
.fc-board .sq-x{fill:none;stroke:currentColor;stroke-width:2.4;stroke-dasharray:9 7;stroke-linecap:round}
.sq-sign{stroke:var(--sq-paper);stroke-width:3;paint-order:stroke}
.fc-board .sq-h{stroke:none;opacity:.3}
.fc-board .sq-h.won{opacity:.7}
.fc-board .sq-won{fill:none;stroke:var(--sq-ink);stroke-width:4.5;stroke-linecap:round;stroke-linejoin:round;pointer-events:none}
.fc-board .sq-won .under{stroke:var(--sq-paper);stroke-width:9}
.fc-board .sq-d,.fc-board .sq-u{color:transparent}
.fc-board .sq-d{fill:var(--sq-ink);stroke:var(--sq-ink);stroke-width:var(--sq-dot)}
.fc-board .sq-u{fill:var(--sq-paper);stroke:var(--sq-used);stroke-width:1.4}
.fc-board .sq-d.can,.fc-board .sq-u.can{color:var(--sq-can);cursor:pointer}
.fc-board .can.sq-d:hover,.fc-board .can.sq-u:hover{color:var(--sq-hover)}
.fc-board .sq-d.chosen,.fc-board .sq-u.chosen{color:var(--sq-accent);fill:var(--sq-paper);stroke:var(--sq-paper)}
.fc-board .sq-d.marked,.fc-board .sq-u.marked{color:var(--sq-hover)}
.fc-board .sq-u.ghost{fill:var(--sq-accent);stroke:var(--sq-accent)}
.fc-board .band{fill:var(--sq-accent);fill-opacity:.1;stroke:var(--sq-accent);stroke-width:2.4;stroke-dasharray:9 7;stroke-linecap:round;pointer-events:none}
.fc-board .sq-r,.fc-board .sq-h,.fc-board .sq-x,.fc-board .sq-paper{pointer-events:none}
@keyframes sq-draw{from{stroke-dasharray:1150;stroke-dashoffset:1150}to{stroke-dasharray:1150;stroke-dashoffset:0}}
@keyframes sq-show{from{opacity:0}}
.fc-board .sq-r.new path{animation:sq-draw .9s cubic-bezier(.5,0,.9,.6)}
.fc-board .sq-r.new .sq-b,.fc-board .sq-r.new use{animation:sq-show .4s .6s backwards}
.fc-board .sq-h.new,.fc-board .sq-x.new{animation:sq-show .6s .5s backwards}
@media (prefers-reduced-motion:reduce){.fc-board .sq-r.new path,.fc-board .sq-r.new .sq-b,.fc-board .sq-r.new use,.fc-board .sq-h.new,.fc-board .sq-x.new{animation:none}}
"""

_COLOUR_TABLE = """
               light    dark     print    colour-blind  high-contrast
sq-paper       #fbf8ef  #23272c  #ffffff  -             #ffffff
sq-rim         #e2dac4  #363c43  #bbbbbb  -             #000000
sq-lit         #ffffff  #3a424a  -        -             -
sq-lit-amount  .55      .45      0        -             0
sq-dim         #d9c9a0  #14171a  -        -             -
sq-dim-amount  .28      .5       0        -             0
sq-margin      #e7b8ae  #6b3f3a  #dddddd  -             #ffffff
sq-grid        none     none     none     -             -
sq-dot         4        4        4        -             -
sq-slant       italic   italic   italic   -             -
sq-font        Georgia,serif Georgia,serif Georgia,serif - -
sq-names       #6f6a5c  #a9a596  #333333  -             #000000
sq-ink         #2b2f36  #f1ede2  #000000  -             #000000
sq-used        #8d8a80  #8c8d8a  #777777  -             #000000
sq-old         #7d8088  #8e939b  #777777  -             #555555
sq-can         #d6e4f1  #2f4356  -        -             #cfe3ff
sq-hover       #9cc3e6  #42729c  -        -             #7fb2ff
sq-accent      #1f6fb8  #7ab8f0  -        -             #0044cc
sq-s0          #39424e  #d8dbe0  #000000  -             #000000
sq-s1          #b5382b  #f08472  #7a2018  #d55e00       #b00000
sq-s2          #2766b1  #76b3f5  #1d4a80  #2b86c5       #0033aa
sq-s3          #2f7a3d  #7fc98a  #1f5229  #009e73       #005c1a
sq-s4          #7b459f  #c79be8  #532e6b  #c46d9e       #660099
sq-s5          #c06a10  #f0ad5a  #7d450a  #b88100       #8a4a00
sq-s6          #14808a  #5fcad1  #0d545b  #3293c2       #005f66
sq-s7          #7c5632  #cda67c  #4f3720  #8f7a33       #5a3a1a
"""

# The inventor names a typewriter and small-squared graph paper as other ways to make a field.
_LOOKS = Looks(
    "Paper",
    "Dots",
    {
        "graph-paper": {"sq-grid": "#5b9bc466", "sq-dot": "2", "sq-margin": "none"},
        "typewriter": {
            "sq-dot": "1.6",
            "sq-margin": "none",
            "sq-slant": "normal",
            "sq-font": '"Courier New",Courier,"Liberation Mono",monospace',
            "sq-lit-amount": "0",
            "sq-dim-amount": "0.12",
        },
    },
)

STYLE = build_style(
    _CSS.strip() + "\n" + _build_seat_css(),
    _build_defs(),
    _COLOUR_TABLE,
    {name: f"sq-s{seat}" for seat, name in enumerate(PENCILS)},
    _LOOKS,
)
