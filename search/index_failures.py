"""Errors of searching or building an index."""

from __future__ import annotations


class NoIndex(Exception):
    """There is no index that can be searched; the message says why and what to do."""


class IndexInUse(Exception):
    """Another process is building this index."""
