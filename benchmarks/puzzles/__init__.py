"""The generator of puzzles: `python -m benchmarks.puzzles GAME`."""
