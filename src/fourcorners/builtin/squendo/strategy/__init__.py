"""Strategy knowledge for the computer players."""
