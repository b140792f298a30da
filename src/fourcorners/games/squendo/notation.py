"""Moves and positions of Squendo as text."""

from __future__ import annotations

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, departure, quote
from fourcorners.games.squendo.completion import complete
from fourcorners.games.squendo.hands import hide
from fourcorners.games.squendo.options import CODES, HAND, NEUTRAL, TILES, SquendoOptions
from fourcorners.games.squendo.placements import REACH, col_of, key_of, row_of
from fourcorners.games.squendo.position_setup import UNSEEN, Layout, Slot, Stack, refuse, set_up, stacks, tiles_in
from fourcorners.games.squendo.rules import PASS, decode, encode

_TILE = r"[RBGY](?:0|1|2a|2o|3|4)[ox]"
_NUMBER = r"0|-?[1-9][0-9]{0,5}"
_PLACE = rf"({_NUMBER}),({_NUMBER})"
_MOVE = re.compile(rf"({_TILE}) {_PLACE} (?:leave:({_TILE}) )?r([0-3])(?: take:({_TILE}|\?))?", re.ASCII)
_BEGINNING = re.compile(rf"{_TILE}(?: {_PLACE}(?: leave:{_TILE})?)?", re.ASCII)
_UNSEEN = "?"
_LIKE = "a move looks like 'R2ax 1,-2 r1', 'R2ax 1,-2 leave:B1x r3 take:R0x' or 'pass'"


def parse(s: State, text: str) -> int:
    """Read a move's canonical text as an action, legal or not; raise NotationError."""
    if text == "pass":
        return PASS
    found = _MOVE.fullmatch(text)
    if found is None:
        if _BEGINNING.fullmatch(text):
            raise NotationError(f"{quote(text)} is only the beginning of a move: {_LIKE}", "incomplete")
        raise NotationError(f"{quote(text)} cannot be read: {_LIKE}")
    tile, col, row, leave, turn, take = found.groups()
    if take and not leave:
        raise NotationError(f"{quote(text)} cannot be read: only where a tile is left can one be taken; {_LIKE}")
    if take == "?":
        message = f"{quote(text)} is how others see a move: to play it, say which tile is taken"
        raise NotationError(message, "hidden")
    if max(abs(int(col)), abs(int(row))) > REACH:
        message = f"{quote(text)} is off the table: columns and rows go from -{REACH} to {REACH}"
        raise NotationError(message, "off-board")
    key = key_of(int(col), int(row))
    return encode(CODES[tile], key, int(turn), CODES[leave] + 1 if leave else 0, CODES[take] + 1 if take else 0)


def format(s: State, action: int) -> str:
    """Write an action."""
    if action == PASS:
        return "pass"
    tile, key, turn, leave, take = decode(action)
    left = f"leave:{TILES[leave - 1]} " if leave else ""
    taken = f" take:{TILES[take - 1]}" if take else ""
    return f"{TILES[tile]} {col_of(key)},{row_of(key)} {left}r{turn}{taken}"


def public(text: str) -> str:
    """Write a move as the other seats see it: which tile was taken is not theirs to know (R17)."""
    return re.sub(r" take:.*", " take:?", text)


def drew(before: State, after: State) -> bool:
    """Tell whether tiles were drawn between two positions."""
    return bool(before.pile_n != after.pile_n)


def write(s: State) -> str:
    """Write a position as one line.

    The table: every stack as place, visible tile with its turn, and the tile under it; the hands by seat; the pile,
    the next to be drawn first; what all know of the hands (see `_known`); whose turn it is; who has just passed.
    Where something is hidden from a viewer it is `?`, and the line ends with the tiles that were laid and lie on the
    table no more: they can be told from the others by whoever sees all, and are known to everybody.
    """
    table = [
        f"{col},{row}={TILES[top]}r{turn}" + (f"/{TILES[under]}" if under >= 0 else "")
        for col, row, top, turn, under in stacks(s)
    ]
    seats = range(int(s.players))
    viewer = int(s.seen) - 1
    hands = [tiles_in(int(s.hand[seat])) if viewer in {-1, seat} else [_UNSEEN] * int(s.held[seat]) for seat in seats]
    pile = [TILES[tile - 1] if tile else _UNSEEN for tile in s.pile.tolist()[: int(s.pile_n)][::-1]]
    passed = [str(seat) for seat in seats if int(s.passed) >> seat & 1]
    known = [_known(s, seat) for seat in seats]
    parts = {
        "table": " ".join(table) or "-",
        "hands": " ".join(",".join(hand) or "-" for hand in hands),
        "pile": ",".join(pile) or "-",
        "known": " ".join(known),
        "turn": str(int(s.seat)),
        "passed": ",".join(passed) or "-",
    }
    if any(_UNSEEN in words for words in (pile, *hands)):
        parts["lifted"] = ",".join(_lifted(s)) or "-"
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _lifted(s: State) -> list[str]:
    """List the tiles that were laid and have been discarded or taken back."""
    shown = {tile for stack in stacks(s) for tile in (stack.top, stack.under)}
    in_play = 12 * max(int(s.players), NEUTRAL + 1)
    return [TILES[tile] for tile in range(in_play) if tile not in shown and not int(s.fresh) >> tile & 1]


