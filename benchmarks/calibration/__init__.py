"""How well the computer's estimates agree with exact values: `python -m benchmarks.calibration`."""
