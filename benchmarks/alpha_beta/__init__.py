"""Alpha-beta with the rules only: an opponent that shares no search with the computer."""
