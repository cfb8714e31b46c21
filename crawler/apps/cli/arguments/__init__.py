"""The command line: which commands there are and what each understands. Pure."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from crawler import __version__
from crawler.apps.cli.arguments.command_parser import CommandParser
from crawler.apps.cli.arguments.crawling import add_crawl, add_demo, add_status
from crawler.apps.cli.arguments.exchanging import add_export, add_import
from crawler.apps.cli.arguments.experiments import add_evaluate, add_simulate
from crawler.apps.cli.arguments.explaining import add_explain, add_settings
from crawler.apps.cli.arguments.ranking import add_rank
from crawler.apps.cli.arguments.searching import add_index, add_search
from crawler.apps.cli.arguments.serving import add_serve

_START = """\
the first two things to try:
  python3 run.py demo
      a crawl of a small web that comes with Hinterland; needs no internet
  python3 run.py crawl https://your.site.example/ --max-pages 100
      a polite crawl of a real site into hinterland.db

"python3 run.py COMMAND --help" explains a command with examples.
"""

_COMMANDS = (
    *(add_crawl, add_status, add_rank, add_index, add_search, add_serve, add_export, add_import, add_explain),
    *(add_settings, add_simulate, add_evaluate, add_demo),
)
"""In the order of --help."""


def parsed(given: Sequence[str]) -> argparse.Namespace:
    """The command line without the name of the program; ends the program for --help and mistakes.

    `command` of what it returns is None if none was given.
    """
    top = parser()
    top.check_command(given, [add.__name__.removeprefix("add_") for add in _COMMANDS])
    return top.parse_args(given)


def parser() -> CommandParser:
    """The parser of the whole command line."""
    top = CommandParser(
        prog="python3 run.py",
        description="Hinterland: a focused web crawler that keeps pages and links in one SQLite file.",
        epilog=_START,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"Hinterland {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for add in _COMMANDS:
        add(commands)
    return top
