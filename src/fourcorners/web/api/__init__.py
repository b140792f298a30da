"""What programs ask for, and the document of it."""
