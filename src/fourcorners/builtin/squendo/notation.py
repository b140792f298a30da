"""Moves and positions of Squendo as text."""

import re

from fourcorners.builtin.squendo.completion import complete_layout
from fourcorners.builtin.squendo.hands import hide
from fourcorners.builtin.squendo.options import HAND_SIZE, SquendoOptions, count_colours, find_colour_order
from fourcorners.builtin.squendo.placements import REACH, decode_key, encode_key
from fourcorners.builtin.squendo.position_setup import (
    HIDDEN,
    Layout,
    Slot,
    Stack,
    fill_record,
    list_stacks,
    list_tile_names,
    reject_position,
)
from fourcorners.builtin.squendo.rules import PASS, decode_action, encode_action
from fourcorners.builtin.squendo.tile_names import build_names, read_names
from fourcorners.core.arrays import State
from fourcorners.core.errors import NotationError, describe_first_difference, quote

_TILE = r"[RBGY](?:0|1|2a|2o|3|4)[ox]"
_NUMBER = r"0|-?[1-9][0-9]{0,5}"
_PLACE = rf"({_NUMBER}),({_NUMBER})"
_MOVE = re.compile(rf"({_TILE}) {_PLACE} (?:leave:({_TILE}) )?r([0-3])(?: take:({_TILE}|\?))?", re.ASCII)
_BEGINNING = re.compile(rf"{_TILE}(?: {_PLACE}(?: leave:{_TILE})?)?", re.ASCII)
_HIDDEN = "?"
_EXAMPLES = "a move looks like 'R2ax 1,-2 r1', 'R2ax 1,-2 leave:B1x r3 take:R0x' or 'pass'"


def parse(s: State, text: str) -> int:
    """Parse a canonical move as an action, legal or not.
    Raise NotationError: unreadable, incomplete (the beginning of a move), hidden (take:?), off-board (beyond REACH).
    """
    if text == "pass":
        return PASS
    found = _MOVE.fullmatch(text)
    if found is None:
        if _BEGINNING.fullmatch(text):
            raise NotationError(f"{quote(text)} is only the beginning of a move: {_EXAMPLES}", "incomplete")
        raise NotationError(f"{quote(text)} cannot be read: {_EXAMPLES}")
    tile, col, row, leave, rotation, take = found.groups()
    if take and not leave:
        message = f"{quote(text)} cannot be read: a tile can only be taken back if another is left; {_EXAMPLES}"
        raise NotationError(message)
    if take == "?":
        message = f"{quote(text)} is what others see of a move: to play it, name the tile that is taken back"
        raise NotationError(message, "hidden")
    if max(abs(int(col)), abs(int(row))) > REACH:
        message = f"{quote(text)} is off the table: columns and rows go from -{REACH} to {REACH}"
        raise NotationError(message, "off-board")
    key = encode_key(int(col), int(row))
    codes = read_names(s).codes
    left, taken = (codes[name] + 1 if name else 0 for name in (leave, take))
    return encode_action(codes[tile], key, int(rotation), left, taken)


def format(s: State, action: int) -> str:
    """Format an action, legal or not, as a canonical move, with the tile that is taken back.
    Of the record only the names are used.
    """
    if action == PASS:
        return "pass"
    tile, key, rotation, leave, take = decode_action(action)
    names = read_names(s).tiles
    left = f"leave:{names[leave - 1]} " if leave else ""
    taken = f" take:{names[take - 1]}" if take else ""
    col, row = decode_key(key)
    return f"{names[tile]} {col},{row} {left}r{rotation}{taken}"


def mask_move(text: str) -> str:
    """Return a move as the other seats see it: they may not know which tile was taken back (R17)."""
    return re.sub(r" take:.*", " take:?", text)


def has_drawn(before: State, after: State) -> bool:
    """Return whether tiles were drawn from the pile between two positions."""
    return bool(before.pile_size != after.pile_size)


