"""The commands, as `python3 run.py --help` lists them.

arguments ──► one *_command per command; crawl_command ──► crawl_run ──► a Display: live, plain lines or JSON.
"""

from __future__ import annotations

from crawler.apps.cli.commands import main

__all__ = ["main"]
