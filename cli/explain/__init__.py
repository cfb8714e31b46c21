"""`explain`: says what a crawl would do with a URL, and why."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, add_settings_options

EXAMPLES = """\
examples:
  python3 run.py explain https://docs.example.org/a?utm_source=x
      its canonical form, its host and site, what robots.txt says (requested once), how long the host rests
  python3 run.py explain https://docs.example.org/a --store hinterland.db
      with the scope and the robots.txt of that crawl, and what it knows about the page
  python3 run.py explain https://docs.example.org/private/ --robots my-robots.txt
      try a robots.txt before you publish it; no network
  python3 run.py explain https://docs.example.org/ --robots-status 503 --offline
      what it would mean if robots.txt could not be read
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `explain`."""
    command.add_argument("url", metavar="URL")
    command.add_argument(
        "--seed",
        action="append",
        default=[],
        dest="seeds",
        metavar="URL",
        help="a seed that defines the scope; repeatable",
    )
    command.add_argument(
        "--seeds", dest="seeds_file", metavar="FILE", help="a file of seeds that define the scope, one per line"
    )
    command.add_argument("--store", metavar="FILE", help="a link store, for its scope, its robots.txt and its pages")
    command.add_argument("--robots", metavar="FILE", help="test this robots.txt; nothing is fetched")
    command.add_argument(
        "--robots-status",
        type=int,
        metavar="N",
        help="pretend that the request for robots.txt was answered with this status",
    )
    command.add_argument("--offline", action="store_true", help="fetch nothing")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    add_settings_options(command)
