"""A Crawlee crawler for the box: its HTTP crawler, with a queue for each host that lets it rest.

python -m benchmarks.internet.peers_crawlee SEEDS --failures FILE --delay SECONDS --authority FILE
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
from math import ceil
from pathlib import Path
from typing import Any, Final

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.http_clients import HttpxHttpClient
from crawlee.request_loaders import ThrottlingRequestManager
from crawlee.storage_clients import MemoryStorageClient
from crawlee.storages import RequestQueue

from benchmarks.internet.peers_links import Failures, Links

_KINDS: Final = {
    "ConnectError": "connect_failure",
    "ConnectTimeout": "connect_timeout",
    "ReadTimeout": "timeout",
    "TimeoutError": "timeout",
    "ReadError": "disconnected",
    "RemoteProtocolError": "disconnected",
    "HttpClientStatusCodeError": "client_error",
    "HttpStatusCodeError": "server_error",
    "SessionError": "client_error",
}


async def crawl(seeds: list[str], failures: Failures, delay: float, authority: Path) -> None:
    """Crawl until interrupted."""
    service_locator.set_storage_client(MemoryStorageClient())
    links = Links(seeds)
    queue = await RequestQueue.open()
    hosts = [*links.hosts, *(f"www.{host}" for host in links.hosts)]
    manager = ThrottlingRequestManager(queue, domains=hosts, request_manager_opener=RequestQueue.open)
    if delay:
        for seed in seeds:  # a Crawl-delay in robots.txt would have to be set before, and is not obeyed then
            manager.set_crawl_delay(seed, ceil(delay))
    crawler = HttpCrawler(
        request_manager=manager,
        http_client=HttpxHttpClient(verify=str(authority)),
        respect_robots_txt_file=True,
        max_request_retries=2,
        keep_alive=True,
        concurrency_settings=ConcurrencySettings(min_concurrency=200, desired_concurrency=1_000, max_concurrency=1_000),
        configure_logging=False,
    )

    async def read(context: HttpCrawlingContext) -> None:
        body = await context.http_response.read()
        await context.add_requests(links.new(context.request.loaded_url or context.request.url, body))

    async def failed(context: Any, error: Exception) -> None:
        name = type(error).__name__
        kind = "dns_failure" if "name" in str(error).lower() and name == "ConnectError" else _KINDS.get(name, name)
        failures.add(context.request.url, kind, str(error))

    crawler.router.default_handler(read)
    crawler.failed_request_handler(failed)
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, crawler.stop)
    # one by one it would wait for the robots.txt of each before that of the next
    adding = asyncio.gather(*(crawler.add_requests([seed]) for seed in seeds), return_exceptions=True)
    await crawler.run()
    adding.cancel()


def main() -> None:
    """Crawl with Crawlee and write the failures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--failures", type=Path, required=True)
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("--authority", type=Path, required=True)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    failures = Failures()
    seeds = arguments.seeds.read_text(encoding="utf-8").split()
    asyncio.run(crawl(seeds, failures, arguments.delay, arguments.authority))
    failures.write(arguments.failures)


if __name__ == "__main__":
    main()