def _known(s: State, seat: int) -> str:
    """Write a seat's slots: `*` any tile not yet laid, `~` and a set in hex, or the one or two tiles it may be."""
    fresh = int(s.fresh)
    words = []
    for slot in s.slot.tolist()[HAND * seat : HAND * seat + HAND]:
        if slot and slot == fresh:
            words.append("*")
        elif slot & fresh:
            words.append(f"~{slot:x}")
        elif slot:
            words.append("+".join(tiles_in(slot)))
    return ",".join(words) or "-"


_PARTS = ("table", "hands", "pile", "known", "turn", "passed")
_LINE = re.compile("; ".join(rf"{name} ([^;]*)" for name in _PARTS) + r"(?:; lifted ([^;]*))?")
_STACK = re.compile(rf"{_PLACE}=({_TILE})r([0-3])(?:/({_TILE}))?", re.ASCII)
_SLOT = re.compile(rf"(\*)|~([0-9a-f]{{1,12}})|({_TILE}(?:\+{_TILE})?)", re.ASCII)


def read(s: State, options: SquendoOptions, text: str) -> None:
    """Fill a zeroed record from such a line, checking everything; raise NotationError."""
    layout, lifted = _layout(options, text)
    if lifted is not None or _UNSEEN in text:
        refuse("parts of it are hidden: only a position of which all is known can be set up")
    set_up(s, options, layout)
    _check_usual(s, text)


def read_view(s: State, options: SquendoOptions, text: str, seat: int) -> None:
    """Fill a zeroed record from the line of what a seat, or -1 for a spectator, may know; raise NotationError."""
    layout, lifted = _layout(options, text)
    if lifted is not None:
        layout = complete(options, layout, lifted, seat)
    elif _UNSEEN in text:
        refuse(
            "parts of it are hidden, so it must end with '; lifted …', the tiles that were laid and lie there no more"
        )
    set_up(s, options, layout)
    if lifted is None:
        _check_usual(s, text)
    hide(s, seat)
    if lifted is None and write(s) != text:
        viewer = "a spectator" if seat < 0 else f"seat {seat}"
        refuse(f"it tells more than {viewer} may know; what may be known is written with '?' and '; lifted …'")
    _check_usual(s, text)


def _check_usual(s: State, text: str) -> None:
    usual = write(s)
    if usual != text:
        refuse(departure(text, usual))


def _layout(options: SquendoOptions, text: str) -> tuple[Layout, list[int] | None]:
    """Read a line's parts, and in one of what a viewer knows the tiles that lie on the table no more."""
    found = _LINE.fullmatch(text)
    if found is None:
        refuse("it must be 'table …; hands …; pile …; known …; turn …; passed …'")
    table, hands, pile, known, turn, passed, lifted = found.groups()
    hand_words, known_words = hands.split(" "), known.split(" ")
    if len(hand_words) != options.players or len(known_words) != options.players:
        refuse(f"it must have {options.players} hands, and what is known of as many")
    layout = Layout(
        [_stack(word) for word in _listed(table, " ")],
        [[_tile(word, hidden=True) for word in _listed(hand, ",")] for hand in hand_words],
        [_tile(word, hidden=True) for word in _listed(pile, ",")],
        [[_slot(word) for word in _listed(slots, ",")] for slots in known_words],
        _seat(turn),
        [_seat(word) for word in _listed(passed, ",")],
    )
    return layout, None if lifted is None else [_tile(word) for word in _listed(lifted, ",")]


def _listed(text: str, separator: str) -> list[str]:
    return [] if text == "-" else text.split(separator)


def _tile(word: str, *, hidden: bool = False) -> int:
    if hidden and word == _UNSEEN:
        return UNSEEN
    if word not in CODES:
        refuse(f"{quote(word)} is no tile such as 'R2ax'")
    return CODES[word]


def _seat(word: str) -> int:
    if re.fullmatch(r"[0-3]", word, re.ASCII) is None:
        refuse(f"{quote(word)} is no seat's number")
    return int(word)


def _stack(word: str) -> Stack:
    found = _STACK.fullmatch(word)
    if found is None:
        refuse(f"{quote(word)} is no stack such as '1,-2=R2axr1' or '1,-2=R2axr1/B0x'")
    col, row, top, turn, under = found.groups()
    if max(abs(int(col)), abs(int(row))) > REACH:
        refuse(f"{quote(word)} is off the table: columns and rows go from -{REACH} to {REACH}")
    return Stack(int(col), int(row), CODES[top], int(turn), CODES[under] if under else -1)


def _slot(word: str) -> Slot:
    found = _SLOT.fullmatch(word)
    if found is None:
        refuse(f"{quote(word)} says nothing of a tile: it may be '*', '~' and a set in hex, or one or two tiles")
    if found[3]:
        return Slot(False, sum({1 << CODES[tile] for tile in found[3].split("+")}))
    return Slot(True, 0 if found[1] else int(found[2], 16))
