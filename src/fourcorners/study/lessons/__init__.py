"""Interactive lessons: their format, what a move in one means, and the proof of what they claim."""
