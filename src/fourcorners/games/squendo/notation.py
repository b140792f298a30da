"""Moves and positions of Squendo as text."""

from __future__ import annotations

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, describe_first_difference, quote
from fourcorners.games.squendo.completion import complete_layout
from fourcorners.games.squendo.hands import hide
from fourcorners.games.squendo.options import HAND_SIZE, NEUTRAL_COLOUR, TILE_CODES, TILES, SquendoOptions
from fourcorners.games.squendo.placements import REACH, decode_col, decode_row, encode_key
from fourcorners.games.squendo.position_setup import (
    HIDDEN,
    Layout,
    Slot,
    Stack,
    fill_record,
    list_stacks,
    list_tile_names,
    reject_position,
)
from fourcorners.games.squendo.rules import PASS, decode_action, encode_action

_TILE = r"[RBGY](?:0|1|2a|2o|3|4)[ox]"
_NUMBER = r"0|-?[1-9][0-9]{0,5}"
_PLACE = rf"({_NUMBER}),({_NUMBER})"
_MOVE = re.compile(rf"({_TILE}) {_PLACE} (?:leave:({_TILE}) )?r([0-3])(?: take:({_TILE}|\?))?", re.ASCII)
_BEGINNING = re.compile(rf"{_TILE}(?: {_PLACE}(?: leave:{_TILE})?)?", re.ASCII)
_HIDDEN = "?"
_EXAMPLES = "a move looks like 'R2ax 1,-2 r1', 'R2ax 1,-2 leave:B1x r3 take:R0x' or 'pass'"


def parse(s: State, text: str) -> int:
    """Read a move's canonical text as an action, legal or not; raise NotationError."""
    if text == "pass":
        return PASS
    found = _MOVE.fullmatch(text)
    if found is None:
        if _BEGINNING.fullmatch(text):
            raise NotationError(f"{quote(text)} is only the beginning of a move: {_EXAMPLES}", "incomplete")
        raise NotationError(f"{quote(text)} cannot be read: {_EXAMPLES}")
    tile, col, row, leave, turn, take = found.groups()
    if take and not leave:
        raise NotationError(f"{quote(text)} cannot be read: only where a tile is left can one be taken; {_EXAMPLES}")
    if take == "?":
        message = f"{quote(text)} is how others see a move: to play it, say which tile is taken"
        raise NotationError(message, "hidden")
    if max(abs(int(col)), abs(int(row))) > REACH:
        message = f"{quote(text)} is off the table: columns and rows go from -{REACH} to {REACH}"
        raise NotationError(message, "off-board")
    key = encode_key(int(col), int(row))
    return encode_action(
        TILE_CODES[tile], key, int(turn), TILE_CODES[leave] + 1 if leave else 0, TILE_CODES[take] + 1 if take else 0
    )


def format(s: State, action: int) -> str:
    """Write an action."""
    if action == PASS:
        return "pass"
    tile, key, turn, leave, take = decode_action(action)
    left = f"leave:{TILES[leave - 1]} " if leave else ""
    taken = f" take:{TILES[take - 1]}" if take else ""
    return f"{TILES[tile]} {decode_col(key)},{decode_row(key)} {left}r{turn}{taken}"


def mask_move(text: str) -> str:
    """Write a move as the other seats see it: which tile was taken is not theirs to know (R17)."""
    return re.sub(r" take:.*", " take:?", text)


def has_drawn(before: State, after: State) -> bool:
    """Tell whether tiles were drawn between two positions."""
    return bool(before.pile_size != after.pile_size)


def write(s: State) -> str:
    """Write a position as one line.

    The table: every stack as place, visible tile with its turn, and the tile under it; the hands by seat; the pile,
    the next to be drawn first; what all know of the hands (see `_known`); whose turn it is; who has just passed.
    Where something is hidden from a viewer it is `?`, and the line ends with the tiles that were laid and lie on the
    table no more: they can be told from the others by whoever sees all, and are known to everybody.
    """
    table = [
        f"{col},{row}={TILES[top]}r{turn}" + (f"/{TILES[under]}" if under >= 0 else "")
        for col, row, top, turn, under in list_stacks(s)
    ]
    seats = range(int(s.players))
    viewer = int(s.seen_by) - 1
    hands = [
        list_tile_names(int(s.hand[seat])) if viewer in {-1, seat} else [_HIDDEN] * int(s.hand_size[seat])
        for seat in seats
    ]
    pile = [TILES[tile - 1] if tile else _HIDDEN for tile in s.pile.tolist()[: int(s.pile_size)][::-1]]
    passed = [str(seat) for seat in seats if int(s.passed) >> seat & 1]
    known = [_write_slots(s, seat) for seat in seats]
    parts = {
        "table": " ".join(table) or "-",
        "hands": " ".join(",".join(hand) or "-" for hand in hands),
        "pile": ",".join(pile) or "-",
        "known": " ".join(known),
        "turn": str(int(s.seat)),
        "passed": ",".join(passed) or "-",
    }
    if any(_HIDDEN in words for words in (pile, *hands)):
        parts["lifted"] = ",".join(_list_lifted(s)) or "-"
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _list_lifted(s: State) -> list[str]:
    """List the tiles that were laid and have been discarded or taken back."""
    shown = {tile for stack in list_stacks(s) for tile in (stack.top, stack.under)}
    in_play = 12 * max(int(s.players), NEUTRAL_COLOUR + 1)
    return [TILES[tile] for tile in range(in_play) if tile not in shown and not int(s.unlaid) >> tile & 1]


