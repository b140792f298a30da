"""The web page: tables stored as events, live boards, and the computer's seats."""