def write(s: State) -> str:
    """Write a position as one line of named parts.

    `table` lists the stacks: place, visible tile with its rotation, and the tile under it. Then follow the hands by
    seat; the pile, the next tile first; what everyone knows about the hands (see `_write_slots`); whose turn it is;
    and who has passed since a tile was laid. Hidden tiles are `?`; if there are any, the line ends with the `lifted`
    tiles (see `_list_lifted`): everyone knows them, but the hidden parts no longer imply them.
    """
    names = read_names(s).tiles
    table = [
        f"{col},{row}={names[top]}r{rotation}" + (f"/{names[under]}" if under >= 0 else "")
        for col, row, top, rotation, under in list_stacks(s)
    ]
    seats = range(int(s.players))
    viewer = int(s.seen_by) - 1
    hands = [
        list_tile_names(s, int(s.hand[seat])) if viewer in {-1, seat} else [_HIDDEN] * int(s.hand_size[seat])
        for seat in seats
    ]
    pile = [names[tile - 1] if tile else _HIDDEN for tile in s.pile.tolist()[: int(s.pile_size)][::-1]]
    passed = [str(seat) for seat in seats if int(s.passed) >> seat & 1]
    parts = {
        "table": " ".join(table) or "-",
        "hands": " ".join(",".join(hand) or "-" for hand in hands),
        "pile": ",".join(pile) or "-",
        "known": " ".join(_write_slots(s, seat) for seat in seats),
        "turn": str(int(s.seat)),
        "passed": ",".join(passed) or "-",
    }
    if any(_HIDDEN in words for words in (pile, *hands)):
        parts["lifted"] = ",".join(_list_lifted(s)) or "-"
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _list_lifted(s: State) -> list[str]:
    """List the names, by code, of the tiles that were laid and are no longer on the table: discarded or taken back."""
    on_table = {tile for stack in list_stacks(s) for tile in (stack.top, stack.under)}
    names = read_names(s).tiles[: 12 * count_colours(int(s.players))]
    return [name for tile, name in enumerate(names) if tile not in on_table and not int(s.unlaid) >> tile & 1]


def _write_slots(s: State, seat: int) -> str:
    """Write a seat's slots: `*` for any tile never laid, `~` and a set in hex, or one or two tiles; `-` for none."""
    unlaid = int(s.unlaid)
    words = []
    for slot in s.slot.tolist()[HAND_SIZE * seat : HAND_SIZE * seat + HAND_SIZE]:
        if slot and slot == unlaid:
            words.append("*")
        elif slot & unlaid:
            words.append(f"~{slot:x}")
        elif slot:
            words.append("+".join(list_tile_names(s, slot)))
    return ",".join(words) or "-"


_PARTS = ("table", "hands", "pile", "known", "turn", "passed")
_LINE = re.compile("; ".join(rf"{name} ([^;]*)" for name in _PARTS) + r"(?:; lifted ([^;]*))?")
_STACK = re.compile(rf"{_PLACE}=({_TILE})r([0-3])(?:/({_TILE}))?", re.ASCII)
_SLOT = re.compile(rf"(\*)|~([0-9a-f]{{1,12}})|({_TILE}(?:\+{_TILE})?)", re.ASCII)


def read(s: State, options: SquendoOptions, text: str) -> None:
    """Fill a zeroed record from a line of `write`. Raise NotationError, which may leave it half filled, if the line
    is malformed, could not arise under the options, is not what `write` would return, or has hidden parts.
    """
    layout, lifted = parse_layout(options, text)
    if lifted is not None or _HIDDEN in text:
        reject_position("parts of it are hidden; only a position without hidden parts can be set up")
    fill_record(s, options, layout)
    _check_canonical(s, text)


def read_view(s: State, options: SquendoOptions, text: str, seat: int) -> None:
    """Fill a zeroed record from the line of a view, checking everything; raise NotationError if anything is wrong.
    `seat` is the viewer, -1 a spectator. Hidden parts are completed to a possible world for the checks, then blanked.
    """
    layout, lifted = parse_layout(options, text)
    if lifted is not None:
        layout = complete_layout(options, layout, lifted, seat)
    elif _HIDDEN in text:
        reject_position("it has hidden parts, so it must end with '; lifted …' and the tiles that left the table")
    fill_record(s, options, layout)
    if lifted is None:
        _check_canonical(s, text)
    hide(s, seat)
    if lifted is None and write(s) != text:
        viewer = "a spectator" if seat < 0 else f"seat {seat}"
        reject_position(f"it contains more than {viewer} may know; write hidden tiles as '?' and add '; lifted …'")
    _check_canonical(s, text)


