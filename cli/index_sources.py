"""Which index a command uses, also if the store was renamed after it was built."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from hinterland.crawler.settings import SearchSettings
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.search.index.finding_index import index_of, take_over
from hinterland.search.index.index_folder import IndexFolder, NoIndex, default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.index.several import SeveralIndexes


def index_to_search(arguments: Namespace) -> IndexFolder:
    """The index of --index, or that of the store; says on stderr if it still has a former name of the store."""
    return IndexFolder(Path(arguments.index)) if arguments.index else _index_of(Path(arguments.store))


def require_distinct(store: Path, also: Sequence[str]) -> None:
    """Raises HinterlandError if one of the others is named twice, by whatever path: it would answer twice."""
    named = {os.path.realpath(store)}
    for other in also:
        if (file := os.path.realpath(other)) in named:
            raise HinterlandError(f"--also {other}: that store is searched already; name each once")
        named.add(file)


def opened_indexes(
    folder: IndexFolder, store: Path, also: Sequence[str], settings: SearchSettings
) -> SearchIndex | SeveralIndexes:
    """The index of a store or, if there are others, all of them as one. Raises NoIndex, BadRules."""
    own = SearchIndex(folder, settings, store=store)
    if not also:
        return own
    return SeveralIndexes([own, *(_opened(Path(other), settings) for other in also)])


def _opened(store: Path, settings: SearchSettings) -> SearchIndex:
    try:
        return SearchIndex(_index_of(store), settings, store=store)
    except NoIndex as error:
        raise NoIndex(f"{error}; make it: {PROGRAM} index {shlex.quote(str(store))}") from error


def _index_of(store: Path) -> IndexFolder:
    found = index_of(store)
    if found != default_folder(store):
        renaming = f"`{PROGRAM} index {shlex.quote(str(store))}` renames it"
        _say(f"the index of {store} is {found.path}, made before the store was renamed; {renaming}")
    return found


def index_to_build(arguments: Namespace) -> IndexFolder:
    """The same, but an index with a former name is renamed like the store. Raises HinterlandError."""
    if arguments.index:
        return IndexFolder(Path(arguments.index))
    store = Path(arguments.store)
    found = index_of(store)
    try:
        own = take_over(found, store)
    except OSError as error:
        raise StoreUnusable(f"the index {found.path} cannot be renamed as its store was: {error}") from error
    if own != found:
        _say(f"{found.path} is called {own.path} now, because its store was renamed")
    return own


def _say(text: str) -> None:
    print(f"hinterland: {text}", file=sys.stderr)
