"""What `export` and `import` understand. Pure."""

from __future__ import annotations

from crawler.apps.cli.arguments.options import DEFAULT_STORE, Commands, add_command, add_settings_options

EXPORT_FORMATS = ("jsonl", "parquet", "opensearch", "graphml", "edges", "sitemap", "warc", "cdxj")

_EXPORT = """\
examples:
  python3 run.py export --format jsonl --output - | jq -r .title
      all pages, one JSON object a line
  python3 run.py export big.db --format parquet --what links
      all links, into big.links.parquet
  python3 run.py export big.db --format graphml --local-only
      the graph of the domain, for Gephi or NetworkX
  python3 run.py export big.db --format opensearch
      bulk files and a mapping in the folder big.opensearch
  python3 run.py export archive/ --format cdxj
      index the WARC files of a folder anew

Works while the crawl runs, and does not hold it up. What it writes has its name only when it is whole. For the ranks
of pages run `rank` first. docs/exports.md describes every format and its fields.
"""

_IMPORT = """\
examples:
  python3 run.py import archive/*.warc.gz --store new.db
      what others (wget, Heritrix, browsertrix, crawl --warc) have crawled; every host in it is local
  python3 run.py import cc.warc.gz --store new.db --scope site --local https://docs.example.org/
      the site example.org is local, all else is its hinterland
  python3 run.py import crawl.warc.wat.gz --store links.db
      links and titles only, without texts

Then `rank` and `index` work as after a crawl. Importing a file again changes nothing, so one that was broken off is
simply begun anew. docs/exports.md says what becomes of which record.
"""


def add_export(commands: Commands) -> None:
    export = add_command(commands, "export", "hand on pages and links in the formats of others", _EXPORT)
    export.add_argument(
        "store",
        nargs="?",
        default=DEFAULT_STORE,
        metavar="FILE",
        help="the link store (default: %(default)s); for cdxj a folder of WARC files",
    )
    export.add_argument("--format", required=True, choices=EXPORT_FORMATS)
    export.add_argument(
        "--what", choices=("pages", "links"), help="which of them, for jsonl and parquet (default: pages)"
    )
    export.add_argument(
        "--output", metavar="PATH", help="where to; - is stdout (default: named like the store, in this folder)"
    )
    export.add_argument("--local-only", action="store_true", help="only local pages, and links between them")
    export.add_argument("--with-text", action="store_true", help="pages with their visible text and headings")
    export.add_argument("--estimator", metavar="NAME", help="whose ranks count (default: the program's choice)")
    export.add_argument("--force", action="store_true", help="replace an earlier export")


def add_import(commands: Commands) -> None:
    importing = add_command(commands, "import", "take in what others have crawled: WARC, WAT, CDXJ", _IMPORT)
    importing.add_argument("paths", nargs="+", metavar="PATH", help=".warc, .warc.gz, .wat.gz or .cdxj; or a folder")
    importing.add_argument(
        "--store", default=DEFAULT_STORE, metavar="FILE", help="the link store, new or not (default: %(default)s)"
    )
    importing.add_argument(
        "--local",
        action="append",
        default=[],
        metavar="URL",
        help="draws the border of the domain as a seed of a crawl does; repeatable (default: every host with a page)",
    )
    importing.add_argument(
        "--scope",
        choices=("hosts", "site", "prefix"),
        help="what is local: the hosts of the --local URLs (default), their sites, or what is below their folders",
    )
    importing.add_argument("--json", action="store_true", help="the report as one JSON object")
    add_settings_options(importing)
