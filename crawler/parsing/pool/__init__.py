"""The processes that decode and parse response bodies."""
