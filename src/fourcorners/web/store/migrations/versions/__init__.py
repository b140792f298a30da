"""The steps, each with the one before it; a step that was published is never changed."""
