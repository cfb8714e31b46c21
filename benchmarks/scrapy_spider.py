"""A lean Scrapy spider with the same task as the benchmarked crawl, as fast as Scrapy honestly goes.

It obeys robots.txt, stays on the hosts of its seeds, parses with Lexbor and joins URLs with ada (not
with parsel, lxml and urllib), follows every `<a href>` and keeps nothing: no items, no link graph, no
resumable queue. All that costs and that this task does not need is off: retries, cookies, caches, telnet,
log, statistics, most middlewares; a body that is not HTML is not downloaded. The budget counts HTML
pages, like the crawler's own `--max-pages`. Requests go out breadth first, so that both meet similar pages.

    python -m benchmarks.scrapy_spider SEEDS_FILE [--max-pages N] [--concurrency 16]

Prints one JSON object: pages, hrefs, seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import scrapy
from ada_url import join_url
from scrapy import signals
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.dupefilters import BaseDupeFilter
from scrapy.exceptions import CloseSpider, StopDownload
from scrapy.http import Headers, HtmlResponse, Request, Response
from selectolax.lexbor import LexborHTMLParser

_UNUSED_DOWNLOADER_MIDDLEWARES = (
    "offsite.OffsiteMiddleware",  # the spider asks for no URL outside its hosts
    "httpauth.HttpAuthMiddleware",
    "defaultheaders.DefaultHeadersMiddleware",
    "retry.RetryMiddleware",
    "redirect.MetaRefreshMiddleware",
    "cookies.CookiesMiddleware",
    "httpproxy.HttpProxyMiddleware",
    "stats.DownloaderStats",
    "httpcache.HttpCacheMiddleware",
)
_UNUSED_SPIDER_MIDDLEWARES = (
    "referer.RefererMiddleware",
    "urllength.UrlLengthMiddleware",
    "depth.DepthMiddleware",
    "metacopy.MetaCopyDetectionMiddleware",
)
_UNUSED_EXTENSIONS = (
    "corestats.CoreStats",
    "logcount.LogCount",
    "telnet.TelnetConsole",
    "memusage.MemoryUsage",
    "memdebug.MemoryDebugger",
    "closespider.CloseSpider",
    "feedexport.FeedExporter",
    "logstats.LogStats",
    "spiderstate.SpiderState",
    "throttle.AutoThrottle",
    "remote_control.RemoteControl",
)


def _off(package: str, names: tuple[str, ...]) -> dict[str, None]:
    return {f"scrapy.{package}.{name}": None for name in names}


def lean_settings(concurrency: int) -> dict[str, Any]:
    """Scrapy's settings with everything off that this task does not need."""
    return {
        "USER_AGENT": "scrapy-benchmark",
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "DUPEFILTER_CLASS": UrlDupeFilter,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_LEVEL": "CRITICAL",  # or each message is still composed, and then dropped
        "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
        "DOWNLOADER_STATS": False,
        "DOWNLOADER_MIDDLEWARES": _off("downloadermiddlewares", _UNUSED_DOWNLOADER_MIDDLEWARES),
        "SPIDER_MIDDLEWARES": _off("spidermiddlewares", _UNUSED_SPIDER_MIDDLEWARES),
        "EXTENSIONS": _off("extensions", _UNUSED_EXTENSIONS),
    }


class UrlDupeFilter(BaseDupeFilter):
    """Knows a request by its URL alone: no canonicalisation, no hash (the default costs both)."""

    def __init__(self) -> None:
        """Start without any URL."""
        self._seen: set[str] = set()

    def request_seen(self, request: Request) -> bool:
        """Whether this URL came before; it has after this call."""
        known = len(self._seen)
        self._seen.add(request.url)
        return len(self._seen) == known


class LeanSpider(scrapy.Spider):
    """Follows every link that stays on the seeds' hosts until the page budget is spent."""

    name = "lean"

    def __init__(self, seeds: list[str], max_pages: int, tally: dict[str, int]) -> None:
        """Start with the seeds, whose hosts may be crawled; results are counted in `tally`."""
        super().__init__()
        self.start_urls = seeds
        self._hosts = {seed[: seed.find("/", 8)] for seed in seeds}  # scheme + authority
        self._max_pages = max_pages
        self._tally = tally
        self._seen: set[str] = set(seeds)  # asking here spares most links the building of a Request

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider and let it see headers before bodies."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.refuse_other_types, signal=signals.headers_received)
        return spider

    def refuse_other_types(self, headers: Headers, request: Request) -> None:
        """Do not download a body that is not HTML."""
        content_type = headers.get(b"Content-Type")
        if content_type and b"html" not in content_type and not request.url.endswith("/robots.txt"):
            raise StopDownload(fail=True)

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Count the page and follow its links."""
        if not isinstance(response, HtmlResponse):
            return
        if self._tally["pages"] >= self._max_pages:
            raise CloseSpider("page budget spent")
        self._tally["pages"] += 1
        hrefs = [node.attributes["href"] for node in LexborHTMLParser(response.body).css("a[href]")]
        self._tally["hrefs"] += len(hrefs)
        base = response.url
        for href in dict.fromkeys(hrefs):  # most repeat: join each but once
            try:
                url = join_url(base, href or "").partition("#")[0]
            except ValueError:
                continue
            if url not in self._seen and url[: url.find("/", 8)] in self._hosts:
                self._seen.add(url)
                yield Request(url)


def main() -> None:
    """Crawl from the seeds of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=Path, help="file with one URL a line")
    parser.add_argument("--max-pages", type=int, default=sys.maxsize)
    parser.add_argument("--concurrency", type=int, default=16)
    arguments = parser.parse_args()
    tally = {"pages": 0, "hrefs": 0}
    started = time.perf_counter()
    process = CrawlerProcess(lean_settings(arguments.concurrency))
    process.crawl(LeanSpider, arguments.seeds.read_text(encoding="utf-8").split(), arguments.max_pages, tally)
    process.start()
    json.dump(tally | {"seconds": round(time.perf_counter() - started, 3)}, sys.stdout)


if __name__ == "__main__":
    main()
