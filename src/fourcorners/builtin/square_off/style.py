"""The style of Square Off: a board of two veneers in a walnut frame, turned men, inlaid brass."""

from fourcorners.core.scene import build_style

_CSS = """
.so-frame{fill:url(#so-fg);stroke:var(--so-rim);stroke-width:1.5}
.so-lip{fill:none;stroke:var(--so-lip);stroke-width:1.5}
.so-well{fill:var(--so-well)}
.so-veneer{fill:url(#so-vg);stroke:var(--so-line);stroke-width:1.2}
.so-check{fill:var(--so-check)}
.so-lines{fill:none;stroke:var(--so-line);stroke-width:1}
.so-grain{fill:none;stroke:var(--so-grain);stroke-width:1.3;stroke-linecap:round}
.so-brass{fill:none;stroke:var(--so-brass);stroke-width:1.6}
.so-pin{fill:var(--so-brass)}
.so-text{--label:15px;fill:var(--so-text);font:600 15px Georgia,'Times New Roman',serif;text-anchor:middle}
.so-f1{stop-color:var(--so-frame1)}
.so-f2{stop-color:var(--so-frame2)}
.so-v1{stop-color:var(--so-veneer1)}
.so-v2{stop-color:var(--so-veneer2)}
.so-w1{stop-color:var(--so-white1)}
.so-w2{stop-color:var(--so-white2)}
.so-w3{stop-color:var(--so-white3)}
.so-b1{stop-color:var(--so-black1)}
.so-b2{stop-color:var(--so-black2)}
.so-b3{stop-color:var(--so-black3)}
.so-shadow{fill:var(--so-shadow);stroke:none}
.so-dish{fill:none;stroke:var(--so-dish);stroke-width:1.4}
.so-crown{fill:none;stroke:currentColor;stroke-width:4.4}
.so-jewel{fill:currentColor;stroke:none}
.so-cell use{display:none;pointer-events:none}
.so-cell.w use{display:inline;fill:url(#so-wg);stroke:var(--so-white-edge);color:transparent}
.so-cell.b use{display:inline;fill:url(#so-bg);stroke:var(--so-black-edge);color:transparent}
.so-cell.w.m use{color:var(--so-white-mark)}
.so-cell.b.m use{color:var(--so-black-mark)}
.so-cell .hit{fill:transparent;stroke:none;stroke-width:3.2;stroke-linejoin:round}
.so-cell.last .hit{fill:var(--so-last-fill);stroke:var(--so-last)}
.so-sq{stroke-width:5;stroke-linejoin:round;pointer-events:none}
.so-sq .so-under{fill:none;stroke-width:8.5}
.fc-board .so-won{fill:none;stroke:var(--so-last);stroke-width:5;stroke-linecap:round;stroke-linejoin:round;pointer-events:none}
.fc-board .so-won .under{stroke:var(--so-white-under);stroke-width:9.5}
.so-sq.w .so-under{stroke:var(--so-white-under)}
.so-sq.b .so-under{stroke:var(--so-black-under)}
.so-sq.w{fill:var(--so-white-fill);stroke:var(--so-white-square)}
.so-sq.b{fill:var(--so-black-fill);stroke:var(--so-black-square)}
.so-mirror{pointer-events:none}
.so-mirror .lr,.so-mirror .tb,.so-mirror .ht{display:none}
.so-mirror.lr .lr,.so-mirror.tb .tb,.so-mirror.ht .ht{display:inline}
.so-mirror path{fill:none;stroke:var(--so-axis);stroke-width:4;stroke-linecap:round;stroke-linejoin:round}
.so-mirror .lr,.so-mirror .tb{stroke-dasharray:1 11}
.so-mirror circle{fill:var(--so-well);stroke:var(--so-brass);stroke-width:1.6}
.so-carried{fill:none;stroke:var(--so-last);stroke-width:3.2;stroke-linecap:round;stroke-dasharray:1 8}
.so-carried{pointer-events:none}
.so-cell.marked .hit{fill:var(--so-last-fill);stroke:var(--so-last);stroke-width:4}
.so-turn.w ~ .so-cell.ghost use{display:inline;opacity:.55;fill:url(#so-wg);stroke:var(--so-white-edge);color:transparent}
.so-turn.b ~ .so-cell.ghost use{display:inline;opacity:.55;fill:url(#so-bg);stroke:var(--so-black-edge);color:transparent}
.fc-board .so-cell.can{cursor:pointer}
.fc-board .so-cell.right.can .hit{stroke:var(--so-last);stroke-dasharray:6 5}
.fc-board .so-cell.chosen .hit{fill:var(--so-last-fill);stroke:var(--so-last);stroke-width:4.5;stroke-dasharray:none}
@media (hover:hover){.fc-board .so-cell.can:hover .hit{fill:var(--so-hover)}}
@media (hover:hover){.so-turn.w ~ .so-cell.can:not(.w):not(.b):hover use{display:inline;opacity:.6;fill:url(#so-wg);
stroke:var(--so-white-edge);color:transparent}}
@media (hover:hover){.so-turn.b ~ .so-cell.can:not(.w):not(.b):hover use{display:inline;opacity:.6;fill:url(#so-bg);
stroke:var(--so-black-edge);color:transparent}}
.fc-board:has(.so-cell.chosen) .so-cell.can:not(.w):not(.b):hover use{fill:url(#so-bg);stroke:var(--so-black-edge)}
.fc-board:has(.so-cell.chosen) .so-cell.can .hit{fill:var(--so-hover)}
@keyframes so-drop{from{opacity:0;transform:translateY(-16px)}60%{opacity:1}to{opacity:1;transform:none}}
@keyframes so-draw{from{stroke-dashoffset:1;fill-opacity:0}to{stroke-dashoffset:0;fill-opacity:1}}
@keyframes so-crown{from{color:transparent}}
@media (prefers-reduced-motion:no-preference){
.fc-board .so-cell.new use{animation:so-drop .28s cubic-bezier(.3,.7,.4,1.2)}
.fc-board .so-cell use{transition:color .5s}
.fc-board .so-sq.new polygon{stroke-dasharray:1;animation:so-draw .6s ease-out}
}
"""

