"""What a page is let do while a browser shows it to us, and what is said about it. Pure."""
