"""Builds and queries the search index of a store, for programs."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.crawler.plugins.kinds import ESTIMATOR
from hinterland.crawler.settings import SearchSettings
from hinterland.distribution.extras import need
from hinterland.library.notes import warned
from hinterland.library.plugin_tables import enter_plugins, require
from hinterland.library.public_copies import public_copy_of
from hinterland.library.relevant_pages import require_topic
from hinterland.search.answers import SearchAnswer
from hinterland.search.index_report import IndexReport
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.uses import Use

if TYPE_CHECKING:
    from hinterland.library.index_folders import Note
    from hinterland.search.index.searcher import SearchIndex


def build_index(
    store: str | Path,
    *,
    index: str | Path | None = None,
    with_outside: bool = False,
    relevant: float = 0.0,
    obey_usage: bool = True,
    public: bool = False,
    rebuild: bool = False,
    estimator: str = "",
    plugins: Sequence[str | Path] = (),
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _of: None,
    note: Note = warned,
) -> IndexReport:
    """Build the index of a store, or update it with what has changed since, as `hinterland index` does.

    `index` is its folder; None means the folder beside the store. (If that folder still has a former name of the store,
    it is renamed.) `with_outside` includes pages of the hinterland. `relevant` is the minimum relevance of indexed
    pages, for a crawl with a topic. `obey_usage` leaves out pages whose sites disallow search, see docs/usage.md.
    `public` builds the index of the public copy of the store, see docs/access.md. `rebuild` writes all pages again.
    `estimator` names the estimator whose ranks are used; "" leaves the choice to the program. `on_progress` is called
    with the name of a step, how many of its items are done, and their number.

    Pages are read in processes that import the main module of the program, so a script must call this below `if
    __name__ == "__main__":`. Raises MissingPackage, NoStore, NoIndex if a damaged index is in the way, IndexInUse,
    OSError, and HinterlandError for an unknown estimator or a store without a topic.
    """
    need("search", by="an index")
    from hinterland.library.index_folders import index_to_build
    from hinterland.search.index.building import build

    path = Path(store)
    enter_plugins([str(each) for each in plugins])
    if estimator:
        require(ESTIMATOR, estimator)
    if public:
        path = public_copy_of(path)
    folder = index_to_build(path, index, note)
    if relevant:
        require_topic(path)

    def unlisted() -> set[int]:
        with reading(path) as reader:
            return stored_features(reader).refusing([Use.SEARCH]).pages

    return build(
        path,
        folder,
        with_outside=with_outside,
        least_relevance=relevant,
        unlisted=_FoundLate(unlisted) if obey_usage else frozenset(),
        rebuild=rebuild,
        estimator=estimator,
        progress=on_progress,
    )


class _FoundLate(Container[int]):
    """Pages that are looked up when they are first needed, so that pages that a crawl has just added are included."""

    def __init__(self, find: Callable[[], set[int]]) -> None:
        self._find = find
        self._found: set[int] | None = None

    def __contains__(self, page: object) -> bool:
        if self._found is None:
            self._found = self._find()
        return page in self._found


def open_index(
    store: str | Path, *, index: str | Path | None = None, settings: SearchSettings | None = None
) -> SearchIndex:
    """Open the index of a store, which is queried by its `search(query, limit=10, offset=0)`.

    Raises MissingPackage, NoIndex and NoStore.
    """
    need("search", by="an index")
    from hinterland.library.index_folders import index_to_search
    from hinterland.search.index.searcher import SearchIndex

    path = Path(store)
    return SearchIndex(index_to_search(path, index), settings or SearchSettings(), store=path)


def search_pages(
    store: str | Path,
    query: str,
    *,
    also: Sequence[str | Path] = (),
    index: str | Path | None = None,
    limit: int = 10,
    offset: int = 0,
    explain: bool = False,
    verbatim: bool = False,
    settings: SearchSettings | None = None,
    note: Note = warned,
) -> SearchAnswer:
    """Search the pages of a store, as `hinterland search` does. For many queries, use `open_index` once instead.

    `also` are further stores; all are searched as if they were one. `explain` adds the parts of each score. With
    `verbatim`, no other spellings of the query are tried. Raises MissingPackage, NoIndex, NoStore, QueryError, and
    HinterlandError if a store is named twice.
    """
    need("search", by="a search")
    from hinterland.library.index_folders import index_to_search, opened_indexes, require_distinct

    path, others = Path(store), [str(each) for each in also]
    require_distinct(path, others)
    folder = index_to_search(path, index, note)
    opened = opened_indexes(folder, path, others, settings or SearchSettings(), note)
    return opened.search(query, limit=limit, offset=offset, explain=explain, verbatim=verbatim)
