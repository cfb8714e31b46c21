"""Why an index cannot be searched or built."""

from __future__ import annotations


class NoIndex(Exception):
    """There is no index that can be searched; the message says why and what to do."""


class IndexInUse(Exception):
    """Another process is building this index."""
