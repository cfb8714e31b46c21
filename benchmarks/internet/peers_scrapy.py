"""A Scrapy spider for the box, set up as Scrapy's own page on broad crawls advises, with more room than it asks for.

python -m benchmarks.internet.peers_scrapy SEEDS --failures FILE --delay SECONDS --authority FILE
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Request, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError

from benchmarks.internet.peers_links import Failures, Links

_KINDS: Final = {
    "DNSLookupError": "dns_failure",
    "TimeoutError": "timeout",
    "DownloadTimeoutError": "timeout",
    "TCPTimedOutError": "connect_timeout",
    "ConnectionRefusedError": "connect_failure",
    "CannotResolveHostError": "dns_failure",
    "DownloadConnectionRefusedError": "connect_failure",
    "ResponseFailed": "disconnected",
    "ResponseDataLossError": "truncated",
    "ResponseNeverReceived": "disconnected",
    "ConnectionLost": "disconnected",
    "ConnectError": "connect_failure",
}


class BoxSpider(scrapy.Spider):
    """Follows every link to the hosts of its seeds."""

    name = "box"

    def __init__(self, seeds: list[str], failures: Failures) -> None:
        """Start with the seeds; failures are recorded in `failures`."""
        super().__init__()
        self._seeds = seeds
        self._links = Links(seeds)
        self._failures = failures

    async def start(self) -> Any:
        """Begin with the seeds."""
        for seed in self._seeds:
            yield Request(seed, errback=self.failed, dont_filter=True)

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Follow the links of a page."""
        if isinstance(response, TextResponse):
            for url in self._links.new(response.url, response.body):
                yield Request(url, errback=self.failed)

    def failed(self, failure: Any) -> None:
        """Note what was not fetched."""
        if failure.check(HttpError):
            status = failure.value.response.status
            self._failures.add(failure.request.url, _kind_of_status(status), f"status {status}")
        elif failure.type.__name__ != "IgnoreRequest":  # robots.txt forbids it
            name = failure.type.__name__
            self._failures.add(failure.request.url, _KINDS.get(name, name), str(failure.value))


def _kind_of_status(status: int) -> str:
    if status in (429, 503):
        return "throttled" if status == 429 else "unavailable"
    return "client_error" if status < 500 else "server_error"


def main() -> None:
    """Crawl until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--failures", type=Path, required=True)
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("--authority", type=Path, help="not used: Scrapy looks at no certificate")
    arguments = parser.parse_args()
    settings = {
        "USER_AGENT": "scrapy-benchmark",
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 1_000,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": arguments.delay,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_TIMEOUT": 30,
        "LOG_LEVEL": "ERROR",
    }
    failures = Failures()
    process = CrawlerProcess(settings)
    process.crawl(BoxSpider, arguments.seeds.read_text(encoding="utf-8").split(), failures)
    process.start()
    failures.write(arguments.failures)


if __name__ == "__main__":
    main()
