"""The look of Squendo: wooden tiles with burnt edges and symbols, as shapes, style sheet and colours.

The tiles are shapes in `DEFS`, so that a picture refers to each in a few bytes. Style rules match a shape where it is
defined, not where it is used; therefore its classes stand alone, and whatever depends on a state is inherited.
"""

from fourcorners.builtin.squendo.options import BLACK_EDGES, COLOUR_NAMES, COLOURS, HAND_SIZE, PATTERNS, SYMBOLS
from fourcorners.core.scene import build_style

PITCH = 100
"""The distance between neighbouring places."""
TRAY_PITCH = 112
"""The distance between neighbouring tiles in the tray."""
_MAX_NUMBER = 48
_FACE = 'x="-45.5" y="-45.5" width="91" height="91" rx="8"'

# Each colour has its own wood grain: straight, wavy, slanting, ringed.
_GRAIN = {
    "R": "M-45-29q22-5 45 0t45-1M-45-13q24-4 46 0t44-1M-45 3q20-4 44 0t46-1"
    "M-45 18q24-3 46 1t44-2M-45 33q22-3 45 0t45-1",
    "B": "M-31-45q7 15 0 30t0 30 0 30M-16-45q7 15 0 30t0 30 0 30M0-45q7 15 0 30t0 30 0 30"
    "M15-45q7 15 0 30t0 30 0 30M30-45q7 15 0 30t0 30 0 30",
    "G": "M-45-18L-18-45M-45 4L4-45M-45 26L26-45M-40 43L43-40M-19 45L45-19M3 45L45 3M25 45L45 25",
    "Y": "M-45 22q28-2 30 23M-45 4q46 0 48 41M-45-14q64 0 66 59M-45-32q82 0 84 77M-26-45q68 12 71 70M8-45q32 12 37 40",
}
# A place is highlighted by the line around its tile. It inherits its colour, which no other shape does.
_RING = '<rect class="sq-ring" x="-48" y="-48" width="99" height="101" rx="10"/>'


def _draw_body(colour: str) -> str:
    """Return the blank tile of a colour as a shape: shadow, side, top, grain, letter and ring."""
    low = colour.lower()
    return (
        f'<g id="sq-{colour}"><rect class="sq-sh" x="-39" y="-36" width="91" height="91" rx="9"/><rect class="sq-s sq-s{low}" x="-42.5" y="-40.5" width="91" height="91" rx="8"/>'
        f'<rect class="sq-b sq-b{low}" {_FACE}/><path class="sq-g sq-s{low}" d="{_GRAIN[colour]}"/>'
        f'<path class="sq-hl" d="M-44 36V-37a7 7 0 0 1 7-7H36"/>'
        f'<text class="fc-label sq-t sq-tl sq-t{low}" x="-30" y="-30" dy=".74em">{colour}</text>{_RING}</g>'
    )


def _draw_face(pattern: int, symbol: str) -> str:
    """Return the upper side of a tile as a shape: the edges of a pattern (its index in PATTERNS) and a symbol."""
    name = PATTERNS[pattern] + symbol
    edges = "".join(
        f'<use href="#sq-{"k" if BLACK_EDGES[pattern] >> side & 1 else "w"}"'
        + (f' transform="rotate({90 * side})"/>' if side else "/>")
        for side in range(4)
    )
    return f'<g id="sq-{name}">{edges}<use href="#sq-{symbol}"/></g>'


_CROSS = "M-11-11L11 11M11-11L-11 11"
_BAND = "M-39.5-45.5H39.5L26-32H-26Z"
_GROUP = 8  # drawing all numbers takes much longer than those that a picture shows


def _draw_numbers(group: int) -> str:
    """Return the definitions of a group of numbers, of columns (`x`) and of rows (`y`)."""
    numbers = range(_GROUP * group, _GROUP * (group + 1))
    cols = "".join(f'<text class="fc-label sq-num" x="{PITCH * number}">{number}</text>' for number in numbers)
    rows = "".join(f'<text class="fc-label sq-num" y="{6 - PITCH * number}">{number}</text>' for number in numbers)
    return f'<g id="sq-nx{group}">{cols}</g><g id="sq-ny{group}">{rows}</g>'


