"""What `serve` understands. Pure."""

from __future__ import annotations

from crawler.apps.cli.arguments.options import DEFAULT_STORE, Commands, add_command, add_settings_options

_SERVE = """\
examples:
  python3 run.py serve
      search, pages, hosts and the crawl of hinterland.db in a browser: http://127.0.0.1:8765/
  python3 run.py serve big.db --port 9000 --index /srv/big.index
      another store, another port, an index that does not lie beside the store
  python3 run.py serve mine.db
      while mine.db is crawled: the crawl live, at /crawl

Pages, JSON (/api/openapi.json) and metrics (/metrics) only ever read. They are for this machine unless --host says
otherwise; there is no login, so put a server that asks for one in front before others can reach it.
"""


def port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise ValueError(text)
    return number


def add_serve(commands: Commands) -> None:
    serve = add_command(commands, "serve", "show a store in a browser: search, pages, hosts, its crawl live", _SERVE)
    serve.add_argument(
        "store", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )
    serve.add_argument("--index", metavar="DIR", help="the search index (default: beside the store, FILE.index)")
    serve.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen (default: %(default)s)")
    serve.add_argument(
        "--port", type=port, default=8765, metavar="N", help="(default: %(default)s; 0: any that is free)"
    )
    add_settings_options(serve)
