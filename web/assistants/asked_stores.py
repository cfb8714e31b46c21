"""The stores that a model may ask about, each with its search index."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.crawler.settings import SearchSettings
from hinterland.distribution.installation import PROGRAM
from hinterland.library.index_folders import index_to_search
from hinterland.library.patient_reading import patient
from hinterland.search.index_failures import NoIndex
from hinterland.storage.reading.kept_readers import KeptReaders
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_version import StoreVersion, store_version
from hinterland.storage.values.pages import NamedPage
from hinterland.storage.values.uses import Use
from hinterland.web.assistants.values import PageFacts, Rank, utc

if TYPE_CHECKING:
    from hinterland.search.answers import SearchAnswer
    from hinterland.search.index.searcher import SearchIndex

T = TypeVar("T")

_PATIENCE_SECONDS: Final = 10.0
_MOST_REMEMBERED: Final = 32


class CannotAnswer(Exception):
    """A tool cannot answer; the message says why, and what to do. It never quotes a crawled page."""


class AskedStore:
    """A store and its search index. The index is reopened after a rebuild. Thread-safe."""

    def __init__(self, name: str, path: Path, index: Path | None, settings: SearchSettings) -> None:
        """Take the paths without opening anything; `index` is None for the index beside the store."""
        self.name = name
        self.path = path
        self._folder = index
        self._settings = settings
        self._readers = KeptReaders(path)
        self._lock = threading.Lock()
        self._index: SearchIndex | None = None
        self._remembered: dict[Hashable, tuple[StoreVersion | None, Any]] = {}

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        """Yield a reader of the store. Raises NoStore and TookTooLong."""
        with patient(self._readers.reading(), _PATIENCE_SECONDS) as store:
            yield store

    def close(self) -> None:
        """Close the readers that were kept open between questions; later questions open new ones."""
        self._readers.close()

    def remembered(self, key: Hashable, answer: Callable[[], T]) -> T:
        """Return a cached answer, or compute it by `answer`.

        Use it for answers that take long and depend only on the rows of the store. The last few answers are cached. An
        answer is computed again once the store was written to.
        """
        version = store_version(self.path)
        with self._lock:
            known = self._remembered.pop(key, None)
        if known is None or version is None or known[0] != version:
            known = version, answer()
        with self._lock:
            self._remembered[key] = known
            while len(self._remembered) > _MOST_REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
        found: T = known[1]
        return found

    def withheld(self, store: StoreReader) -> Collection[int]:
        """Return the pages whose sites do not allow AI systems to use them; none if search.obey_usage is off."""
        if not self._settings.obey_usage:
            return ()
        return self.remembered("withheld", lambda: stored_features(store).refusing([Use.AI_INPUT]).pages)

    def index(self) -> SearchIndex:
        """Return the current index. Raises NoIndex, whose message gives the command that builds it."""
        from hinterland.search.index.searcher import SearchIndex  # brings numpy and the engine

        with self._lock:
            try:
                if self._index is None:
                    folder = index_to_search(self.path, self._folder, lambda _: None)
                    self._index = SearchIndex(folder, self._settings, store=self.path)
                else:
                    self._index.refresh()
            except NoIndex as error:
                self._index = None
                where = f" --index {shlex.quote(str(self._folder))}" if self._folder else ""
                command = f"{PROGRAM} index {shlex.quote(str(self.path))}{where}"
                raise NoIndex(f"{error}; the command that builds it: {command}") from error
            return self._index

    def main_contents(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the main content of each page that is a document of the index; nothing without an index."""
        try:
            return self.index().main_contents(pages)
        except NoIndex:
            return {}

    def rank_of(self, page: int) -> Rank | None:
        """Return the rank of a page; None if it is not a document of the index, or if there is no index."""
        try:
            found = self.index().rank_of(page)
        except NoIndex:
            return None
        return None if found is None else Rank(found.place, found.documents)

    def facts(self, store: StoreReader, pages: Sequence[NamedPage]) -> dict[int, PageFacts]:
        """Return, by page number, the facts about pages that every answer states."""
        fetched = store.history.last_visits([page.number for page in pages])
        return {
            page.number: PageFacts(
                url=page.url,
                title=page.title or "",
                fetched=utc(fetched.get(page.number)),
                rank=self.rank_of(page.number),
            )
            for page in pages
        }


class AskedStores:
    """All stores of a server, by name."""

    def __init__(
        self, paths: Sequence[Path], settings: SearchSettings, *, indexes: Mapping[Path, Path] | None = None
    ) -> None:
        """Take one or more distinct stores; `indexes` holds the indexes that are not beside their stores."""
        names = names_of(paths)
        known = indexes or {}
        self._stores = {
            name: AskedStore(name, path, known.get(path), settings) for name, path in zip(names, paths, strict=True)
        }

    @property
    def names(self) -> list[str]:
        """The names of the stores, in the order in which they were given."""
        return list(self._stores)

    def close(self) -> None:
        """Close the readers that were kept open between questions."""
        for store in self._stores.values():
            store.close()

    def chosen(self, name: str) -> list[AskedStore]:
        """Return the store with this name, or all stores for "". Raises CannotAnswer."""
        if not name:
            return list(self._stores.values())
        if name not in self._stores:
            raise CannotAnswer(f"there is no store {name!r}; the stores are: {', '.join(self._stores)}")
        return [self._stores[name]]

    def one(self, name: str) -> AskedStore:
        """Return the store with this name, or the only store for "". Raises CannotAnswer."""
        stores = self.chosen(name)
        if len(stores) > 1:
            raise CannotAnswer(f"say which store; the stores are: {', '.join(self._stores)}")
        return stores[0]

    def search(self, name: str, query: str, *, limit: int, offset: int, order: str) -> tuple[SearchAnswer, list[str]]:
        """Search the store called `name`, or all stores if it is "".

        Returns the answer, and notes on stores without an index. Matching words in titles are not marked, since models
        get plain text. Raises QueryError, NoIndex if no store has an index, and CannotAnswer.
        """
        from hinterland.search.index.several_indexes import SeveralIndexes

        indexes, problems = [], []
        for store in self.chosen(name):
            try:
                indexes.append(store.index())
            except NoIndex as error:
                problems.append(str(error))
        if not indexes:
            raise NoIndex("; ".join(problems))
        searched = indexes[0] if len(indexes) == 1 else SeveralIndexes(indexes)
        return searched.search(query, limit=limit, offset=offset, order=order, marks_titles=False), problems

    def of_hit(self, path: str) -> AskedStore:
        """Return the store to which a search hit belongs; `path` is the path of the store in the hit."""
        return next(store for store in self._stores.values() if str(store.path) == path)


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return a distinct name for each store: its file name without the ending, with a number if the name is taken."""
    names: list[str] = []
    for path in paths:
        stem, number = path.stem or "store", 1
        name = stem
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names
