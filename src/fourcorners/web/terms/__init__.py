"""The terms of play, as they are stored: seats, clocks, ratings and names. They know no table and no database."""
