"""Pages that answer 200 and say that the page does not exist."""
