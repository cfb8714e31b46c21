"""`mcp`: offers stores to language models, by the Model Context Protocol."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from hinterland.cli.command_parser import CommandParser, add_settings_options
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import say
from hinterland.cli.settings_sources import settings_of
from hinterland.library.errors import HinterlandError
from hinterland.storage.reading.opening import reading

EXAMPLES = """\
examples:
  python3 run.py mcp hinterland.db
      search, pages, links and gaps of hinterland.db for a language model; its program starts this command
  python3 run.py mcp docs.db wiki.db
      two stores at once, named docs and wiki

  python3 run.py mcp intranet.db --public
      without the pages that a login showed, which then reach no model

It answers on standard input and output, and only reads. docs/mcp.md has the configuration of Claude, VS Code, Cursor
and other programs. `serve --mcp` answers the same by HTTP.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `mcp`."""
    command.add_argument("stores", nargs="+", metavar="FILE", help="a link store; its file names it")
    command.add_argument(
        "--index", metavar="DIR", help="the search index of the first store (default: beside it, FILE.index)"
    )
    command.add_argument(
        "--public",
        action="store_true",
        help="leave out what a login opened: ask copies, FILE.public.db, with their own indexes (docs/access.md)",
    )
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Answer a client until it closes the input; returns the exit code. Raises HinterlandError and NoStore."""
    import anyio

    from hinterland.library.index_folders import require_distinct
    from hinterland.web.assistants.asked_stores import AskedStores
    from hinterland.web.assistants.server import serve_stdio

    if arguments.public and arguments.index:
        raise HinterlandError("--index may reveal what a login opened, so it cannot be combined with --public")
    paths = [Path(each) for each in arguments.stores]
    require_distinct(paths[0], arguments.stores[1:])
    for path in paths:
        with reading(path):
            pass  # a wrong name in a client's configuration is reported at once
    if arguments.public:
        from hinterland.library.public_copies import public_copy_of

        paths = [public_copy_of(path) for path in paths]
    indexes = {paths[0]: Path(arguments.index)} if arguments.index else {}
    stores = AskedStores(paths, settings_of(arguments).settings.search, indexes=indexes)
    if sys.stdin.isatty():
        say("waiting for a client of the Model Context Protocol on standard input; docs/mcp.md says how to set one up")
    try:
        anyio.run(serve_stdio, stores)
    finally:
        stores.close()
    return OK
