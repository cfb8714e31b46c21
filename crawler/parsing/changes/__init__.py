"""Whether a page that was sent again says something else than before, and not only looks different."""
