"""Sets the program up in a checkout, and handles differences between checkouts and installations."""
