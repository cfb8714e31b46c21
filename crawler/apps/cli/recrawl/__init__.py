"""`recrawl`: what a store holds is looked at again, and made true."""

from __future__ import annotations

from crawler.apps.cli.command_parser import CommandParser, add_settings_options, add_store, at_least_one
from crawler.apps.cli.exit_codes import exit_code_table
from crawler.apps.cli.plugin_tables import add_plugin_option

EXAMPLES = """\
examples:
  python3 run.py recrawl hinterland.db
      look at every page of the store again, and read what is new
  python3 run.py recrawl hinterland.db --warc archive
      and archive it; what has not changed costs a line there
  python3 run.py changes hinterland.db --since 1d
      what it found; `diff` shows a page before and after, and `index` takes over what has changed

Pages are asked for by their validators (ETag, Last-Modified), so that most servers need not send what has not changed,
and nothing of that is read again. What robots.txt, the rests of hosts and the scope of the crawl ask for holds as in
the crawl, whose settings stay. A page that fails, or is not found, keeps what was read of it until it is gone for good:
see docs/recrawling.md. Ctrl-C at any time loses nothing; to go on, give the command again.

""" + exit_code_table()


def add_arguments(command: CommandParser) -> None:
    add_store(command)
    command.add_argument(
        "--max-pages",
        type=at_least_one,
        metavar="N",
        help="read no new pages beyond N HTML pages in the store (default: what the last crawl was given)",
    )
    command.add_argument(
        "--warc",
        metavar="DIR",
        help="also archive every request and response in that folder, as WARC files with an index for replay",
    )
    command.add_argument(
        "--log-json", action="store_true", help="progress, warnings and the end as JSON lines on stdout"
    )
    add_plugin_option(command)
    add_settings_options(command)
