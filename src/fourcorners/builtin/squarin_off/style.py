"""The style of Squarin' Off: a printed board with grooves, wooden sticks, chips and blockers, in every theme."""

from fourcorners.builtin.squarin_off.options import COLOURS
from fourcorners.core.scene import build_style

# The print on the chips of each party, so that colour is not the only sign: a rim and the shape of the pips.
_RIMS = ("", "stroke-dasharray:5.2 3.2", "stroke-dasharray:1.4 2.8", "stroke-dasharray:11.6 5.2")
_COLOURS = ("black", "white", "blue", "yellow", "red", "green", "clear")
_PIPS = (
    '<circle r="3.9"/>',
    '<path d="M0-5.4 5.4 0 0 5.4-5.4 0z"/>',
    '<path d="M0-5.2 5 3.8h-10z"/>',
    '<path d="M-1.7-4.9h3.4v3.2h3.2v3.4h-3.2v3.2h-3.4v-3.2h-3.2v-3.4h3.2z"/>',
)


def _build_defs() -> str:
    """Return the SVG element `defs` with the shapes that boards repeat; the element that uses a shape colours it."""
    pips = "".join(f'<g id="so-s{seat}">{shape}</g>' for seat, shape in enumerate(_PIPS))
    return (
        "<defs>"
        '<linearGradient id="so-gh" x2="0" y2="1"><stop stop-color="#fff" stop-opacity=".5"/>'
        '<stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-opacity=".42"/></linearGradient>'
        '<linearGradient id="so-gv"><stop stop-color="#fff" stop-opacity=".5"/>'
        '<stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-opacity=".42"/></linearGradient>'
        '<linearGradient id="so-gf" x2=".6" y2="1"><stop class="so-lit"/><stop class="so-mid" offset=".5"/>'
        '<stop class="so-dim" offset="1"/></linearGradient>'
        '<radialGradient id="so-gc" cx=".36" cy=".3" r=".85"><stop stop-color="#fff" stop-opacity=".42"/>'
        '<stop offset=".55" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-opacity=".3"/></radialGradient>'
        # One dot with half of each of the four grooves around it.
        '<pattern id="so-grid" width="60" height="60" x="-30" y="-30" patternUnits="userSpaceOnUse">'
        '<path class="so-groove" d="M0 25.2h18a4.8 4.8 0 0 1 0 9.6H0zM60 25.2H42a4.8 4.8 0 0 0 0 9.6h18z'
        'M25.2 0v18a4.8 4.8 0 0 0 9.6 0V0zM25.2 60V42a4.8 4.8 0 0 1 9.6 0v18z"/>'
        '<path class="so-lip" d="M0 34.8h18a4.8 4.8 0 0 0 4.4-3M60 34.8H42a4.8 4.8 0 0 1-4.4-3M34.8 0v18a4.8 4.8 0 0 1-3 4.4'
        'M34.8 60V42a4.8 4.8 0 0 0-3-4.4"/>'
        '<circle class="so-dot" cx="30" cy="30" r="5"/><circle class="so-peg" cx="29" cy="29" r="1.6"/></pattern>'
        '<rect id="so-t" x="7" y="7" width="46" height="46" rx="5"/>'
        # Sticks lie along the x or y axis from dot to dot; their hit areas are lozenges, which do not overlap.
        '<g id="so-h"><path class="hit" d="M0 0 30-17 60 0 30 17z"/><path class="so-shade" d="M8-2.5h46v9H8z"/>'
        '<rect x="5" y="-5" width="50" height="10" rx="3.6"/>'
        '<rect x="5" y="-5" width="50" height="10" rx="3.6" fill="url(#so-gh)"/>'
        '<path class="so-band" d="M10.5-5v10M49.5-5v10"/></g>'
        '<g id="so-u"><path class="hit" d="M0 0 17 30 0 60-17 30z"/><path class="so-shade" d="M-2.5 8h9v46h-9z"/>'
        '<rect x="-5" y="5" width="10" height="50" rx="3.6"/>'
        '<rect x="-5" y="5" width="10" height="50" rx="3.6" fill="url(#so-gv)"/>'
        '<path class="so-band" d="M-5 10.5H5M-5 49.5H5"/></g>'
        '<g id="so-c"><circle class="so-shade" cx="31.5" cy="32.5" r="19"/><circle cx="30" cy="30" r="19" stroke="none"/>'
        '<circle cx="30" cy="30" r="19" fill="url(#so-gc)" stroke="none"/>'
        '<circle cx="30" cy="30" r="16" fill="none" stroke-width="2.4"/>'
        '<circle cx="30" cy="30" r="18.6" fill="none" stroke-width=".8" stroke-opacity=".6" stroke-dasharray="none"/></g>'
        '<g id="so-k"><rect class="so-shade" x="12.5" y="14" width="38" height="38" rx="7"/>'
        '<rect x="11" y="11" width="38" height="38" rx="7" stroke="none"/>'
        '<rect x="11" y="11" width="38" height="38" rx="7" fill="url(#so-gc)" stroke="none"/>'
        '<rect x="15" y="15" width="30" height="30" rx="4.5" fill="none" stroke-width="1.2" stroke-opacity=".55"/>'
        '<path d="M22.5 22.5 37.5 37.5M37.5 22.5 22.5 37.5" fill="none" stroke-width="6" stroke-linecap="round"/></g>'
        '<rect id="so-l" x="11" y="11" width="38" height="38" rx="7" stroke-width=".9"/>'
        f"{pips}</defs>"
    )


