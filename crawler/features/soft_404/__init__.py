"""Pages that answer 200 and say that there is nothing."""
