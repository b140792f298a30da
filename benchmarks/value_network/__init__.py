"""Value networks, fitted to games of the strongest level against itself: `python -m benchmarks.value_network`."""
