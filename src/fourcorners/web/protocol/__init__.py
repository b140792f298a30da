"""The messages that clients and the server exchange: types that parse, serialise and document themselves."""
