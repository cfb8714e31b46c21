"""A crawl of a store that kept its bodies, visit by visit, by the very policies and parsers of a live crawl.

Nothing waits for a host, so it measures the order alone. Pages are read when they are visited: a thousand visits take
some seconds, whatever the size of the store.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Protocol

import numpy as np

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.policies.reading_policy import Reading, ReadingPolicy, pages_between_refreshes
from hinterland.crawler.features.topics.reading import TOPIC_READER
from hinterland.crawler.parsing.html.parsed_page import LinkKind
from hinterland.crawler.parsing.messages import ParserConfig, RawPage
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.policies import FrontierPolicy
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.compression import unpacked_bytes

_FOLLOWED = frozenset({LinkKind.A, LinkKind.AREA, LinkKind.FRAME, LinkKind.IFRAME, LinkKind.NEXT, LinkKind.CANONICAL})


class RecordedPages(Protocol):
    """pages, files: by URL; of a page its number, of a file its content type."""

    pages: dict[str, int]
    files: dict[str, str]

    def body(self, url: str) -> tuple[bytes, str | None]:
        """The body of a page, and its content type."""
        ...

    def seen_as(self, url: str) -> str | None:
        """The URL that a visit ends at; None if there is nothing."""
        ...


class RecordedWeb:
    """The pages of a store, by URL. Raises ValueError if it has no bodies."""

    def __init__(self, store: Path) -> None:
        self._connection = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)
        rows = self._connection.execute(
            "SELECT page.id, url, outcome, content_type FROM page JOIN fetch ON fetch.page = page.id"
            " WHERE outcome IN ('fetched', 'other_type')"
        ).fetchall()
        self.pages = {url: number for number, url, outcome, _ in rows if outcome == "fetched"}
        self.files = {url: content_type or "" for _, url, outcome, content_type in rows if outcome == "other_type"}
        redirects = self._connection.execute(
            "SELECT page.url, target.url FROM fetch JOIN page ON page.id = fetch.page"
            " JOIN page AS target ON target.id = redirect_target"
        )
        self.redirects = dict(redirects.fetchall())
        if not self._connection.execute("SELECT 1 FROM content WHERE body IS NOT NULL").fetchone():
            raise ValueError(f"{store} has no bodies: crawl with --set storage.keep_bodies=true")

    def body(self, url: str) -> tuple[bytes, str | None]:
        """The body of a page, and its content type."""
        row = self._connection.execute(
            "SELECT body, content_type FROM content JOIN fetch ON fetch.page = content.page WHERE content.page = ?",
            (self.pages[url],),
        ).fetchone()
        return unpacked_bytes(row[0]), row[1]

    def seen_as(self, url: str) -> str | None:
        """The URL that a visit ends at; None if the store has nothing there."""
        for _ in range(5):
            if url in self.pages or url in self.files:
                return url
            if url not in self.redirects:
                return None
            url = self.redirects[url]
        return None


@dataclass(slots=True)
class Replay:
    """What was visited, in order; waiting: what was known at the end, and was not."""

    urls: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    relevance: list[float] = field(default_factory=list)
    refresh_seconds: float = 0.0


def replay(
    web: RecordedPages,
    policy: FrontierPolicy,
    seeds: Sequence[str],
    visits: int,
    *,
    topic: bytes = b"",
    is_sought: Callable[[str], bool] | None = None,
    refresh_pages: int = 1000,
    judged: Callable[[str], float] | None = None,
    is_local: Callable[[str], bool] = lambda url: True,
    is_enough: Callable[[Replay], bool] = lambda done: False,
    known: Callable[[str], bool] | None = None,
) -> Replay:
    """Visit so many pages. topic: the classifier; is_sought: of the content type of a file, if files are sought, which
    are visited then, too; judged: the relevance of a page by its URL, in the classifier's place; is_local: of the URLs
    that may be visited; is_enough: ends the replay; known: URLs that go first whatever the policy says."""
    reads = isinstance(policy, ReadingPolicy)
    digester = PageDigester(_config(topic, reads_links=reads))
    done = Replay()
    numbers: dict[str, int] = {}
    urls: list[str] = []
    hosts: dict[str, int] = {}
    host_of_page: list[int] = []
    depths: list[int] = []
    urgency: list[float] = []
    visited: list[bool] = []
    queue: list[tuple[float, int]] = []
    log = LinkLog()

    def number(url: str, depth: int) -> int:
        if url not in numbers:
            numbers[url] = len(urls)
            urls.append(url)
            host_of_page.append(hosts.setdefault(host_of(url), len(hosts)))
            depths.append(depth)
            urgency.append(0.0)
            visited.append(False)
        return numbers[url]

    def discovered(first: int) -> None:
        new = np.arange(first, len(urls), dtype=np.int32)
        if len(new):
            values = policy.discovered(new, np.array(depths[first:], np.int32))
            for page, value in zip(new.tolist(), values.tolist(), strict=True):
                urgency[page] = value if known is None or not known(urls[page]) else inf
                heapq.heappush(queue, (-urgency[page], page))

    for seed in seeds:
        found = web.seen_as(seed)
        if found is not None:
            number(found, 0)
    discovered(0)
    since = 0
    while queue and len(done.urls) < visits and not is_enough(done):
        value, page = heapq.heappop(queue)
        if visited[page] or -value != urgency[page]:
            continue
        visited[page] = True
        url = urls[page]
        done.urls.append(url)
        if url in web.files:
            relevance = float(is_sought is not None and is_sought(web.files[url]))
            done.relevance.append(relevance)
            if isinstance(policy, ReadingPolicy):
                policy.read(Reading.of_no_page(page, host_of_page[page], relevance))
            continue
        body, content_type = web.body(url)
        digest = digester.digest(RawPage(url, body, "", content_type))
        if digest.page is None:
            done.relevance.append(0.0)
            continue
        reading, first = digest.reading, len(urls)
        is_kept, targets = [], []
        for link, kind in zip(digest.page.link_urls, digest.page.link_kinds, strict=True):
            found = web.seen_as(link) if kind in _FOLLOWED else None
            keep = found is not None and (is_sought is not None or found in web.pages) and is_local(found)
            is_kept.append(keep)
            if keep and found is not None:
                targets.append(number(found, depths[page] + 1))
        relevance = judged(url) if judged is not None else 0.0 if reading is None else reading.relevance
        done.relevance.append(relevance)
        outlinks = np.array(targets, np.int32)
        if isinstance(policy, ReadingPolicy):
            features = LinkFeatures.none()
            if reading is not None:
                features = LinkFeatures.unpacked(reading.sizes, reading.features, reading.likenesses)
                features = features.those(np.array(is_kept, np.bool_))
            target_hosts = np.array([host_of_page[target] for target in targets], np.int32)
            policy.read(Reading.of_page(page, host_of_page[page], relevance, outlinks, target_hosts, features))
        distinct = np.array(list(dict.fromkeys(targets)), np.int32)
        policy.fetched(page, distinct)
        log.append(page, distinct)
        discovered(first)
        since += 1
        if policy.needs_refresh and since >= _between_refreshes(policy, len(done.urls), refresh_pages):
            since = 0
            waiting = np.flatnonzero(~np.array(visited)).astype(np.int32)
            snapshot = log.snapshot(np.ones(len(urls), np.bool_), np.array(host_of_page, np.int32))
            values = policy.begin_refresh(snapshot, waiting, refresh_pages)()
            for each, value in zip(waiting.tolist(), values.tolist(), strict=True):
                urgency[each] = value
            queue = [(-urgency[each], each) for each in waiting.tolist()]
            heapq.heapify(queue)
    done.waiting = [url for url, was_visited in zip(urls, visited, strict=True) if not was_visited]
    return done


def _between_refreshes(policy: FrontierPolicy, fetched: int, most: int) -> int:
    """As in the live crawl."""
    return pages_between_refreshes(fetched, most) if isinstance(policy, ReadingPolicy) else most


def _config(topic: bytes, *, reads_links: bool) -> ParserConfig:
    reader = TOPIC_READER if topic or reads_links else ""
    return parser_config(Settings(), topic_reader=reader, topic=topic, reads_links=reads_links)
