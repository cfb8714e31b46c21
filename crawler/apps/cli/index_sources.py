"""Which index a command uses, also if the store was renamed after it was built."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path

from crawler.apps.cli.exit_codes import STORE, CommandError
from crawler.apps.search.index.finding_index import index_of, take_over
from crawler.apps.search.index.index_folder import IndexFolder, default_folder
from crawler.apps.text.next_commands import RUN


def index_to_search(arguments: Namespace) -> IndexFolder:
    """The index of --index, or that of the store; says on stderr if it still has a former name of the store."""
    if arguments.index:
        return IndexFolder(Path(arguments.index))
    store = Path(arguments.store)
    found = index_of(store)
    if found != default_folder(store):
        renaming = f"`{RUN} index {shlex.quote(str(store))}` renames it"
        _say(f"the index of {store} is {found.path}, made before the store was renamed; {renaming}")
    return found


def index_to_build(arguments: Namespace) -> IndexFolder:
    """The same, but an index with a former name is renamed like the store. Raises CommandError."""
    if arguments.index:
        return IndexFolder(Path(arguments.index))
    store = Path(arguments.store)
    found = index_of(store)
    try:
        own = take_over(found, store)
    except OSError as error:
        raise CommandError(f"the index {found.path} cannot be renamed as its store was: {error}", STORE) from error
    if own != found:
        _say(f"{found.path} is called {own.path} now, because its store was renamed")
    return own


def _say(text: str) -> None:
    print(f"hinterland: {text}", file=sys.stderr)
