"""The commands: `python3 run.py crawl | status | explain | settings | simulate | evaluate | demo`.

arguments ──► one *_command per command; crawl_command ──► crawl_run ──► a Display: live, plain lines or JSON.
"""

from __future__ import annotations

from crawler.cli.commands import main

__all__ = ["main"]
