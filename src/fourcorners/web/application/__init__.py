"""The use cases that pages, API and sockets share."""
