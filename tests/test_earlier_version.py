"""A store, an index and an archive made by commit 90c93af open, answer and go on with the code of today.

tests/data/made_by_90c93af.tar.xz: a crawl of tests/support/earlier_web.py with a hinterland, ended by its budget after
eleven pages, its bodies kept, its index built, its WARC files beside it.
"""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from hinterland.cli.exit_codes import STORE
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import SearchSettings
from hinterland.search.index.index_folder import default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.web.application import application
from hinterland.web.search_service import ReloadingIndex
from tests.support.crawling import crawl, fetched, links, rows
from tests.support.earlier_web import ADDRESS, HOSTS, PAGES, PORT, SEED, put_pages
from tests.support.in_process import complaint, said
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow

MADE = Path(__file__).parent / "data/made_by_90c93af.tar.xz"
FETCHED_THEN = 11
POLICY = {"name": "return-flow"}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The folder that it was made in: crawl.db, crawl.index, warc."""
    with lzma.open(MADE) as packed, tarfile.open(fileobj=packed) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # 3.11.4 has it
        archive.extractall(tmp_path)
    return tmp_path


async def test_its_crawl_goes_on_to_the_end_in_the_store_and_in_the_archive(made: Path) -> None:
    before = fetched(made / "crawl.db")
    assert len(before) == FETCHED_THEN
    async with LoopbackWeb(addresses=[ADDRESS], port=PORT) as web:
        put_pages(web)
        crawled = await crawl(
            web.addresses,
            [SEED],
            made / "crawl.db",
            warc=made / "warc",
            hinterland={"budget": "30"},
            policy=POLICY,
            storage={"keep_bodies": True, "commit_seconds": 0.0},
        )
        asked_again = {(request.host, request.path) for request in web.log if request.path != "/robots.txt"}
    assert crawled.reason is EndReason.EXHAUSTED
    now = fetched(made / "crawl.db")
    assert before < now
    assert {url for url in now if f"//{HOSTS[0]}:" in url} == {
        SEED, *(f"{SEED}{number}" for number in range(1, PAGES - 1))
    }  # fmt: skip
    assert sum(f"//{HOSTS[0]}:" not in url for url in now) == min(30, 2 * (PAGES - 1))
    assert len(asked_again) == len(now) - FETCHED_THEN, "nothing is fetched twice"
    assert (f"{SEED}1", f"{SEED}3", "a") in links(made / "crawl.db")
    captures = (made / "warc/index.cdxj").read_text().splitlines()
    assert sum("/robots.txt" not in line for line in captures) == len(now)
    assert rows(made / "crawl.db", "SELECT count(*) FROM ranks")[0][0] >= PAGES - 1


def test_its_index_is_refused_with_the_way_out_and_rebuilt(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = made / "crawl.db"
    refusal = complaint(capsys, "search", store, "lighthouse", exit_code=STORE)
    assert "run `index` to rebuild it" in refusal
    said(capsys, "index", store)
    assert f"{SEED}8\n" in said(capsys, "search", store, "lighthouse quay")


def test_the_commands_read_it(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = made / "crawl.db"
    assert "page budget is used up" in said(capsys, "status", store)
    assert len(said(capsys, "export", store, "--format", "edges", "--output", "-").splitlines()) >= FETCHED_THEN
    assert SEED in said(capsys, "rank", store)


async def test_it_is_served(made: Path) -> None:
    store = made / "crawl.db"
    searches = ReloadingIndex(default_folder(store), lambda folder: SearchIndex(folder, SearchSettings()), "index")
    async with TestClient(TestServer(application(store, searches, only_this_machine=True))) as client:
        for path in ("/", f"/page?url={SEED}8", "/hosts", "/api/status"):
            response = await client.get(path)
            assert response.status == 200, f"{path}: {await response.text()}"
        refused = await client.get("/?q=lighthouse")
        assert (refused.status, "to rebuild it" in await refused.text()) == (503, True)


def test_its_archive_is_imported(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = made / "again.db"
    said(capsys, "import", made / "warc", "--store", store)
    assert fetched(store) == fetched(made / "crawl.db")
