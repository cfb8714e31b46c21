"""The error for a store that cannot be read, in a module of its own so that reporting it imports nothing else."""

from __future__ import annotations


class NoStore(Exception):
    """There is no readable store; the message says why and what to do."""