def _write_slots(s: State, seat: int) -> str:
    """Write a seat's slots: `*` any tile not yet laid, `~` and a set in hex, or the one or two tiles it may be."""
    fresh = int(s.unlaid)
    words = []
    for slot in s.slot.tolist()[HAND_SIZE * seat : HAND_SIZE * seat + HAND_SIZE]:
        if slot and slot == fresh:
            words.append("*")
        elif slot & fresh:
            words.append(f"~{slot:x}")
        elif slot:
            words.append("+".join(list_tile_names(slot)))
    return ",".join(words) or "-"


_PARTS = ("table", "hands", "pile", "known", "turn", "passed")
_LINE = re.compile("; ".join(rf"{name} ([^;]*)" for name in _PARTS) + r"(?:; lifted ([^;]*))?")
_STACK = re.compile(rf"{_PLACE}=({_TILE})r([0-3])(?:/({_TILE}))?", re.ASCII)
_SLOT = re.compile(rf"(\*)|~([0-9a-f]{{1,12}})|({_TILE}(?:\+{_TILE})?)", re.ASCII)


def read(s: State, options: SquendoOptions, text: str) -> None:
    """Fill a zeroed record from such a line, checking everything; raise NotationError."""
    layout, lifted = _parse_layout(options, text)
    if lifted is not None or _HIDDEN in text:
        reject_position("parts of it are hidden: only a position of which all is known can be set up")
    fill_record(s, options, layout)
    _check_canonical(s, text)


def read_view(s: State, options: SquendoOptions, text: str, seat: int) -> None:
    """Fill a zeroed record from the line of what a seat, or -1 for a spectator, may know; raise NotationError."""
    layout, lifted = _parse_layout(options, text)
    if lifted is not None:
        layout = complete_layout(options, layout, lifted, seat)
    elif _HIDDEN in text:
        reject_position(
            "parts of it are hidden, so it must end with '; lifted …', the tiles that were laid and lie there no more"
        )
    fill_record(s, options, layout)
    if lifted is None:
        _check_canonical(s, text)
    hide(s, seat)
    if lifted is None and write(s) != text:
        viewer = "a spectator" if seat < 0 else f"seat {seat}"
        reject_position(f"it tells more than {viewer} may know; what may be known is written with '?' and '; lifted …'")
    _check_canonical(s, text)


def _check_canonical(s: State, text: str) -> None:
    usual = write(s)
    if usual != text:
        reject_position(describe_first_difference(text, usual))


def _parse_layout(options: SquendoOptions, text: str) -> tuple[Layout, list[int] | None]:
    """Read a line's parts, and in one of what a viewer knows the tiles that lie on the table no more."""
    found = _LINE.fullmatch(text)
    if found is None:
        reject_position("it must be 'table …; hands …; pile …; known …; turn …; passed …'")
    table, hands, pile, known, turn, passed, lifted = found.groups()
    hand_words, known_words = hands.split(" "), known.split(" ")
    if len(hand_words) != options.players or len(known_words) != options.players:
        reject_position(f"it must have {options.players} hands, and what is known of as many")
    layout = Layout(
        [_parse_stack(word) for word in _split_list(table, " ")],
        [[_parse_tile(word, hidden=True) for word in _split_list(hand, ",")] for hand in hand_words],
        [_parse_tile(word, hidden=True) for word in _split_list(pile, ",")],
        [[_parse_slot(word) for word in _split_list(slots, ",")] for slots in known_words],
        _parse_seat(turn),
        [_parse_seat(word) for word in _split_list(passed, ",")],
    )
    return layout, None if lifted is None else [_parse_tile(word) for word in _split_list(lifted, ",")]


def _split_list(text: str, separator: str) -> list[str]:
    return [] if text == "-" else text.split(separator)


def _parse_tile(word: str, *, hidden: bool = False) -> int:
    if hidden and word == _HIDDEN:
        return HIDDEN
    if word not in TILE_CODES:
        reject_position(f"{quote(word)} is no tile such as 'R2ax'")
    return TILE_CODES[word]


def _parse_seat(word: str) -> int:
    if re.fullmatch(r"[0-3]", word, re.ASCII) is None:
        reject_position(f"{quote(word)} is no seat's number")
    return int(word)


def _parse_stack(word: str) -> Stack:
    found = _STACK.fullmatch(word)
    if found is None:
        reject_position(f"{quote(word)} is no stack such as '1,-2=R2axr1' or '1,-2=R2axr1/B0x'")
    col, row, top, turn, under = found.groups()
    if max(abs(int(col)), abs(int(row))) > REACH:
        reject_position(f"{quote(word)} is off the table: columns and rows go from -{REACH} to {REACH}")
    return Stack(int(col), int(row), TILE_CODES[top], int(turn), TILE_CODES[under] if under else -1)


def _parse_slot(word: str) -> Slot:
    found = _SLOT.fullmatch(word)
    if found is None:
        reject_position(
            f"{quote(word)} says nothing of a tile: it may be '*', '~' and a set in hex, or one or two tiles"
        )
    if found[3]:
        return Slot(False, sum({1 << TILE_CODES[tile] for tile in found[3].split("+")}))
    return Slot(True, 0 if found[1] else int(found[2], 16))
