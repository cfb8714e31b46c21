"""The commands, as `python3 run.py --help` lists them.

A command is a file, or a folder if it needs several files. `commands` holds their table and says what a command
consists of.
"""

from __future__ import annotations

from hinterland.cli.commands import main

__all__ = ["main"]
