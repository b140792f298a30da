"""Computer players. They use games only through `core`."""
