"""Bytes on a line as whole pieces: the head of a request or an answer, then WebSocket messages, or whatever comes."""

import asyncio
from collections.abc import AsyncIterator
from enum import Enum

_LONGEST_HEAD = 65_536
_CHUNK = 65_536
_CONTROL, _FINAL, _MASKED = 0x08, 0x80, 0x80


class Kind(Enum):
    """What a piece is."""

    HEAD = "head"
    MESSAGE = "message"
    CONTROL = "control"
    RAW = "raw"


async def pieces(reader: asyncio.StreamReader) -> AsyncIterator[tuple[Kind, bytes]]:
    """Read a line to its end; what a broken end leaves half is passed on as it is."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            yield Kind.RAW, error.partial
        return
    except asyncio.LimitOverrunError:
        head = b""
    if head:
        yield Kind.HEAD, head
    if b"\r\nupgrade: websocket\r\n" in head.lower():
        async for piece in _messages(reader):
            yield piece
        return
    while chunk := await reader.read(_CHUNK):
        yield Kind.RAW, chunk


async def _messages(reader: asyncio.StreamReader) -> AsyncIterator[tuple[Kind, bytes]]:
    message = b""
    while True:
        try:
            frame = await _frame(reader)
        except asyncio.IncompleteReadError as error:
            if message or error.partial:
                yield Kind.RAW, message + error.partial
            return
        if frame[0] & _CONTROL:
            yield Kind.CONTROL, frame
            continue
        message += frame
        if frame[0] & _FINAL:
            yield Kind.MESSAGE, message
            message = b""


async def _frame(reader: asyncio.StreamReader) -> bytes:
    frame = await _more(reader, b"", 2)
    length = frame[1] & ~_MASKED
    if length >= 126:
        width = 2 if length == 126 else 8
        frame = await _more(reader, frame, width)
        length = int.from_bytes(frame[2:])
    return await _more(reader, frame, length + (4 if frame[1] & _MASKED else 0))


async def _more(reader: asyncio.StreamReader, begun: bytes, count: int) -> bytes:
    try:
        return begun + await reader.readexactly(count)
    except asyncio.IncompleteReadError as error:
        raise asyncio.IncompleteReadError(begun + error.partial, None) from None
