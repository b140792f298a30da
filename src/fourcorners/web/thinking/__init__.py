"""What takes a while to think about: the computer's moves, hints, exact values, and the compiling before all of it."""
