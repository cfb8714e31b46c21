"""How the program is set up in a checkout, and what depends on how it was installed."""
