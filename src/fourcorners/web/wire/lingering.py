"""Closing a connection so that the client hears why, even if it is still sending."""

import asyncio

SECONDS, MAX_BYTES = 2.0, 4 * 1024 * 1024
"""How long, and how much, a client may still send, unread. If the server closed at once, the reason would be lost."""


def finish_writing(transport: asyncio.Transport) -> asyncio.TimerHandle:
    """Send everything written and then the end; close the connection when the client does, at the latest after a while.

    Return the timer for that. The protocol must drop what still arrives, and abort the transport beyond `MAX_BYTES`.
    """
    if not transport.is_closing():
        if transport.can_write_eof():
            transport.write_eof()
        transport.resume_reading()
    return asyncio.get_running_loop().call_later(SECONDS, transport.abort)
