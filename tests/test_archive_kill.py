"""kill -9 while an archive is written: its files are whole after the next start, and hold every page of the store."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from hinterland.storage.warc.cdxj import INDEX_NAME
from tests.support.crawl_process import CrawlOrder
from tests.support.crawling import fetched, wait_until
from tests.support.levels import rounds
from tests.support.web import Connection, LoopbackWeb, Request, graph_page, random_graph, web_from_graph

pytestmark = pytest.mark.slow

KILLS = rounds(2, 6)
PAGES = 200
PAGES_PER_HOST = 25


class MeteredWeb(LoopbackWeb):
    """Answers as many requests as it has permits, so that no crawl is over before it is killed."""

    def __init__(self) -> None:
        super().__init__()
        self.permits = asyncio.Semaphore(0)

    async def respond(self, request: Request, connection: Connection) -> None:
        await self.permits.acquire()
        await super().respond(request, connection)

    def has_answered(self, requests: int) -> bool:
        return len(self.log) >= requests

    def permit(self, requests: int) -> None:
        for _ in range(requests):
            self.permits.release()


def urls_in(folder: Path) -> set[str]:
    """Of the responses in finished files, whose digests are checked."""
    urls = set()
    for path in folder.glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()
                if record.rec_type == "response":
                    urls.add(record.rec_headers.get_header("WARC-Target-URI"))
    return urls


async def test_an_archive_survives_kills(tmp_path: Path) -> None:
    choose = random.Random(1)
    store, warc = tmp_path / "s.db", tmp_path / "warc"
    web = MeteredWeb()
    async with web:
        web_from_graph(*random_graph(2, PAGES), PAGES, PAGES_PER_HOST, web)
        seeds = [web.url(*graph_page(page, PAGES_PER_HOST)) for page in range(0, PAGES, PAGES_PER_HOST)]
        order = CrawlOrder(web.addresses, seeds, str(store), {"politeness": {"delay_seconds": 0.005}}, str(warc))
        left_open = 0
        for kill in range(KILLS):
            enough = len(web.log) + PAGES // (KILLS + 1)
            web.permit(PAGES // (KILLS + 1))
            with order.start() as process:
                await wait_until(partial(web.has_answered, enough), pause=0.002)
                await asyncio.sleep(choose.uniform(0.0, 0.02))
                process.kill()
            left_open += len(list(warc.glob("*.open")))
            if kill == 0:  # whatever the moment of a kill was: cut a record in its middle
                [path] = warc.glob("*.open")
                with path.open("ab") as file:
                    file.write(path.read_bytes()[-100:-20])
        web.permit(2 * PAGES)
        with order.start() as process:
            assert await asyncio.to_thread(process.reason) == "exhausted"
    assert left_open >= KILLS
    assert not list(warc.glob("*.open"))
    assert len(fetched(store)) == PAGES
    assert fetched(store) <= urls_in(warc)
    indexed = {line.split('"url": "')[1].split('"')[0] for line in (warc / INDEX_NAME).read_text().splitlines()}
    assert indexed == urls_in(warc)
