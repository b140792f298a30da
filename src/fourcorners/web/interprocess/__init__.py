"""How the processes of one server on one machine reach each other: frames on Unix sockets, and the hub."""
