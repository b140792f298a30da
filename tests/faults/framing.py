"""Framing of a byte stream: the head of an HTTP message, then whole WebSocket messages or raw bytes."""

import asyncio
from collections.abc import AsyncIterator
from enum import Enum

_READ_SIZE = 65_536
_CONTROL, _FINAL, _MASKED = 0x08, 0x80, 0x80


class ChunkKind(Enum):
    """What a chunk contains: the head of an HTTP message, a WebSocket message, a control frame, or any bytes."""

    HEAD = "head"
    MESSAGE = "message"
    CONTROL = "control"
    RAW = "raw"


async def read_chunks(reader: asyncio.StreamReader) -> AsyncIterator[tuple[ChunkKind, bytes]]:
    """Yield the chunks of one direction of an HTTP connection to its end; together they are all bytes of the stream.

    After a head that switches to WebSocket come whole messages and control frames, after any other one raw bytes, and
    without a head of at most 64 KiB only raw bytes. A control frame within a message comes before it. An incomplete
    last chunk is raw. Errors of the stream pass through.
    """
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
    async for item in read_raw(reader):
        yield item


async def read_raw(reader: asyncio.StreamReader) -> AsyncIterator[tuple[ChunkKind, bytes]]:
    """Yield the bytes of a stream of any protocol as they come, to its end; errors of the stream pass through."""
    while chunk := await reader.read(_READ_SIZE):
        yield ChunkKind.RAW, chunk


async def _read_messages(reader: asyncio.StreamReader) -> AsyncIterator[tuple[ChunkKind, bytes]]:
    """Yield whole WebSocket messages, as the bytes of all their frames, and control frames, to the stream's end.

    What is incomplete there is yielded as raw bytes. Errors of the stream pass through.
    """
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
    """Return the bytes of one WebSocket frame (RFC 6455, 5.2), header and mask included.

    Raise IncompleteReadError at the end of the stream, with the bytes of the frame read so far.
    """
    frame = await _read_more(reader, b"", 2)
    length = frame[1] & ~_MASKED
    if length >= 126:
        width = 2 if length == 126 else 8
        frame = await _read_more(reader, frame, width)
        length = int.from_bytes(frame[2:])
    return await _read_more(reader, frame, length + (4 if frame[1] & _MASKED else 0))


async def _read_more(reader: asyncio.StreamReader, begun: bytes, count: int) -> bytes:
    """Return `begun` and `count` more bytes; raise IncompleteReadError with `begun` and what was read."""
    try:
        return begun + await reader.readexactly(count)
    except asyncio.IncompleteReadError as error:
        raise asyncio.IncompleteReadError(begun + error.partial, None) from None
