"""Interactive lessons: their format, the judgement of moves, and the proof of their claims."""
