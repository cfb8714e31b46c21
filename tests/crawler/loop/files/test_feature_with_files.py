"""A feature of one class requests files as politely as pages are requested, whatever its own code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.loop.decisions.endings import EndReason
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

PLUGIN = '''
from hinterland.crawler.fetching.answers import BodyLimits
from hinterland.crawler.loop.files.feature_with_files import FeatureWithFiles
from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.storage.values.topics import LearntRecord


class Authors(FeatureWithFiles):
    """Requests the humans.txt beside every page."""

    name = "authors"

    def __init__(self):
        super().__init__(FileQueue())

    def page_read(self, ended, digest):
        self.queue.wait(WantedFile(ended.url + "humans.txt"))
        return []

    def limits_of(self, file):
        return BodyLimits(None, 1000)

    async def taken_up(self, file, verdict, answer):
        if verdict.status == 200 and answer.body == b"bug":
            raise ZeroDivisionError
        return str(verdict.kind), []

    def not_requested(self, file, outcome, detail, now):
        return LearntRecord(0, 0)


FEATURES = {"authors": Authors}
'''


@pytest.fixture(autouse=True)
def no_mishap_goes_unnoticed() -> None:
    """Here a mishap is what is looked for."""


async def test_a_crawl_ends_although_reading_one_of_the_files_raises(tmp_path: Path) -> None:
    plugin = tmp_path / "authors.py"
    plugin.write_text(PLUGIN)
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b/", "/c/", "/d/"])
        for path in ("/b/", "/c/", "/d/"):
            web.page("a.test", path)
        web.page("a.test", "/humans.txt", html="bug")
        web.page("a.test", "/b/humans.txt", html="they")
        web.robots("a.test", "User-agent: *\nDisallow: /d/humans.txt")
        done = await crawl(web.addresses, [seed], tmp_path / "s.db", plugins=[str(plugin)])
    assert done.reason is EndReason.EXHAUSTED
    assert done.statistics.features["authors"] == {
        "internal_error": 1, "fetched": 1, "client_error": 1, "robots": 1, "waiting": 0
    }  # fmt: skip
    assert max(web.fetches().values()) == 1
    assert not web.requests("a.test", "/d/humans.txt")
    assert not web.overlaps()
