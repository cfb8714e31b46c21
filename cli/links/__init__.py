"""`links`: which pages a page links to, which link to it, and links that lead nowhere."""

from __future__ import annotations

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, at_least_one

EXAMPLES = """\
examples:
  python3 run.py links https://docs.example.org/a
      the pages it links to, and those that link to it, as hinterland.db knows them
  python3 run.py links https://docs.example.org/ --in --remote
      who links there from other hosts
  python3 run.py links https://docs.example.org/ --out --depth 3 --json
      what can be reached in three steps, by distance
  python3 run.py links 17
      the same by the number of a page, and its URL
  python3 run.py links --store big.bvgraph - < urls.txt
      many questions at once, to an export that is loaded in no time
  python3 run.py links --broken --csv > broken.csv
      every link that leads nowhere, and the page it stands on

All links are held in memory, in about a byte each, so that many questions cost little more than one. FILE is a link
store, a graph as `simulate` reads it, or the folder of `export --format bvgraph`, which need not be read row by row.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument(
        "urls", nargs="*", metavar="URL", help="pages, by URL or by number; - reads them from stdin, one per line"
    )
    command.add_argument(
        "--store", default=DEFAULT_STORE, metavar="FILE", help="where the links are (default: %(default)s)"
    )
    command.add_argument("--out", action="store_true", help="only the pages it links to")
    command.add_argument("--in", action="store_true", dest="into", help="only the pages that link to it")
    command.add_argument("--remote", action="store_true", help="only links between hosts")
    command.add_argument(
        "--depth", type=at_least_one, default=1, metavar="N", help="pages up to N links away (default: %(default)s)"
    )
    command.add_argument(
        "--limit", type=at_least_one, default=50, metavar="N", help="URLs of each list to show (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object a page, with all URLs")
    command.add_argument(
        "--broken", action="store_true", help="instead, links to pages that gave nothing, and where they stand"
    )
    command.add_argument("--csv", action="store_true", help="with --broken: a row for each link")
