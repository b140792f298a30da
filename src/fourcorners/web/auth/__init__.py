"""Authentication and rate limits: middleware, identity, passwords."""