def _check_canonical(s: State, text: str) -> None:
    """Raise NotationError, naming the first difference, unless a text is exactly how `write` writes the record."""
    canonical = write(s)
    if canonical != text:
        reject_position(describe_first_difference(text, canonical))


def parse_layout(options: SquendoOptions, text: str) -> tuple[Layout, list[int] | None]:
    """Parse a line, hidden tiles included, into a layout and the lifted tiles, None if it does not end with them.
    Raise NotationError if the line is malformed or has parts for another number of seats.
    """
    found = _LINE.fullmatch(text)
    if found is None:
        reject_position("it must have the form 'table …; hands …; pile …; known …; turn …; passed …'")
    table, hands, pile, known, turn, passed, lifted = found.groups()
    codes = build_names(find_colour_order(options)).codes
    hand_words, known_words = hands.split(" "), known.split(" ")
    if len(hand_words) != options.players or len(known_words) != options.players:
        reject_position(f"it must have {options.players} hands, and the known part as many entries")
    layout = Layout(
        [_parse_stack(codes, word) for word in _split_list(table, " ")],
        [[_parse_tile(codes, word, hidden=True) for word in _split_list(hand, ",")] for hand in hand_words],
        [_parse_tile(codes, word, hidden=True) for word in _split_list(pile, ",")],
        [[_parse_slot(codes, word) for word in _split_list(slots, ",")] for slots in known_words],
        _parse_seat(turn),
        [_parse_seat(word) for word in _split_list(passed, ",")],
    )
    return layout, None if lifted is None else [_parse_tile(codes, word) for word in _split_list(lifted, ",")]


def _split_list(text: str, separator: str) -> list[str]:
    """Split a list of words; `-` is the empty list."""
    return [] if text == "-" else text.split(separator)


def _parse_tile(codes: dict[str, int], word: str, *, hidden: bool = False) -> int:
    """Parse a tile's name as its code, from 0, or `?` as HIDDEN if `hidden`; raise NotationError."""
    if hidden and word == _HIDDEN:
        return HIDDEN
    if word not in codes:
        reject_position(f"{quote(word)} is not a tile such as 'R2ax'")
    return codes[word]


def _parse_seat(word: str) -> int:
    """Parse a seat's number, 0 to 3, whether the seat plays or not; raise NotationError."""
    if re.fullmatch(r"[0-3]", word, re.ASCII) is None:
        reject_position(f"{quote(word)} is not the number of a seat")
    return int(word)


def _parse_stack(codes: dict[str, int], word: str) -> Stack:
    """Parse a stack such as `1,-2=R2axr1/B0x`; raise NotationError, even for a place off the table."""
    found = _STACK.fullmatch(word)
    if found is None:
        reject_position(f"{quote(word)} is not a stack such as '1,-2=R2axr1' or '1,-2=R2axr1/B0x'")
    col, row, top, rotation, under = found.groups()
    if max(abs(int(col)), abs(int(row))) > REACH:
        reject_position(f"{quote(word)} is off the table: columns and rows go from -{REACH} to {REACH}")
    return Stack(int(col), int(row), codes[top], int(rotation), codes[under] if under else -1)


def _parse_slot(codes: dict[str, int], word: str) -> Slot:
    """Parse the word of a slot: `*` (drawn, the set 0), `~` and a set in hex (drawn), or one tile or two such as
    `R2ax+R3x` (taken back). Raise NotationError for anything else; whether such a set is possible is not checked here.
    """
    found = _SLOT.fullmatch(word)
    if found is None:
        reject_position(f"{quote(word)} does not describe a tile: write '*', '~' and a set in hex, or one or two tiles")
    if found[3]:
        # A set, so that a tile named twice counts once; `_check_canonical` refuses such a line later.
        return Slot(False, sum({1 << codes[tile] for tile in found[3].split("+")}))
    return Slot(True, 0 if found[1] else int(found[2], 16))
