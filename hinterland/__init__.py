"""Hinterland for those who build upon it: each module here has what plug-ins of the entry points of its name are made
of. All else is inside, and may change."""

from crawler import __version__

__all__ = ["__version__"]
