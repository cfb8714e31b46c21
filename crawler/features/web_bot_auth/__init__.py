"""Web Bot Auth: requests signed so that sites can verify who asks."""
