"""The error of whoever wants to look at a store that is not there. Whoever only reports it imports nothing else."""

from __future__ import annotations


class NoStore(Exception):
    """There is no readable store; the message says why and what to do."""
