"""Framing of a byte stream: the head of an HTTP message, then whole WebSocket messages or raw bytes."""

import asyncio
from collections.abc import AsyncIterator
from enum import Enum

_MAX_HEAD = 65_536
_READ_SIZE = 65_536
_CONTROL, _FINAL, _MASKED = 0x08, 0x80, 0x80


class ChunkKind(Enum):
    """What a chunk of a stream contains."""

    HEAD = "head"
    MESSAGE = "message"
    CONTROL = "control"
    RAW = "raw"


async def read_chunks(reader: asyncio.StreamReader) -> AsyncIterator[tuple[ChunkKind, bytes]]:
    """Yield the chunks of a stream to its end; an incomplete last chunk is raw."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            yield ChunkKind.RAW, error.partial
        return
    except asyncio.LimitOverrunError:
        head = b""
    if head:
        yield ChunkKind.HEAD, head
    if b"\r\nupgrade: websocket\r\n" in head.lower():
        async for item in _read_messages(reader):
            yield item
        return
    while chunk := await reader.read(_READ_SIZE):
        yield ChunkKind.RAW, chunk


async def _read_messages(reader: asyncio.StreamReader) -> AsyncIterator[tuple[ChunkKind, bytes]]:
    """Yield whole WebSocket messages, with all their fragments, and control frames."""
    message = b""
    while True:
        try:
            frame = await _read_frame(reader)
        except asyncio.IncompleteReadError as error:
            if message or error.partial:
                yield ChunkKind.RAW, message + error.partial
            return
        if frame[0] & _CONTROL:
            yield ChunkKind.CONTROL, frame
            continue
        message += frame
        if frame[0] & _FINAL:
            yield ChunkKind.MESSAGE, message
            message = b""


async def _read_frame(reader: asyncio.StreamReader) -> bytes:
    """Read one WebSocket frame (RFC 6455, 5.2); raise IncompleteReadError with all bytes read so far."""
    frame = await _read_more(reader, b"", 2)
    length = frame[1] & ~_MASKED
    if length >= 126:
        width = 2 if length == 126 else 8
        frame = await _read_more(reader, frame, width)
        length = int.from_bytes(frame[2:])
    return await _read_more(reader, frame, length + (4 if frame[1] & _MASKED else 0))


async def _read_more(reader: asyncio.StreamReader, begun: bytes, count: int) -> bytes:
    """Return `begun` and `count` more bytes; raise IncompleteReadError with all bytes read so far."""
    try:
        return begun + await reader.readexactly(count)
    except asyncio.IncompleteReadError as error:
        raise asyncio.IncompleteReadError(begun + error.partial, None) from None
