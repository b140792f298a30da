"""Strategy: chains and loops, playouts and priors, for the computer players, hints and pictures."""
