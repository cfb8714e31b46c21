"""Credentials: what opens single hosts to this crawl, and to which requests it belongs."""
