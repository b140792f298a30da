"""The codes with which the server closes sockets: those of RFC 6455, and 4000 plus an HTTP status."""

VIOLATION, FAILED, RESTART = 1008, 1011, 1012
"""The client sends what cannot be read, the server has failed, and the client should connect again."""
BAD, GONE, TOO_SLOW, TOO_MUCH = 4400, 4404, 4408, 4429
"""The client does not send text, there is no such table, the client reads too slowly, and something is full or the
client sends too much.
"""
