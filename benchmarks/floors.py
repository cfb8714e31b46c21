"""The two floors a whole crawl is measured against: the least that fetching known pages costs.

Given a list of URLs, `fetch` downloads each one with aiohttp on uvloop; `parse` also parses it with
Lexbor and takes the href of every `<a>`. Nothing else is done: no robots.txt, no politeness, no URL
is resolved, nothing is stored. What a crawler built of the same parts spends above the second floor
is the price of being a crawler.

    python -m benchmarks.floors fetch|parse URLS_FILE [--concurrency 8 | --per-host]

Eight requests in flight were the cheapest, or as cheap as any, of 4, 8, 16, 32, 100 and one per host: more
keep more buffers alive and caches colder. Many hosts' pages are in the list, so connections are kept alive.

Prints one JSON object: pages, errors, bytes (decompressed), hrefs, seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import uvloop
from selectolax.lexbor import LexborHTMLParser
from yarl import URL

USER_AGENT = "floor"


@dataclass(slots=True)
class Tally:
    """What one floor has done so far; the only mutable state of a run."""

    pages: int = 0
    errors: int = 0
    bytes: int = 0
    hrefs: int = 0


def count_hrefs(body: bytes) -> int:
    """Parse the page and take the href of every <a>, as the cheapest useful crawler would."""
    return len([node.attributes["href"] for node in LexborHTMLParser(body).css("a[href]")])


def no_hrefs(_body: bytes) -> int:
    """Return 0: the fetch floor reads no body."""
    return 0


async def fetch_all(
    session: aiohttp.ClientSession, urls: Iterator[str], work: Callable[[bytes], int], tally: Tally
) -> None:
    """Fetch URL after URL until the iterator, which workers may share, is exhausted."""
    for url in urls:
        async with session.get(URL(url, encoded=True), allow_redirects=False) as response:
            body = await response.read()
        if response.status == 200:
            tally.pages += 1
            tally.bytes += len(body)
            tally.hrefs += work(body)
        else:
            tally.errors += 1


def queues(urls: list[str], *, concurrency: int, per_host: bool) -> Iterable[Iterator[str]]:
    """One queue per worker: each worker its own host, or all workers one queue."""
    if not per_host:
        shared = iter(urls)
        return [shared] * concurrency
    by_host: defaultdict[str, list[str]] = defaultdict(list)
    for url in urls:
        by_host[urlsplit(url).netloc].append(url)
    return map(iter, by_host.values())


async def run(urls: list[str], work: Callable[[bytes], int], *, concurrency: int, per_host: bool) -> Tally:
    """Do the given work for every URL and return what was done."""
    tally = Tally()
    connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=None)
    async with (
        aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=30),
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"},
        ) as session,
        asyncio.TaskGroup() as workers,
    ):
        for queue in queues(urls, concurrency=concurrency, per_host=per_host):
            workers.create_task(fetch_all(session, queue, work, tally))
    return tally


def main() -> None:
    """Run one floor over the URLs of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("floor", choices=("fetch", "parse"))
    parser.add_argument("urls", type=Path, help="file with one URL a line")
    parser.add_argument("--concurrency", type=int, default=8, help="requests in flight (default 8)")
    parser.add_argument("--per-host", action="store_true", help="one request in flight per host instead")
    arguments = parser.parse_args()
    urls = arguments.urls.read_text(encoding="utf-8").split()
    work = count_hrefs if arguments.floor == "parse" else no_hrefs
    started = time.perf_counter()
    tally = uvloop.run(run(urls, work, concurrency=arguments.concurrency, per_host=arguments.per_host))
    json.dump(asdict(tally) | {"seconds": round(time.perf_counter() - started, 3)}, sys.stdout)


if __name__ == "__main__":
    main()
