"""Work that takes a while: computer moves, hints, exact values, and compiling before all of it."""
