"""What `index` and `search` understand. Pure."""

from __future__ import annotations

from crawler.apps.cli.arguments.options import (
    DEFAULT_STORE,
    Commands,
    add_command,
    add_settings_options,
    at_least_one,
    count,
)

_INDEX = """\
examples:
  python3 run.py index
      a search index of hinterland.db, in hinterland.index; again after a further crawl: only what changed is written
  python3 run.py index big.db --index /srv/search/big
      elsewhere

A page that is there under several URLs is one entry; pages marked noindex are left out. What was written is kept if
the command is stopped; the next one goes on. To find names of code where they are defined, crawl with
--set storage.keep_bodies=true; words are found as well without.
"""

_SEARCH = """\
examples:
  python3 run.py search hinterland.db opening hours
  python3 run.py search hinterland.db '"connection refused" site:docs.example.org -windows'
  python3 run.py search hinterland.db 'title:install lang:de since:2026-01' --json

  word another        pages with all of them, in any form: install finds installing
  "in this order"     these words in a row
  -word, NOT word     pages without it; options of commands, such as -m and --amend, are words
  word OR another     pages with either
  site:example.org    a host, a domain with all its hosts, or a folder: site:docs.example.org/guide
  title:word          in the title; url:word in the URL
  lang:de             pages in that language
  since:2026-03       fetched in March 2026 or later; also since:2026, since:2026-03-31, since:30d
"""


def add_index(commands: Commands) -> None:
    index = add_command(commands, "index", "build or update the search index of a store", _INDEX)
    index.add_argument(
        "store", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )
    index.add_argument("--index", metavar="DIR", help="the folder of the index (default: FILE.index beside FILE.db)")
    index.add_argument(
        "--with-outside", action="store_true", help="pages of the hinterland, too, not only of the local domain"
    )
    index.add_argument("--rebuild", action="store_true", help="write everything anew, also what has not changed")
    index.add_argument("--json", action="store_true", help="the summary as one JSON object")
    add_settings_options(index)


def add_search(commands: Commands) -> None:
    search = add_command(commands, "search", "search the pages of a store", _SEARCH)
    search.add_argument("store", metavar="FILE", help="the link store")
    search.add_argument("query", nargs="+", metavar="QUERY", help="words and operators, see below")
    search.query = "query"
    search.add_argument("--index", metavar="DIR", help="the folder of the index (default: FILE.index beside FILE.db)")
    search.add_argument("--limit", type=at_least_one, default=10, metavar="N", help="(default: %(default)s)")
    search.add_argument("--offset", type=count, default=0, metavar="N", help="leave out the first N hits")
    search.add_argument("--explain", action="store_true", help="what each part of the scores comes from")
    search.add_argument("--json", action="store_true", help="as one JSON object")
    add_settings_options(search)
