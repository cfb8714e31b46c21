"""A store opened for reading by a program."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, ESTIMATORS, local_ranks
from hinterland.crawler.features.outside.stored_crawl import crawled_graph
from hinterland.crawler.parsing.extraction.tables import columns_of
from hinterland.crawler.plugins.kinds import ESTIMATOR
from hinterland.library.errors import StoreUnusable, require_known
from hinterland.library.graph_opening import graph_of
from hinterland.library.page_numbers import number_of
from hinterland.library.plugin_tables import require
from hinterland.library.rank_answer import Ranking
from hinterland.library.rows import Rows
from hinterland.library.rule_choice import stored_tables
from hinterland.library.web_graph import WebGraph
from hinterland.storage.exports.arrow import arrow_batches
from hinterland.storage.exports.source import ExportSource, LinkRow, PageRow, Selection
from hinterland.storage.reading.opening import reading
from hinterland.storage.stored_crawl import stored_crawl
from hinterland.storage.values.compression import DamagedFrame
from hinterland.storage.values.hosts import Host

if TYPE_CHECKING:
    from hinterland.library.page_markdown import PageMarkdown

_HOSTS_AT_ONCE = 10_000

Row = TypeVar("Row")


class RankedPage(NamedTuple):
    """A local page with its ranks as estimated for the whole web and by its own site.

    `pagerank` and `site_pagerank` each sum to 1 over the crawled local pages. `position` and `site_position` count from
    1 among the pages that were fetched. `ratio` is pagerank / site_pagerank.
    """

    page: int
    url: str
    title: str | None
    position: int
    site_position: int
    pagerank: float
    site_pagerank: float
    ratio: float


class Store:
    """The results of one crawl, or of several crawls into the same file. A crawl may be running meanwhile.

    A store is a context manager, to be used in one thread. Nothing is loaded into memory before it is needed. `reader`
    offers further queries, which the commands use.
    """

    def __init__(self, path: str | Path) -> None:
        """Open a store. Raises NoStore."""
        self.path = Path(path)
        self._open = ExitStack()
        self.reader = self._open.enter_context(reading(self.path))

    def __enter__(self) -> Store:
        """Return the store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the store."""
        self._open.__exit__(kind, error, traceback)

    def close(self) -> None:
        """Close the store; it cannot be read afterwards."""
        self._open.close()

    def pages(self, *, local_only: bool = False, with_text: bool = False) -> Rows[PageRow]:
        """Return all known pages by number, including pages that were never visited.

        `with_text` adds `text` and `headings`, which take most of the space.
        """
        selection = Selection(self.reader.ranks.estimator() or "", local_only, with_text)
        return self._rows(selection, "pages", ExportSource.pages)

    def links(self, *, local_only: bool = False) -> Rows[LinkRow]:
        """Return links in order of source, target and kind.

        Several links of different kinds may lead from one page to another.
        """
        return self._rows(Selection("", local_only), "links", ExportSource.links)

    def body(self, page: str | int) -> bytes | None:
        """Return the body of a page as it was last read, decoded from its Content-Encoding; None if none was kept.

        `page` is its URL or its number in the store; `storage.keep_bodies` says which bodies are kept. Raises
        StoreUnusable for an unknown page.
        """
        number = page if isinstance(page, int) else self._number_of(page)
        if self.reader.pages.page(number) is None:
            raise StoreUnusable(f"{self.path} has no page {page}")
        try:
            return self.reader.pages.body(number)
        except DamagedFrame as error:
            raise StoreUnusable(f"{self.path}: the body of page {page} is damaged: {error}") from error

    def markdown(self, page: str | int, *, anchor: str = "", is_whole: bool = False) -> PageMarkdown:
        """Return the main content of a page as Markdown or, with `is_whole`, everything on it, such as its menus.

        `page` is its URL or its number. `anchor`, the fragment of a URL without "#", asks for one section. Raises
        StoreUnusable for a page that is unknown or has no content, HinterlandError for an unknown anchor.
        """
        from hinterland.library.page_markdown import page_markdown  # brings what only this needs

        number = page if isinstance(page, int) else self._number_of(page)
        return page_markdown(self.reader, number, anchor=anchor, is_whole=is_whole)

    def _number_of(self, url: str) -> int:
        found = number_of(url, self.reader)
        if found is None:
            raise StoreUnusable(f"{self.path} has no page {url}")
        return found

    def records(self, table: str) -> Rows[dict[str, Any]]:
        """Return the records of a table, extracted from pages by rules or hooks.

        Raises HinterlandError for an unknown table; the message names the nearest one.
        """
        tables = stored_tables(self.reader)
        require_known("table of records", table, tables)
        selection = Selection("", table=table, columns=columns_of(tables[table]))
        return self._rows(selection, "records", ExportSource.records)

    def hosts(self, *, only_visited: bool = False) -> Rows[Host]:
        """Return hosts, in descending order of visits, and how the crawl treats them."""

        def rows() -> Iterator[Host]:
            offset = 0
            while batch := self.reader.hosts.listed("pages", offset, _HOSTS_AT_ONCE, only_visited=only_visited):
                yield from batch
                offset += len(batch)

        return Rows(rows, lambda: _inferred(map(dataclasses.asdict, rows())))

    def rank(self, estimator: str = "") -> Rows[RankedPage]:
        """Rank the fetched local pages as the whole web would, the highest first.

        The ranks are computed from the links at each call, in 25 bytes of memory per link, and are not stored.
        `estimator` is one of ESTIMATORS; "" leaves the choice to the program. Raises HinterlandError for an unknown
        estimator.
        """
        if estimator:
            require(ESTIMATOR, estimator)
        ranked = list(self._ranked(estimator))
        return Rows(lambda: iter(ranked), lambda: _inferred(each._asdict() for each in ranked))

    def graph(self) -> WebGraph:
        """Return all known pages and links, in memory: 4 bytes per link and about 120 per page."""
        measured = graph_of(self.reader)
        crawled = measured.crawled
        assert measured.names is not None
        assert measured.host_names is not None
        return WebGraph(
            crawled.links, measured.names, crawled.is_crawled, crawled.is_local, crawled.hosts, measured.host_names
        )

    def _rows(
        self, selection: Selection, what: str, read: Callable[[ExportSource], Iterable[Sequence[Row]]]
    ) -> Rows[Row]:
        def source() -> ExportSource:
            return ExportSource(self.reader, selection, lambda _done, _of: None)

        return Rows(lambda: chain.from_iterable(read(source())), lambda: arrow_batches(source(), what))

    def _ranked(self, estimator: str) -> Iterator[RankedPage]:
        crawled, is_fetched = crawled_graph(stored_crawl(self.reader.connection))
        shown = is_fetched[crawled.local]
        if not shown.any():
            return
        web = ESTIMATORS[estimator or DEFAULT_ESTIMATOR]().estimate(crawled)[shown]
        ranking = Ranking(crawled.local[shown], local_ranks(crawled)[shown], web, estimator, {})
        site_positions = ranking.site_positions()
        names = self.reader.pages.named(ranking.pages.tolist())
        for position, place in enumerate(ranking.top(len(ranking.pages)), 1):
            page, web_rank, site_rank = int(ranking.pages[place]), float(ranking.web[place]), float(ranking.site[place])
            yield RankedPage(
                page=page,
                url=names[page].url,
                title=names[page].title,
                position=position,
                site_position=int(site_positions[place]),
                pagerank=web_rank,
                site_pagerank=site_rank,
                ratio=web_rank / site_rank,
            )


def _inferred(rows: Iterable[dict[str, Any]]) -> tuple[Any, Iterator[Any]]:
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    return table.schema, iter(table.to_batches())
