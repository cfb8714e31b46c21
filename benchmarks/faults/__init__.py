"""The fault matrix: every kind of fault, in every way of working, compared with the same work undisturbed."""
