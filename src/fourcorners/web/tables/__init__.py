"""What a table is, what may be done, planned and said there, and what is shown of it; no network."""
