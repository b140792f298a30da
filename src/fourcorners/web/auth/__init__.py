"""Who is asking, and how much they may ask for: middleware, identity, passwords and rate limits."""
