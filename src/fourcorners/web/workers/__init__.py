"""Several worker processes that serve one port: the supervisor, its hub, and the process that writes to SQLite."""
