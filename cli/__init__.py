"""The commands, as `python3 run.py --help` lists them.

Each is a file, or a folder where it needs several; `commands` has their table, and says what a command consists of.
"""

from __future__ import annotations

from hinterland.cli.commands import main

__all__ = ["main"]
