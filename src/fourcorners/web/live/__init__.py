"""Tables in memory: rooms, the sockets that watch them, and what servers do with nobody there."""
