"""Web Bot Auth: signed requests, by which sites can verify that the crawler is who it says."""
