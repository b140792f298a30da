"""What a browser asks for: pages, pictures and forms."""
