"""kill -9 while an archive is written: its files are whole after the next start, and hold every page of the store."""

from __future__ import annotations

import random
import time
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from storage.warc.cdxj import INDEX_NAME
from tests.crawl_process import CrawlOrder
from tests.crawling import fetched
from tests.web import web_process

KILLS = 4
PAGES = 200


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


def test_an_archive_survives_kills(tmp_path: Path) -> None:
    choose = random.Random(1)
    store, warc = tmp_path / "s.db", tmp_path / "warc"
    with web_process(tmp_path / "log", graph_seed=2, hosts=8, pages=PAGES, latency_ms=2) as web:
        seeds = [f"http://h{host}.test:{web.port}/p{host * web.pages_per_host}" for host in range(web.hosts)]
        order = CrawlOrder(web.addresses, seeds, str(store), {"politeness": {"delay_seconds": 0.005}}, str(warc))
        left_open = 0
        for kill in range(KILLS):
            before = len(web.requests())
            with order.start() as process:
                while process.poll() is None and len(web.requests()) < before + PAGES // (KILLS + 1):
                    time.sleep(0.002)
                time.sleep(choose.uniform(0.0, 0.02))
                process.kill()
            left_open += len(list(warc.glob("*.open")))
            if kill == 0:  # whatever the moment of a kill was: cut a record in its middle
                [path] = warc.glob("*.open")
                with path.open("ab") as file:
                    file.write(path.read_bytes()[-100:-20])
        with order.start() as process:
            output, _ = process.communicate(timeout=120)
    assert output.split()[-1] == "exhausted"
    assert left_open >= KILLS
    assert not list(warc.glob("*.open"))
    assert len(fetched(store)) == PAGES
    assert fetched(store) <= urls_in(warc)
    indexed = {line.split('"url": "')[1].split('"')[0] for line in (warc / INDEX_NAME).read_text().splitlines()}
    assert indexed == urls_in(warc)
