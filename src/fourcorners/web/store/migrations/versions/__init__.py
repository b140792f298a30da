"""The migrations, each with its predecessor as `down_revision`. A released migration must never change."""
