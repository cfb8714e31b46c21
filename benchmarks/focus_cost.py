"""What focus costs a page: the same pages read plainly, judged, and with their links; told to the policy; learnt from.

    python -m benchmarks.focus_cost small.db --topic sql.topic --pages 3000

The store is one of a crawl that kept its bodies. Milliseconds of CPU a page, the least of three rounds, by parts of a
crawl: what a parser process does for `bfs` without a topic, for `bfs` with one, and for `focused`; what the event loop
does more for `focused`; and its refreshes.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import IntArray
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.topics.focus import Focus
from hinterland.crawler.features.topics.reading import TOPIC_READER
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.page_readings import PageReading
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.compression import unpacked_bytes

_ROUNDS = 3


class KnownUrls:
    """What `Focus` asks of the pages a crawl knows of, and no more: there is no scope."""

    def __init__(self) -> None:
        self.host_urls: list[str] = []
        self._numbers: dict[str, int] = {}
        self._host_numbers: dict[str, int] = {}
        self._hosts = array("i")

    def __len__(self) -> int:
        return len(self._hosts)

    def number(self, url: str) -> int:
        if url not in self._numbers:
            host = host_of(url)
            if host not in self._host_numbers:
                self._host_numbers[host] = len(self.host_urls)
                self.host_urls.append(host)
            self._numbers[url] = len(self._hosts)
            self._hosts.append(self._host_numbers[host])
        return self._numbers[url]

    def host_of(self, page: int) -> int:
        return self._hosts[page]

    def hosts_of(self, pages: IntArray) -> IntArray:
        return np.frombuffer(self._hosts, np.int32)[pages]


def bodies(store: Path, count: int) -> list[RawPage]:
    """Of the first pages of a store, in the order in which they were found."""
    connection = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)
    rows = connection.execute(
        "SELECT url, body, content_type FROM content JOIN page ON page.id = content.page JOIN fetch ON"
        " fetch.page = page.id WHERE outcome = 'fetched' AND body IS NOT NULL ORDER BY page.id LIMIT ?",
        (count,),
    )
    return [RawPage(url, unpacked_bytes(body), "", content_type) for url, body, content_type in rows]


def parsed(pages: Sequence[RawPage], topic: bytes, *, reads_links: bool) -> tuple[float, list[PageDigest]]:
    """Seconds, and what a parser process says of the pages."""
    reader = TOPIC_READER if topic or reads_links else ""
    digester = PageDigester(parser_config(Settings(), topic_reader=reader, topic=topic, reads_links=reads_links))
    started = time.process_time()
    digests = [digester.digest(page) for page in pages]
    return time.process_time() - started, digests


def told(pages: Sequence[tuple[str, Sequence[str], PageReading]]) -> tuple[float, float]:
    """Seconds of telling `focused` of pages, their links and readings, and of its refreshes."""
    known: Any = KnownUrls()
    policy, log = make_policy("focused", 0), LinkLog()
    focus = Focus(policy, known)
    telling = learning = 0.0
    visited: set[int] = set()
    since = 0
    for url, urls, reading in pages:
        page, first = known.number(url), len(known)
        targets = [known.number(target) for target in urls]
        new = np.arange(first, len(known), dtype=np.int32)
        visited.add(page)
        started = time.process_time()
        focus.read(page, reading, targets, "text/html")
        if len(new):
            policy.discovered(new, np.ones(len(new), np.int32))
        telling += time.process_time() - started
        since += 1
        if since >= focus.pages_between_refreshes(len(visited), 1000):
            since = 0
            waiting = np.setdiff1d(np.arange(len(known), dtype=np.int32), np.array(sorted(visited), np.int32))
            crawled: CrawledGraph = log.snapshot(np.ones(len(known), np.bool_), known.hosts_of(np.arange(len(known))))
            started = time.process_time()
            policy.begin_refresh(crawled, waiting, 1000)()
            learning += time.process_time() - started
    return telling, learning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--topic", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=3000)
    given = parser.parse_args()
    pages, topic = bodies(given.store, given.pages), given.topic.read_bytes()
    rounds = []
    for _ in range(_ROUNDS):
        plain, _ = parsed(pages, b"", reads_links=False)
        judged, _ = parsed(pages, topic, reads_links=False)
        with_links, digests = parsed(pages, topic, reads_links=True)
        read = [
            (raw.url, list(digest.page.link_urls), digest.reading)
            for raw, digest in zip(pages, digests, strict=True)
            if digest.page is not None and digest.reading is not None
        ]
        rounds.append((plain, judged, with_links, *told(read)))
    names = ("parsed", "and judged", "and links read", "told to the policy", "learnt from")
    for name, seconds in zip(names, np.min(rounds, 0), strict=True):
        print(f"{name:20} {1000 * seconds / len(pages):.3f} ms a page")


if __name__ == "__main__":
    main()
