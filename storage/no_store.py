"""The error for a store that cannot be read. It has its own module, so that reporting it imports nothing else."""

from __future__ import annotations


class NoStore(Exception):
    """There is no readable store; the message says why and what to do."""
