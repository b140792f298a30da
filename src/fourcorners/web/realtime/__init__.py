"""Rooms in memory, WebSockets, messages between servers, and background tasks."""
