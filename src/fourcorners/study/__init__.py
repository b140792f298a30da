"""Study: reviews of finished games. It uses games only through `core`."""