def _build_colour_css() -> str:
    """Return the CSS rules for the rims of the parties and for the colours of chips and pips."""
    rules = [f".so-o{seat} .so-c{{{rim}}}" for seat, rim in enumerate(_RIMS) if rim]
    for colour in _COLOURS:
        rules.append(f".so-{colour} .so-c{{fill:var(--so-{colour});stroke:var(--so-on-{colour})}}")
        rules.append(f".fc-board .so-{colour} .so-p,.fc-tray .so-{colour} .so-p{{fill:var(--so-on-{colour})}}")
    return "\n".join(rules)


_CSS = """
.so-lit{stop-color:var(--so-lit);stop-opacity:var(--so-relief)}
.so-mid{stop-color:var(--so-board);stop-opacity:0}
.so-dim{stop-color:var(--so-dim);stop-opacity:var(--so-relief)}
.so-groove{fill:var(--so-groove)}
.so-lip{fill:none;stroke:var(--so-lip);stroke-width:1.1}
.so-dot{fill:var(--so-dot);stroke:var(--so-ring);stroke-width:1.2}
.so-peg{fill:var(--so-ring)}
.so-shade{fill:#000;fill-opacity:var(--so-shadow);stroke:none}
.so-band{fill:none;stroke:#000;stroke-opacity:.22;stroke-width:1.3}
.so-h .hit,.so-u .hit,.hit{fill:none;stroke:none;pointer-events:all}
.fc-board .so-board{fill:var(--so-board);stroke:var(--so-edge);stroke-width:1.5}
.fc-board .so-relief{fill:url(#so-gf)}
.fc-board .so-field{fill:var(--so-field);stroke:var(--so-edge);stroke-width:1}
.fc-board .so-names{--label:19px;font:600 19px Georgia,"Times New Roman",serif;text-anchor:middle;fill:var(--so-names)}
.fc-board .so-b{fill:var(--so-v1)}
.fc-board .so-v0{fill:var(--so-v0)}
.fc-board .so-v2{fill:var(--so-v2)}
.fc-board .so-v3{fill:var(--so-v3)}
.fc-board .so-v4{fill:var(--so-v4)}
.fc-board .so-b .so-p{fill:var(--so-pip)}
.fc-board .so-v2 .so-p{fill:var(--so-pip2)}
.fc-board .so-v3 .so-p{fill:var(--so-pip3)}
.fc-board .so-v4 .so-p{fill:var(--so-pip4)}
.fc-board .so-p text{font:700 25px Georgia,"Times New Roman",serif;text-anchor:middle}
.fc-board .so-k,.fc-tray .so-k{fill:var(--so-block);stroke:var(--so-cross)}
.fc-board .so-e{fill:var(--so-stick)}
.fc-board .so-f use{opacity:0}
.fc-board .so-e.last{fill:var(--so-last)}
.fc-board .can{cursor:pointer}
.fc-board .so-f.can.near use{opacity:.8}
.fc-board:has(.so-b.chosen) .so-f.can use{opacity:.5;fill:var(--so-focus)}
.fc-board .so-f.can.chosen use,.fc-board .so-f.chosen use,.fc-board:has(.so-b.chosen) .so-f.can.near use{opacity:.95;fill:var(--so-focus)}
.fc-board .so-b.can>use:first-child,.fc-board .so-b.chosen>use:first-child{stroke:var(--so-focus);stroke-width:2.5}
.fc-board .so-b.can>use:first-child{stroke-dasharray:5 4}
.fc-board .so-b.can.near>use:first-child,.fc-board .so-b.chosen>use:first-child{stroke-width:4;stroke-dasharray:none}
.fc-board .so-w{opacity:0}
.fc-board .so-b.can.near .so-w{opacity:.35}
.fc-board .so-b.chosen .so-w{opacity:.95}
.fc-board .so-b.marked>use:first-child{stroke:var(--so-focus);stroke-width:5}
.fc-board .so-f.marked use,.fc-board .so-f.ghost use{opacity:.7;fill:var(--so-focus)}
.fc-board .so-e.marked:not(.so-f){fill:var(--so-focus)}
.fc-board .so-b.ghost .so-w{opacity:.5}
.fc-board .so-b.last>use:first-child{stroke:var(--so-last);stroke-width:2}
.fc-board .so-won{fill:none;stroke:var(--so-last);stroke-width:4.5;stroke-linecap:round;stroke-linejoin:round;pointer-events:none}
.fc-board .so-won .under{stroke:var(--so-board);stroke-width:9}
.fc-board .so-chain{pointer-events:none}
.fc-board .so-chain path{fill:var(--so-chain);fill-opacity:.1;stroke:var(--so-chain);stroke-width:1.8;stroke-linejoin:round}
.fc-board .so-long path{fill-opacity:.22;stroke-width:3}
.fc-board .so-joined path{stroke-dasharray:7 5}
.fc-board .so-chain rect{fill:var(--so-chain);stroke:var(--so-on-chain);stroke-width:1.2}
.fc-board .so-chain circle{fill:none;stroke:var(--so-on-chain);stroke-width:2}
.fc-board .so-chain text{font:700 16px Georgia,"Times New Roman",serif;text-anchor:middle;fill:var(--so-on-chain);font-variant-numeric:lining-nums}
.fc-tray .so-shelf{fill:var(--so-field);stroke:var(--so-edge);stroke-width:1.5}
.fc-tray .so-gone{fill:var(--so-groove)}
.fc-tray .so-hand{cursor:grab}
.fc-tray .so-hand.near{filter:brightness(1.2)}
.fc-tray .so-hand.chosen .so-k{opacity:.3}
.fc-tray .so-count{font:600 26px Georgia,"Times New Roman",serif;text-anchor:middle;fill:var(--so-names)}
@keyframes so-lay{from{opacity:0;transform:translateY(-14px)}}
@keyframes so-show{from{opacity:0}}
.fc-board .so-e.new use{animation:so-lay .32s cubic-bezier(.2,.8,.3,1)}
.fc-board .so-b.new>use:nth-child(n+2),.fc-board .so-b.new>g{animation:so-show .4s .2s backwards}
@media (prefers-reduced-motion:reduce){.fc-board .so-e.new use,.fc-board .so-b.new>use,.fc-board .so-b.new>g{animation:none}}
""" + _build_colour_css()