# One symbol serves both colours: it inherits fill, stroke and, for the crown, colour from the element of its cell.
_DEFS = (
    "<defs>"
    '<linearGradient id="so-fg" x2=".6" y2="1"><stop class="so-f1"/><stop class="so-f2" offset="1"/></linearGradient>'
    '<linearGradient id="so-vg" x2="1" y2=".7"><stop class="so-v1"/><stop class="so-v2" offset="1"/></linearGradient>'
    '<radialGradient id="so-wg" cx=".36" cy=".28" r=".85"><stop class="so-w1"/><stop class="so-w2" offset=".55"/>'
    '<stop class="so-w3" offset="1"/></radialGradient>'
    '<radialGradient id="so-bg" cx=".36" cy=".26" r=".85"><stop class="so-b1"/><stop class="so-b2" offset=".5"/>'
    '<stop class="so-b3" offset="1"/></radialGradient>'
    '<g id="so-man"><ellipse class="so-shadow" cx="1.5" cy="3.5" rx="23.5" ry="23"/><circle r="23" stroke-width="1.4"/>'
    '<circle class="so-dish" r="15.5"/><circle class="so-crown" r="15.5"/>'
    '<rect class="so-jewel" x="-4.6" y="-4.6" width="9.2" height="9.2" rx="1.2"/></g>'
    '<path id="so-grain" class="so-grain" d="'
    "M0 9c50-5 80 6 130 3s80-6 110-3M0 27c40 2 70-6 110-4s90 9 130 4"
    "M0 49c60-8 90-2 140 2s70-4 100-6M0 66c30 3 60 4 90 0 50-8 100-8 150 0M0 88c70 4 100-9 160-6 30 2 60 5 80 3"
    "M0 108c50-2 80-12 130-8s80 12 110 8M34 112c20-8 60-9 84-2-24 9-62 9-84 2M0 131c30 0 50 6 90 3s90-9 150-4"
    "M0 150c60 6 100-6 150-5s70 7 90 5M0 171c40-6 70-8 120-2s90 4 120 2M0 190c60 2 80 9 130 6s80-8 110-6"
    "M0 211c40-2 70-5 110-3s90 6 130 3M0 229c50 4 90 2 130-1s80 2 110 1"
    '"/>'
    "</defs>"
)

# Black and white differ for every kind of colour vision; crown and jewel show a marked man by their shape.
_COLOUR_TABLE = """
                 light      dark       print      colour-blind  high-contrast
so-frame1        #7d5640    #4a3326    #ffffff    -             #000000
so-frame2        #553524    #2c1d14    #ffffff    -             #000000
so-rim           #3c2417    #150d08    #000000    -             #000000
so-lip           #a47a5c    #6d4d39    #ffffff    -             #ffffff
so-well          #402718    #1a100a    #000000    -             #000000
so-veneer1       #efd9b1    #b08d63    #ffffff    -             #e9c46a
so-veneer2       #dfc091    #94714b    #ffffff    -             #e9c46a
so-check         #a86f3826  #4a2a1133  #0000000f  -             #00000014
so-line          #8a603673  #3d231080  #777777    -             #000000
so-grain         #9a6a3a2e  #4a2a113b  #ffffff00  -             #00000000
so-brass         #c9a45a    #b8934b    #ffffff    -             #ffffff
so-text          #f0dfc4    #dcc7a6    #000000    -             #ffffff
so-white1        #ffffff    #fdfaf3    -          -             #ffffff
so-white2        #f6f0e2    #e9e0cd    #ffffff    -             #ffffff
so-white3        #cbbd9f    #b5a684    #ffffff    -             #ffffff
so-white-edge    #7d6c4c    #4b3d25    #000000    -             #000000
so-black1        #6b7480    #57606b    #000000    -             #000000
so-black2        #2b323b    #20262d    #000000    -             #000000
so-black3        #101419    #0a0d10    #000000    -             #000000
so-black-edge    #07090b    -          #000000    -             #000000
so-shadow        #2a160859  #0c060280  #ffffff00  -             #00000000
so-dish          #80808066  -          #ffffff00  -             #00000000
so-white-mark    #a3600a    #96560a    #000000    #b34a00       #000000
so-black-mark    #ffc94d    -          #ffffff    #ffd84d       #ffffff
so-white-square  #fffaf0    #f7efdf    #ffffff    -             #ffffff
so-white-fill    #fffaf059  #f7efdf4d  #ffffff00  -             -
so-black-square  #1d242c    #12171c    #000000    -             #000000
so-black-fill    #1d242c33  #12171c4d  #00000026  -             -
so-white-under   #5a3c1c80  -          #000000    -             #000000
so-black-under   #fff8ea8c  -          #ffffff    -             #ffffff
so-axis          #8ccbff    -          #ffffff    #ffffff       #ffffff
so-last          #14649c    #8ccbff    #000000    #000000       #0000c8
so-last-fill     #2f8fce38  #8fd0ff47  #0000001f  -             #0000c824
so-hover         #ffffff57  #ffffff40  #0000001a  -             -
"""

STYLE = build_style(_CSS, _DEFS, _COLOUR_TABLE, {"white": "so-white2", "black": "so-black2"})
