"""Games that computer players play against each other, as data: Parquet files with their positions."""