_COLOUR_TABLE = """
              light    dark     print    colour-blind  high-contrast
so-board      #2f4f4a  #1b2625  #ffffff  -             #000000
so-lit        #5d857c  #37504b  -        -             -
so-dim        #172c29  #0c1312  -        -             -
so-relief     .75      -        0        -             0
so-field      #3d625b  #22312f  #ffffff  -             #000000
so-edge       #1f3733  #3a4f4b  #888888  -             #ffffff
so-names      #d5e2dc  #a9bdb7  #222222  -             #ffffff
so-groove     #284540  #131c1b  #e4e4e4  -             #3a3a3a
so-lip        #5f877e  #3c544f  #e4e4e4  -             #6a6a6a
so-dot        #1b302d  #0c1211  #333333  -             #ffffff
so-ring       #7fa49b  #5f7d76  #333333  -             #ffffff
so-v0         #c9cfc4  #39403e  #ffffff  -             #e0e0e0
so-v1         #f6efdc  #4b524c  #ffffff  -             #ffffff
so-v2         #c4e0dd  #33615f  #ececec  #b9d8f0       #a8e6ff
so-v3         #f5c6a0  #7d4e2f  #d4d4d4  #f2d28a       #ffcf70
so-v4         #dccbe8  #58496a  #c4c4c4  -             #e6c8ff
so-pip        #cabf9f  #8c9085  #9a9a9a  -             #767676
so-pip2       #5f9d96  #8cc9c1  #777777  #2d6ea3       #00506e
so-pip3       #c26a32  #f0b184  #555555  #8a5a00       #6b3d00
so-pip4       #7d5aa0  #cdb4ea  #444444  -             #4a2080
so-stick      #d9a55b  #d3a25c  #222222  -             #ffb000
so-last       #4f9be0  #66b2f5  #777777  #56b4e9       #35a7ff
so-focus      #2f7fd0  #66b2f5  #000000  -             #0a6cff
so-shadow     .28      .4       0        -             0
so-chain      #6a3d8f  #cda9f2  #333333  -             #5a0fa0
so-on-chain   #fbf6ff  #2a1540  #ffffff  -             #ffffff
so-block      #98293a  #a83246  #555555  #5c2a6e       #c4001d
so-cross      #f7dfe0  -        #ffffff  -             #ffffff
so-black      #2a2e35  #14171b  #111111  -             #000000
so-on-black   #e9e4d6  #c9cdd2  #ffffff  -             #ffffff
so-white      #fbfaf5  #efece3  #ffffff  -             #ffffff
so-on-white   #6d6a60  -        #222222  -             #000000
so-blue       #2c68b4  #3b7acb  #8a8a8a  #0072b2       -
so-on-blue    #e4effb  -        #ffffff  -             -
so-yellow     #f0c22f  #e3b52b  #d9d9d9  #f0e442       -
so-on-yellow  #5a4500  -        #111111  -             -
so-red        #b3272d  -        #6e6e6e  #d55e00       -
so-on-red     #fde8e2  -        #ffffff  -             -
so-green      #2f8a4a  -        #c8c8c8  #56b4a0       -
so-on-green   #eaf8ea  -        #111111  #06322a       -
so-clear      #dbeaf0  -        #ffffff  -             -
so-on-clear   #42626f  -        #555555  -             -
"""

STYLE = build_style(
    _CSS,
    _build_defs(),
    _COLOUR_TABLE,
    {name.lower(): f"so-{name.lower()}" for names in COLOURS.values() for name in names},
)
