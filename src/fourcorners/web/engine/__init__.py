"""Work that takes a while: computer moves, hints, evaluations, exact values, and compiling at start-up."""
