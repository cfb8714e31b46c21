"""What robots.txt allows (RFC 9309)."""
