"""Use cases shared by pages, the API and WebSockets."""