def use_numbers(axis: str, first: int, last: int, x: int, y: int) -> str:
    """Return markup with at least the numbers from the first to the last one, of columns ("x") or rows ("y"), whose 0
    is at these coordinates.
    """
    low, high = max(first, -_MAX_NUMBER) // _GROUP, min(last, _MAX_NUMBER) // _GROUP
    return "".join(f'<use href="#sq-n{axis}{group}" x="{x}" y="{y}"/>' for group in range(low, high + 1))


_NUMBERS = "".join(map(_draw_numbers, range(-_MAX_NUMBER // _GROUP, _MAX_NUMBER // _GROUP + 1)))
DEFS = (
    '<defs><pattern id="sq-p" x="-50" y="-50" width="100" height="100" patternUnits="userSpaceOnUse">'
    '<path class="sq-dot" d="M-5 0H5M0-5V5M95 0H105M100-5V5M-5 100H5M0 95V105M95 100H105M100 95V105"/></pattern>'
    f'<g id="sq-k"><path class="sq-char" d="{_BAND}"/><path class="sq-k" d="{_BAND}"/></g>'
    f'<path id="sq-w" class="sq-w" d="{_BAND}"/>'
    '<g id="sq-o"><circle class="sq-toast" r="13"/><circle class="sq-m" r="13"/></g>'
    f'<g id="sq-x"><path class="sq-toast" d="{_CROSS}"/><path class="sq-m" d="{_CROSS}"/></g>'
    '<g id="sq-f"><rect class="sq-hit" x="-50" y="-50" width="100" height="100"/>'
    '<rect class="sq-frame" x="-40" y="-40" width="80" height="80" rx="8"/><use href="#sq-r"/></g>'
    '<use id="sq-s" href="#sq-r" x="-25" y="23"/>'
    '<g id="sq-2"><rect class="sq-sh" x="-35" y="-31" width="91" height="91" rx="9"/>'
    '<rect class="sq-u" x="-39.5" y="-35.5" width="91" height="91" rx="8"/>'
    '<path class="sq-ul" d="M-38 49q3 4 6 4H43q6 0 6-6V-28q0-4-2-6"/></g>'
    '<g id="sq-n"><circle class="sq-n" cx="24" cy="23" r="12"/>'
    '<text class="fc-label sq-t sq-nt" x="24" y="29.2">2</text></g>'
    # An arrow that turns clockwise: the tile fits here once it is turned. Whether it is seen is inherited from the place.
    '<g id="sq-r" class="sq-spin"><circle class="sq-rd" r="18"/><path class="sq-ra" d="M-6.4 6.4A9 9 0 1 1 9 0"/><path class="sq-rt" d="M3 0H15L9 8z"/></g>'
    + "".join(_draw_body(colour) for colour in COLOURS)
    + "".join(_draw_face(pattern, symbol) for pattern in range(len(PATTERNS)) for symbol in SYMBOLS)
    + f"{_NUMBERS}</defs>"
)

_COLOUR_RULES = "".join(
    f".sq-b{low}{{fill:var(--sq-{name});stroke:var(--sq-{name}-edge)}}"
    f".sq-s{low}{{fill:var(--sq-{name}-side);stroke:var(--sq-{name}-edge)}}.sq-t{low}{{fill:var(--sq-{name}-ink)}}"
    f".sq-q{low}{{stroke:var(--sq-{name}-edge)}}"
    for low, name in zip(COLOURS.lower(), COLOUR_NAMES, strict=True)
)
# The position of a tile in the tray is a class, so that a patch that closes a gap is short and the tiles slide. Browsers
# ignore the transform without units; SVG renderers that only know that form use it.
_RACK_RULES = "".join(
    f".fc-tray .sq-at{i} .sq-pos{{transform:translate({x}px,60px);transform:translate({x},60)}}"
    for i, x in enumerate(range(12 + TRAY_PITCH // 2, 12 + TRAY_PITCH * HAND_SIZE, TRAY_PITCH))
)
CSS = (
    ".fc-board .sq-table{fill:var(--sq-table)}.fc-board .sq-grid{fill:url(#sq-p)}"
    ".sq-dot{fill:none;stroke:var(--sq-dot);stroke-width:1.6}"
    ".sq-num{--label:20px;fill:var(--sq-num);font:20px Georgia,serif;text-anchor:middle}"
    ".sq-b{stroke-width:1.4}.sq-s{stroke-width:1}"
    f"{_COLOUR_RULES}"
    ".sq-g{fill:none;stroke-width:1.1;stroke-opacity:var(--sq-grain)}"
    ".sq-hl{fill:none;stroke:var(--sq-light);stroke-width:1.8;stroke-linecap:round;stroke-opacity:.55}"
    ".sq-t{--label:18px;stroke:none;font:bold 18px Georgia,serif;text-anchor:middle}"
    # A larger letter grows towards the middle, away from the edges.
    ".sq-tl{text-anchor:start}"
    ".sq-k{fill:var(--sq-black);stroke:var(--sq-black);stroke-width:.8;stroke-linejoin:round}"
    ".sq-w{fill:var(--sq-white);stroke:var(--sq-black);stroke-width:1.1;stroke-linejoin:round}"
    ".sq-toast{fill:none;stroke:var(--sq-toast);stroke-width:9;stroke-opacity:.26;stroke-linecap:round}"
    ".sq-char{fill:none;stroke:var(--sq-toast);stroke-width:4;stroke-opacity:.3;stroke-linejoin:round}"
    ".sq-m{fill:none;stroke:var(--sq-black);stroke-width:5.6;stroke-linecap:round}"
    ".sq-sh{stroke:none;fill:var(--sq-shadow);fill-opacity:.3}"
    ".sq-u{fill:var(--sq-under);stroke:var(--sq-under-edge);stroke-width:1.2}"
    ".sq-ul{fill:none;stroke:var(--sq-under-edge);stroke-width:1;stroke-opacity:.6}"
    ".sq-n{fill:var(--sq-white);stroke:var(--sq-black);stroke-width:1.4}.sq-nt{fill:var(--sq-black)}"
    ".sq-hit{fill:transparent;stroke:none;pointer-events:all}"
    ".fc-board .sq-free{fill:transparent;stroke:var(--sq-free);stroke-width:1.8;stroke-dasharray:6 7}"
    ".fc-board .sq-free.can{stroke:var(--sq-can);fill:var(--sq-glow);stroke-width:2.6;stroke-dasharray:none}"
    ".sq-ring{fill:none}.miniature .sq-ring{stroke:none}"
    ".sq-arrow{fill:none;stroke:currentColor;stroke-width:7;stroke-linecap:round;stroke-linejoin:round}"
    ".fc-board .sq-place,.fc-tray .sq-tile{stroke:none;stroke-width:3.2}"
    ".fc-board .sq-place.last{stroke:var(--sq-last)}"
    ".fc-board .sq-place.marked{stroke:var(--sq-chosen);stroke-width:5}"
    ".fc-board .sq-free.marked{stroke:var(--sq-chosen);stroke-width:4;fill:var(--sq-glow);stroke-dasharray:none}"
    ".fc-board .sq-place.can-turned{stroke:var(--sq-can);stroke-width:2}"
    ".fc-board .sq-free.can-turned{stroke:var(--sq-can);stroke-width:2.2}"
    ".sq-place use[href='#sq-s'],.sq-free use{visibility:hidden}"
    ".sq-spin{pointer-events:none}.sq-hit,.sq-frame,.fc-board .can-turned use{visibility:visible}"
    ".sq-rd,.sq-ra{stroke:var(--sq-black);stroke-dasharray:none}.sq-rd{fill:var(--sq-white);stroke-width:1.4}"
    ".sq-ra{fill:none;stroke-width:3.4;stroke-linecap:round}.sq-rt{fill:var(--sq-black);stroke:none}"
    ".fc-board .sq-place.can{stroke:var(--sq-can);stroke-width:3.6}"
    ".fc-board .sq-place.near,.fc-board .sq-place.chosen{stroke:var(--sq-chosen);stroke-width:5}"
    ".fc-board .sq-free.near,.fc-board .sq-free.chosen"
    "{stroke:var(--sq-chosen);fill:var(--sq-glow);stroke-width:4;stroke-dasharray:none}"
    ".fc-board .sq-quad{fill:none;stroke-width:4.5;stroke-linejoin:round;pointer-events:none;stroke-opacity:.95}"
    ".fc-board .sq-won{fill:none;stroke:var(--sq-last);stroke-width:6;stroke-linecap:round;stroke-linejoin:round;"
    "pointer-events:none}"
    ".fc-board .sq-won .under{stroke:var(--sq-white);stroke-width:11}"
    ".fc-board .sq-halo{fill:none;stroke:var(--sq-white);stroke-width:8;pointer-events:none;stroke-opacity:.75}"
    ".fc-tray .sq-rack{fill:var(--sq-rack);stroke:var(--sq-rack-edge);stroke-width:1.5}"
    ".fc-tray .sq-lip{fill:none;stroke:var(--sq-rack-edge);stroke-width:2;stroke-opacity:.5}"
    f"{_RACK_RULES}"
    ".fc-tray .sq-tile{cursor:grab}.fc-tray .sq-pos{transition:transform .25s ease-out}"
    ".fc-tray .can:hover{stroke:var(--sq-can)}"
    ".fc-tray .sq-tile.chosen{stroke:var(--sq-chosen);stroke-width:5}"
    ".fc-tray .sq-turn{transition:transform .18s ease-out}"
    ".turn-1 .sq-turn{transform:rotate(90deg)}.turn-2 .sq-turn{transform:rotate(180deg)}"
    ".turn-3 .sq-turn{transform:rotate(270deg)}"
    ".fc-board .new .sq-lift{animation:sq-drop .38s cubic-bezier(.2,.9,.3,1)}"
    "@keyframes sq-drop{from{transform:translate(-7px,-26px) scale(1.1);opacity:.2}}"
    "@media (prefers-reduced-motion:reduce){.fc-board .new .sq-lift{animation:none}"
    ".fc-tray .sq-turn,.fc-tray .sq-pos{transition:none}}"
)

_COLOUR_TABLE = """
                light      dark       print    colour-blind  high-contrast
sq-table        #ece3d0    #352d24    #ffffff  -             -
sq-dot          #d8cbb1    #4a4033    #dddddd  -             -
sq-num          #7b6c53    #b3a488    #444444  -             -
sq-free         #bfae8e    #7d6e57    #999999  -             #8a7a5c
sq-black        #2b1d13    #1b110a    #000000  -             #000000
sq-white        #fff8ea    #f4ead4    #ffffff  -             #ffffff
sq-toast        #6b3510    -          #e9e9e9  -             #000000
sq-light        #ffffff    -          -        -             -
sq-shadow       #40301a    #000000    #ffffff  -             -
sq-grain        .32        -          .75      -             -
sq-red          #d98a74    #c87a63    #e9e9e9  #d9713c       #ff8f7a
sq-red-side     #a8543f    #8a4230    #777777  #9c4415       -
sq-red-edge     #8c3c2a    #5e2415    #000000  #743008       #000000
sq-red-ink      #621f11    -          #000000  -             #000000
sq-blue         #8db1d3    #7ba1c4    #e9e9e9  #86bde6       #86b8ff
sq-blue-side    #557ea6    #456d94    #777777  #2e7cb5       -
sq-blue-edge    #37618c    #27486b    #000000  #0b527f       #000000
sq-blue-ink     #163a60    -          #000000  -             #000000
sq-green        #a5bf86    #94ae75    #e9e9e9  #2fa183       #90d96b
sq-green-side   #718e50    #5f7b42    #777777  #0d6b52       -
sq-green-edge   #537138    #3c5524    #000000  #064a37       #000000
sq-green-ink    #2c4717    -          #000000  #00291c       #000000
sq-yellow       #ecd38a    #dcc279    #e9e9e9  #f5e88f       #ffe14d
sq-yellow-side  #bd9a42    #a58538    #777777  #b5a52c       -
sq-yellow-edge  #94742a    #6e5417    #000000  #7a6e0c       #000000
sq-yellow-ink   #5f4708    -          #000000  -             #000000
sq-under        #c9ae80    #a38a60    #ffffff  -             -
sq-under-edge   #84683c    #5b4727    #000000  -             -
sq-last         #22688f    #7cc4ec    #000000  -             -
sq-can          #22688f    #7cc4ec    #000000  -             -
sq-glow         #22688f26  #7cc4ec33  #ffffff  -             -
sq-chosen       #0e4a86    #c3e6ff    #000000  -             -
sq-rack         #d8c29a    #574631    #ffffff  -             -
sq-rack-edge    #97794a    #806744    #000000  -             -
"""

STYLE = build_style(CSS, DEFS, _COLOUR_TABLE, {name.lower(): f"sq-{name.lower()}" for name in COLOUR_NAMES})
