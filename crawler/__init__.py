"""Hinterland's crawler: from seed URLs to a store of pages and links."""

__version__ = "0.1.0"
