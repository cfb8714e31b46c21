"""Whether a page that was fetched again says something different, rather than only looking different."""
