"""`extract`: rules applied to the bodies that a store has kept."""

from __future__ import annotations

from hinterland.cli.command_parser import (
    CommandParser,
    add_hook_option,
    add_plugin_option,
    add_settings_options,
    add_store,
)

EXAMPLES = """\
examples:
  python3 run.py extract shop.db --rules shop.toml
      take fields out of the pages of shop.db, into tables of it
  python3 run.py extract shop.db
      again, by the rules the store has: after a crawl that went on, or a better version of this program
  python3 run.py extract shop.db --rules shop.toml --check https://shop.example/item/17
      what the rules find in one page; nothing is written
  python3 run.py export shop.db --what records --table product --format csv

Reads bodies that were kept: those of small crawls are, all of them with --set storage.keep_bodies=true, also if it is
given to `recrawl` later. crawl --extract RULES.toml does the same while it crawls, without them. Each table is a view
of the store: SELECT * FROM x_product. docs/extraction.md describes the rules.
"""


def add_arguments(command: CommandParser) -> None:
    add_store(command)
    command.add_argument("--rules", metavar="RULES.toml", help="what to take out of which pages (default: the store's)")
    add_plugin_option(command)
    add_hook_option(command)
    command.add_argument("--check", metavar="URL", help="show what the rules find in one page, and write nothing")
    command.add_argument("--forget", metavar="TABLE", help="remove a table with its rules and records, and end")
    command.add_argument("--json", action="store_true", help="the summary as one JSON object")
    add_settings_options(command)
