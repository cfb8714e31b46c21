"""What `explain` and `settings` understand. Pure."""

from __future__ import annotations

from crawler.apps.cli.arguments.options import Commands, add_command, add_settings_options

_EXPLAIN = """\
examples:
  python3 run.py explain https://docs.example.org/a?utm_source=x
      its canonical form, its host and site, what robots.txt says (asked for once), how long the host rests
  python3 run.py explain https://docs.example.org/a --store hinterland.db
      with the scope and the robots.txt of that crawl, and what it knows of the page
  python3 run.py explain https://docs.example.org/private/ --robots my-robots.txt
      try a robots.txt before you publish it; no network
  python3 run.py explain https://docs.example.org/ --robots-status 503 --offline
      what a robots.txt that cannot be had would mean
"""

_SETTINGS = """\
examples:
  python3 run.py settings
      every setting with its value and where that comes from
  python3 run.py settings --set politeness.delay_seconds=3
      the same, as it would be with that option

settings.toml explains them all. The strongest last: defaults, settings.toml, the environment
(HINTERLAND_POLITENESS__DELAY_SECONDS=3), --set, single options such as --policy.
"""


def add_explain(commands: Commands) -> None:
    explain = add_command(commands, "explain", "tell what would happen to a URL, and why", _EXPLAIN)
    explain.add_argument("url", metavar="URL")
    explain.add_argument(
        "--seed",
        action="append",
        default=[],
        dest="seeds",
        metavar="URL",
        help="a seed, to draw the scope; repeatable",
    )
    explain.add_argument(
        "--seeds", dest="seeds_file", metavar="FILE", help="seeds, one per line, to draw the scope"
    )
    explain.add_argument(
        "--store", metavar="FILE", help="a link store, for its scope, its robots.txt and its pages"
    )
    explain.add_argument("--robots", metavar="FILE", help="a robots.txt to try; nothing is fetched then")
    explain.add_argument(
        "--robots-status", type=int, metavar="N", help="as if robots.txt had been answered with this"
    )
    explain.add_argument("--offline", action="store_true", help="fetch nothing")
    explain.add_argument("--json", action="store_true", help="as one JSON object")
    add_settings_options(explain)


def add_settings(commands: Commands) -> None:
    settings = add_command(commands, "settings", "show the settings that hold, and where each comes from", _SETTINGS)
    settings.add_argument("--store", metavar="FILE", help="as crawl --resume would have them with this store")
    settings.add_argument("--json", action="store_true", help="as one JSON object")
    add_settings_options(settings)
