"""`import`: archives of others into a link store."""

from __future__ import annotations

from hinterland.cli.command_parser import (
    DEFAULT_STORE,
    CommandParser,
    add_hook_option,
    add_plugin_option,
    add_settings_options,
)

EXAMPLES = """\
examples:
  python3 run.py import archive/*.warc.gz --store new.db
      what others (wget, Heritrix, browsertrix, crawl --warc) have crawled; every host in it is local
  python3 run.py import cc.warc.gz --store new.db --scope site --local https://docs.example.org/
      the site example.org is local, all else is its hinterland
  python3 run.py import crawl.warc.wat.gz --store links.db
      links and titles only, without texts
  python3 run.py import archive/ --store shop.db --extract shop.toml
      and fill tables with what the rules in shop.toml find on its pages; see extract

Then `rank` and `index` work as after a crawl. Importing a file again changes nothing, so one that was broken off is
simply begun anew. docs/exports.md says what becomes of which record.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument("paths", nargs="+", metavar="PATH", help=".warc, .warc.gz, .wat.gz or .cdxj; or a folder")
    command.add_argument(
        "--store", default=DEFAULT_STORE, metavar="FILE", help="the link store, new or not (default: %(default)s)"
    )
    command.add_argument(
        "--local",
        action="append",
        default=[],
        metavar="URL",
        help="draws the border of the domain as a seed of a crawl does; repeatable (default: every host with a page)",
    )
    command.add_argument(
        "--scope",
        choices=("hosts", "site", "prefix"),
        help="what is local: the hosts of the --local URLs (default), their sites, or what is below their folders",
    )
    command.add_argument(
        "--extract",
        metavar="RULES.toml",
        help="take fields out of pages by these rules, into tables of the store, see docs/extraction.md",
    )
    add_hook_option(command)
    add_plugin_option(command)
    command.add_argument("--json", action="store_true", help="the report as one JSON object")
    add_settings_options(command)
