"""A store as the rules of an audit see it: columns that are loaded when a rule first needs them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
import numpy as np

from hinterland.analysis.graph import BoolArray, Graph, IntArray, frozen
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.parsing.html.headings import Heading
from hinterland.distribution.extras import is_installed
from hinterland.library.audit.chains import Chains, chains
from hinterland.library.audit.checked import Check, Checks
from hinterland.library.audit.coverage import Coverage
from hinterland.library.audit.faults import Causes
from hinterland.library.audit.kinds import UNCHECKED_STATUSES, Need
from hinterland.library.audit.loaded import References, references_of
from hinterland.library.audit.ranks import SeenRanks
from hinterland.library.audit.stored_links import FOLLOWED, LinkColumns, read_links
from hinterland.library.audit.stored_visits import Documents, PageColumns, read_documents, read_pages
from hinterland.library.audit.texts import TextColumns, near_groups, read_texts
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.runs import RunState

_TOLERANCE: Final = 1e-6
_URLS_AT_ONCE: Final = 500


class AuditedStore:
    """What the rules can learn about one store.

    All columns show the same state of the store if the reader is in one transaction.
    """

    def __init__(self, reader: StoreReader, now: float | None = None) -> None:
        """Take a reader, which the caller closes, and the time of the audit in epoch seconds; None means now."""
        self.reader = reader
        """For queries of a rule's own; docs/schema.md describes the tables."""
        self.now = time.time() if now is None else now
        """The time of the audit in epoch seconds."""

    def rows(self, sql: str, *parameters: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query to the store."""
        yield from self.reader.connection.execute(sql, parameters)

    # ---------------------------------------------------------------- columns

    @cached_property
    def pages(self) -> PageColumns:
        """All pages and the last visits to them."""
        return read_pages(self.reader)

    @cached_property
    def links(self) -> LinkColumns:
        """All links."""
        return read_links(self.reader)

    @cached_property
    def followed(self) -> LinkColumns:
        """The links on local pages along which visitors reach other pages."""
        links = self.links.of_kinds(FOLLOWED)
        return links.where(self.pages.is_local[links.sources])

    @cached_property
    def documents(self) -> Documents:
        """The local HTML pages that were read."""
        return read_documents(self.reader)

    @cached_property
    def is_document(self) -> BoolArray:
        """Which pages are local HTML pages that were read, shape (n,)."""
        found = np.zeros(self.pages.count, np.bool_)
        found[self.documents.pages] = True
        return found

    def headings(self) -> Iterator[tuple[int, Sequence[Heading]]]:
        """Yield each document with its headings.

        The headings are read at each call, because keeping them would take more memory than all columns.
        """
        decode = msgspec.json.Decoder(list[Heading]).decode
        stored = self.rows("SELECT page, headings FROM content ORDER BY page")
        found, text = next(stored, (-1, ""))
        for page in self.documents.pages.tolist():
            while -1 < found < page:
                found, text = next(stored, (-1, ""))
            yield page, decode(text) if found == page else []

    @cached_property
    def has_text(self) -> bool:
        """Whether the store has the texts and headings of pages."""
        return next(self.rows("SELECT 1 FROM content LIMIT 1"), None) is not None

    @cached_property
    def host_urls(self) -> Sequence[str]:
        """The URLs of all hosts, by number."""
        return self.reader.hosts.urls()

    @cached_property
    def tables(self) -> frozenset[str]:
        """The names of the tables of records in the store."""
        return frozenset(name for (name,) in self.rows("SELECT name FROM extraction"))

    def facts(self, table: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the page and the fields of each record of a table, by page. Without such a table, yield nothing."""
        for page, fields in self.rows("SELECT page, fields FROM record WHERE name = ? ORDER BY page, number", table):
            yield page, msgspec.json.decode(fields)

    @cached_property
    def _texts(self) -> TextColumns:
        return read_texts(
            self.reader, self.documents.pages, self.documents.languages, with_languages=is_installed("search")
        )

    @cached_property
    def near_duplicates(self) -> Sequence[Sequence[int]]:
        """Groups of indexable documents of one host whose texts are nearly the same. Each group is ascending."""
        pages = self.documents.pages
        return near_groups(self._texts, pages, self.pages.hosts[pages], self.is_indexable[pages])

    @cached_property
    def text_languages(self) -> Sequence[str]:
        """For each of m documents, the language of its text if it certainly differs from the declared one, else ""."""
        return self._texts.languages

    @cached_property
    def page_facts(self) -> Mapping[int, Mapping[str, Any]]:
        """The fields of each local page's record in the table page_facts, by page; pages without one are left out."""
        local = self.pages.is_local
        return {page: fields for page, fields in self.facts("page_facts") if local[page]}

    @cached_property
    def references(self) -> References:
        """The files that the local pages load."""
        local = self.pages.is_local
        return references_of(each for each in self.facts("page_references") if local[each[0]])

    @cached_property
    def checks(self) -> Checks:
        """The results of link checks."""
        rows = self.rows(
            "SELECT url, kind, outcome, status, NULL, NULL, bytes FROM requisite WHERE outcome IS NOT NULL"
            " UNION ALL SELECT url, kind, outcome, status, target, via, bytes FROM link_check"
        )
        return Checks((url, Check(*fields)) for url, *fields in rows)

    @cached_property
    def without_facts(self) -> int:
        """How many documents have no record of facts, because the crawl that read them did not keep facts."""
        return sum(page not in self.page_facts for page in self.documents.pages.tolist())

    @cached_property
    def unchecked_files(self) -> int:
        """How many of the files that pages load were neither checked nor visited."""
        refers = self.references
        places = np.unique(refers.urls[~refers.is_of("frame", "object")])
        unsaid = [name for place in places if self.checks.said(name := refers.names[int(place)]) is None]
        visited = self.pages.outcomes >= 0
        return len(unsaid) - sum(bool(visited[page]) for page in self.numbers_of(unsaid).values())

    @cached_property
    def outside_links(self) -> LinkColumns:
        """The links of local pages to pages that are not local."""
        return self.followed.where(~self.pages.is_local[self.followed.targets])

    @cached_property
    def alternates(self) -> Mapping[int, Sequence[tuple[str, str]]]:
        """The translations that each page names, as (language, URL), by page."""
        return {
            page: [(code, url) for code, url in fields["alternates"]] for page, fields in self.facts("page_alternates")
        }

    @cached_property
    def listed(self) -> Mapping[int, str]:
        """The pages that the sitemaps list, with the sitemap of each."""
        return dict(
            self.rows(
                "WITH entry AS (SELECT page, fields ->> '$.sitemap' AS sitemap, fields ->> '$.read_at' AS read_at"
                " FROM record WHERE name = 'sitemap_entries'),"
                " latest AS (SELECT sitemap, max(read_at) AS read_at FROM entry GROUP BY sitemap)"
                " SELECT page, sitemap FROM entry JOIN latest USING (sitemap, read_at)"
                " JOIN page ON page.id = entry.page WHERE page.is_local ORDER BY page"
            )
        )

    @cached_property
    def unread_sitemaps(self) -> int:
        """How many known sitemaps have not been read yet."""
        [(count,)] = self.rows(
            "SELECT count(*) FROM sitemap WHERE fetched_at IS NULL AND retired IS NULL AND source <> 'guessed'"
            " AND source <> 'feed'"
        )
        return int(count)

    # ---------------------------------------------------------------- lookups

    def numbers_of(self, urls: Sequence[str]) -> dict[str, int]:
        """Return the page numbers of these canonical URLs, by URL; unknown URLs are left out."""
        found: dict[str, int] = {}
        wanted = list(dict.fromkeys(urls))
        for start in range(0, len(wanted), _URLS_AT_ONCE):
            part = json.dumps(wanted[start : start + _URLS_AT_ONCE])
            found.update(self.rows("SELECT url, id FROM page WHERE url IN (SELECT value FROM json_each(?))", part))
        return found

    def urls_of(self, pages: Sequence[int] | IntArray) -> dict[int, str]:
        """Return the URLs of these pages, by page."""
        wanted = sorted({int(page) for page in pages})
        found: dict[int, str] = {}
        for start in range(0, len(wanted), _URLS_AT_ONCE):
            part = json.dumps(wanted[start : start + _URLS_AT_ONCE])
            found.update(self.rows("SELECT id, url FROM page WHERE id IN (SELECT value FROM json_each(?))", part))
        return found

    def linking(self, targets: IntArray) -> Causes:
        """Return, for each of these pages, the local pages with a link that leads visitors to the page."""
        return self.followed.causes_of(targets)

    @cached_property
    def is_linked(self) -> BoolArray:
        """Which pages have a link that visitors can follow on another local page, shape (n,)."""
        found = np.zeros(self.pages.count, np.bool_)
        links = self.followed
        found[links.targets[links.targets != links.sources]] = True
        return found

    @cached_property
    def hops(self) -> Mapping[int, int]:
        """The page to which each redirecting page redirects."""
        pages = np.flatnonzero(self.pages.targets >= 0)
        return dict(zip(pages.tolist(), self.pages.targets[pages].tolist(), strict=True))

    @cached_property
    def chains(self) -> Chains:
        """The page to which the redirects of each page lead in the end."""
        return chains(self.hops, self.pages.count)

    @cached_property
    def is_indexable(self) -> BoolArray:
        """Which documents a search engine may show, shape (n,): not noindex, and with no other page as canonical."""
        canonicals = self.pages.canonicals
        is_own: BoolArray = (canonicals < 0) | (canonicals == np.arange(self.pages.count))
        found: BoolArray = self.is_document & ~self.pages.is_noindex & is_own
        return found

    @cached_property
    def is_seed(self) -> BoolArray:
        """Which pages are start pages of the crawl, or targets of their redirects; shape (n,)."""
        found: BoolArray = self.pages.is_local & (self.pages.depths == 0) & ~self._has_referrer
        ends = self.chains.ends[np.flatnonzero(found)]
        found[ends[ends >= 0]] = True
        return found

    @cached_property
    def _has_referrer(self) -> BoolArray:
        found = np.zeros(self.pages.count, np.bool_)
        for (page,) in self.rows("SELECT id FROM page WHERE depth = 0 AND referrer IS NOT NULL"):
            found[page] = True
        return found

    # ---------------------------------------------------------------- ranks

    @cached_property
    def graph(self) -> Graph:
        """The links of all pages as a graph."""
        links, count = self.links, self.pages.count
        return Graph.from_links(links.sources, links.targets, count)

    @cached_property
    def outdegrees(self) -> IntArray:
        """The number of distinct pages that each page links to, shape (n,)."""
        return self.graph.outdegrees

    @cached_property
    def site_ranks(self) -> SeenRanks:
        """The PageRank of the local pages, computed from the links between them alone."""
        local = np.flatnonzero(self.pages.is_local).astype(np.int32)
        ranks = np.zeros(self.pages.count)
        if len(local):
            ranks[local] = pagerank(self.graph.among(local), tolerance=_TOLERANCE)
        return SeenRanks(frozen(ranks))

    @cached_property
    def web_ranks(self) -> SeenRanks | None:
        """The estimate of how the whole web would rank the local pages; None if the store has no estimate."""
        estimator = self.reader.ranks.estimator()
        if estimator is None:
            return None
        ranks, spreads = np.zeros(self.pages.count), np.ones(self.pages.count)
        knows = False
        for page, rank, spread in self.rows("SELECT page, pagerank, spread FROM rank WHERE estimator = ?", estimator):
            ranks[page] = rank
            if spread is not None:
                spreads[page], knows = spread, True
        return SeenRanks(frozen(ranks), frozen(spreads) if knows else None)

    # ---------------------------------------------------------------- what was looked at

    def has(self, need: Need) -> bool:
        """Return whether the store has what a rule with this need requires."""
        match need:
            case Need.FACTS:
                return "page_facts" in self.tables
            case Need.SITEMAPS:
                return "sitemap_entries" in self.tables
            case Need.TEXTS:
                return self.has_text or not len(self.documents.pages)
            case Need.LANGUAGES:
                return is_installed("search")
            case Need.CHECKS:
                return next(self.rows("SELECT 1 FROM link_check LIMIT 1"), None) is not None
            case Need.REQUISITES:
                return next(self.rows("SELECT 1 FROM requisite LIMIT 1"), None) is not None

    @cached_property
    def coverage(self) -> Coverage:
        """How much of the site the crawl has seen."""
        pages, local = self.pages, self.pages.is_local
        run = self.reader.runs.last()
        waiting = pages.is_state("waiting") & local
        challenged = pages.has_outcome("challenged") & local
        left = self.reader.reach.left_by_nofollow()
        known = int((pages.is_state("known") & local).sum())
        nofollow = min(known, 0 if left is None else left.pages)
        lost = np.array([host for (host,) in self.rows("SELECT id FROM host WHERE is_given_up")], np.int32)
        [(slowed,)] = self.rows("SELECT coalesce(sum(left_waiting), 0) FROM slowed")
        [(cut,)] = self.rows("SELECT count(*) FROM fetch WHERE cut IS NOT NULL AND cut ->> '$.links' > 0")
        return Coverage(
            pages=len(self.documents.pages),
            others=int((pages.has_outcome("other_type") & local).sum()),
            redirects=int((pages.is_state("redirected") & local).sum()),
            failed=int((pages.is_state("failed") & local & ~challenged & ~is_absent(pages)).sum()),
            challenged=int((challenged & pages.is_state("failed")).sum()),
            refused=int((pages.is_state("refused") & local).sum()),
            waiting=int(waiting.sum()),
            retrying=int((waiting & pages.will_retry).sum()),
            on_lost_hosts=int((waiting & np.isin(pages.hosts, lost)).sum()),
            beyond=known - nofollow,
            nofollow=nofollow,
            slowed=int(slowed),
            cut=int(cut),
            ended=(run.reason or "") if run is not None else "",
            is_running=self.reader.holder is not None and run is not None and run.state is RunState.RUNNING,
        )


def is_absent(pages: PageColumns) -> BoolArray:
    """Return which pages do not exist according to their server, shape (n,). Such pages have no content to read."""
    gone = pages.has_outcome("client_error") & ~np.isin(pages.statuses, UNCHECKED_STATUSES)
    return gone | pages.has_outcome("soft_404", "bad_redirect", "too_many_redirects")
