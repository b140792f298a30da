"""The domain: tables, actions, clocks, seats and ratings. It imports no database, no JSON and no web framework."""
