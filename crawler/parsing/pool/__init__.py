"""The processes that do all work on response bodies."""
